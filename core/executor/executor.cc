#include "core/executor/executor.h"

#include <algorithm>
#include <optional>

#include "core/executor/deadline.h"

namespace berth::executor {
namespace {

constexpr size_t kShapedPlansKept = 32;
constexpr size_t kIdleFramesKept = 16;

}  // namespace

Executor::~Executor() { WaitIdle(); }

Status Executor::CheckInputs(std::span<const Tensor> inputs) const {
  if (static_cast<int>(inputs.size()) != plan_->num_feeds) {
    return InvalidArgument(std::to_string(inputs.size()) + " tensors were fed, but " +
                           std::to_string(plan_->num_feeds) + " are expected");
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Tensor& input = inputs[i];
    const DType dtype = plan_->values[i].dtype;
    const Shape& shape = plan_->feed_shapes[i];
    if (input.dtype() == dtype && shape.IsCompatibleWith(input.shape()) &&
        (input.raw() != nullptr || input.num_elements() == 0)) {
      continue;
    }
    const std::string& name = plan_->feed_names[i];
    if (!input.is_valid()) {
      return InvalidArgument("the tensor fed to '" + name + "' is empty");
    }
    if (input.dtype() == dtype && shape.IsCompatibleWith(input.shape())) {
      return InvalidArgument("the tensor fed to '" + name + "' is not in host memory");
    }
    return InvalidArgument("cannot feed '" + name + "': it takes dtype " +
                           std::string(DTypeName(dtype)) + " and shape " +
                           shape.ToString() + ", but dtype " +
                           std::string(DTypeName(input.dtype())) + " and shape " +
                           input.shape().ToString() + " was given");
  }
  return OkStatus();
}

Result<std::unique_ptr<Frame>> Executor::Acquire(std::span<const Tensor> inputs) {
  const uint64_t shape_changes = plan_->env.resources->shape_changes();
  {
    absl::MutexLock lock(&mutex_);
    if (!closed_.ok()) return closed_;
    for (size_t i = idle_.size(); i-- > 0;) {
      if (!idle_[i]->Matches(inputs)) continue;
      std::unique_ptr<Frame> frame = std::move(idle_[i]);
      idle_.erase(idle_.begin() + static_cast<int64_t>(i));
      if (frame->shape_changes() != shape_changes) [[unlikely]] {
        if (!frame->shaped().FitsVariables()) continue;
        frame->set_shape_changes(shape_changes);
      }
      active_.push_back(frame.get());
      return frame;
    }
  }
  BERTH_ASSIGN_OR_RETURN(std::unique_ptr<Frame> frame, MakeFrame(inputs));
  frame->set_shape_changes(shape_changes);
  absl::MutexLock lock(&mutex_);
  if (!closed_.ok()) return closed_;
  active_.push_back(frame.get());
  return frame;
}

Result<std::unique_ptr<Frame>> Executor::MakeFrame(std::span<const Tensor> inputs) {
  std::vector<Shape> shapes;
  for (const Tensor& input : inputs) shapes.push_back(input.shape());
  std::shared_ptr<const ShapedPlan> shaped;
  {
    absl::MutexLock lock(&build_mutex_);
    const auto it = std::find_if(shaped_.begin(), shaped_.end(), [&](const auto& known) {
      return known->feed_shapes == shapes;
    });
    if (it != shaped_.end()) {
      std::rotate(shaped_.begin(), it, it + 1);
    } else {
      BERTH_ASSIGN_OR_RETURN(auto made, MakeShapedPlan(plan_, shapes));
      shaped_.insert(shaped_.begin(), std::move(made));
      if (shaped_.size() > kShapedPlansKept) shaped_.pop_back();
    }
    shaped = shaped_.front();
  }
  Result<std::unique_ptr<Frame>> frame = Frame::Create(shaped);
  if (frame.ok() || frame.status().code() != Code::kResourceExhausted) return frame;
  // Frames that wait for other shapes hold memory: try once more without them.
  std::vector<std::unique_ptr<Frame>> dropped;
  {
    absl::MutexLock lock(&mutex_);
    dropped.swap(idle_);
  }
  if (dropped.empty()) return frame;
  dropped.clear();
  return Frame::Create(std::move(shaped));
}

Status Executor::Run(std::span<const Tensor> inputs, std::span<Tensor> outputs,
                     int64_t timeout_ms, RunTrace* trace) {
  BERTH_RETURN_IF_ERROR(CheckInputs(inputs));
  if (outputs.size() != plan_->fetches.size()) {
    return InvalidArgument("there are " + std::to_string(plan_->fetches.size()) +
                           " fetches, but room for " + std::to_string(outputs.size()));
  }
  BERTH_ASSIGN_OR_RETURN(std::unique_ptr<Frame> frame, Acquire(inputs));
  uint64_t deadline = 0;
  if (timeout_ms > 0) deadline = DeadlineTimer::Global().Add(&frame->step(), timeout_ms);
  Status status;
  if (trace == nullptr) [[likely]] {
    status = frame->Run(inputs, outputs, nullptr);
  } else {
    TraceRecorder recorder;
    frame->step().SetProfileSink(&recorder);
    status = frame->Run(inputs, outputs, &recorder);
    frame->step().SetProfileSink(nullptr);
    recorder.Finish(*frame, trace);
  }
  if (deadline != 0) DeadlineTimer::Global().Remove(deadline);
  if (frame->is_stale()) Forget(frame->shaped());
  if (frame->is_unsettled()) {
    // The frame is active until then, and the executor waits for what is active.
    Reaper::Global().Add([this, raw = frame.release()] {
      raw->Settle();
      Release(std::unique_ptr<Frame>(raw));
    });
    return status;
  }
  Release(std::move(frame));
  return status;
}

void Executor::Release(std::unique_ptr<Frame> frame) {
  Frame* raw = frame.get();
  std::unique_ptr<Frame> dropped;
  {
    absl::MutexLock lock(&mutex_);
    if (raw->step().is_cancelled()) raw->step().Reset();
    if (raw->is_stale() || !closed_.ok()) {
      dropped = std::move(frame);
    } else {
      if (idle_.size() == kIdleFramesKept) {
        dropped = std::move(idle_.front());
        idle_.erase(idle_.begin());
      }
      idle_.push_back(std::move(frame));
    }
    if (dropped == nullptr) [[likely]] {
      Deactivate(raw);
      return;
    }
  }
  // Whoever waits for the last run may end the devices next: the frame goes before.
  dropped.reset();
  absl::MutexLock lock(&mutex_);
  Deactivate(raw);
}

void Executor::Deactivate(const Frame* frame) {
  const auto it = std::find(active_.begin(), active_.end(), frame);
  *it = active_.back();
  active_.pop_back();
}

void Executor::Forget(const ShapedPlan& shaped) {
  absl::MutexLock lock(&build_mutex_);
  std::erase_if(shaped_, [&](const auto& known) { return known.get() == &shaped; });
  absl::MutexLock frames(&mutex_);
  std::erase_if(idle_, [&](const auto& frame) { return &frame->shaped() == &shaped; });
}

void Executor::Close(const Status& reason) {
  std::vector<std::unique_ptr<Frame>> dropped;
  absl::MutexLock lock(&mutex_);
  if (!closed_.ok()) return;
  closed_ = reason;
  for (Frame* frame : active_) frame->step().Cancel(reason);
  dropped.swap(idle_);
}

void Executor::WaitIdle() {
  absl::MutexLock lock(&mutex_);
  mutex_.Await(absl::Condition(
      +[](std::vector<Frame*>* active) { return active->empty(); }, &active_));
}

}  // namespace berth::executor
