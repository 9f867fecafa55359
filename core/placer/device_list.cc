#include "core/placer/device_list.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace berth {
namespace {

bool IsHostType(const Device& device) {
  return device.type() == "CPU" || device.is_host();
}

std::string ListNames(std::span<Device* const> devices) {
  std::string text;
  for (const Device* device : devices) {
    text += (text.empty() ? "" : ", ") + device->type() + ":" +
            std::to_string(device->desc().index);
  }
  return text.empty() ? "none" : text;
}

// The type that a visible list is about; "" when there is none.
std::string AcceleratorType(std::span<Device* const> all,
                            const DeviceListRequest& request) {
  std::string wanted = "GPU";
  for (const auto& [from, to] : request.aliases) {
    if (from == "GPU") wanted = to;
  }
  std::vector<std::string> types;
  for (const Device* device : all) {
    if (device->type() == wanted) return wanted;
    if (!IsHostType(*device) &&
        std::find(types.begin(), types.end(), device->type()) == types.end()) {
      types.push_back(device->type());
    }
  }
  return types.size() == 1 ? types[0] : std::string();
}

// The entries of "1,0" as positions in `pool`.
Result<std::vector<size_t>> ReadVisibleList(const std::string& text,
                                            std::span<Device* const> pool) {
  const auto fail = [&](std::string_view entry, std::string_view why) {
    return InvalidArgument("visible_device_list \"" + text + "\": entry '" +
                           std::string(entry) + "' " + std::string(why) +
                           "; the devices are " + ListNames(pool) +
                           ", and the list takes their numbers, such as \"0,1\"");
  };
  std::vector<size_t> chosen;
  std::string_view rest = text;
  for (bool more = true; more;) {
    const size_t comma = rest.find(',');
    std::string_view entry = rest.substr(0, comma);
    more = comma != std::string_view::npos;
    if (more) rest.remove_prefix(comma + 1);
    while (entry.starts_with(' ')) entry.remove_prefix(1);
    while (entry.ends_with(' ')) entry.remove_suffix(1);
    unsigned number = 0;
    const auto [end, error] =
        std::from_chars(entry.data(), entry.data() + entry.size(), number);
    if (error != std::errc() || end != entry.data() + entry.size()) {
      return fail(entry, "is no number");
    }
    if (number >= pool.size()) return fail(entry, "names no device");
    if (std::find(chosen.begin(), chosen.end(), number) != chosen.end()) {
      return fail(entry, "comes twice");
    }
    chosen.push_back(number);
  }
  return chosen;
}

}  // namespace

Result<DeviceList> MakeDeviceList(std::span<Device* const> all,
                                  const DeviceListRequest& request) {
  DeviceList list;
  const std::string accelerator = AcceleratorType(all, request);
  std::vector<std::pair<std::string, std::vector<Device*>>> by_type;
  for (Device* device : all) {
    const auto same = [&](const auto& entry) { return entry.first == device->type(); };
    const auto found = std::find_if(by_type.begin(), by_type.end(), same);
    if (found != by_type.end()) {
      found->second.push_back(device);
    } else {
      by_type.emplace_back(device->type(), std::vector<Device*>{device});
    }
  }
  if (!request.visible_device_list.empty() && accelerator.empty()) {
    return InvalidArgument("visible_device_list \"" + request.visible_device_list +
                           "\" chooses among accelerators, but there is not one type of "
                           "these; the devices are " +
                           ListNames(all));
  }
  const auto add = [&list](std::unique_ptr<Device> device) {
    list.devices.push_back(device.get());
    list.made.push_back(std::move(device));
  };
  bool has_host = false;
  for (const auto& [type, devices] : by_type) {
    const auto count = request.device_count.find(type);
    const bool counted = count != request.device_count.end();
    const bool host = IsHostType(*devices[0]);
    std::vector<size_t> chosen;
    if (type == accelerator && !request.visible_device_list.empty()) {
      BERTH_ASSIGN_OR_RETURN(chosen,
                             ReadVisibleList(request.visible_device_list, devices));
    } else {
      for (size_t i = 0; i < devices.size(); ++i) chosen.push_back(i);
    }
    if (counted && (host || count->second < static_cast<int>(chosen.size()))) {
      const size_t had = chosen.size();
      chosen.resize(std::max(count->second, 0));
      for (size_t i = had; i < chosen.size(); ++i) chosen[i] = i % had;
    }
    const bool by_user = type == accelerator && !request.visible_device_list.empty();
    for (size_t i = 0; i < chosen.size(); ++i) {
      Device* device = devices[chosen[i]];
      if (device->desc().index == static_cast<int>(i)) {
        list.devices.push_back(device);
      } else {
        add(device->Renumbered(static_cast<int>(i)));
      }
      if (by_user) list.chosen.push_back(list.devices.back()->name());
    }
    has_host = has_host || (host && !chosen.empty());
  }
  if (!has_host) {
    return NotFound("No CPU devices are available in this process: " +
                    std::string(request.device_count.count("CPU") != 0
                                    ? "device_count asks for 0 of them"
                                    : "the CPU plugin is not loaded") +
                    ". Devices: " + ListNames(all));
  }
  return list;
}

}  // namespace berth
