// What kernels that are no plain call keep between runs of a frame.
#pragma once

#include <berth/kernel.h>

#include <cstdint>
#include <string>
#include <vector>

#include "absl/synchronization/mutex.h"
#include "core/base/shape.h"
#include "core/executor/node_kernel.h"
#include "core/plugin/compute_context.h"

namespace berth::executor {

// One asynchronous call of a kernel under way.
struct AsyncCall {
  absl::Mutex mutex;
  bool is_done = true;
  berth_status_code code = BERTH_OK;
  std::string message;

  void Await() {
    absl::MutexLock lock(&mutex);
    mutex.Await(absl::Condition(&is_done));
  }
};

// Of one kernel item of a frame: what prepare answered for the last few sets of shapes,
// and room for views of strings.
struct RuntimeKernelState {
  struct Entry {
    std::vector<int64_t> key;  // shapes and the values that prepare read
    std::vector<Shape> shapes;
    PreparedKernel prepared;
  };
  std::vector<Entry> entries;  // most recently used first
  std::vector<int64_t> key;
  std::vector<std::vector<berth_string>> strings;
  std::vector<berth_tensor> string_views;
  std::vector<const berth_tensor*> inputs;
  std::vector<HostComputeContext::StringOutput> string_outputs;
  AsyncCall call;
};

}  // namespace berth::executor
