// The host's side of a compute context: what allocate_output and set_string act on.
#pragma once

#include <berth/kernel.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include "core/base/shape.h"
#include "core/base/status.h"

namespace berth {

// What the executor hands to a kernel's compute. The kernel sees `abi` alone; the host
// table finds the rest behind it, so every context that reaches a plugin must be the
// `abi` of one of these.
//
// Use: fill `abi` (struct_size = sizeof(berth_compute_context), host = the device's
// Device::host()), set the hooks that the kernel's row calls for, call compute with
// &context.abi. Keep it (for asynchronous kernels: until `done`). It may be used again
// for the next call; nothing in it is owned.
struct HostComputeContext {
  // Memory for one DT_STRING output: the std::string objects of its buffer.
  struct StringOutput {
    std::string* data = nullptr;  // NULL = not a string output
    int64_t count = 0;
  };

  berth_compute_context abi = {};

  // Gives output `index` memory for `shape` (fully defined) and fills *abi.outputs[index]
  // (dims must stay alive until compute is over). NULL unless the row is SHAPE_AT_RUN:
  // the plugin's call then fails with FAILED_PRECONDITION. May be called from any thread
  // of the step, for distinct outputs.
  Status (*allocate_output)(HostComputeContext& self, uint32_t index,
                            const Shape& shape) = nullptr;
  // abi.num_outputs entries, or NULL when no output is DT_STRING.
  StringOutput* string_outputs = nullptr;
  // The executor's own, for allocate_output.
  void* owner = nullptr;

  static HostComputeContext& From(berth_compute_context* compute) {
    return *reinterpret_cast<HostComputeContext*>(compute);
  }
};
static_assert(std::is_standard_layout_v<HostComputeContext>);
static_assert(offsetof(HostComputeContext, abi) == 0);

}  // namespace berth
