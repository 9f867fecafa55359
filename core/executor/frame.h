// The memory and the state of one running step list.
#pragma once

#include <berth/kernel.h>

#include <atomic>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "core/base/buffer.h"
#include "core/base/status.h"
#include "core/base/tensor.h"
#include "core/executor/shaped_plan.h"
#include "core/plugin/compute_context.h"
#include "core/plugin/step.h"

namespace berth::executor {

class TraceRecorder;
struct RuntimeKernelState;

// A device's stream of one frame and the event that the host waits for.
struct FrameStream {
  DeviceContext* device = nullptr;
  berth_stream* stream = nullptr;
  berth_event* event = nullptr;
};

// What the host waits on while a device works: set by the event's callback or by
// cancellation, whichever comes first.
class Waiter {
 public:
  void Reset() {
    absl::MutexLock lock(&mutex_);
    is_set_ = false;
  }
  void Set() {
    absl::MutexLock lock(&mutex_);
    is_set_ = true;
  }
  void Wait() {
    absl::MutexLock lock(&mutex_);
    mutex_.Await(absl::Condition(&is_set_));
  }

 private:
  absl::Mutex mutex_;
  bool is_set_ ABSL_GUARDED_BY(mutex_) = false;
};

// Made once for a shaped plan and used for one run after another: it owns the arenas and
// all tensor views and contexts with their addresses. Used by one thread at a time, but
// for step(), which others may cancel.
class Frame {
 public:
  static Result<std::unique_ptr<Frame>> Create(std::shared_ptr<const ShapedPlan> shaped);
  // Waits for the devices.
  ~Frame();
  Frame(const Frame&) = delete;
  Frame& operator=(const Frame&) = delete;

  const ShapedPlan& shaped() const { return *shaped_; }
  const Plan& plan() const { return *shaped_->plan; }
  bool Matches(std::span<const Tensor> inputs) const;
  berth_step& step() { return step_; }
  // ResourceManager::shape_changes() when the variables' shapes were last looked at.
  uint64_t shape_changes() const { return shape_changes_; }
  void set_shape_changes(uint64_t count) { shape_changes_ = count; }

  // One run. `outputs` as in Session::Callable::Run. On failure nothing of the run is
  // left in the outputs but what was written into recycled buffers. REQUIRES: Matches and
  // the dtypes are right.
  Status Run(std::span<const Tensor> inputs, std::span<Tensor> outputs,
             TraceRecorder* trace);

  // True when a run ended before its devices did: nothing of the frame may be touched
  // until Settle, which waits for them.
  bool is_unsettled() const { return is_unsettled_; }
  void Settle();
  // A variable has another shape than planned: the plan is to be made anew.
  bool is_stale() const { return is_stale_; }

  // ---- For steps.

  berth_tensor& slot(int32_t view) { return slots_[view]; }
  const View& view(int32_t view) const { return shaped_->program.views[view]; }
  // The sizes of a view whose sizes come at run time: BERTH_MAX_RANK entries.
  int64_t* runtime_dims(int32_t view) {
    return runtime_dims_.data() + shaped_->program.views[view].dims_at * BERTH_MAX_RANK;
  }
  BufferRef& held(int32_t index) { return held_[index]; }
  // Puts a buffer where it stays until the run is over.
  void Retire(BufferRef buffer) {
    if (buffer) retired_.push_back(std::move(buffer));
  }
  FrameStream* stream(int32_t device) { return streams_by_device_[device]; }
  HostComputeContext& context(const Item* item) {
    return contexts_[item - shaped_->program.items.data()];
  }
  const Item& item_of(const HostComputeContext& context) const {
    return shaped_->program.items[&context - contexts_];
  }
  std::unique_ptr<RuntimeKernelState>& runtime_state(const Item* item);
  // Remembers what a step of the core failed with; returns its code.
  berth_status_code Fail(Status status);
  Waiter& waiter() { return waiter_; }
  TraceRecorder* trace() { return trace_; }
  void MarkUnsettled() { is_unsettled_ = true; }
  void MarkStale() { is_stale_ = true; }

  // Lays `view` over memory: `buffer` + `offset`.
  void SetSlot(int32_t view, const BufferRef& buffer, uint64_t offset);
  // The sizes of a view with runtime_dims; its byte_size follows. RESOURCE_EXHAUSTED for
  // a rank that no kernel takes.
  Status SetDims(int32_t view, const Shape& shape);
  Shape ShapeOf(int32_t view) const;
  // The tensor that a host view sees. Shares the held buffer if there is one; otherwise
  // it is a loan until the run is over.
  Tensor HostTensor(int32_t view);
  // Fresh memory in a space, named after a node.
  Result<BufferRef> Allocate(Space space, DType dtype, uint64_t size, int32_t node);

 private:
  explicit Frame(std::shared_ptr<const ShapedPlan> shaped);

  Status AllocateArenas();
  Status MakeStreams();
  void DestroyStreams();
  void LayOut();
  void LayOutView(int32_t view);
  void LayOutContexts();
  Status Begin(std::span<const Tensor> inputs, std::span<Tensor> outputs);
  Status RunSteps();
  Status RunStepsTraced();
  Status StepFailed(size_t index, berth_status_code code, berth_error* error);
  Status End(std::span<const Tensor> inputs, std::span<Tensor> outputs);
  Status TakeFetch(size_t i, std::span<const Tensor> inputs, Tensor* output);
  void Abandon();
  void ReleaseHeld();

  const std::shared_ptr<const ShapedPlan> shaped_;
  std::vector<std::vector<BufferRef>> arenas_;  // by space, by block
  std::unique_ptr<std::byte[]> memory_;         // slots, pointers and contexts
  berth_tensor* slots_ = nullptr;
  berth_tensor** operands_ = nullptr;
  HostComputeContext* contexts_ = nullptr;
  std::vector<int64_t> runtime_dims_;
  std::vector<BufferRef> held_;
  std::vector<BufferRef> retired_;
  std::vector<Tensor> fetched_;   // being written by a run
  std::vector<BufferRef> feeds_;  // kept while a device may read them
  std::vector<std::unique_ptr<RuntimeKernelState>> runtime_states_;
  std::vector<std::unique_ptr<FrameStream>> streams_;
  std::vector<FrameStream*> streams_by_device_;
  berth_step step_;
  Waiter waiter_;
  TraceRecorder* trace_ = nullptr;
  Status error_;
  uint64_t shape_changes_ = 0;
  bool is_unsettled_ = false;
  bool is_stale_ = false;
};

}  // namespace berth::executor
