#include "plugins/opencl/stream.h"

#include <algorithm>
#include <utility>

#include "plugins/opencl/device.h"

namespace berth::opencl {
namespace {

// Lets a queue wait for an event of another context: a user event of this context is set
// when that one is done.
void CL_CALLBACK SetUserEvent(cl_event, cl_int status, void* user_data) {
  ClEvent user(static_cast<cl_event>(user_data));
  clSetUserEventStatus(user.get(), status < 0 ? status : CL_COMPLETE);
}

}  // namespace

OpenClStream::OpenClStream(OpenClDevice* device)
    : device_(device), context_(device->context()) {}

Result<std::unique_ptr<sdk::Stream>> OpenClStream::Create(OpenClDevice* device) {
  std::unique_ptr<OpenClStream> stream(new OpenClStream(device));
  const Context& context = *stream->context_;
  cl_int code = CL_SUCCESS;
  stream->queue_.reset(clCreateCommandQueue(context.cl(), context.facts().device,
                                            CL_QUEUE_PROFILING_ENABLE, &code));
  if (code != CL_SUCCESS) {
    return ClStatus(code, "clCreateCommandQueue", __FILE__, __LINE__);
  }
  ErrorWords zeros = {};
  stream->error_words_.reset(clCreateBuffer(context.cl(),
                                            CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                            sizeof(zeros), zeros.data(), &code));
  if (code != CL_SUCCESS) return ClStatus(code, "clCreateBuffer", __FILE__, __LINE__);
  device->AddQueue(stream->queue());
  return std::unique_ptr<sdk::Stream>(std::move(stream));
}

OpenClStream::~OpenClStream() {
  if (!queue_) return;
  device_->RemoveQueue(queue());
  clFinish(queue());
}

cl_kernel OpenClStream::Instance(const KernelRef& kernel, cl_int* code) {
  if (kernel.id >= instances_.size()) instances_.resize(kernel.id + 1);
  ClKernel& instance = instances_[kernel.id];
  if (!instance) {
    instance.reset(clCreateKernel(kernel.program, kernel.name.c_str(), code));
  }
  return instance.get();
}

Status OpenClStream::Copy(const berth_copy_args& args) {
  if (args.size == 0) return {};
  const size_t size = args.size;
  switch (args.direction) {
    case BERTH_COPY_HOST_TO_DEVICE:
      BERTH_CL_RETURN_IF_ERROR(clEnqueueWriteBuffer(
          queue(), BufferOf(args.target), CL_FALSE, args.target_offset, size,
          args.source_host, 0, nullptr, nullptr));
      return {};
    case BERTH_COPY_DEVICE_TO_HOST:
      BERTH_CL_RETURN_IF_ERROR(clEnqueueReadBuffer(
          queue(), BufferOf(args.source), CL_FALSE, args.source_offset, size,
          args.target_host, 0, nullptr, nullptr));
      return {};
    case BERTH_COPY_DEVICE_TO_DEVICE:
      BERTH_CL_RETURN_IF_ERROR(clEnqueueCopyBuffer(
          queue(), BufferOf(args.source), BufferOf(args.target), args.source_offset,
          args.target_offset, size, 0, nullptr, nullptr));
      return {};
    case BERTH_COPY_PEER:
      return PeerCopy(args);
    default:
      return sdk::InvalidArgument("OpenCL copy: unknown direction " +
                                  std::to_string(args.direction));
  }
}

Status OpenClStream::PeerCopy(const berth_copy_args& args) {
  OpenClDevice* source = OpenClDevice::FromHandle(args.source_device);
  if (source->context() == context_) {
    BERTH_CL_RETURN_IF_ERROR(clEnqueueCopyBuffer(
        queue(), BufferOf(args.source), BufferOf(args.target), args.source_offset,
        args.target_offset, args.size, 0, nullptr, nullptr));
    return {};
  }
  // Contexts share no memory: the bytes go through the host, once all that this stream
  // has to wait for is done. This blocks the caller.
  BERTH_CL_RETURN_IF_ERROR(clFinish(queue()));
  std::vector<char> staging(args.size);
  BERTH_SDK_RETURN_IF_ERROR(
      source->ReadBlocking(args.source, args.source_offset, args.size, staging.data()));
  BERTH_CL_RETURN_IF_ERROR(clEnqueueWriteBuffer(queue(), BufferOf(args.target), CL_TRUE,
                                                args.target_offset, args.size,
                                                staging.data(), 0, nullptr, nullptr));
  return {};
}

Status OpenClStream::Flush() {
  BERTH_CL_RETURN_IF_ERROR(clFlush(queue()));
  return {};
}

// Hands `state` the events whose failure it inherits: those the stream waited for, and
// the stream's own last one. Events known to be fine, or that cannot fail, are left out.
void OpenClStream::CollectUpstream(EventState* state) {
  if (last_ != nullptr) waited_.push_back(std::move(last_));
  for (std::shared_ptr<EventState>& waited : waited_) {
    if (!waited->may_fail() || (waited->IsComplete() && waited->Outcome().ok())) continue;
    state->AddUpstream(std::move(waited));
  }
  waited_.clear();
  last_.reset();
}

Result<std::shared_ptr<EventState>> OpenClStream::RecordState() {
  const berth_host* host = context_->host().abi();
  auto state = std::make_shared<EventState>(context_, host->now_ns(host->context));
  CollectUpstream(state.get());
  in_flight_.erase(std::remove_if(in_flight_.begin(), in_flight_.end(),
                                  [](const auto& s) { return s->IsComplete(); }),
                   in_flight_.end());
  const bool read_words = std::exchange(errors_possible_, false);
  cl_int code = CL_SUCCESS;
  if (read_words) {
    code =
        clEnqueueReadBuffer(queue(), error_words_.get(), CL_FALSE, 0, sizeof(ErrorWords),
                            state->ErrorTarget(), 0, nullptr, nullptr);
  }
  cl_event marker = nullptr;
  if (code == CL_SUCCESS) {
    code = clEnqueueMarkerWithWaitList(queue(), 0, nullptr, &marker);
  }
  if (code != CL_SUCCESS) {
    clFinish(queue());  // A read may still target `state`, which is about to go.
    return ClStatus(code, "recording an event", __FILE__, __LINE__);
  }
  state->SetMarker(marker);
  if (read_words) in_flight_.push_back(state);
  last_ = state;
  // Others wait for this event: hand the work over, or they would wait for ever.
  BERTH_CL_RETURN_IF_ERROR(clFlush(queue()));
  return state;
}

Status OpenClStream::Record(sdk::Event* event) {
  Result<std::shared_ptr<EventState>> state = RecordState();
  if (!state.ok()) return state.status();
  static_cast<OpenClEvent*>(event)->Set(std::move(*state));
  return {};
}

Status OpenClStream::Synchronize() {
  Result<std::shared_ptr<EventState>> state = RecordState();
  if (!state.ok()) return state.status();
  Status outcome = (*state)->Wait();
  if (outcome.ok()) return {};
  // A failure stays with the stream until this call has returned it.
  last_.reset();
  const cl_int zero = 0;
  BERTH_CL_RETURN_IF_ERROR(clEnqueueFillBuffer(queue(), error_words_.get(), &zero,
                                               sizeof(zero), 0, sizeof(ErrorWords), 0,
                                               nullptr, nullptr));
  return outcome;
}

Status OpenClStream::WaitFor(sdk::Event* event) {
  std::shared_ptr<EventState> state = static_cast<OpenClEvent*>(event)->state();
  if (state == nullptr) return {};
  cl_event marker = state->marker();
  if (&state->context() == context_.get()) {
    BERTH_CL_RETURN_IF_ERROR(clEnqueueBarrierWithWaitList(queue(), 1, &marker, nullptr));
  } else if (!state->IsComplete()) {
    cl_int code = CL_SUCCESS;
    ClEvent user(clCreateUserEvent(context_->cl(), &code));
    if (code != CL_SUCCESS) {
      return ClStatus(code, "clCreateUserEvent", __FILE__, __LINE__);
    }
    cl_event waited = user.get();
    BERTH_CL_RETURN_IF_ERROR(clRetainEvent(waited));
    code = clSetEventCallback(marker, CL_COMPLETE, &SetUserEvent, waited);
    if (code != CL_SUCCESS) {
      clReleaseEvent(waited);
      return ClStatus(code, "clSetEventCallback", __FILE__, __LINE__);
    }
    BERTH_CL_RETURN_IF_ERROR(clEnqueueBarrierWithWaitList(queue(), 1, &waited, nullptr));
  }
  waited_.push_back(std::move(state));
  return {};
}

}  // namespace berth::opencl
