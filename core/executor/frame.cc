#include "core/executor/frame.h"

#include <algorithm>
#include <new>

#include "core/executor/kernel_steps.h"
#include "core/executor/steps.h"
#include "core/executor/trace.h"

namespace berth::executor {

Frame::Frame(std::shared_ptr<const ShapedPlan> shaped)
    : shaped_(std::move(shaped)), step_(shaped_->plan->env.pool) {}

Result<std::unique_ptr<Frame>> Frame::Create(std::shared_ptr<const ShapedPlan> shaped) {
  std::unique_ptr<Frame> frame(new Frame(std::move(shaped)));
  BERTH_RETURN_IF_ERROR(frame->AllocateArenas());
  BERTH_RETURN_IF_ERROR(frame->MakeStreams());
  frame->LayOut();
  return frame;
}

Frame::~Frame() {
  Settle();
  DestroyStreams();
}

Status Frame::AllocateArenas() {
  DeviceSet& devices = *plan().env.devices;
  arenas_.resize(shaped_->block_sizes.size());
  for (size_t space = 0; space < arenas_.size(); ++space) {
    for (const uint64_t size : shaped_->block_sizes[space]) {
      if (space == kHostSpace) {
        BufferRef buffer = AllocateHostBuffer(size);
        if (!buffer) {
          return ResourceExhausted("no host memory for an arena of " +
                                   std::to_string(size) + " bytes");
        }
        arenas_[space].push_back(std::move(buffer));
        continue;
      }
      DeviceContext& device = *devices.OfSpace(static_cast<Space>(space));
      BERTH_ASSIGN_OR_RETURN(BufferRef buffer,
                             device.allocator->Allocate(size, "step arena"));
      arenas_[space].push_back(std::move(buffer));
    }
  }
  return OkStatus();
}

Status Frame::MakeStreams() {
  DeviceSet& devices = *plan().env.devices;
  streams_by_device_.assign(static_cast<size_t>(devices.size()), nullptr);
  for (const int32_t index : shaped_->stream_devices) {
    auto stream = std::make_unique<FrameStream>();
    stream->device = &devices.at(index);
    const berth_device_api& api = stream->device->api();
    berth_error error = EmptyError();
    berth_status_code code =
        api.create_stream(stream->device->handle, &stream->stream, &error);
    if (code == BERTH_OK && stream->device->is_async) {
      code = api.create_event(stream->device->handle, &stream->event, &error);
    }
    streams_by_device_[index] = stream.get();
    streams_.push_back(std::move(stream));
    if (code != BERTH_OK) {
      return TakeError(code, &error, "making a stream on " + devices.at(index).name());
    }
  }
  return OkStatus();
}

void Frame::DestroyStreams() {
  for (const auto& stream : streams_) {
    const berth_device_api& api = stream->device->api();
    if (stream->stream != nullptr) api.destroy_stream(stream->stream);
    if (stream->event != nullptr) api.destroy_event(stream->event);
  }
  streams_.clear();
}

// ---- Layout: all addresses that do not change from run to run.

void Frame::LayOut() {
  const Program& program = shaped_->program;
  const size_t slots_size = program.views.size() * sizeof(berth_tensor);
  const size_t operands_size = program.operands.size() * sizeof(berth_tensor*);
  const size_t contexts_size = program.items.size() * sizeof(HostComputeContext);
  memory_ = std::make_unique<std::byte[]>(slots_size + operands_size + contexts_size);
  slots_ = reinterpret_cast<berth_tensor*>(memory_.get());
  operands_ = reinterpret_cast<berth_tensor**>(memory_.get() + slots_size);
  contexts_ =
      reinterpret_cast<HostComputeContext*>(memory_.get() + slots_size + operands_size);
  runtime_dims_.assign(static_cast<size_t>(program.num_runtime_dims) * BERTH_MAX_RANK, 0);
  held_.resize(static_cast<size_t>(program.num_held));
  fetched_.resize(program.fetches.size());
  for (size_t i = 0; i < program.views.size(); ++i) LayOutView(static_cast<int32_t>(i));
  for (size_t i = 0; i < program.operands.size(); ++i) {
    operands_[i] = &slots_[program.operands[i]];
  }
  LayOutContexts();
}

void Frame::LayOutView(int32_t index) {
  const Program& program = shaped_->program;
  const View& view = program.views[index];
  berth_tensor& slot = *new (&slots_[index]) berth_tensor{};
  slot.dtype = view.dtype;
  slot.rank = view.rank;
  slot.dims =
      view.runtime_dims ? runtime_dims(index) : program.dims.data() + view.dims_at;
  slot.byte_size = view.byte_size;
  const Storage& storage = program.storages[program.Root(view.storage)];
  if (storage.kind == Storage::kArena && storage.block >= 0) {
    SetSlot(index, arenas_[storage.space][storage.block], storage.offset);
  } else if (storage.kind == Storage::kConst) {
    if (storage.space == kHostSpace) {
      slot.host_data = program.constants[storage.index]->raw();
    } else {
      SetSlot(index, shaped_->device_constants[storage.index], 0);
    }
  }
}

void Frame::LayOutContexts() {
  const Program& program = shaped_->program;
  runtime_states_.resize(program.items.size());
  for (size_t i = 0; i < program.items.size(); ++i) {
    const Item& item = program.items[i];
    HostComputeContext& context = *new (&contexts_[i]) HostComputeContext{};
    context.owner = this;
    if (item.kernel == nullptr) continue;
    const DeviceContext& device = item.kernel->device();
    berth_compute_context& abi = context.abi;
    abi.struct_size = sizeof(abi);
    abi.host = device.device->host();
    abi.step = &step_;
    abi.device = device.handle;
    if (device.is_async) abi.stream = streams_by_device_[device.index]->stream;
    abi.num_inputs = item.num_inputs;
    abi.num_outputs = item.num_outputs;
    abi.inputs = operands_ + item.first_operand;
    abi.outputs = operands_ + item.first_operand + item.num_inputs;
    abi.state = item.kernel->state();
    if (item.scratch >= 0) abi.scratch = slots_[item.scratch];
  }
}

// ---- For steps.

void Frame::SetSlot(int32_t view, const BufferRef& buffer, uint64_t offset) {
  berth_tensor& slot = slots_[view];
  if (!buffer) {
    slot.host_data = nullptr;
    slot.memory = nullptr;
    slot.offset = 0;
    return;
  }
  slot.host_data = buffer->host_data() != nullptr
                       ? static_cast<char*>(buffer->host_data()) + offset
                       : nullptr;
  slot.memory = buffer->memory();
  slot.offset = buffer->memory() != nullptr ? buffer->offset() + offset : 0;
}

Status Frame::SetDims(int32_t view, const Shape& shape) {
  if (shape.rank() > BERTH_MAX_RANK) {
    return ResourceExhausted("a tensor of shape " + shape.ToString() + " has more than " +
                             std::to_string(BERTH_MAX_RANK) + " dimensions");
  }
  BERTH_ASSIGN_OR_RETURN(
      const int64_t count,
      Shape::CheckedElements(shape.dims(), static_cast<size_t>(shape.rank())));
  std::copy(shape.dims(), shape.dims() + shape.rank(), runtime_dims(view));
  berth_tensor& slot = slots_[view];
  slot.rank = shape.rank();
  const size_t element =
      slot.dtype == BERTH_STRING ? sizeof(std::string) : DTypeSize(slot.dtype);
  uint64_t size = 0;
  if (__builtin_mul_overflow(static_cast<uint64_t>(count), element, &size)) {
    return ResourceExhausted("a tensor of shape " + shape.ToString() + " is too large");
  }
  slot.byte_size = size;
  return OkStatus();
}

Shape Frame::ShapeOf(int32_t view) const {
  const berth_tensor& slot = slots_[view];
  return {slot.dims, static_cast<size_t>(slot.rank)};
}

Tensor Frame::HostTensor(int32_t view) {
  const berth_tensor& slot = slots_[view];
  const Program& program = shaped_->program;
  const Storage& storage = program.storages[program.Root(program.views[view].storage)];
  if (storage.kind == Storage::kRuntime && held_[storage.index]) {
    const BufferRef& buffer = held_[storage.index];
    const auto offset = static_cast<uint64_t>(static_cast<char*>(slot.host_data) -
                                              static_cast<char*>(buffer->host_data()));
    return {slot.dtype, ShapeOf(view), buffer, offset};
  }
  return {slot.dtype, ShapeOf(view),
          WrapHostMemory(slot.host_data, slot.byte_size, nullptr, nullptr)};
}

Result<BufferRef> Frame::Allocate(Space space, DType dtype, uint64_t size, int32_t node) {
  if (space == kHostSpace) {
    BufferRef buffer =
        dtype == BERTH_STRING
            ? AllocateStringBuffer(static_cast<int64_t>(size / sizeof(std::string)))
            : AllocateHostBuffer(size);
    if (!buffer) {
      return ResourceExhausted("no host memory for " + std::to_string(size) + " bytes");
    }
    return buffer;
  }
  return plan().env.devices->OfSpace(space)->allocator->Allocate(
      size, node >= 0 ? plan().nodes[node].node->name() : "variables");
}

std::unique_ptr<RuntimeKernelState>& Frame::runtime_state(const Item* item) {
  return runtime_states_[item - shaped_->program.items.data()];
}

berth_status_code Frame::Fail(Status status) {
  error_ = std::move(status);
  return static_cast<berth_status_code>(error_.code());
}

// ---- Running.

bool Frame::Matches(std::span<const Tensor> inputs) const {
  const std::vector<Shape>& shapes = shaped_->feed_shapes;
  for (size_t i = 0; i < shapes.size(); ++i) {
    if (!(inputs[i].shape() == shapes[i])) return false;
  }
  return true;
}

Status Frame::Begin(std::span<const Tensor> inputs, std::span<Tensor> outputs) {
  for (const auto& [feed, view] : shaped_->feed_views) {
    slots_[view].host_data = inputs[feed].raw();
  }
  if (shaped_->has_async) {
    feeds_.clear();
    for (const Tensor& input : inputs) feeds_.push_back(input.buffer());
  }
  const std::vector<FetchSource>& fetches = shaped_->program.fetches;
  for (size_t i = 0; i < fetches.size(); ++i) {
    if (fetches[i].kind != FetchSource::kDirect) continue;
    const View& view = shaped_->program.views[fetches[i].view];
    const Shape& shape = shaped_->fetch_shapes[i];
    Tensor& recycled = outputs[i];
    if (recycled.dtype() == view.dtype && recycled.shape() == shape &&
        recycled.buffer() && recycled.buffer()->IsUnique() &&
        recycled.buffer()->device() == nullptr && recycled.raw() != nullptr) {
      std::swap(fetched_[i], recycled);
      continue;
    }
    BERTH_ASSIGN_OR_RETURN(fetched_[i], Tensor::Allocate(view.dtype, shape));
  }
  for (const auto& [fetch, view] : shaped_->fetch_views) {
    slots_[view].host_data = fetched_[fetch].raw();
  }
  return OkStatus();
}

Status Frame::Run(std::span<const Tensor> inputs, std::span<Tensor> outputs,
                  TraceRecorder* trace) {
  trace_ = trace;
  error_ = OkStatus();
  Status status = Begin(inputs, outputs);
  if (status.ok()) status = trace == nullptr ? RunSteps() : RunStepsTraced();
  if (status.ok()) {
    status = End(inputs, outputs);
  } else {
    Abandon();
  }
  if (!is_unsettled_) ReleaseHeld();
  return status;
}

Status Frame::RunSteps() {
  const Step* steps = shaped_->steps.data();
  const size_t count = shaped_->steps.size();
  berth_error error = EmptyError();
  for (size_t i = 0; i < count; ++i) {
    const berth_status_code code =
        steps[i].compute(steps[i].kernel, steps[i].prepared, &contexts_[i].abi, &error);
    if (code != BERTH_OK || step_.is_cancelled()) [[unlikely]] {
      return StepFailed(i, code, &error);
    }
  }
  return OkStatus();
}

Status Frame::RunStepsTraced() {
  berth_error error = EmptyError();
  for (size_t i = 0; i < shaped_->steps.size(); ++i) {
    const Step& step = shaped_->steps[i];
    const uint64_t start = NowNs();
    const berth_status_code code =
        step.compute(step.kernel, step.prepared, &contexts_[i].abi, &error);
    trace_->Add(*this, shaped_->program.items[i], start, NowNs());
    if (code != BERTH_OK || step_.is_cancelled()) return StepFailed(i, code, &error);
  }
  return OkStatus();
}

Status Frame::StepFailed(size_t index, berth_status_code code, berth_error* error) {
  if (step_.is_cancelled()) {
    if (error->release != nullptr) error->release(error);
    return step_.reason();
  }
  if (!error_.ok()) return error_;
  const Item& item = shaped_->program.items[index];
  Status status = TakeError(code, error, "");
  if (item.kernel != nullptr) return item.kernel->Located(std::move(status));
  if (item.node < 0) return status;
  const PlanNode& node = plan().nodes[item.node];
  return WithNode(std::move(status), *node.node, &plan().DeviceOf(node));
}

Status Frame::End(std::span<const Tensor> inputs, std::span<Tensor> outputs) {
  for (size_t i = 0; i < outputs.size(); ++i) {
    BERTH_RETURN_IF_ERROR(TakeFetch(i, inputs, &outputs[i]));
  }
  return OkStatus();
}

Status Frame::TakeFetch(size_t i, std::span<const Tensor> inputs, Tensor* output) {
  const FetchSource& source = shaped_->program.fetches[i];
  if (source.kind == FetchSource::kDirect) {
    std::swap(*output, fetched_[i]);
    fetched_[i] = Tensor();
    return OkStatus();
  }
  const berth_tensor& slot = slots_[source.view];
  const Shape shape = ShapeOf(source.view);
  if (source.kind == FetchSource::kFeed) {
    const Tensor& feed = inputs[source.feed];
    *output = Tensor(slot.dtype, shape, feed.buffer(), feed.offset());
    return OkStatus();
  }
  if (source.kind == FetchSource::kTakeHeld) {
    *output = HostTensor(source.view);
    return OkStatus();
  }
  const bool fits = output->dtype() == slot.dtype && output->shape() == shape &&
                    output->buffer() && output->buffer()->IsUnique() &&
                    output->buffer()->device() == nullptr && output->raw() != nullptr;
  if (!fits) {
    BERTH_ASSIGN_OR_RETURN(*output, Tensor::Allocate(slot.dtype, shape));
  }
  CopyHost(slot.dtype, slot.host_data, output->raw(), slot.byte_size);
  return OkStatus();
}

// A failed run: what devices still do of it is waited for, at once or in Settle.
void Frame::Abandon() {
  if (shaped_->has_async) {
    if (!is_unsettled_) {
      is_unsettled_ = true;
      if (!step_.is_cancelled()) Settle();
    }
  }
  if (!is_unsettled_) {
    for (Tensor& tensor : fetched_) tensor = Tensor();
  }
}

void Frame::Settle() {
  if (!is_unsettled_) return;
  for (const auto& state : runtime_states_) {
    if (state != nullptr) state->call.Await();
  }
  for (const auto& stream : streams_) {
    if (!stream->device->is_async || stream->stream == nullptr) continue;
    berth_error error = EmptyError();
    const berth_status_code code =
        stream->device->api().synchronize_stream(stream->stream, &error);
    // The failure was reported by the run, or the run was given up.
    if (code != BERTH_OK) (void)TakeError(code, &error, "").ok();
  }
  is_unsettled_ = false;
  for (Tensor& tensor : fetched_) tensor = Tensor();
  ReleaseHeld();
}

void Frame::ReleaseHeld() {
  for (BufferRef& buffer : held_) buffer = BufferRef();
  retired_.clear();
  feeds_.clear();
}

}  // namespace berth::executor
