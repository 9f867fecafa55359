#include "core/plugin/plugin_entry.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/ops/op_schema.h"
#include "core/plugin/plugin_ops.h"
#include "core/plugin/plugin_table.h"
#include "core/plugin/search.h"
#include "core/registry/abi_read.h"
#include "core/registry/kernel_registry.h"

namespace berth {
namespace {

LoadFailure RegisterFailure(std::string message, std::string remedy) {
  return {LoadStage::kRegister, std::move(message), std::move(remedy),
          Code::kAlreadyExists};
}

std::string Named(const LoadedPlugin& plugin) {
  return "'" + plugin.name + "' (" + plugin.path + ")";
}

const Device* DeviceOfType(const LoadedPlugin& plugin, std::string_view type) {
  for (const auto& device : plugin.devices) {
    if (device->type() == type) return device.get();
  }
  return nullptr;
}

}  // namespace

PluginEntry::PluginEntry(const std::string& path, const PluginOptions* options)
    : guess_(PluginNameFromFile(path)),
      host_table_(guess_, path, options, PluginCache::Default()) {
  plugin.path = path;
  plugin.name = guess_;
}

bool PluginEntry::Query(LoadFailure* failure) {
  const berth_plugin* table = static_table;
  if (table == nullptr) {
    table = QueryPlugin(query, host_table_.abi(), guess_, failure);
    if (table == nullptr) return false;
  } else if (!CheckPluginTable(table, guess_, failure)) {
    return false;
  }
  table_ = ReadAbi(table);
  plugin.name = table_.name;
  plugin.version = table_.version != nullptr ? table_.version : "";
  plugin.vendor = table_.vendor != nullptr ? table_.vendor : "";
  plugin.table = &table_;
  plugin.host = host_table_.abi();
  host_table_.SetPluginName(plugin.name);
  return true;
}

bool PluginEntry::CheckClashes(const std::vector<PluginEntry*>& others,
                               LoadFailure* failure) {
  for (const PluginEntry* other : others) {
    if (other->plugin.name == plugin.name) {
      *failure = RegisterFailure("two plugins are called '" + plugin.name +
                                     "': " + other->plugin.path + " is loaded, " +
                                     plugin.path + " is refused",
                                 "take one of them out of the plugin folders");
      return false;
    }
    for (const auto& device : plugin.devices) {
      if (DeviceOfType(other->plugin, device->type()) == nullptr) continue;
      *failure = RegisterFailure(
          "the plugins " + Named(other->plugin) + " and " + Named(plugin) +
              " both bring the device type " + device->type() + "; the second is refused",
          "unload one, or give the second a type of its own: "
          "BERTH_PLUGIN_OPTIONS='" +
              plugin.name + ".device_type=" + device->type() + "2'");
      return false;
    }
  }
  uses_kernels_ = true;
  for (const std::string& type : row_types_) {
    if (DeviceOfType(plugin, type) != nullptr) continue;
    for (const PluginEntry* other : others) {
      const Device* owner = DeviceOfType(other->plugin, type);
      // Kernels for another plugin's device would get handles that they do not know;
      // host memory is everybody's.
      if (owner == nullptr || owner->is_host()) continue;
      if (!plugin.devices.empty()) {
        *failure = RegisterFailure(
            "plugin " + Named(plugin) + " has kernels for the device type " + type +
                ", which plugin " + Named(other->plugin) + " brings",
            "a plugin's kernels run on its own devices or on the host; tell its vendor");
        return false;
      }
      uses_kernels_ = false;
      note = "its kernels for " + type + " are left out, because plugin " +
             Named(other->plugin) + " brings that type";
    }
  }
  return true;
}

bool PluginEntry::Register(LoadFailure* failure) {
  Status status = RegisterPluginOps(table_, OpRegistry::Global(), &ops_);
  if (status.ok() && uses_kernels_) {
    status = KernelRegistry::Global()->RegisterPlugin(&table_, type_names_);
  }
  if (status.ok()) return true;
  UnregisterOps(ops_, plugin.name, OpRegistry::Global());
  ops_.clear();
  *failure = {LoadStage::kRegister, std::string(status.message()),
              "nothing of the plugin is registered; tell its vendor", status.code()};
  return false;
}

void PluginEntry::MakeDevices(std::vector<DeviceDesc> descs) {
  std::move(plugin.devices.begin(), plugin.devices.end(), std::back_inserter(retired_));
  plugin.devices.clear();
  for (size_t i = 0; i < descs.size(); ++i) {
    plugin.devices.push_back(std::make_unique<Device>(
        std::move(descs[i]), &table_, static_cast<uint32_t>(i), host_table_.abi()));
  }
}

bool PluginEntry::ReadTypes(const PluginOptions& options, LoadFailure* failure) {
  Result<KernelRegistry::TypeNames> names =
      ParseTypeOption(options.Get(plugin.name, "device_type"), table_);
  if (!names.ok()) {
    *failure = {LoadStage::kRegister, std::string(names.status().message()),
                "correct the option", names.status().code()};
    return false;
  }
  type_names_ = *std::move(names);
  const auto rename = [this](std::vector<std::string> types) {
    for (std::string& type : types) {
      const auto renamed = type_names_.find(type);
      if (renamed != type_names_.end()) type = renamed->second;
    }
    return types;
  };
  row_types_ = rename(RowTypes(table_));
  types_ = rename(DeviceTypes(table_));
  return true;
}

bool PluginEntry::Init(LoadFailure* failure) {
  if (table_.init == nullptr) return true;
  const Status status = CallPlugin(
      "plugin " + plugin.name + ": init",
      [this](berth_error* error) { return table_.init(table_.context, error); });
  if (status.ok()) return true;
  *failure = {LoadStage::kInit, std::string(status.message()),
              "the plugin's reason is above", status.code()};
  return false;
}

void PluginEntry::Shutdown() {
  if (table_.shutdown == nullptr) return;
  (void)CallPlugin("plugin " + plugin.name + ": shutdown", [this](berth_error*) {
    table_.shutdown(table_.context);
    return BERTH_OK;
  });
}

bool PluginEntry::Start(const std::vector<PluginEntry*>& others,
                        const PluginOptions* options, LoadFailure* failure) {
  note.clear();
  if (!Query(failure) || !ReadTypes(*options, failure) || !Init(failure)) return false;
  DeviceListing listing;
  bool started = ListDevices(table_, plugin.path, type_names_, &listing, failure);
  if (started) {
    plugin.why_no_device = listing.why_none;
    MakeDevices(std::move(listing.devices));
    started = CheckClashes(others, failure) && Register(failure);
  }
  if (!started) {
    MakeDevices({});
    Shutdown();
    return false;
  }
  for (const auto& device : plugin.devices) {
    const bool listed = (device->desc().flags & BERTH_DEVICE_LISTS_CORE_OPS) != 0;
    KernelRegistry::Global()->SetCoreOpsListed(device->type(), listed);
    KernelRegistry::Global()->SetIsHost(device->type(), device->is_host());
    // A plugin that found no device gives way to one that has some of the type.
    for (PluginEntry* other : others) {
      if (!other->plugin.devices.empty() || !other->BringsType(device->type())) continue;
      KernelRegistry::Global()->UnregisterPlugin(other->plugin.name);
    }
  }
  is_active = true;
  return true;
}

Status PluginEntry::RetireDevices() {
  for (size_t i = 0; i < plugin.devices.size(); ++i) {
    if (plugin.devices[i]->Retire()) continue;
    for (size_t k = 0; k < i; ++k) plugin.devices[k]->Restore();
    return FailedPrecondition("plugin '" + plugin.name +
                              "' cannot be unloaded: " + plugin.devices[i]->name() +
                              " is in use; close the sessions that use it first");
  }
  return OkStatus();
}

void PluginEntry::Stop() {
  is_active = false;
  KernelRegistry::Global()->UnregisterPlugin(plugin.name);
  UnregisterOps(ops_, plugin.name, OpRegistry::Global());
  ops_.clear();
  for (const auto& device : plugin.devices) {
    KernelRegistry::Global()->SetCoreOpsListed(device->type(), false);
    device->Close();
  }
  Shutdown();
}

bool PluginEntry::BringsType(std::string_view device_type) const {
  return DeviceOfType(plugin, device_type) != nullptr ||
         std::find(types_.begin(), types_.end(), device_type) != types_.end();
}

}  // namespace berth
