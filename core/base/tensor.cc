#include "core/base/tensor.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace berth {
namespace {

template <typename T>
void AppendValues(const Tensor& tensor, int64_t count, std::string* text) {
  for (int64_t i = 0; i < count; ++i) {
    *text += ' ';
    *text += std::to_string(tensor.data<T>()[i]);
  }
}

void AppendValues(const Tensor& tensor, int64_t count, std::string* text) {
  switch (tensor.dtype()) {
    case BERTH_FLOAT:
      return AppendValues<float>(tensor, count, text);
    case BERTH_DOUBLE:
      return AppendValues<double>(tensor, count, text);
    case BERTH_INT32:
      return AppendValues<int32_t>(tensor, count, text);
    case BERTH_INT64:
      return AppendValues<int64_t>(tensor, count, text);
    case BERTH_BOOL:
    case BERTH_UINT8:
      return AppendValues<uint8_t>(tensor, count, text);
    case BERTH_STRING:
      for (int64_t i = 0; i < count; ++i) {
        *text += " '";
        text->append(tensor.strings()[i], 0, 40);
        *text += '\'';
      }
      return;
    default:
      *text += " …";
  }
}

}  // namespace

Result<Tensor> Tensor::Allocate(DType dtype, const Shape& shape) {
  if (!shape.has_rank()) {
    return InvalidArgument("a tensor cannot be allocated without a rank");
  }
  BERTH_ASSIGN_OR_RETURN(
      const int64_t count,
      Shape::CheckedElements(shape.dims(), static_cast<size_t>(shape.rank())));
  if (dtype == BERTH_STRING) {
    // A std::string an element: bounded before memory is taken.
    if (count > (int64_t{1} << 40)) {
      return ResourceExhausted("no memory for a string tensor of shape " +
                               shape.ToString());
    }
    return Tensor(dtype, shape, AllocateStringBuffer(count));
  }
  const size_t size = DTypeSize(dtype);
  if (size == 0 || IsRefType(dtype)) {
    return InvalidArgument("a tensor of type " + std::string(DTypeName(dtype)) +
                           " has no host memory");
  }
  uint64_t bytes = 0;
  BufferRef buffer;
  if (!__builtin_mul_overflow(static_cast<uint64_t>(count), size, &bytes)) {
    buffer = AllocateHostBuffer(bytes);
  }
  if (!buffer) {
    return ResourceExhausted("no host memory for a tensor of type " +
                             std::string(DTypeName(dtype)) + " and shape " +
                             shape.ToString());
  }
  return Tensor(dtype, shape, std::move(buffer));
}

Tensor Tensor::String(std::string value) {
  Tensor tensor(BERTH_STRING, Shape(), AllocateStringBuffer(1));
  *tensor.mutable_strings() = std::move(value);
  return tensor;
}

uint64_t Tensor::byte_size() const {
  const size_t size = dtype_ == BERTH_STRING ? sizeof(std::string) : DTypeSize(dtype_);
  return static_cast<uint64_t>(num_elements()) * size;
}

Tensor Tensor::Reshaped(Shape shape) const {
  BERTH_CHECK(shape.num_elements() == shape_.num_elements());
  return {dtype_, std::move(shape), buffer_, offset_};
}

std::vector<int64_t> Tensor::ToInts() const {
  std::vector<int64_t> values(static_cast<size_t>(num_elements()));
  if (dtype_ == BERTH_INT32) {
    std::copy(data<int32_t>(), data<int32_t>() + num_elements(), values.begin());
  } else if (dtype_ == BERTH_INT64) {
    std::copy(data<int64_t>(), data<int64_t>() + num_elements(), values.begin());
  }
  return values;
}

std::string Tensor::DebugString() const {
  if (!is_valid()) return "Tensor<none>";
  std::string text = "Tensor<" + std::string(DTypeName(dtype_)) + " " + shape_.ToString();
  if (!on_host()) return text + ">";
  text += ":";
  const int64_t shown = std::min<int64_t>(num_elements(), 8);
  AppendValues(*this, shown, &text);
  if (shown < num_elements()) text += " …";
  return text + ">";
}

}  // namespace berth
