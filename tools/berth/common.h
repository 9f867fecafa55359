// What the subcommands share.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "core/base/status.h"
#include "core/session/options.h"
#include "core/session/session.h"

namespace berth::tool {

// The exit code for `status`, whose message goes to stderr.
int Report(const Status& status);
// Writes to stdout, whole.
void Print(const std::string& text);

Result<std::string> ReadFile(const std::string& path);
Status WriteFile(const std::string& path, const std::string& data);

// Flags that `place` and `run` share.
struct GraphFlags {
  std::string graph;   // GraphDef, binary or (.pbtxt) text
  std::string config;  // ConfigProto, binary or (.pbtxt) text; "" = none
  bool soft = false;
};
void AddGraphFlags(CLI::App* command, GraphFlags* flags);
// A session with the graph in it.
Result<std::unique_ptr<Session>> OpenSession(const GraphFlags& flags);

}  // namespace berth::tool
