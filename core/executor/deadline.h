// Timeouts of runs.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "core/plugin/step.h"

namespace berth::executor {

// Cancels steps whose time is up, from one thread that starts with the first timeout. A
// run without a timeout costs nothing. Thread-safe.
class DeadlineTimer {
 public:
  static DeadlineTimer& Global();

  // The step is cancelled with DEADLINE_EXCEEDED in `timeout_ms` from now.
  uint64_t Add(berth_step* step, int64_t timeout_ms);
  // Afterwards the timer does not touch the step.
  void Remove(uint64_t token);

 private:
  struct Entry {
    berth_step* step;
    int64_t timeout_ms;
  };

  void ThreadMain();

  absl::Mutex mutex_;
  absl::CondVar changed_;
  bool is_started_ ABSL_GUARDED_BY(mutex_) = false;
  uint64_t last_token_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t cancelling_ ABSL_GUARDED_BY(mutex_) = 0;  // token, 0 = none
  // By time and token.
  std::map<std::pair<uint64_t, uint64_t>, Entry> entries_ ABSL_GUARDED_BY(mutex_);
};

// Waits for what cancelled runs left on devices, on a thread of its own. Thread-safe.
class Reaper {
 public:
  static Reaper& Global();
  // Calls `settle` some time soon.
  void Add(std::function<void()> settle);

 private:
  void ThreadMain();

  absl::Mutex mutex_;
  bool is_started_ ABSL_GUARDED_BY(mutex_) = false;
  std::deque<std::function<void()>> queue_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace berth::executor
