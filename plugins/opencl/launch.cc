#include "plugins/opencl/launch.h"

#include <algorithm>
#include <string>

namespace berth::opencl {

Status Launch::Run(Grid grid, size_t group) {
  if (code_ == CL_SUCCESS) {
    const size_t width = std::min(group, kernel_.max_group);
    const size_t global[3] = {(grid.x + width - 1) / width * width, grid.y, grid.z};
    const size_t local[3] = {width, 1, 1};
    const cl_uint dimensions = grid.z > 1 ? 3 : (grid.y > 1 ? 2 : 1);
    code_ = clEnqueueNDRangeKernel(stream_->queue(), instance_, dimensions, nullptr,
                                   global, local, 0, nullptr, nullptr);
  }
  if (code_ == CL_SUCCESS) return {};
  const std::string what = "launch of kernel " + kernel_.name;
  return ClStatus(code_, what.c_str(), __FILE__, __LINE__);
}

Status FillTensor(const sdk::ComputeContext& context, const berth_tensor& tensor,
                  const void* pattern, size_t pattern_size) {
  if (tensor.byte_size == 0) return {};
  OpenClStream* stream = OpenClStream::From(context.stream());
  BERTH_CL_RETURN_IF_ERROR(clEnqueueFillBuffer(stream->queue(), BufferOf(tensor.memory),
                                               pattern, pattern_size, tensor.offset,
                                               tensor.byte_size, 0, nullptr, nullptr));
  return {};
}

Status CopyTensor(const sdk::ComputeContext& context, const berth_tensor& source,
                  const berth_tensor& target) {
  const bool same = source.memory == target.memory && source.offset == target.offset;
  if (source.byte_size == 0 || same) return {};
  OpenClStream* stream = OpenClStream::From(context.stream());
  BERTH_CL_RETURN_IF_ERROR(clEnqueueCopyBuffer(
      stream->queue(), BufferOf(source.memory), BufferOf(target.memory), source.offset,
      target.offset, source.byte_size, 0, nullptr, nullptr));
  return {};
}

}  // namespace berth::opencl
