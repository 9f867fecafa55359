// Runs cases in worker processes and survives whatever they do.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "conformance/suite/lane.h"

namespace berth::conformance {

// Cases of the runner itself: every run loads the plugin and ends its workers.
inline constexpr const char* kLoadCase = "contract/load";
inline constexpr const char* kUnloadCase = "contract/unload";
// The fault of cases that were left when the plugin no longer loaded.
inline constexpr const char* kNotRun = "not run";

struct RunnerOptions {
  LaneOptions lane;
  int jobs = 1;
  double case_limit_seconds = 20;
};

// What became of the case at `index` of the list given to Run.
struct Finished {
  size_t index = 0;
  CaseResult result;
  double seconds = 0;
  std::string output;
};

// One run. Takes SIGCHLD, SIGINT, SIGTERM and SIGHUP of the process while it lives, and
// ignores SIGPIPE: one at a time. Not thread-safe.
class Runner {
 public:
  explicit Runner(RunnerOptions options);
  ~Runner();
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;

  // Starts the first worker and asks it for its cases. Without a value the plugin could
  // not be loaded, or the run was interrupted: see load().
  std::optional<Listing> List();

  // Runs the cases; `done` is called for each as it ends, again for one whose verdict
  // changes because the worker died right after it. Those that an interrupt left out are
  // not told. A further call starts with fresh workers.
  void Run(const std::vector<CaseInfo>& cases, const std::function<void(Finished)>& done);

  // A signal asked for the end.
  static bool interrupted();

  // Of kLoadCase and kUnloadCase: what went wrong in any worker.
  const Finished& load() const { return load_; }
  const Finished& unload() const { return unload_; }

 private:
  struct Seat;  // a lane and what it is running

  void Feed(Seat* seat, const std::vector<CaseInfo>& cases);
  void OnEvent(Seat* seat, LaneEvent event);
  void OnDiedAfter(Seat* seat, LaneEvent event);
  void OnLoadFailed(LaneEvent event);
  void GiveUp();
  void Wait();
  bool AllEmpty() const;

  const RunnerOptions options_;
  std::vector<Seat> seats_;
  std::deque<size_t> pending_;
  std::function<void(Finished)> done_;
  int failed_loads_ = 0;  // in a row
  bool listed_ = false;
  Finished load_;
  Finished unload_;
};

}  // namespace berth::conformance
