#include "core/plugin/step.h"

#include <algorithm>
#include <chrono>

namespace berth {
namespace {

// An address that tells threads apart, without asking the system.
const void* ThisThread() {
  static thread_local char mark;
  return &mark;
}

}  // namespace

uint64_t NowNs() {
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                   std::chrono::steady_clock::now().time_since_epoch())
                                   .count());
}

}  // namespace berth

void berth_step::Reset(berth::ProfileSink* sink) {
  absl::MutexLock lock(&mutex_);
  callbacks_.clear();
  reason_ = berth::OkStatus();
  sink_.store(sink, std::memory_order_release);
  cancelled_.store(false, std::memory_order_release);
}

bool berth_step::Cancel(berth::Status reason) {
  {
    absl::MutexLock lock(&mutex_);
    if (cancelled_.load(std::memory_order_relaxed)) return false;
    reason_ = std::move(reason);
    running_thread_ = berth::ThisThread();
    cancelled_.store(true, std::memory_order_release);
  }
  RunCallbacks();
  return true;
}

void berth_step::RunCallbacks() {
  for (;;) {
    Callback next;
    {
      absl::MutexLock lock(&mutex_);
      running_token_ = 0;
      if (callbacks_.empty()) {
        running_thread_ = nullptr;
        return;
      }
      next = callbacks_.front();
      callbacks_.erase(callbacks_.begin());
      running_token_ = next.token;
    }
    next.fn(next.arg);
  }
}

berth::Status berth_step::reason() const {
  absl::MutexLock lock(&mutex_);
  return reason_;
}

uint64_t berth_step::AddCancelCallback(berth_cancel_fn fn, void* arg) {
  {
    absl::MutexLock lock(&mutex_);
    if (!cancelled_.load(std::memory_order_relaxed)) {
      callbacks_.push_back({++last_token_, fn, arg});
      return last_token_;
    }
  }
  fn(arg);
  return 0;
}

void berth_step::RemoveCancelCallback(uint64_t token) {
  if (token == 0) return;
  absl::MutexLock lock(&mutex_);
  const auto it = std::find_if(callbacks_.begin(), callbacks_.end(),
                               [token](const Callback& c) { return c.token == token; });
  if (it != callbacks_.end()) {
    callbacks_.erase(it);
    return;
  }
  // Waiting for itself would never end.
  if (running_thread_ == berth::ThisThread()) return;
  const auto over = [this, token]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return running_token_ != token;
  };
  mutex_.Await(absl::Condition(&over));
}
