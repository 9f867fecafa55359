// Reads TensorFlow's recorded single-op cases (FORMAT.md) as calls of ops, with no graph.
#pragma once

#include <string>
#include <vector>

#include "conformance/reference/op_call.h"
#include "core/base/status.h"

namespace berth::conformance {

// One recorded tensor.
struct GoldenOutput {
  // Which output of the op it is; or which input, where the call writes a variable.
  int index = 0;
  bool is_written_input = false;
  HostTensor tensor;
  // How TensorFlow's own variants agree on it: "exact", "close", "ignore"
  // (uninitialised).
  std::string mode;
};

// One call of the op and what TensorFlow answered.
struct GoldenCall {
  OpCall call;
  std::vector<GoldenOutput> outputs;
  // TensorFlow's exception class ("InvalidArgumentError") where the call fails; then
  // there are no outputs.
  std::string error_class;
  std::string error_message;
};

// The calls of the case in `folder` (OP/CASE): one for most, one a run for ops with
// state, whose value before is what TensorFlow had recorded after the run before.
// UNIMPLEMENTED, with the part that stands in the way, for a case that is more than calls
// of its op.
Result<std::vector<GoldenCall>> ReadGoldenCase(const std::string& folder);

// The case folders of one op under `ops_folder`, sorted by name; empty without any.
std::vector<std::string> GoldenCaseFolders(const std::string& ops_folder,
                                           const std::string& op);

}  // namespace berth::conformance
