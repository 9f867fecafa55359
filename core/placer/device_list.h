// Which devices a session sees, from those of the process.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/base/status.h"
#include "core/registry/device.h"

namespace berth {

// What ConfigProto says about devices.
struct DeviceListRequest {
  // Type -> number of logical devices. Host devices are multiplied (CPU:4 on one CPU
  // gives four); of others the first N stay.
  std::map<std::string, int> device_count;
  // "1,0": these of the accelerator's devices, in this order, are GPU:0, GPU:1. The
  // accelerator is type GPU, or what GPU is an alias for, or the only type that is not a
  // host device. Empty = all.
  std::string visible_device_list;
  std::vector<std::pair<std::string, std::string>> aliases;
};

// The devices of one session, host devices first, with the logical ones it made.
struct DeviceList {
  std::vector<Device*> devices;
  std::vector<std::unique_ptr<Device>> made;
  // Full names of those that visible_device_list chose.
  std::vector<std::string> chosen;
};

// `all` in PluginManager's order. NOT_FOUND when no host device is left;
// INVALID_ARGUMENT naming the entry of a visible list that is no number, given twice or
// names no device, with the devices that exist.
Result<DeviceList> MakeDeviceList(std::span<Device* const> all,
                                  const DeviceListRequest& request);

}  // namespace berth
