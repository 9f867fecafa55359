// A dense tensor with shared ownership of its memory.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/base/buffer.h"
#include "core/base/dtype.h"
#include "core/base/shape.h"
#include "core/base/status.h"

namespace berth {

// dtype + fully defined shape + buffer, row-major. Copying shares the buffer. Feeds,
// fetches, constants and variable values are Tensors; usually in host memory. Distinct
// objects may be used from distinct threads; nobody may write a buffer that others read.
class Tensor {
 public:
  Tensor() = default;  // no dtype: "no tensor"
  Tensor(DType dtype, Shape shape, BufferRef buffer, uint64_t offset = 0)
      : dtype_(dtype),
        shape_(std::move(shape)),
        buffer_(std::move(buffer)),
        offset_(offset) {}

  // Host memory, uninitialised (strings: empty). RESOURCE_EXHAUSTED, or INVALID_ARGUMENT
  // for a shape that is not fully defined or a dtype without host representation.
  static Result<Tensor> Allocate(DType dtype, const Shape& shape);
  template <typename T>
  static Tensor Scalar(DType dtype, T value);
  static Tensor String(std::string value);

  bool is_valid() const { return dtype_ != BERTH_INVALID_DTYPE; }
  DType dtype() const { return dtype_; }
  const Shape& shape() const { return shape_; }
  int64_t num_elements() const { return shape_.num_elements(); }
  // Bytes of the elements (strings: of the std::string objects).
  uint64_t byte_size() const;
  const BufferRef& buffer() const { return buffer_; }
  uint64_t offset() const { return offset_; }
  bool on_host() const { return buffer_ && buffer_->host_data() != nullptr; }

  // REQUIRES: on_host() or no elements; T fits dtype().
  template <typename T>
  const T* data() const {
    return reinterpret_cast<const T*>(raw());
  }
  template <typename T>
  T* mutable_data() {
    return reinterpret_cast<T*>(raw());
  }
  const std::string* strings() const { return data<std::string>(); }
  std::string* mutable_strings() { return mutable_data<std::string>(); }
  char* raw() const {
    return buffer_ && buffer_->host_data() != nullptr
               ? static_cast<char*>(buffer_->host_data()) + offset_
               : nullptr;
  }

  // Shares the buffer under another shape. REQUIRES: equal element counts.
  Tensor Reshaped(Shape shape) const;
  // The values of an integer tensor (int32 or int64) as int64.
  std::vector<int64_t> ToInts() const;
  // "Tensor<float [2,2]: 1 2 3 …>" for messages.
  std::string DebugString() const;

 private:
  DType dtype_ = BERTH_INVALID_DTYPE;
  Shape shape_;
  BufferRef buffer_;
  uint64_t offset_ = 0;
};

template <typename T>
Tensor Tensor::Scalar(DType dtype, T value) {
  Tensor tensor(dtype, Shape(), AllocateHostBuffer(sizeof(T)));
  if (tensor.raw() != nullptr) *tensor.mutable_data<T>() = value;
  return tensor;
}

}  // namespace berth
