#include "core/capi/listing.h"

#include <nlohmann/json.hpp>

#include "core/capi/conformance_note.h"
#include "core/executor/core_op.h"
#include "core/ops/op_schema.h"
#include "core/plugin/loader.h"
#include "core/registry/kernel_registry.h"

namespace berth {
namespace {

using nlohmann::json;

constexpr int kIndent = 1;

// Text of plugins and of the system may hold anything; JSON is UTF-8.
std::string Dump(const json& value) {
  return value.dump(kIndent, ' ', false, json::error_handler_t::replace);
}

json KernelJson(const KernelEntry& entry) {
  json types = json::object();
  json host_args = json::array();
  const berth_kernel_def& def = *entry.def;
  for (uint32_t i = 0; i < def.num_constraints; ++i) {
    json names = json::array();
    const berth_type_constraint& constraint = *def.constraints[i];
    for (uint32_t t = 0; t < constraint.num_dtypes; ++t) {
      names.push_back(DTypeName(constraint.dtypes[t]));
    }
    types[constraint.attr] = std::move(names);
  }
  for (uint32_t i = 0; i < def.num_host_args; ++i) host_args.push_back(def.host_args[i]);
  return {{"device", entry.device_type},
          {"plugin", entry.plugin},
          {"types", std::move(types)},
          {"host_args", std::move(host_args)},
          {"conditional", (def.flags & BERTH_KERNEL_CONDITIONAL) != 0},
          {"priority", def.priority}};
}

// What is known of the plugin's conformance, or null.
json ConformanceJson(const std::string& plugin_path) {
  const ConformanceNote note = ReadConformanceNote(plugin_path);
  if (note.state == ConformanceState::kNone) return nullptr;
  return {{"state", ConformanceStateName(note.state)},
          {"text", note.text},
          {"report", note.report}};
}

}  // namespace

std::string DevicesJson() {
  PluginManager::Global()->LoadDefault();
  json devices = json::array();
  for (const Device* device : PluginManager::Global()->Devices()) {
    const DeviceDesc& desc = device->desc();
    devices.push_back({{"name", desc.full_name},
                       {"type", desc.type},
                       {"index", desc.index},
                       {"description", desc.display_name},
                       {"driver", desc.driver},
                       {"plugin", desc.plugin_name},
                       {"path", desc.plugin_path},
                       {"physical_id", desc.physical_id},
                       {"memory_bytes", desc.memory_bytes},
                       {"priority", desc.priority}});
  }
  return Dump({{"devices", std::move(devices)}});
}

std::string PluginsJson() {
  PluginManager::Global()->LoadDefault();
  json plugins = json::array();
  for (const CandidateRecord& record : PluginManager::Global()->Records()) {
    plugins.push_back({{"path", record.path},
                       {"found_by", record.found_by},
                       {"stage", LoadStageName(record.stage)},
                       {"message", record.message},
                       {"remedy", record.remedy},
                       {"name", record.name},
                       {"version", record.version},
                       {"devices", record.device_names},
                       {"conformance", ConformanceJson(record.path)}});
  }
  return Dump({{"plugins", std::move(plugins)}});
}

std::string OpsJson() {
  PluginManager::Global()->LoadDefault();
  json ops = json::array();
  for (const OpSchema* schema : OpRegistry::Global()->List()) {
    json kernels = json::array();
    if (executor::CoreRuns(schema->name)) {
      kernels.push_back({{"device", "*"},
                         {"plugin", "core"},
                         {"types", json::object()},
                         {"host_args", json::array()},
                         {"conditional", false},
                         {"priority", 0}});
    }
    for (const KernelEntry* entry : KernelRegistry::Global()->Rows(schema->name)) {
      if (entry->def != nullptr) kernels.push_back(KernelJson(*entry));
    }
    ops.push_back({{"op", schema->name}, {"kernels", std::move(kernels)}});
  }
  return Dump({{"ops", std::move(ops)}});
}

}  // namespace berth
