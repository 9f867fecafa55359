// A running step as the host table knows it: pool, cancellation, profiling.
#pragma once

#include <berth/host.h>

#include <atomic>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "core/base/status.h"
#include "core/base/thread_pool.h"

namespace berth {

// One interval as a plugin reported it. `name` and `track` are only alive for the call.
struct ProfileEvent {
  const char* name = "";
  const char* track = "";
  uint64_t start_ns = 0;  // of NowNs()'s clock
  uint64_t end_ns = 0;
};

// Where the profiler events of a traced step go. Called from any thread, several at a
// time.
class ProfileSink {
 public:
  virtual ~ProfileSink() = default;
  virtual void Record(const ProfileEvent& event) = 0;
};

// Nanoseconds of the clock that all times of the ABI are in (monotonic).
uint64_t NowNs();

}  // namespace berth

// The executor embeds one in each running step, gives its address to kernels as
// berth_compute_context.step, and keeps it until the step's last event is done. It may be
// used again for another run after Reset. All members but Reset and
// SetProfileSink may be called from any
// thread; is_cancelled, pool and is_profiling take no lock.
struct berth_step {
 public:
  // Pool, not owned, outlives the step.
  explicit berth_step(berth::ThreadPool* pool) : pool_(pool) {}
  berth_step(const berth_step&) = delete;
  berth_step& operator=(const berth_step&) = delete;

  berth::ThreadPool* pool() const { return pool_; }

  // Makes the step ready for another run. REQUIRES: nobody uses it; every callback was
  // removed or called. `sink` may be NULL: no profiling.
  void Reset(berth::ProfileSink* sink = nullptr);

  // Where profiler events go from now on; NULL: nowhere.
  void SetProfileSink(berth::ProfileSink* sink) {
    sink_.store(sink, std::memory_order_release);
  }

  // Marks the step as cancelled for `reason` (CANCELLED, DEADLINE_EXCEEDED or the first
  // error of a kernel) and calls the callbacks on this thread. Only the first call has an
  // effect; returns whether this one was.
  bool Cancel(berth::Status reason);
  bool is_cancelled() const { return cancelled_.load(std::memory_order_acquire); }
  // OK while the step is not cancelled.
  berth::Status reason() const;

  // As the host table's entries of these names. Token 0: it was called at once.
  uint64_t AddCancelCallback(berth_cancel_fn fn, void* arg);
  // After it returns the callback does not run and will not (from within the callback
  // itself it returns at once).
  void RemoveCancelCallback(uint64_t token);

  berth::ProfileSink* profile_sink() const {
    return sink_.load(std::memory_order_acquire);
  }
  bool is_profiling() const { return profile_sink() != nullptr; }

 private:
  struct Callback {
    uint64_t token;
    berth_cancel_fn fn;
    void* arg;
  };

  void RunCallbacks();

  berth::ThreadPool* const pool_;
  std::atomic<bool> cancelled_{false};
  std::atomic<berth::ProfileSink*> sink_{nullptr};
  mutable absl::Mutex mutex_;
  berth::Status reason_ ABSL_GUARDED_BY(mutex_);
  std::vector<Callback> callbacks_ ABSL_GUARDED_BY(mutex_);
  uint64_t last_token_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t running_token_ ABSL_GUARDED_BY(mutex_) = 0;
  // Thread that runs callbacks, as an address of its own; NULL = none.
  const void* running_thread_ ABSL_GUARDED_BY(mutex_) = nullptr;
};
