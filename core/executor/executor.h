// Runs one signature of a session.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "core/base/status.h"
#include "core/base/tensor.h"
#include "core/executor/frame.h"
#include "core/executor/plan.h"
#include "core/executor/shaped_plan.h"
#include "core/executor/trace.h"

namespace berth::executor {

// Owns the plan of a signature, its shaped plans (the 32 used last) and the frames that
// runs borrow. Thread-safe: any number of threads may run at once.
class Executor {
 public:
  explicit Executor(std::shared_ptr<const Plan> plan) : plan_(std::move(plan)) {}
  ~Executor();
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  const Plan& plan() const { return *plan_; }

  // `inputs` in the order of the feeds, host tensors; `outputs` one a fetch, see
  // Session::Callable::Run. `timeout_ms` 0 = none. `trace` may be NULL.
  Status Run(std::span<const Tensor> inputs, std::span<Tensor> outputs,
             int64_t timeout_ms, RunTrace* trace);

  // Lets no further run begin and cancels those under way with `reason`.
  void Close(const Status& reason);
  // Waits until no run is under way and no device works for a cancelled one.
  void WaitIdle();

 private:
  Status CheckInputs(std::span<const Tensor> inputs) const;
  Result<std::unique_ptr<Frame>> Acquire(std::span<const Tensor> inputs);
  Result<std::unique_ptr<Frame>> MakeFrame(std::span<const Tensor> inputs);
  void Deactivate(const Frame* frame) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Release(std::unique_ptr<Frame> frame);
  void Forget(const ShapedPlan& shaped);

  const std::shared_ptr<const Plan> plan_;
  absl::Mutex build_mutex_;  // one thread plans at a time
  std::vector<std::shared_ptr<const ShapedPlan>> shaped_ ABSL_GUARDED_BY(build_mutex_);
  absl::Mutex mutex_;
  std::vector<std::unique_ptr<Frame>> idle_ ABSL_GUARDED_BY(mutex_);  // used last: back
  std::vector<Frame*> active_ ABSL_GUARDED_BY(mutex_);
  Status closed_ ABSL_GUARDED_BY(mutex_);  // why no run may begin; OK = it may
};

}  // namespace berth::executor
