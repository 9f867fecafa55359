// Memory, streams and events of the fake plugin.
#pragma once

#include <berth/device.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "core/base/status.h"
#include "core/plugin/testing/fake_plugin.h"

namespace berth::testing {

class FakeStream;

// Host memory that may claim to have no host address.
struct FakeMemory {
  char* data = nullptr;
  uint64_t size = 0;
  bool host_visible = false;
  void* At(uint64_t offset) { return data + offset; }
};

// What all devices, streams and allocations of one fake plugin share. Thread-safe.
class FakeShared {
 public:
  template <typename Change>
  void Count(Change change) {
    absl::MutexLock lock(&mutex_);
    change(&counters_);
  }
  FakeCounters counters() const;
  void ResetCounters();  // keeps bytes_in_use

  Result<FakeMemory*> Allocate(uint64_t size, uint32_t alignment, uint64_t total,
                               bool host_visible);
  void Free(FakeMemory* memory);
  void LimitMemory(uint64_t bytes);

  void Hold();
  void Release();
  void WaitUntilReleased();

  // Runs `work` on a thread of its own, once nothing is held.
  void RunInThread(std::function<void()> work);
  void JoinThreads();

  void Add(FakeStream* stream);
  void Remove(FakeStream* stream);
  Status SynchronizeAll();

 private:
  mutable absl::Mutex mutex_;
  FakeCounters counters_ ABSL_GUARDED_BY(mutex_);
  uint64_t limit_ ABSL_GUARDED_BY(mutex_) = 0;
  bool held_ ABSL_GUARDED_BY(mutex_) = false;
  std::vector<FakeStream*> streams_ ABSL_GUARDED_BY(mutex_);
  std::vector<std::thread> threads_ ABSL_GUARDED_BY(mutex_);
};

// One recording of an event; a stream that waits for it keeps it when the event is
// recorded again.
struct FakePoint {
  absl::Mutex mutex;
  bool done ABSL_GUARDED_BY(mutex) = false;
  Status status ABSL_GUARDED_BY(mutex);
  uint64_t timestamp_ns ABSL_GUARDED_BY(mutex) = 0;
  std::vector<std::pair<berth_ready_fn, void*>> callbacks ABSL_GUARDED_BY(mutex);

  void Finish(const Status& with);
  Status Wait();
};

class FakeEvent {
 public:
  std::shared_ptr<FakePoint> Restart();
  std::shared_ptr<FakePoint> point() const;
  bool IsDone() const;
  Status Wait();
  void OnReady(berth_ready_fn fn, void* arg);
  uint64_t timestamp_ns() const;
  // The plugin's counters, once the event was recorded.
  FakeShared* shared = nullptr;

 private:
  mutable absl::Mutex mutex_;
  std::shared_ptr<FakePoint> point_ ABSL_GUARDED_BY(mutex_);  // NULL = never recorded
};

// An in-order queue with a thread, or, not asynchronous, one that works at once.
class FakeStream {
 public:
  using Task = std::function<Status()>;

  FakeStream(FakeShared* shared, bool asynchronous);
  ~FakeStream();
  FakeStream(const FakeStream&) = delete;
  FakeStream& operator=(const FakeStream&) = delete;

  FakeShared* shared() const { return shared_; }

  // Runs now, giving the task's own result, or later: then its failure stays with the
  // stream and travels with its events, and later tasks are not run.
  Status Enqueue(Task task);
  void Record(FakeEvent* event);
  void WaitFor(FakeEvent* event);
  Status Synchronize();

 private:
  struct Item {
    Task task;                         // or
    std::shared_ptr<FakePoint> reach;  // an event that is reached here
    std::shared_ptr<FakePoint> wait;   // or one that is waited for
  };

  void Push(Item item);
  void Run(const Item& item);
  void ThreadMain();

  FakeShared* const shared_;
  const bool asynchronous_;
  absl::Mutex mutex_;
  std::deque<Item> items_ ABSL_GUARDED_BY(mutex_);
  bool busy_ ABSL_GUARDED_BY(mutex_) = false;
  bool stop_ ABSL_GUARDED_BY(mutex_) = false;
  Status failure_ ABSL_GUARDED_BY(mutex_);
  std::thread thread_;
};

}  // namespace berth::testing
