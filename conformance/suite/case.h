// What the suite consists of: cases, each of which judges one thing about one plugin.
//
// The side that knows plugins makes the cases (MakeSuite); the side that runs them knows
// nothing of plugins and never loads one. Both meet here.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/base/status.h"

namespace berth::conformance {

// A mandatory case must pass or be declared unsupported with a reason; an optional one
// may be refused; a performance case measures and is run only when asked for.
enum class Tier { kMandatory, kOptional, kPerformance };

// kExpected is given by the runner alone: a failure that the plugin's vendor declared.
enum class Verdict { kPassed, kFailed, kExpected, kUnsupported, kCrashed, kHung };

struct CaseResult {
  Verdict verdict = Verdict::kPassed;
  // A short stable name of what is wrong, such as "wrong value" or "write out of bounds";
  // "" when passed.
  std::string fault;
  // For a person; of an unsupported case the plugin's reason.
  std::string message;
  // The largest error divided by its bound; negative when the case measures none.
  double margin = -1;
  // Of performance cases: gflops, gb_per_s, launch_us, …
  std::map<std::string, double> metrics;
};

struct Case {
  // Unique and without line breaks: "op/Conv2D/float/012-same-stride2",
  // "contract/memory/alignment".
  std::string name;
  std::string op;     // "" for a case of the contract
  std::string dtype;  // "" likewise
  Tier tier = Tier::kMandatory;
  double limit_seconds = 0;  // 0: the default of the run
  // Called at most once, on the main thread of a worker process. What the plugin does in
  // it (crash, hang, exit, take all memory) is a result of this case.
  std::function<CaseResult()> run;
};

struct SuiteOptions {
  std::string plugin_path;
  std::string device_type;  // "": the first type that the plugin enumerates
  int device_index = 0;
  uint64_t seed = 1;
  std::map<std::string, std::string> plugin_options;
};

// What a report is about.
struct SubjectInfo {
  std::string plugin_path;
  std::string plugin_name;
  std::string plugin_version;
  std::string plugin_hash;  // HashFile of core/plugin
  std::string abi_version;  // "0.1"
  std::string device;       // "Tesla T4"
  std::string driver;
  std::string device_type;
};

struct Suite {
  SubjectInfo subject;
  std::vector<Case> cases;
};

// Loads the plugin and lists its cases: the same ones, in the same order, for the same
// options. Called once in a process, and only in a worker. An error means that the plugin
// could not be loaded or has no such device, and says why.
Result<Suite> MakeSuite(const SuiteOptions& options);
using MakeSuiteFunction = Result<Suite> (*)(const SuiteOptions&);

}  // namespace berth::conformance
