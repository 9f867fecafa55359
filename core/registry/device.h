// Logical devices as the core knows them.
#pragma once

#include <berth/device.h>
#include <berth/plugin.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/status.h"

namespace berth {

// Immutable facts of one logical device. Several logical devices may stand on one
// physical device (device_count, plugin options); `physical_id` tells.
struct DeviceDesc {
  std::string type;       // "CPU", "GPU", "OPENCL"
  int index = 0;          // within the type
  std::string full_name;  // "/job:localhost/replica:0/task:0/device:CPU:0"
  int priority = 0;
  std::string display_name;
  std::string physical_id;
  std::string driver;
  uint64_t memory_bytes = 0;
  uint64_t largest_allocation = 0;
  uint32_t base_alignment = 64;
  uint32_t flags = 0;  // berth_device_flags
  std::string plugin_name;
  std::string plugin_path;
};

// A logical device: description, and the open handle behind it. Opening is lazy: the
// first session that runs something there opens it. Thread-safe.
class Device {
 public:
  // `plugin` and `host` outlive the device (plugins are never unmapped, host tables live
  // as long as the process). `list_index` is the entry of enumerate's list. `host` is the
  // table the plugin was given; NULL only where no kernel is run (placement alone).
  Device(DeviceDesc desc, const berth_plugin* plugin, uint32_t list_index,
         const berth_host* host = nullptr);
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  const DeviceDesc& desc() const { return desc_; }
  const std::string& name() const { return desc_.full_name; }
  const std::string& type() const { return desc_.type; }
  // NULL for a device that is a description alone (what-if): such a one is never opened.
  const berth_plugin* plugin() const { return plugin_; }
  uint32_t list_index() const { return list_index_; }
  // A copy of the plugin's table in a struct of our size: entries that its struct_size
  // leaves out are NULL.
  const berth_device_api* api() const { return &api_; }
  // For berth_compute_context.host of every kernel that runs here.
  const berth_host* host() const { return host_; }
  bool is_host() const { return (desc_.flags & BERTH_DEVICE_IS_HOST) != 0; }
  bool is_synchronous() const { return (desc_.flags & BERTH_DEVICE_SYNCHRONOUS) != 0; }

  // Opens the device once; later calls give the same handle or the same error.
  Result<berth_device*> Open();

  // The same device under another index of its type, with a handle of its own: a
  // session's logical device. Whoever holds it holds this one as well, as far as
  // unloading goes; it must be gone when the plugin is unloaded.
  std::unique_ptr<Device> Renumbered(int index) const;

  // A session holds the devices it may use from its creation to its end; a plugin with a
  // device in use is not unloaded. FAILED_PRECONDITION once the plugin is being unloaded.
  Status Acquire();
  void Release();
  bool in_use() const;
  // For the plugin loader. Retire lets nobody acquire or open the device any more, if
  // nobody holds it (false otherwise); Restore takes that back; Close closes the handle
  // of a retired device. Streams, events and memory of the device are gone by then.
  bool Retire();
  void Restore();
  void Close();

 private:
  struct Impl;
  DeviceDesc desc_;
  const berth_plugin* plugin_;
  uint32_t list_index_;
  const berth_host* host_;
  berth_device_api api_ = {};
  std::unique_ptr<Impl> impl_;
};

// Copies the message of a filled berth_error and releases it. `context` names the call.
Status TakeError(berth_status_code code, berth_error* error, std::string_view context);
// A zeroed berth_error with its size set.
berth_error EmptyError();
// The other direction: the status' code, its message copied into `error` (may be NULL).
berth_status_code GiveError(const Status& status, berth_error* error);

}  // namespace berth
