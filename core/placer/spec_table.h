// Device specs and device choices by number, each worked out once.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "core/base/status.h"
#include "core/registry/device.h"
#include "core/registry/device_name.h"

namespace berth {

// The session's devices and device types. Types are in order of preference (falling
// priority, then name) and have a bit each.
class DeviceTable {
 public:
  explicit DeviceTable(std::span<const Device* const> devices);

  int num_devices() const { return static_cast<int>(devices_.size()); }
  const Device* device(int index) const { return devices_[index]; }
  const DeviceSpec& name(int index) const { return names_[index]; }
  int type_of(int index) const { return type_of_[index]; }
  // -1 when the device is not of this session.
  int IndexOf(const Device* device) const;

  std::span<const std::string> types() const { return types_; }
  // -1 when no device has the type.
  int FindType(std::string_view type) const;
  uint64_t all_types() const { return all_types_; }
  // Types that the placer likes better than `type`.
  static uint64_t BetterThan(int type) { return (uint64_t{1} << type) - 1; }
  // Indices in order of preference: by type, then by index.
  std::span<const int> preferred() const { return preferred_; }
  // "GPU:0" for short, in messages.
  std::string ShortName(int index) const;
  // "CPU:0, GPU:0, GPU:1".
  std::string ListAll() const;

 private:
  std::vector<const Device*> devices_;
  std::vector<DeviceSpec> names_;
  std::vector<std::string> types_;
  std::vector<int> type_of_;
  std::vector<int> preferred_;
  uint64_t all_types_ = 0;
};

// Interned specs. Id 0 is the empty spec.
class SpecTable {
 public:
  using Id = int32_t;
  static constexpr Id kConflict = -1;
  using Aliases = std::vector<std::pair<std::string, std::string>>;

  SpecTable(const DeviceTable* devices, const Aliases* aliases);

  // Reads a requested device; types that have an alias are replaced.
  Result<Id> Parse(const std::string& text);
  Id Intern(const DeviceSpec& spec);
  const DeviceSpec& spec(Id id) const { return specs_[id]; }
  std::string ToString(Id id) const { return specs_[id].ToString(); }

  // DeviceSpec::Intersect; kConflict where it fails, and Conflict says how.
  Id Merge(Id a, Id b, bool soft);
  Status Conflict(Id a, Id b) const;
  bool Compatible(Id a, Id b) { return a == b || Merge(a, b, false) != kConflict; }
  // The fields of `inner` win.
  Id Override(Id outer, Id inner);
  // Without type and index, but for those that `kept` sets.
  Id Soften(Id requested, Id kept);

  // Devices (indices, by preference) that fit the spec and have one of the types.
  const std::vector<int>& Devices(Id id, uint64_t types);
  bool Matches(Id id, int device);

 private:
  struct DevicesKey {
    Id id;
    uint64_t types;
    bool operator==(const DevicesKey&) const = default;
    template <typename H>
    friend H AbslHashValue(H h, const DevicesKey& key) {
      return H::combine(std::move(h), key.id, key.types);
    }
  };

  const DeviceTable* devices_;
  const Aliases* aliases_;
  std::vector<DeviceSpec> specs_;
  std::map<std::string, Id> by_name_;
  std::map<std::string, Result<Id>> parsed_;
  absl::flat_hash_map<uint64_t, Id> merged_[2];  // hard, soft
  absl::flat_hash_map<uint64_t, Id> overridden_;
  absl::flat_hash_map<DevicesKey, std::vector<int>> devices_of_;
};

}  // namespace berth
