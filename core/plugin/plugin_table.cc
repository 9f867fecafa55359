#include "core/plugin/plugin_table.h"

#include <algorithm>
#include <cstddef>
#include <set>
#include <utility>

#include "core/registry/abi_read.h"

namespace berth {
namespace {

const char* OrEmpty(const char* text) { return text != nullptr ? text : ""; }

bool Fail(LoadStage stage, std::string message, std::string remedy,
          LoadFailure* failure) {
  *failure = {stage, std::move(message), std::move(remedy), Code::kFailedPrecondition};
  return false;
}

std::string RangeText(uint32_t low, uint32_t high) {
  return low == high ? AbiText(low) : AbiText(low) + " to " + AbiText(high);
}

// Names go into option keys, file names and messages.
bool IsPluginName(std::string_view name) {
  return !name.empty() && name.size() <= 64 &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                  (c >= '0' && c <= '9') || c == '_' || c == '-';
         });
}

bool CheckVersion(const berth_plugin& table, const std::string& name,
                  LoadFailure* failure) {
  if (table.abi_min <= BERTH_ABI_CURRENT && BERTH_ABI_CURRENT <= table.abi_max) {
    return true;
  }
  const bool too_new = table.abi_min > BERTH_ABI_CURRENT;
  return Fail(LoadStage::kVersion,
              "plugin " + name + ": ABI " + RangeText(table.abi_min, table.abi_max) +
                  ", host: ABI " + AbiText(BERTH_ABI_CURRENT),
              too_new ? "the plugin is newer than this berth: upgrade berth, or take a "
                        "build of the plugin for ABI " +
                            AbiText(BERTH_ABI_CURRENT)
                      : "the plugin is older than this berth: get or build one against "
                        "this berth's SDK",
              failure);
}

bool ReadDevice(const berth_device_info* info, const std::string& where,
                const KernelRegistry::TypeNames& type_names, DeviceDesc* desc,
                LoadFailure* failure) {
  const std::string remedy = "tell the plugin's vendor";
  if (info == nullptr) {
    return Fail(LoadStage::kInit, where + " is NULL", remedy, failure);
  }
  const berth_device_info read = ReadAbi(info);
  desc->type = OrEmpty(read.type);
  if (!IsDeviceType(desc->type)) {
    return Fail(LoadStage::kInit,
                where + " has the type '" + desc->type +
                    "'; a type is upper case letters, digits and '_'",
                remedy, failure);
  }
  const auto renamed = type_names.find(desc->type);
  if (renamed != type_names.end()) desc->type = renamed->second;
  if (read.index < 0) {
    return Fail(LoadStage::kInit, where + " has index " + std::to_string(read.index),
                remedy, failure);
  }
  if ((read.base_alignment & (read.base_alignment - 1)) != 0) {
    return Fail(LoadStage::kInit,
                where + " has base_alignment " + std::to_string(read.base_alignment) +
                    ", which is no power of two",
                remedy, failure);
  }
  desc->index = read.index;
  desc->full_name = "/job:localhost/replica:0/task:0/device:" + desc->type + ":" +
                    std::to_string(desc->index);
  desc->priority = read.priority;
  desc->display_name = OrEmpty(read.name);
  desc->physical_id = OrEmpty(read.physical_id);
  desc->driver = OrEmpty(read.driver);
  desc->memory_bytes = read.memory_bytes;
  desc->largest_allocation = read.largest_allocation;
  desc->base_alignment = read.base_alignment == 0 ? 1 : read.base_alignment;
  desc->flags = read.flags;
  return true;
}

// The entries that the host cannot do without for devices of these flags.
const char* MissingEntry(const berth_device_api& api, uint32_t flags) {
  if (api.open == nullptr) return "open";
  if (api.close == nullptr) return "close";
  if (api.allocate == nullptr) return "allocate";
  if (api.free == nullptr) return "free";
  if (api.host_address == nullptr) return "host_address";
  const bool is_host = (flags & BERTH_DEVICE_IS_HOST) != 0;
  const bool is_synchronous = (flags & BERTH_DEVICE_SYNCHRONOUS) != 0;
  if (!is_host || !is_synchronous) {
    if (api.create_stream == nullptr) return "create_stream";
    if (api.destroy_stream == nullptr) return "destroy_stream";
    if (api.copy == nullptr) return "copy";
    if (api.synchronize_stream == nullptr) return "synchronize_stream";
    if (api.synchronize_device == nullptr) return "synchronize_device";
  }
  if (!is_synchronous) {
    if (api.create_event == nullptr) return "create_event";
    if (api.destroy_event == nullptr) return "destroy_event";
    if (api.record_event == nullptr) return "record_event";
    if (api.stream_wait_event == nullptr) return "stream_wait_event";
    if (api.query_event == nullptr) return "query_event";
    if (api.wait_event == nullptr) return "wait_event";
  }
  return nullptr;
}

}  // namespace

std::string AbiText(uint32_t version) {
  return std::to_string(version >> 16) + "." + std::to_string(version & 0xffff);
}

bool IsDeviceType(std::string_view text) {
  const auto upper = [](char c) { return c >= 'A' && c <= 'Z'; };
  return !text.empty() && upper(text[0]) &&
         std::all_of(text.begin(), text.end(), [&](char c) {
           return upper(c) || (c >= '0' && c <= '9') || c == '_';
         });
}

bool CheckPluginTable(const berth_plugin* table, const std::string& guess,
                      LoadFailure* failure) {
  const std::string remedy = "tell the plugin's vendor";
  if (table == nullptr) {
    return Fail(LoadStage::kInit,
                "plugin " + guess + ": its query answered OK without a table", remedy,
                failure);
  }
  if (table->struct_size < offsetof(berth_plugin, vendor) ||
      table->struct_size > kMaxAbiStruct) {
    return Fail(LoadStage::kVersion,
                "plugin " + guess + ": its table has struct_size " +
                    std::to_string(table->struct_size) +
                    ", which is no size of berth_plugin",
                remedy, failure);
  }
  const berth_plugin read = ReadAbi(table);
  const std::string name = OrEmpty(read.name);
  // The version comes first: of a table of another version nothing else is sure.
  if (!CheckVersion(read, name.empty() ? guess : name, failure)) return false;
  if (!IsPluginName(name)) {
    return Fail(LoadStage::kInit,
                "plugin " + guess + ": it calls itself '" + name +
                    "'; a name is letters, digits, '_' and '-', 64 at most",
                remedy, failure);
  }
  if ((read.num_ops > 0 && read.ops == nullptr) ||
      (read.num_kernels > 0 && read.kernels == nullptr)) {
    return Fail(
        LoadStage::kInit,
        "plugin " + name + ": a count in its table is not 0 but the array is NULL",
        remedy, failure);
  }
  return true;
}

const berth_plugin* QueryPlugin(berth_plugin_query_fn query, const berth_host* host,
                                const std::string& guess, LoadFailure* failure) {
  berth_query_args args = {};
  args.struct_size = sizeof(args);
  args.host_abi_min = BERTH_ABI_CURRENT;
  args.host_abi_max = BERTH_ABI_CURRENT;
  args.host = host;
  const berth_plugin* table = nullptr;
  const Status status = CallPlugin(
      "plugin " + guess, [&](berth_error* error) { return query(&args, &table, error); });
  if (!status.ok()) {
    // The contract's code for "I do not run on this version".
    const bool version = status.code() == Code::kFailedPrecondition;
    *failure = {version ? LoadStage::kVersion : LoadStage::kInit,
                std::string(status.message()),
                version ? "get or build the plugin for ABI " + AbiText(BERTH_ABI_CURRENT)
                        : "the plugin refuses to run here; its reason is above",
                status.code()};
    return nullptr;
  }
  return CheckPluginTable(table, guess, failure) ? table : nullptr;
}

bool ListDevices(const berth_plugin& table, const std::string& path,
                 const KernelRegistry::TypeNames& type_names, DeviceListing* listing,
                 LoadFailure* failure) {
  const std::string name = table.name;
  const berth_device_api api = ReadAbi(table.devices);
  if (table.devices == nullptr || api.enumerate == nullptr) {
    listing->why_none = "the plugin brings no device";
    return true;
  }
  uint32_t count = 0;
  const berth_device_info* const* infos = nullptr;
  const Status status =
      CallPlugin("plugin " + name + ": listing its devices", [&](berth_error* error) {
        const berth_status_code code =
            api.enumerate(table.context, &count, &infos, error);
        // With OK and no device the error says why there is none.
        if (code == BERTH_OK && error->message != nullptr) {
          listing->why_none = error->message;
          if (error->release != nullptr) error->release(error);
        }
        return code;
      });
  if (!status.ok()) {
    *failure = {LoadStage::kInit, std::string(status.message()),
                "the plugin's driver may be missing or broken; its reason is above",
                status.code()};
    return false;
  }
  if (count > 0 && infos == nullptr) {
    return Fail(LoadStage::kInit, "plugin " + name + ": its device list is NULL",
                "tell the plugin's vendor", failure);
  }
  std::set<std::string> seen;
  for (uint32_t i = 0; i < count; ++i) {
    DeviceDesc& desc = listing->devices.emplace_back();
    const std::string where = "plugin " + name + ": device " + std::to_string(i);
    if (!ReadDevice(infos[i], where, type_names, &desc, failure)) return false;
    if (!seen.insert(desc.full_name).second) {
      return Fail(LoadStage::kInit, where + " is a second " + desc.full_name,
                  "tell the plugin's vendor", failure);
    }
    if (const char* entry = MissingEntry(api, desc.flags)) {
      return Fail(
          LoadStage::kInit,
          where + " needs the entry `" + entry + "` of the device table, which is NULL",
          "tell the plugin's vendor", failure);
    }
    desc.plugin_name = name;
    desc.plugin_path = path;
  }
  if (count == 0 && listing->why_none.empty()) {
    listing->why_none = "the plugin found no device and gave no reason";
  }
  return true;
}

std::vector<std::string> RowTypes(const berth_plugin& table) {
  std::set<std::string> types;
  for (uint32_t i = 0; i < table.num_kernels; ++i) {
    const berth_kernel_def row = ReadAbi(table.kernels[i]);
    if (row.device_type != nullptr) types.insert(row.device_type);
  }
  return {types.begin(), types.end()};
}

std::vector<std::string> DeviceTypes(const berth_plugin& table) {
  const std::vector<std::string> rows = RowTypes(table);
  std::set<std::string> types(rows.begin(), rows.end());
  for (uint32_t i = 0; i < table.num_device_types && table.device_types != nullptr; ++i) {
    if (table.device_types[i] != nullptr) types.insert(table.device_types[i]);
  }
  return {types.begin(), types.end()};
}

Result<KernelRegistry::TypeNames> ParseTypeOption(const char* option,
                                                  const berth_plugin& table) {
  KernelRegistry::TypeNames names;
  if (option == nullptr || option[0] == '\0') return names;
  const std::string all = option;
  const auto wrong = [&](const std::string& why) {
    return InvalidArgument("option device_type=" + all + " of plugin " +
                           std::string(table.name) + ": " + why);
  };
  if (all.find(':') == std::string::npos) {
    const std::vector<std::string> types = DeviceTypes(table);
    if (types.size() != 1) {
      return wrong("the plugin names " + std::to_string(types.size()) +
                   " device types; write OLD:NEW for each");
    }
    if (!IsDeviceType(all)) {
      return wrong("a type is upper case letters, digits and '_'");
    }
    names[types[0]] = all;
    return names;
  }
  size_t at = 0;
  while (at <= all.size()) {
    const size_t end = std::min(all.find(',', at), all.size());
    const std::string part = all.substr(at, end - at);
    const size_t colon = part.find(':');
    if (colon == std::string::npos || !IsDeviceType(part.substr(0, colon)) ||
        !IsDeviceType(part.substr(colon + 1))) {
      return wrong("'" + part + "' is not of the form OLD:NEW");
    }
    names[part.substr(0, colon)] = part.substr(colon + 1);
    at = end + 1;
  }
  return names;
}

}  // namespace berth
