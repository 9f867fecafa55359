// Compares what a device answered with the reference.
#pragma once

#include <string>

#include "conformance/reference/bounds.h"

namespace berth::conformance {

struct Judgement {
  bool pass = true;
  // The largest error as a part of what is allowed: at most 1 where it passes, infinite
  // where nothing is allowed.
  double margin = 0;
  // The first bad element, -1 without one.
  int64_t index = -1;
  // What is wrong, in one line; empty where it passes.
  std::string text;
};

// Rules beside the bound:
// - dtype and dims must be the reference's.
// - NaN and infinity must be where the reference has them; any NaN is as good as another.
// A
//   result may be infinite as well where the bound reaches past the largest number, and
//   not finite where a part of a sum may.
// - A zero has the reference's sign where the bound says so.
// - Where the device flushes, a subnormal result may be zero, and each element may follow
//   `flushed`, the reference of the call WithSubnormalsFlushed (may be null).
Judgement Judge(const Output& reference, const HostTensor& got, const Bound& bound,
                const Output* flushed = nullptr);

}  // namespace berth::conformance
