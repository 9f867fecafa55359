#include "core/placer/spec_table.h"

#include <algorithm>
#include <tuple>

namespace berth {

DeviceTable::DeviceTable(std::span<const Device* const> devices)
    : devices_(devices.begin(), devices.end()) {
  std::vector<std::pair<int, std::string>> types;  // negative priority: best first
  for (const Device* device : devices_) {
    const DeviceDesc& desc = device->desc();
    Result<DeviceSpec> name = DeviceSpec::Parse(desc.full_name);
    names_.push_back(name.ok() ? *name : DeviceSpec());
    const auto same = [&](const auto& entry) { return entry.second == desc.type; };
    const auto found = std::find_if(types.begin(), types.end(), same);
    if (found == types.end()) {
      types.emplace_back(-desc.priority, desc.type);
    } else {
      found->first = std::min(found->first, -desc.priority);
    }
  }
  std::sort(types.begin(), types.end());
  BERTH_CHECK(types.size() <= 64);
  for (const auto& entry : types) types_.push_back(entry.second);
  for (int i = 0; i < num_devices(); ++i) {
    type_of_.push_back(FindType(devices_[i]->type()));
    all_types_ |= uint64_t{1} << type_of_[i];
    preferred_.push_back(i);
  }
  std::stable_sort(preferred_.begin(), preferred_.end(), [&](int a, int b) {
    return std::tuple(type_of_[a], devices_[a]->desc().index) <
           std::tuple(type_of_[b], devices_[b]->desc().index);
  });
}

int DeviceTable::IndexOf(const Device* device) const {
  const auto found = std::find(devices_.begin(), devices_.end(), device);
  return found == devices_.end() ? -1 : static_cast<int>(found - devices_.begin());
}

int DeviceTable::FindType(std::string_view type) const {
  const auto found = std::find(types_.begin(), types_.end(), type);
  return found == types_.end() ? -1 : static_cast<int>(found - types_.begin());
}

std::string DeviceTable::ShortName(int index) const {
  const DeviceDesc& desc = devices_[index]->desc();
  return desc.type + ":" + std::to_string(desc.index);
}

std::string DeviceTable::ListAll() const {
  std::string text;
  for (int i = 0; i < num_devices(); ++i) {
    if (i > 0) text += ", ";
    text += devices_[i]->name();
  }
  return text;
}

SpecTable::SpecTable(const DeviceTable* devices, const Aliases* aliases)
    : devices_(devices), aliases_(aliases) {
  Intern(DeviceSpec());
}

Result<SpecTable::Id> SpecTable::Parse(const std::string& text) {
  if (text.empty()) return Id{0};
  const auto found = parsed_.find(text);
  if (found != parsed_.end()) return found->second;
  Result<DeviceSpec> spec = DeviceSpec::Parse(text);
  if (!spec.ok()) return parsed_.emplace(text, spec.status()).first->second;
  for (const auto& [from, to] : *aliases_) {
    if (spec->type == from) {
      spec->type = to;
      break;
    }
  }
  return parsed_.emplace(text, Intern(*spec)).first->second;
}

SpecTable::Id SpecTable::Intern(const DeviceSpec& spec) {
  const auto [it, added] =
      by_name_.emplace(spec.ToString(), static_cast<Id>(specs_.size()));
  if (added) specs_.push_back(spec);
  return it->second;
}

SpecTable::Id SpecTable::Merge(Id a, Id b, bool soft) {
  if (a == b || b == 0) return a;
  if (a == 0) return b;
  const uint64_t key = (static_cast<uint64_t>(a) << 32) | static_cast<uint32_t>(b);
  auto& memo = merged_[soft ? 1 : 0];
  const auto found = memo.find(key);
  if (found != memo.end()) return found->second;
  DeviceSpec merged = specs_[a];
  const Id id = merged.Intersect(specs_[b], soft).ok() ? Intern(merged) : kConflict;
  memo.emplace(key, id);
  return id;
}

Status SpecTable::Conflict(Id a, Id b) const {
  DeviceSpec merged = specs_[a];
  return merged.Intersect(specs_[b], false);
}

SpecTable::Id SpecTable::Override(Id outer, Id inner) {
  if (inner == 0 || inner == outer) return outer;
  if (outer == 0) return inner;
  const uint64_t key =
      (static_cast<uint64_t>(outer) << 32) | static_cast<uint32_t>(inner);
  const auto [it, added] = overridden_.try_emplace(key, 0);
  if (added) it->second = Intern(specs_[outer].MergedWith(specs_[inner]));
  return it->second;
}

SpecTable::Id SpecTable::Soften(Id requested, Id kept) {
  DeviceSpec soft = specs_[requested];
  if (!specs_[kept].type) soft.type.reset();
  if (!specs_[kept].index) soft.index.reset();
  return Intern(soft);
}

const std::vector<int>& SpecTable::Devices(Id id, uint64_t types) {
  const auto [it, added] = devices_of_.try_emplace(DevicesKey{id, types});
  if (added) {
    for (const int device : devices_->preferred()) {
      const bool has_type = (types >> devices_->type_of(device) & 1) != 0;
      if (has_type && specs_[id].Matches(devices_->name(device))) {
        it->second.push_back(device);
      }
    }
  }
  return it->second;
}

bool SpecTable::Matches(Id id, int device) {
  return specs_[id].Matches(devices_->name(device));
}

}  // namespace berth
