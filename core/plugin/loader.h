// Finding and loading plugins.
#pragma once

#include <berth/plugin.h>

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/status.h"
#include "core/registry/device.h"

namespace berth {

// How far a candidate came.
enum class LoadStage {
  kFind,
  kPermissions,
  kOpen,
  kMissingLibrary,
  kSymbol,
  kVersion,
  kInit,
  kRegister,  // clashes with what is loaded: device type, ops, kernels
  kNoDevice,  // loaded, but enumerates nothing
  kQuarantined,
  kLoaded,
  kDuplicate,  // same file again: nothing to do
};
std::string_view LoadStageName(LoadStage stage);

// One record a candidate, in the order of the search.
struct CandidateRecord {
  std::string path;
  std::string found_by;  // "explicit", "BERTH_PLUGIN_PATH", "install folder"
  LoadStage stage = LoadStage::kFind;
  std::string message;  // the system's or the plugin's own text
  std::string remedy;   // what to do
  std::string name;     // of the plugin, once known
  std::string version;
  std::vector<std::string> device_names;
  bool loaded() const {
    return stage == LoadStage::kLoaded || stage == LoadStage::kNoDevice;
  }
};

// A plugin that is loaded and its devices. Stays where it is for the process's life, also
// after an unload (its devices then open no more).
struct LoadedPlugin {
  std::string path;
  std::string name;
  std::string version;
  std::string vendor;
  // A copy of the plugin's table in a struct of our size.
  const berth_plugin* table = nullptr;
  // What the plugin was given; for berth_compute_context.host.
  const berth_host* host = nullptr;
  std::vector<std::unique_ptr<Device>> devices;
  std::string why_no_device;
};

// The process's plugins. Thread-safe; loading is serialised, and plugin code that is
// called meanwhile may not load. Ops and kernels go into OpRegistry::Global() and
// KernelRegistry::Global(), whichever manager loads. Search order: explicit path (Load),
// the folders of BERTH_PLUGIN_PATH, the install's plugin folder (lib/berth/plugins beside
// libberth). Files and folders writable by others, or owned by neither root nor the user,
// are refused. A plugin that cannot load never stops the others. Nothing is ever
// unmapped.
class PluginManager {
 public:
  static PluginManager* Global();
  PluginManager();
  ~PluginManager();

  // Searches BERTH_PLUGIN_PATH and the install folder, once; later calls do nothing.
  void LoadDefault();
  // One file, loudly: the error says stage, text and remedy. The same file again is OK,
  // by whatever path. OK also for a plugin that is loaded but finds no device: its record
  // says why.
  Status Load(const std::string& path);
  // Every .so of a folder, in name order; foreign files are skipped with a record.
  void LoadFolder(const std::string& folder, std::string_view found_by);
  // Unregisters the plugin's ops, kernels and devices and shuts it down.
  // FAILED_PRECONDITION while a session holds one of its devices.
  Status Unload(std::string_view plugin_name);

  // Adds a plugin that is linked into the process (tests, fake devices). `label` stands
  // for the path in messages. The table outlives the manager.
  Status RegisterStatic(const berth_plugin* table, const std::string& label);

  // key=value given to plugin `name` before it is loaded ("opencl",
  // "devices_per_physical"). Wins over BERTH_PLUGIN_OPTIONS="name.key=value;…", which
  // holds for all managers. The loader itself reads `device_type`: another name for the
  // plugin's device type ("ROCM", or "GPU:ROCM,NPU:NPU2" where there are several), so
  // that two plugins that bring the same type can be loaded together.
  void SetOption(const std::string& plugin, const std::string& key,
                 const std::string& value);

  std::vector<CandidateRecord> Records() const;
  std::vector<const LoadedPlugin*> Plugins() const;
  // All devices: CPU first, then by falling priority, then by index.
  std::vector<Device*> Devices() const;
  // Why a device type is missing: "plugin cuda: no device: libcuda.so.1 not found", or
  // "".
  std::string WhyAbsent(std::string_view device_type) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// The install's plugin folder, from the place of libberth itself.
std::string InstallPluginFolder();

}  // namespace berth
