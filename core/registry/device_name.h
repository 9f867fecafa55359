// Device names and partial specs.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/base/status.h"

namespace berth {

// A full or partial device name: "/job:worker/replica:0/task:1/device:GPU:2", "/cpu:0",
// "/device:OPENCL:*". A field that is absent (or '*') is free. A value type.
//
// Grammar as TensorFlow's C++ parser: legacy "/cpu:N", "/gpu:N" in either case normalise
// to CPU and GPU; "/device:" keeps its case; "" and "/" leave all free. Unlike it, an
// index that does not fit in 31 bits is refused instead of narrowed.
struct DeviceSpec {
  std::optional<std::string> job;
  std::optional<int> replica;
  std::optional<int> task;
  std::optional<std::string> type;
  std::optional<int> index;

  // INVALID_ARGUMENT quoting the whole string.
  static Result<DeviceSpec> Parse(std::string_view text);
  // Canonical form; free fields are left out: "/job:a/device:GPU:0".
  std::string ToString() const;
  bool operator==(const DeviceSpec&) const = default;
  bool empty() const { return !job && !replica && !task && !type && !index; }

  // Fields of `inner` win, this one fills the rest: how nested scopes merge.
  DeviceSpec MergedWith(const DeviceSpec& inner) const;
  // Fills only what is free here; INVALID_ARGUMENT naming the field where both are set
  // and differ. With `soft`, differing type or index are dropped instead (job, replica
  // and task still conflict). How colocation merges.
  Status Intersect(const DeviceSpec& other, bool soft);
  // True when `full` (all fields set) fits this spec.
  bool Matches(const DeviceSpec& full) const;
};

}  // namespace berth
