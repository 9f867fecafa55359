// Reads the recorded single-op cases (conformance/golden/FORMAT.md) as calls of the
// harness.
#pragma once

#include <string>
#include <vector>

#include "plugins/opencl/testing/harness.h"

namespace berth::opencl::testing {

// How an output is compared with the recorded one.
struct GoldenOutput {
  HostTensor expected;
  std::string mode;  // "exact", "close", "ignore"
  double rtol = 0;
  double atol = 0;
};

// A case of one step whose fetches are outputs of the op itself.
struct GoldenCase {
  OpCall call;
  std::vector<GoldenOutput> outputs;
  std::string error_class;  // "InvalidArgumentError" where the step fails
  std::string error_message;
};

// False when the case cannot be put as one call of a kernel (`why` says which part).
bool ReadGoldenCase(const std::string& folder, GoldenCase* out, std::string* why);

// "" when `got` agrees with what was recorded; otherwise the first difference.
std::string CompareGolden(const GoldenOutput& golden, const HostTensor& got);

}  // namespace berth::opencl::testing
