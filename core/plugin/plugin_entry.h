// One plugin from query to shutdown.
#pragma once

#include <berth/plugin.h>

#include <string>
#include <string_view>
#include <vector>

#include "core/base/status.h"
#include "core/plugin/dll_file.h"
#include "core/plugin/file_check.h"
#include "core/plugin/host_table.h"
#include "core/plugin/loader.h"
#include "core/registry/kernel_registry.h"

namespace berth {

// What the manager keeps of a file that it has opened, or of a table that is linked in.
// Used under the manager's load lock, but for `plugin`, which is read by others once the
// entry is active.
struct PluginEntry {
  PluginEntry(const std::string& path, const PluginOptions* options);

  // Queries, checks, initialises, lists devices, registers ops and kernels; all or
  // nothing: what was done before a step that fails is undone. `others` are active.
  bool Start(const std::vector<PluginEntry*>& others, const PluginOptions* options,
             LoadFailure* failure);
  // Makes sure that nobody uses the devices or will; FAILED_PRECONDITION naming the one
  // in use, and then all are as before.
  Status RetireDevices();
  // Unregisters, closes the devices, shuts the plugin down. The entry may start again.
  void Stop();

  // True when its devices, its kernels or its table name this type (as registered).
  bool BringsType(std::string_view device_type) const;

  LoadedPlugin plugin;
  std::string note;  // for the record of a plugin that is loaded
  bool is_active = false;
  bool has_file = false;
  FileId file;
  berth_plugin_query_fn query = nullptr;
  const berth_plugin* static_table = nullptr;

 private:
  bool Query(LoadFailure* failure);
  bool ReadTypes(const PluginOptions& options, LoadFailure* failure);
  bool Init(LoadFailure* failure);
  void Shutdown();
  bool CheckClashes(const std::vector<PluginEntry*>& others, LoadFailure* failure);
  bool Register(LoadFailure* failure);
  void MakeDevices(std::vector<DeviceDesc> descs);

  std::string guess_;  // the name until the plugin has said its own
  HostTable host_table_;
  berth_plugin table_ = {};
  KernelRegistry::TypeNames type_names_;
  std::vector<std::string> row_types_;  // of its kernels, as registered
  std::vector<std::string> types_;      // those, and the ones that its table lists
  std::vector<std::string> ops_;        // that it brought
  bool uses_kernels_ = true;
  // Devices of an earlier start: pointers to them may still be about.
  std::vector<std::unique_ptr<Device>> retired_;
};

}  // namespace berth
