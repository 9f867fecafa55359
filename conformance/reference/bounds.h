// The numeric policy: how far a result may be from the reference. One rule an op, the
// same for every plugin; docs/NUMERICS.md derives them.
#pragma once

#include <string>

#include "conformance/reference/device_rules.h"
#include "conformance/reference/reference.h"

namespace berth::conformance {

// What is allowed of one floating output:
//
//   error of element i <= ulps * ulp_A(v) + rounding into the dtype + gamma_A(n) * M +
//   slack
//                         + what underflow loses
//
// v, M and slack are the reference's value, magnitude and slack. A is the dtype that the
// device computes in: float for half and bfloat16. gamma(n) = n u / (1 - n u) is what n
// roundings in a row make of a term at most, u being half the distance from 1 to the next
// number (Higham, "Accuracy and Stability of Numerical Algorithms", 2nd ed., lemma 3.1).
struct Bound {
  FloatFormat result{};
  FloatFormat accumulation{};
  double ulps = 0;
  int64_t roundings = 0;
  // The dtype is narrower than A: the result is rounded once more.
  bool rounds_result = false;
  // An absolute allowance for parts that fall below the smallest number.
  Real underflow = 0;
  // The sign of a zero is part of the result.
  bool zero_sign = false;
  // Subnormal results may be zero.
  bool flushes_subnormals = false;
  bool open_as_x86 = false;

  // The largest error of element i. REQUIRES: a finite reference value.
  Real At(const Output& reference, size_t i) const;
};

// The bound of one output of `op`. Exact outputs (Output::is_exact) need none: the result
// has the flags of the device alone.
Bound BoundOf(const std::string& op, const Output& reference, const DeviceRules& rules);

// Whether the policy has a rule for the floating results of `op`.
bool HasRule(const std::string& op);

}  // namespace berth::conformance
