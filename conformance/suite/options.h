// The command line of berth-conform.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "conformance/suite/select.h"

namespace berth::conformance {

// Exit codes; docs/CONFORMANCE.md.
enum ExitCode {
  kExitAsExpected = 0,
  kExitFailures = 1,
  kExitUsage = 2,
  kExitNotLoaded = 3,
  kExitInterrupted = 130,
};

struct Options {
  std::string program;  // as it was called
  SuiteOptions suite;
  Filter filter;
  bool list = false;
  bool in_process = false;
  bool worker = false;
  bool quiet = false;
  bool verbose = false;
  int jobs = 1;
  double case_limit_seconds = 20;
  double load_limit_seconds = 60;
  uint64_t memory_limit = 0;
  std::string expect_path;
  std::string json_path;
  std::string junit_path;
  std::string html_path;
};

// A value: the exit code, help or error having been printed.
std::optional<int> ParseOptions(int argc, char** argv, Options* options);

// The arguments of a worker for these options, without argv[0].
std::vector<std::string> WorkerArguments(const Options& options);

// The command that runs this one case in the same way, quoted for a shell.
std::string RerunCommand(const Options& options, const std::string& case_name);

}  // namespace berth::conformance
