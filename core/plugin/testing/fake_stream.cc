#include "core/plugin/testing/fake_stream.h"

#include <algorithm>
#include <cstdlib>
#include <string>

#include "core/plugin/step.h"

namespace berth::testing {

FakeCounters FakeShared::counters() const {
  absl::MutexLock lock(&mutex_);
  return counters_;
}

void FakeShared::ResetCounters() {
  absl::MutexLock lock(&mutex_);
  const int64_t in_use = counters_.bytes_in_use;
  counters_ = FakeCounters();
  counters_.bytes_in_use = in_use;
}

Result<FakeMemory*> FakeShared::Allocate(uint64_t size, uint32_t alignment,
                                         uint64_t total, bool host_visible) {
  absl::MutexLock lock(&mutex_);
  const uint64_t limit = limit_ != 0 ? limit_ : total;
  const uint64_t in_use = static_cast<uint64_t>(counters_.bytes_in_use);
  if (size > limit || in_use > limit - size) {
    return ResourceExhausted("the fake device has " + std::to_string(limit) +
                             " bytes, of which " + std::to_string(in_use) +
                             " are in use: no room for " + std::to_string(size));
  }
  const uint64_t step = std::max<uint64_t>(alignment, 64);
  auto* data =
      static_cast<char*>(std::aligned_alloc(step, (size + step - 1) / step * step));
  if (data == nullptr) return ResourceExhausted("the host has no memory left");
  counters_.bytes_in_use += static_cast<int64_t>(size);
  ++counters_.allocations;
  return new FakeMemory{data, size, host_visible};
}

void FakeShared::Free(FakeMemory* memory) {
  absl::MutexLock lock(&mutex_);
  counters_.bytes_in_use -= static_cast<int64_t>(memory->size);
  std::free(memory->data);
  delete memory;
}

void FakeShared::LimitMemory(uint64_t bytes) {
  absl::MutexLock lock(&mutex_);
  limit_ = bytes;
}

void FakeShared::Hold() {
  absl::MutexLock lock(&mutex_);
  held_ = true;
}

void FakeShared::Release() {
  absl::MutexLock lock(&mutex_);
  held_ = false;
}

void FakeShared::WaitUntilReleased() {
  absl::MutexLock lock(&mutex_);
  const auto released = [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return !held_; };
  mutex_.Await(absl::Condition(&released));
}

void FakeShared::RunInThread(std::function<void()> work) {
  absl::MutexLock lock(&mutex_);
  threads_.emplace_back([this, work = std::move(work)] {
    WaitUntilReleased();
    work();
  });
}

void FakeShared::JoinThreads() {
  std::vector<std::thread> threads;
  {
    absl::MutexLock lock(&mutex_);
    threads.swap(threads_);
  }
  for (std::thread& thread : threads) thread.join();
}

void FakeShared::Add(FakeStream* stream) {
  absl::MutexLock lock(&mutex_);
  streams_.push_back(stream);
}

void FakeShared::Remove(FakeStream* stream) {
  absl::MutexLock lock(&mutex_);
  streams_.erase(std::find(streams_.begin(), streams_.end(), stream));
}

Status FakeShared::SynchronizeAll() {
  std::vector<FakeStream*> streams;
  {
    absl::MutexLock lock(&mutex_);
    streams = streams_;
  }
  for (FakeStream* stream : streams) BERTH_RETURN_IF_ERROR(stream->Synchronize());
  return OkStatus();
}

void FakePoint::Finish(const Status& with) {
  std::vector<std::pair<berth_ready_fn, void*>> waiting;
  {
    absl::MutexLock lock(&mutex);
    done = true;
    status = with;
    timestamp_ns = NowNs();
    waiting.swap(callbacks);
  }
  for (const auto& [fn, arg] : waiting) {
    fn(arg, static_cast<berth_status_code>(with.code()),
       std::string(with.message()).c_str());
  }
}

Status FakePoint::Wait() {
  absl::MutexLock lock(&mutex);
  mutex.Await(absl::Condition(&done));
  return status;
}

std::shared_ptr<FakePoint> FakeEvent::Restart() {
  absl::MutexLock lock(&mutex_);
  point_ = std::make_shared<FakePoint>();
  return point_;
}

std::shared_ptr<FakePoint> FakeEvent::point() const {
  absl::MutexLock lock(&mutex_);
  return point_;
}

bool FakeEvent::IsDone() const {
  const std::shared_ptr<FakePoint> at = point();
  if (at == nullptr) return true;
  absl::MutexLock lock(&at->mutex);
  return at->done;
}

Status FakeEvent::Wait() {
  const std::shared_ptr<FakePoint> at = point();
  return at == nullptr ? OkStatus() : at->Wait();
}

void FakeEvent::OnReady(berth_ready_fn fn, void* arg) {
  const std::shared_ptr<FakePoint> at = point();
  Status status;
  if (at != nullptr) {
    absl::MutexLock lock(&at->mutex);
    if (!at->done) {
      at->callbacks.emplace_back(fn, arg);
      return;
    }
    status = at->status;
  }
  fn(arg, static_cast<berth_status_code>(status.code()),
     std::string(status.message()).c_str());
}

uint64_t FakeEvent::timestamp_ns() const {
  const std::shared_ptr<FakePoint> at = point();
  if (at == nullptr) return 0;
  absl::MutexLock lock(&at->mutex);
  return at->timestamp_ns;
}

FakeStream::FakeStream(FakeShared* shared, bool asynchronous)
    : shared_(shared), asynchronous_(asynchronous) {
  shared_->Add(this);
  if (asynchronous_) thread_ = std::thread([this] { ThreadMain(); });
}

FakeStream::~FakeStream() {
  (void)Synchronize();
  shared_->Remove(this);
  {
    absl::MutexLock lock(&mutex_);
    stop_ = true;
  }
  if (thread_.joinable()) thread_.join();
}

Status FakeStream::Enqueue(Task task) {
  if (!asynchronous_) return task();
  Push({std::move(task), nullptr, nullptr});
  return OkStatus();
}

void FakeStream::Record(FakeEvent* event) {
  event->shared = shared_;
  Push({nullptr, event->Restart(), nullptr});
}

void FakeStream::WaitFor(FakeEvent* event) {
  std::shared_ptr<FakePoint> point = event->point();
  if (point != nullptr) Push({nullptr, nullptr, std::move(point)});
}

Status FakeStream::Synchronize() {
  absl::MutexLock lock(&mutex_);
  const auto idle = [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return items_.empty() && !busy_;
  };
  mutex_.Await(absl::Condition(&idle));
  return std::exchange(failure_, OkStatus());
}

void FakeStream::Push(Item item) {
  if (!asynchronous_) {
    Run(item);
    return;
  }
  absl::MutexLock lock(&mutex_);
  items_.push_back(std::move(item));
}

void FakeStream::Run(const Item& item) {
  Status status;
  {
    absl::MutexLock lock(&mutex_);
    status = failure_;
  }
  if (item.reach != nullptr) {
    item.reach->Finish(status);
    return;
  }
  Status result;
  if (item.wait != nullptr) {
    result = item.wait->Wait();
  } else if (status.ok()) {
    result = item.task();
  }
  absl::MutexLock lock(&mutex_);
  if (failure_.ok()) failure_ = result;
}

void FakeStream::ThreadMain() {
  for (;;) {
    Item item;
    {
      absl::MutexLock lock(&mutex_);
      const auto wake = [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
        return !items_.empty() || stop_;
      };
      mutex_.Await(absl::Condition(&wake));
      if (items_.empty()) return;
      item = std::move(items_.front());
      items_.pop_front();
      busy_ = true;
    }
    shared_->WaitUntilReleased();
    Run(item);
    absl::MutexLock lock(&mutex_);
    busy_ = false;
  }
}

}  // namespace berth::testing
