#include "plugins/opencl/event.h"

#include <string>

namespace berth::opencl {
namespace {

int64_t Joined(cl_int low, cl_int high) {
  return static_cast<int64_t>((static_cast<uint64_t>(static_cast<uint32_t>(high)) << 32) |
                              static_cast<uint32_t>(low));
}

// What a driver's callback needs; lives until it was called.
struct ReadyCall {
  berth_ready_fn fn;
  void* arg;
  std::shared_ptr<EventState> state;
};

void CL_CALLBACK OnMarkerComplete(cl_event, cl_int, void* user_data) {
  const std::unique_ptr<ReadyCall> call(static_cast<ReadyCall*>(user_data));
  const Status status = call->state->Outcome();
  call->fn(call->arg, status.code(), status.message());
}

}  // namespace

Status DescribeDeviceError(const Context& context, const ErrorWords& words) {
  const auto code = static_cast<DeviceError>(words[0]);
  if (code == DeviceError::kNone) return {};
  const ErrorSite site = context.FindErrorSite(words[1]);
  const int64_t a = Joined(words[2], words[3]);
  const int64_t b = Joined(words[4], words[5]);
  const std::string where = "node \"" + site.node + "\" (" + site.op + "): ";
  switch (code) {
    case DeviceError::kLabelOutOfRange:
      return sdk::InvalidArgument(
          where + "Received a label value of " + std::to_string(a) +
          " which is outside the valid range of [0, " + std::to_string(b) + ")");
    case DeviceError::kDivisionByZero:
      return sdk::InvalidArgument(where + "Integer division by zero at element " +
                                  std::to_string(a));
    default:
      return sdk::Internal(where + "the device reports the unknown error " +
                           std::to_string(words[0]));
  }
}

bool EventState::IsComplete() const {
  cl_int status = CL_QUEUED;
  const cl_int code = clGetEventInfo(marker_.get(), CL_EVENT_COMMAND_EXECUTION_STATUS,
                                     sizeof(status), &status, nullptr);
  return code != CL_SUCCESS || status <= CL_COMPLETE;
}

Status EventState::Outcome() {
  std::vector<std::shared_ptr<EventState>> upstream;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (resolved_) return outcome_;
    upstream = upstream_;
  }
  // Upstream events were waited for by this event's stream, so they are complete as well.
  Status outcome = DescribeDeviceError(*context_, words_);
  for (size_t i = 0; outcome.ok() && i < upstream.size(); ++i) {
    outcome = upstream[i]->Outcome();
  }
  cl_int status = CL_COMPLETE;
  const cl_int code = clGetEventInfo(marker_.get(), CL_EVENT_COMMAND_EXECUTION_STATUS,
                                     sizeof(status), &status, nullptr);
  if (outcome.ok() && (code != CL_SUCCESS || status < CL_COMPLETE)) {
    outcome = ClStatus(code != CL_SUCCESS ? code : status,
                       "a command on the OpenCL queue", __FILE__, __LINE__);
  }
  std::lock_guard<std::mutex> lock(mutex_);
  if (!resolved_) {
    resolved_ = true;
    outcome_ = std::move(outcome);
    upstream_.clear();
  }
  return outcome_;
}

Status EventState::Wait() {
  cl_event marker = marker_.get();
  const cl_int code = clWaitForEvents(1, &marker);
  if (code != CL_SUCCESS && code != CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST) {
    return ClStatus(code, "clWaitForEvents", __FILE__, __LINE__);
  }
  return Outcome();
}

uint64_t EventState::TimestampNs() const {
  // The driver's clock has an origin of its own. It stamped the marker as queued at the
  // moment when the host's clock stood at host_ns_.
  cl_ulong queued = 0;
  cl_ulong end = 0;
  if (clGetEventProfilingInfo(marker_.get(), CL_PROFILING_COMMAND_QUEUED, sizeof(queued),
                              &queued, nullptr) != CL_SUCCESS ||
      clGetEventProfilingInfo(marker_.get(), CL_PROFILING_COMMAND_END, sizeof(end), &end,
                              nullptr) != CL_SUCCESS ||
      end < queued) {
    return 0;
  }
  return host_ns_ + (end - queued);
}

std::shared_ptr<EventState> OpenClEvent::state() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return state_;
}

void OpenClEvent::Set(std::shared_ptr<EventState> state) {
  std::lock_guard<std::mutex> lock(mutex_);
  state_ = std::move(state);
}

bool OpenClEvent::IsDone() {
  const std::shared_ptr<EventState> state = this->state();
  return state == nullptr || state->IsComplete();
}

Status OpenClEvent::Wait() {
  const std::shared_ptr<EventState> state = this->state();
  return state == nullptr ? Status() : state->Wait();
}

void OpenClEvent::OnReady(berth_ready_fn fn, void* arg) {
  std::shared_ptr<EventState> state = this->state();
  if (state == nullptr) {
    fn(arg, BERTH_OK, "");
    return;
  }
  if (state->IsComplete()) {
    const Status status = state->Outcome();
    fn(arg, status.code(), status.message());
    return;
  }
  cl_event marker = state->marker();
  auto call = std::make_unique<ReadyCall>(ReadyCall{fn, arg, state});
  const cl_int code =
      clSetEventCallback(marker, CL_COMPLETE, &OnMarkerComplete, call.get());
  if (code == CL_SUCCESS) {
    (void)call.release();  // OnMarkerComplete owns it now.
    return;
  }
  const Status status = ClStatus(code, "clSetEventCallback", __FILE__, __LINE__);
  fn(arg, status.code(), status.message());
}

uint64_t OpenClEvent::TimestampNs() {
  const std::shared_ptr<EventState> state = this->state();
  return state == nullptr || !state->IsComplete() ? 0 : state->TimestampNs();
}

}  // namespace berth::opencl
