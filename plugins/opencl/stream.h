// Streams: in-order command queues.
#pragma once

#include <memory>
#include <vector>

#include "plugins/opencl/cl_status.h"
#include "plugins/opencl/context.h"
#include "plugins/opencl/event.h"
#include "sdk/cpp/device.h"

namespace berth::opencl {

class OpenClDevice;

// Thread rule as in <berth/device.h>: calls on one stream are not concurrent.
class OpenClStream : public sdk::Stream {
 public:
  static Result<std::unique_ptr<sdk::Stream>> Create(OpenClDevice* device);
  ~OpenClStream() override;

  Status Copy(const berth_copy_args& args) override;
  Status Flush() override;
  Status Synchronize() override;
  Status Record(sdk::Event* event) override;
  Status WaitFor(sdk::Event* event) override;

  // The stream a kernel's compute was given.
  static OpenClStream* From(berth_stream* handle) {
    return static_cast<OpenClStream*>(sdk::StreamFrom(handle));
  }

  cl_command_queue queue() const { return queue_.get(); }
  // This stream's own instance of a kernel: arguments are set on it without locks. NULL
  // when the driver cannot make one (`*code` says why). Made once for each stream.
  cl_kernel Instance(const KernelRef& kernel, cl_int* code);
  // The error word for kernels that can find an error; the next event then reads it.
  cl_mem ErrorBuffer() {
    errors_possible_ = true;
    return error_words_.get();
  }

 private:
  explicit OpenClStream(OpenClDevice* device);
  Result<std::shared_ptr<EventState>> RecordState();
  void CollectUpstream(EventState* state);
  Status PeerCopy(const berth_copy_args& args);

  OpenClDevice* device_;
  std::shared_ptr<Context> context_;
  ClQueue queue_;
  ClBuffer error_words_;
  bool errors_possible_ = false;
  std::vector<ClKernel> instances_;  // by KernelRef::id
  // Events waited for since the last recording, and that recording: the next one inherits
  // their failures.
  std::vector<std::shared_ptr<EventState>> waited_;
  std::shared_ptr<EventState> last_;
  // Recordings whose error words are still on their way: the queue writes into them.
  std::vector<std::shared_ptr<EventState>> in_flight_;
};

}  // namespace berth::opencl
