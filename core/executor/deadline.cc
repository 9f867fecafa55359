#include "core/executor/deadline.h"

#include "absl/time/clock.h"
#include "absl/time/time.h"

namespace berth::executor {

DeadlineTimer& DeadlineTimer::Global() {
  // Never destroyed: its thread ends with the process.
  static DeadlineTimer* timer = new DeadlineTimer;
  return *timer;
}

uint64_t DeadlineTimer::Add(berth_step* step, int64_t timeout_ms) {
  absl::MutexLock lock(&mutex_);
  if (!is_started_) {
    is_started_ = true;
    std::thread([this] { ThreadMain(); }).detach();
  }
  const uint64_t token = ++last_token_;
  const uint64_t when = NowNs() + static_cast<uint64_t>(timeout_ms) * 1000000;
  entries_.emplace(std::pair(when, token), Entry{step, timeout_ms});
  changed_.SignalAll();
  return token;
}

void DeadlineTimer::Remove(uint64_t token) {
  absl::MutexLock lock(&mutex_);
  for (auto it = entries_.begin(); it != entries_.end(); ++it) {
    if (it->first.second != token) continue;
    entries_.erase(it);
    return;
  }
  while (cancelling_ == token) changed_.Wait(&mutex_);
}

void DeadlineTimer::ThreadMain() {
  absl::MutexLock lock(&mutex_);
  for (;;) {
    if (entries_.empty()) {
      changed_.Wait(&mutex_);
      continue;
    }
    const auto first = entries_.begin();
    const uint64_t now = NowNs();
    if (first->first.first > now) {
      changed_.WaitWithTimeout(
          &mutex_, absl::Nanoseconds(static_cast<int64_t>(first->first.first - now)));
      continue;
    }
    const Entry entry = first->second;
    cancelling_ = first->first.second;
    entries_.erase(first);
    mutex_.Unlock();
    entry.step->Cancel(DeadlineExceeded("the run did not end within its timeout of " +
                                        std::to_string(entry.timeout_ms) + " ms"));
    mutex_.Lock();
    cancelling_ = 0;
    changed_.SignalAll();
  }
}

Reaper& Reaper::Global() {
  static Reaper* reaper = new Reaper;
  return *reaper;
}

void Reaper::Add(std::function<void()> settle) {
  absl::MutexLock lock(&mutex_);
  queue_.push_back(std::move(settle));
  if (is_started_) return;
  is_started_ = true;
  std::thread([this] { ThreadMain(); }).detach();
}

void Reaper::ThreadMain() {
  for (;;) {
    std::function<void()> settle;
    {
      absl::MutexLock lock(&mutex_);
      mutex_.Await(absl::Condition(
          +[](Reaper* self)
               ABSL_NO_THREAD_SAFETY_ANALYSIS { return !self->queue_.empty(); },
          this));
      settle = std::move(queue_.front());
      queue_.pop_front();
    }
    settle();
  }
}

}  // namespace berth::executor
