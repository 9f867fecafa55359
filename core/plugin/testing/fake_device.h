// What the files of the fake plugin share.
#pragma once

#include <berth/plugin.h>

#include <deque>
#include <vector>

#include "core/base/status.h"
#include "core/plugin/testing/fake_plugin.h"
#include "core/plugin/testing/fake_stream.h"

namespace berth::testing {

class FakeHook;

// Behind a berth_device.
struct FakeDevice {
  FakeShared* shared;
  FakeDevices desc;
  const FakeHook* hook;

  static FakeDevice* Of(berth_device* device) {
    return reinterpret_cast<FakeDevice*>(device);
  }
};

// Passes a status on as plugins do.
berth_status_code FakeFill(const Status& status, berth_error* error);

// A copy of a compute context that outlives the call: the work is done later.
struct DeferredCompute {
  explicit DeferredCompute(const berth_compute_context& from);
  void Copy(const berth_tensor* const* from, uint32_t count,
            std::vector<berth_tensor*>* to);

  berth_compute_context context;
  std::deque<berth_tensor> tensors;
  std::deque<std::vector<int64_t>> dims;
  std::vector<berth_tensor*> input_pointers;
  std::vector<berth_tensor*> output_pointers;
};

// Runs `fn` now or, on a device with streams, when its turn in the stream comes: `fn`
// lives until then.
berth_status_code FakeRun(const FakeComputeFn& fn, berth_compute_context* context,
                          berth_error* error);

}  // namespace berth::testing
