// Device names and partial specs.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/base/status.h"

namespace berth {

// A full or partial device name: "/job:worker/replica:0/task:1/device:GPU:2", "/cpu:0",
// "/device:OPENCL:*". A field that is absent (or '*') is free. A value type.
struct DeviceSpec {
  std::optional<std::string> job;
  std::optional<int> replica;
  std::optional<int> task;
  std::optional<std::string> type;
  std::optional<int> index;

  // The grammar of TensorFlow's runtime (NodeDef.device, --device flags): fields in any
  // order, a later one replaces an earlier one of its kind; legacy "/cpu:N" and "/gpu:N",
  // all lower or all upper case, mean CPU and GPU; "/device:" keeps its case and may
  // leave the index out; "" and "/" leave all free. Unlike TensorFlow, which narrows it,
  // a number that does not fit in 31 bits is refused. INVALID_ARGUMENT quoting the whole
  // string and saying what is wrong with it.
  static Result<DeviceSpec> Parse(std::string_view text);

  // The laxer grammar of TensorFlow's client (tf.device("…")), for scopes that people
  // write: also "gpu:0", "/gpu", "cpu", "//cpu:0", "/cpu:0/"; "/device:gpu:0" means GPU.
  // Two device fields in one string are refused, as there. What Parse would refuse in the
  // end (negative or huge numbers, an empty job, a job "1a" or "a-b") is refused here at
  // once.
  static Result<DeviceSpec> ParseScope(std::string_view text);

  // Canonical form; free fields are left out, a type without index is "/device:GPU:*".
  // Parse gives the same spec back.
  std::string ToString() const;
  bool operator==(const DeviceSpec&) const = default;
  bool empty() const { return !job && !replica && !task && !type && !index; }
  bool full() const { return job && replica && task && type && index; }

  // Fields of `inner` win, this one fills the rest: how nested scopes merge.
  DeviceSpec MergedWith(const DeviceSpec& inner) const;
  // Fills only what is free here; INVALID_ARGUMENT naming the field where both are set
  // and differ, and this spec is then unchanged. With `soft`, a differing type is dropped
  // together with the index, a differing index alone; job, replica and task still
  // conflict. How colocation merges.
  Status Intersect(const DeviceSpec& other, bool soft);
  // True when no field that both set differs.
  bool CompatibleWith(const DeviceSpec& other) const;
  // True when `full` (all fields set) fits this spec.
  bool Matches(const DeviceSpec& full) const;
};

}  // namespace berth
