// What an op must answer: every op that a plugin may bring, computed element by element
// in arithmetic wider than any dtype, by the definition and not by a fast method.
//
// Nothing here knows a plugin or a kernel. All functions are pure and may run in many
// threads.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "conformance/reference/op_call.h"
#include "core/base/status.h"

namespace berth::conformance {

// What one output must be.
//
// Integers, bools and data that are only moved are in `tensor.bytes`, to the last bit.
// Floating results are in `values`, not rounded to the dtype, and `tensor` has dtype and
// dims only. How far a device may be from them follows in bounds.h from what is recorded
// here.
struct Output {
  HostTensor tensor;
  std::vector<Real> values;
  // For each element the sum of the absolute values of all finite terms that make it up:
  // rounding errors of a sum grow with it, not with the result. Empty: the result alone.
  std::vector<Real> magnitudes;
  // The most roundings that a term of `magnitudes` meets on its way, summation included.
  int64_t roundings = 0;
  // The largest partial result on the way to each element, where it is not the magnitude.
  std::vector<Real> peaks;
  // Allowed on top of everything, by element: where the op itself jumps. Empty: nothing.
  std::vector<Real> slack;
  // Elements that the op's definition leaves to the processor. Empty: none. `values` then
  // holds what x86-64 gives.
  std::vector<bool> open;
  // The whole output is an implementation's own business (reserve spaces).
  bool any_value = false;

  bool is_exact() const { return values.empty(); }
};

struct Outputs {
  std::vector<Output> outputs;  // in the OpDef's order
  // New values of variables, by the input that holds them.
  std::vector<std::pair<int, Output>> written;
};

// Computes all outputs. INVALID_ARGUMENT where the op must refuse its inputs (shapes that
// do not fit, an index out of range, an integer divided by zero); UNIMPLEMENTED for an op
// that the reference does not know.
Result<Outputs> Evaluate(const OpCall& call);

// The ops it knows, sorted.
std::vector<std::string> SupportedOps();

// The same call as a device sees it that reads subnormal numbers as zero.
OpCall WithSubnormalsFlushed(const OpCall& call);

}  // namespace berth::conformance
