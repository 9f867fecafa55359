// Saving and restoring variables: checkpoints in TensorFlow's V2 format.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "client/scope.h"
#include "client/session.h"
#include "client/variable.h"

namespace berth::client {

// Writes `prefix.index`, `prefix.data-…` and the state file `checkpoint` beside them
// (last, so that it never names a file that is not whole). Readable by TensorFlow, and
// back.
class Saver {
 public:
  struct Options {
    int max_to_keep = 5;  // older checkpoints of this saver are deleted; 0 keeps all
  };

  // `variables` = all that the graph has now when empty. Adds its ops to the graph.
  explicit Saver(const Scope& scope, std::vector<Variable> variables, Options options);
  explicit Saver(const Scope& scope, std::vector<Variable> variables = {})
      : Saver(scope, std::move(variables), Options()) {}

  // Saves under `path`, or `path`-`step` when step >= 0; missing folders are made.
  // Returns the prefix written.
  Result<std::string> Save(Session* session, const std::string& path, int64_t step = -1);
  // Restores all variables of this saver, or changes none: the error lists every variable
  // that the file lacks or has with another shape or dtype, and what the file has.
  Status Restore(Session* session, const std::string& prefix);

 private:
  Status CheckFile(const std::string& prefix) const;

  std::vector<Variable> variables_;
  Options options_;
  Output file_;  // the prefix, fed
  Operation save_;
  Operation restore_;
  std::vector<std::string> kept_;  // prefixes, oldest first
};

// The newest checkpoint's prefix by the state file of `folder`; NOT_FOUND says what is
// missing.
Result<std::string> LatestCheckpoint(const std::string& folder);

}  // namespace berth::client
