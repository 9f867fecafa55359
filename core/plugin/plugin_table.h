// Reading what a plugin says of itself: its table and its devices.
#pragma once

#include <berth/plugin.h>

#include <map>
#include <string>
#include <vector>

#include "core/plugin/dll_file.h"
#include "core/registry/device.h"
#include "core/registry/kernel_registry.h"

namespace berth {

// "0.1".
std::string AbiText(uint32_t version);

// Asks a plugin for its table and checks it: version range, name, arrays. `guess` names
// the plugin in messages until it has said its name. NULL fills `failure`.
const berth_plugin* QueryPlugin(berth_plugin_query_fn query, const berth_host* host,
                                const std::string& guess, LoadFailure* failure);
// The checks alone, for a table that is linked into the process.
bool CheckPluginTable(const berth_plugin* table, const std::string& guess,
                      LoadFailure* failure);

// What enumerate gave.
struct DeviceListing {
  std::vector<DeviceDesc> devices;  // in the order of enumerate
  std::string why_none;
};
// Calls enumerate and checks each device: type, index, alignment. `type_names` renames
// device types on the way. False fills `failure`.
bool ListDevices(const berth_plugin& table, const std::string& path,
                 const KernelRegistry::TypeNames& type_names, DeviceListing* listing,
                 LoadFailure* failure);

// Upper case letters, digits and '_', beginning with a letter.
bool IsDeviceType(std::string_view text);

// The option `device_type` as a renaming: "ROCM" for a plugin with one device type,
// "GPU:ROCM,NPU:NPU2" for any. INVALID_ARGUMENT saying what is wrong with it.
Result<KernelRegistry::TypeNames> ParseTypeOption(const char* option,
                                                  const berth_plugin& table);

// The device types that the plugin's kernel rows name, each once.
std::vector<std::string> RowTypes(const berth_plugin& table);
// Those, and the ones that the table lists.
std::vector<std::string> DeviceTypes(const berth_plugin& table);

}  // namespace berth
