// Runs TensorFlow's recorded cases of single ops (conformance/golden/ops.tar.xz).
#pragma once

#include <string>

#include "core/session/session.h"

namespace berth::testing {

// What became of a case.
struct GoldenOutcome {
  enum Kind { kPassed, kFailed, kDeclined } kind = kPassed;
  // Which step and tensor, what was wanted and what came; or what this version lacks.
  std::string text;
};

// Runs the steps of `folder` (OP/CASE) in one session. Declined is a case whose graph
// needs an op that cannot be placed or is not in this version. File names in feeds are
// relative: the working folder should be a copy of the case's folder where cases write.
GoldenOutcome RunGoldenCase(Session* session, const std::string& folder);

}  // namespace berth::testing
