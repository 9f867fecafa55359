// Recording what a run does.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "core/executor/run_trace.h"
#include "core/plugin/step.h"

namespace berth::executor {

class Frame;
struct Item;

// Collects one run's events. Add is called by the thread that runs, Record by any.
class TraceRecorder : public ProfileSink {
 public:
  TraceRecorder() : begin_ns_(NowNs()) {}

  void Add(const Frame& frame, const Item& item, uint64_t start_ns, uint64_t end_ns);
  void Record(const ProfileEvent& event) override;
  // Fills the rest, ends the recording.
  void Finish(const Frame& frame, RunTrace* trace);

 private:
  const uint64_t begin_ns_;
  RunTrace trace_;
  absl::Mutex mutex_;
  std::vector<TraceEvent> reported_ ABSL_GUARDED_BY(mutex_);  // by plugins
};

}  // namespace berth::executor
