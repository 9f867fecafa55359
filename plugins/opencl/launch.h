// Putting a kernel on a stream.
#pragma once

#include <algorithm>
#include <cstdint>

#include "plugins/opencl/cl_status.h"
#include "plugins/opencl/context.h"
#include "plugins/opencl/device.h"
#include "plugins/opencl/stream.h"
#include "sdk/cpp/kernel.h"
#include "sdk/cpp/tensor.h"

namespace berth::opencl {

// Work-items in a group of element-wise kernels, where device and kernel allow as many.
constexpr size_t kDefaultGroup = 256;

// How many work-items, before padding to whole groups: kernels guard the first dimension.
struct Grid {
  size_t x = 1;
  size_t y = 1;
  size_t z = 1;
};

// One launch: arguments in the order of the kernel's parameters, then Run. Allocates
// nothing. The first failure is kept and returned by Run.
class Launch {
 public:
  Launch(const sdk::ComputeContext& context, const KernelRef& kernel)
      : stream_(OpenClStream::From(context.stream())), kernel_(kernel) {
    instance_ = stream_->Instance(kernel, &code_);
  }

  // `__global T* x, ulong x_at`: the buffer, and the offset counted in elements.
  Launch& Tensor(const berth_tensor& tensor) {
    return Memory(tensor, 0, sdk::DtypeSize(tensor.dtype));
  }
  // The same, `bytes` further on, as elements of another size.
  Launch& Memory(const berth_tensor& tensor, uint64_t bytes, size_t element_size) {
    const cl_mem buffer = BufferOf(tensor.memory);
    const cl_ulong offset = (tensor.offset + bytes) / std::max<size_t>(element_size, 1);
    return Argument(sizeof(cl_mem), &buffer).Argument(sizeof(offset), &offset);
  }
  template <typename T>
  Launch& Value(const T& value) {
    return Argument(sizeof(value), &value);
  }
  // `__global int* error, int site`.
  Launch& Errors(int32_t site) {
    const cl_mem buffer = stream_->ErrorBuffer();
    return Argument(sizeof(cl_mem), &buffer).Value<cl_int>(site);
  }

  // Groups are `group` wide in the first dimension, or as wide as the kernel can be.
  Status Run(Grid grid, size_t group = kDefaultGroup);

 private:
  Launch& Argument(size_t size, const void* value) {
    if (code_ == CL_SUCCESS) code_ = clSetKernelArg(instance_, next_++, size, value);
    return *this;
  }

  OpenClStream* stream_;
  const KernelRef& kernel_;
  cl_kernel instance_ = nullptr;
  cl_int code_ = CL_SUCCESS;
  cl_uint next_ = 0;
};

// Sets `tensor`'s memory to copies of a pattern of 1, 2, 4, 8 or 16 bytes.
Status FillTensor(const sdk::ComputeContext& context, const berth_tensor& tensor,
                  const void* pattern, size_t pattern_size);
// Copies the bytes of one view to another of the same size.
Status CopyTensor(const sdk::ComputeContext& context, const berth_tensor& source,
                  const berth_tensor& target);

}  // namespace berth::opencl
