// Events: markers in a stream that carry the errors of the work before them.
#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <vector>

#include "plugins/opencl/cl_status.h"
#include "plugins/opencl/context.h"
#include "sdk/cpp/device.h"

namespace berth::opencl {

// The error word of a stream, in device memory: what a kernel found, first one wins.
// Kernels write it with SetError of kernels/common.cl, which has the same layout.
enum class DeviceError : int32_t {
  kNone = 0,
  kLabelOutOfRange = 1,  // a = label, b = number of classes
  kDivisionByZero = 2,   // a = element
};

constexpr size_t kNumErrorWords = 6;  // code, site, a (low, high), b (low, high)
using ErrorWords = std::array<cl_int, kNumErrorWords>;

// The sentence for a filled error word.
Status DescribeDeviceError(const Context& context, const ErrorWords& words);

// One recording of an event. Shared by the event, by streams that waited for it and by
// callbacks. Thread-safe once recorded.
class EventState {
 public:
  EventState(std::shared_ptr<Context> context, uint64_t host_ns)
      : context_(std::move(context)), host_ns_(host_ns) {}

  // True when the marker has been reached (or failed).
  bool IsComplete() const;
  // REQUIRES: IsComplete(). The first cause: this stream's own, then that of events the
  // stream had waited for.
  Status Outcome();
  Status Wait();
  // Host-clock nanoseconds of the marker's end; 0 = the driver does not tell.
  uint64_t TimestampNs() const;
  cl_event marker() const { return marker_.get(); }
  const Context& context() const { return *context_; }

  // Filled by the stream while it records.
  void SetMarker(cl_event marker) { marker_.reset(marker); }
  void AddUpstream(std::shared_ptr<EventState> state) {
    upstream_.push_back(std::move(state));
    may_fail_ = true;
  }
  // Where the stream's error word is to be read to, which makes this event one that may
  // fail.
  cl_int* ErrorTarget() {
    may_fail_ = true;
    return words_.data();
  }
  // False when neither an error word nor another event stands behind this one.
  bool may_fail() const { return may_fail_; }

 private:
  const std::shared_ptr<Context> context_;
  const uint64_t host_ns_;  // the host's clock when the marker was put on the queue
  ClEvent marker_;
  ErrorWords words_ = {};
  bool may_fail_ = false;

  std::mutex mutex_;
  bool resolved_ = false;
  Status outcome_;
  std::vector<std::shared_ptr<EventState>> upstream_;
};

class OpenClEvent : public sdk::Event {
 public:
  bool IsDone() override;
  Status Wait() override;
  void OnReady(berth_ready_fn fn, void* arg) override;
  uint64_t TimestampNs() override;

  // The latest recording; NULL before the first: then the event counts as done.
  std::shared_ptr<EventState> state() const;
  void Set(std::shared_ptr<EventState> state);

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<EventState> state_;
};

}  // namespace berth::opencl
