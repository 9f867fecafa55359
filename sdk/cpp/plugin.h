// A plugin as a class, and the entry point.
#pragma once

#include <berth/plugin.h>

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "sdk/cpp/device.h"
#include "sdk/cpp/host.h"
#include "sdk/cpp/kernel.h"
#include "sdk/cpp/namespace.h"
#include "sdk/cpp/status.h"

BERTH_SDK_BEGIN

// What a vendor derives from. One object a process; made by BERTH_PLUGIN's factory on the
// first query and never destroyed. All members are called by the host as <berth/plugin.h>
// and <berth/device.h> say.
class Plugin {
 public:
  struct Identity {
    const char* name;  // string literals
    const char* version;
    const char* vendor;
    uint32_t abi_min = BERTH_ABI_CURRENT;
    uint32_t abi_max = BERTH_ABI_CURRENT;
  };

  virtual ~Plugin() = default;
  virtual Identity identity() const = 0;
  virtual Status Init() { return {}; }
  virtual void Shutdown() {}
  // The devices there are. On none, `*why_none` says the reason ("no OpenCL driver…").
  virtual Status Enumerate(std::vector<DeviceInfo>* out, std::string* why_none) = 0;
  virtual Result<std::unique_ptr<Device>> Open(uint32_t list_index) = 0;
  // Lists every kernel; called once, at query time, with no device present.
  virtual const std::vector<const berth_kernel_def*>& kernels() = 0;
  virtual std::vector<const berth_op_def*> ops() { return {}; }
  // The device types that Enumerate may list (literals); needed only for those that no
  // kernel names.
  virtual std::vector<const char*> device_types() { return {}; }
  // The compile hook, or nullptr.
  virtual const berth_extension* device_extensions() { return nullptr; }
};

namespace internal {

// The C tables of one Plugin object.
class PluginTable {
 public:
  explicit PluginTable(std::unique_ptr<Plugin> plugin) : plugin_(std::move(plugin)) {
    const Plugin::Identity id = plugin_->identity();
    FillDeviceApi(&devices_);
    devices_.extensions = plugin_->device_extensions();
    devices_.enumerate = &Enumerate;
    devices_.open = &Open;
    ops_ = plugin_->ops();
    device_types_ = plugin_->device_types();
    const std::vector<const berth_kernel_def*>& kernels = plugin_->kernels();
    table_.struct_size = sizeof(table_);
    table_.abi_min = id.abi_min;
    table_.abi_max = id.abi_max;
    table_.name = id.name;
    table_.version = id.version;
    table_.vendor = id.vendor;
    table_.context = this;
    table_.init = [](void* self, berth_error* error) {
      return Guard(error, [&] { return Of(self)->plugin_->Init(); });
    };
    table_.shutdown = [](void* self) {
      (void)Guard(nullptr, [&]() -> Status {
        Of(self)->plugin_->Shutdown();
        return {};
      });
    };
    table_.devices = &devices_;
    table_.num_kernels = static_cast<uint32_t>(kernels.size());
    table_.kernels = kernels.data();
    table_.num_ops = static_cast<uint32_t>(ops_.size());
    table_.ops = ops_.data();
    table_.num_device_types = static_cast<uint32_t>(device_types_.size());
    table_.device_types = device_types_.data();
  }

  const berth_plugin* table() const { return &table_; }

 private:
  struct OwnedInfo {
    DeviceInfo owned;
    berth_device_info abi = {};
  };

  static PluginTable* Of(void* context) { return static_cast<PluginTable*>(context); }

  static berth_status_code Enumerate(void* context, uint32_t* out_count,
                                     const berth_device_info* const** out_infos,
                                     berth_error* error) noexcept {
    return Guard(error, [&] { return Of(context)->List(out_count, out_infos, error); });
  }

  static berth_status_code Open(void* context, const berth_open_args* args,
                                berth_device** out_device, berth_error* error) noexcept {
    return Guard(error, [&]() -> Status {
      Result<std::unique_ptr<Device>> device =
          Of(context)->plugin_->Open(args->device_list_index);
      if (!device.ok()) return device.status();
      *out_device = reinterpret_cast<berth_device*>(device->release());
      return {};
    });
  }

  Status List(uint32_t* out_count, const berth_device_info* const** out_infos,
              berth_error* error) {
    if (!listed_) {
      std::vector<DeviceInfo> found;
      BERTH_SDK_RETURN_IF_ERROR(plugin_->Enumerate(&found, &why_none_));
      for (DeviceInfo& info : found) Keep(std::move(info));
      listed_ = true;
    }
    *out_count = static_cast<uint32_t>(pointers_.size());
    *out_infos = pointers_.data();
    if (pointers_.empty() && !why_none_.empty()) {
      FillError(error, BERTH_OK, why_none_.c_str());
    }
    return {};
  }

  void Keep(DeviceInfo info) {
    OwnedInfo& kept = infos_.emplace_back();
    kept.owned = std::move(info);
    berth_device_info& abi = kept.abi;
    abi.struct_size = sizeof(abi);
    abi.type = kept.owned.type.c_str();
    abi.index = kept.owned.index;
    abi.priority = kept.owned.priority;
    abi.name = kept.owned.name.c_str();
    abi.physical_id = kept.owned.physical_id.c_str();
    abi.driver = kept.owned.driver.c_str();
    abi.memory_bytes = kept.owned.memory_bytes;
    abi.largest_allocation = kept.owned.largest_allocation;
    abi.base_alignment = kept.owned.base_alignment;
    abi.flags = kept.owned.flags;
    pointers_.push_back(&abi);
  }

  std::unique_ptr<Plugin> plugin_;
  berth_plugin table_ = {};
  berth_device_api devices_ = {};
  std::vector<const berth_op_def*> ops_;
  std::vector<const char*> device_types_;
  std::deque<OwnedInfo> infos_;
  std::vector<const berth_device_info*> pointers_;
  std::string why_none_;
  bool listed_ = false;
};

// Shared body of every entry point.
template <typename Factory>
berth_status_code Query(PluginTable** table, const berth_query_args* args,
                        const berth_plugin** out_plugin, berth_error* error,
                        Factory factory) noexcept {
  return Guard(error, [&]() -> Status {
    if (BERTH_ABI_CURRENT < args->host_abi_min ||
        BERTH_ABI_CURRENT > args->host_abi_max) {
      const auto text = [](uint32_t v) {
        return std::to_string(v >> 16) + "." + std::to_string(v & 0xffff);
      };
      return FailedPrecondition("plugin: ABI " + text(BERTH_ABI_CURRENT) +
                                ", host: ABI " + text(args->host_abi_min) + " to " +
                                text(args->host_abi_max) +
                                "; build the plugin against this host's SDK");
    }
    if (*table == nullptr) *table = new PluginTable(factory(Host(args->host)));
    *out_plugin = (*table)->table();
    return {};
  });
}

}  // namespace internal

BERTH_SDK_END

// Defines the entry point. `factory` is `std::unique_ptr<berth::sdk::Plugin> f(Host)`.
// Put it in one .cc file of the plugin. The host serialises queries of one plugin.
#define BERTH_PLUGIN(factory)                                                         \
  extern "C" BERTH_EXPORT berth_status_code berth_plugin_query(                       \
      const berth_query_args* args, const berth_plugin** out_plugin,                  \
      berth_error* error) {                                                           \
    static ::berth::sdk::internal::PluginTable* table = nullptr;                      \
    return ::berth::sdk::internal::Query(&table, args, out_plugin, error, (factory)); \
  }
