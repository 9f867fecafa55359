#include "conformance/reference/host_tensor.h"

#include <cmath>
#include <cstring>

#include "core/base/half.h"

namespace berth::conformance {
namespace {

template <typename T>
T Load(const HostTensor& tensor, int64_t i) {
  T value;
  std::memcpy(&value, tensor.bytes.data() + static_cast<size_t>(i) * sizeof(T),
              sizeof(T));
  return value;
}

template <typename T>
void Store(T value, int64_t i, HostTensor* tensor) {
  std::memcpy(tensor->bytes.data() + static_cast<size_t>(i) * sizeof(T), &value,
              sizeof(T));
}

Int IntAt(const HostTensor& tensor, int64_t i) {
  switch (tensor.dtype) {
    case BERTH_INT32:
      return Load<int32_t>(tensor, i);
    case BERTH_INT64:
      return Load<int64_t>(tensor, i);
    case BERTH_INT16:
      return Load<int16_t>(tensor, i);
    case BERTH_INT8:
      return Load<int8_t>(tensor, i);
    case BERTH_UINT8:
      return Load<uint8_t>(tensor, i);
    case BERTH_UINT16:
      return Load<uint16_t>(tensor, i);
    case BERTH_UINT32:
      return Load<uint32_t>(tensor, i);
    case BERTH_UINT64:
      return Load<uint64_t>(tensor, i);
    default:
      return Load<uint8_t>(tensor, i) != 0 ? 1 : 0;
  }
}

Real RealAt(const HostTensor& tensor, int64_t i) {
  switch (tensor.dtype) {
    case BERTH_FLOAT:
    case BERTH_COMPLEX64:
      return Load<float>(tensor, i);
    case BERTH_DOUBLE:
    case BERTH_COMPLEX128:
      return Load<double>(tensor, i);
    case BERTH_HALF:
      return HalfToFloat(Load<uint16_t>(tensor, i));
    case BERTH_BFLOAT16:
      return BFloat16ToFloat(Load<uint16_t>(tensor, i));
    default:
      return static_cast<Real>(IntAt(tensor, i));
  }
}

int64_t NumNumbers(const HostTensor& tensor) {
  return tensor.num_elements() * (IsComplex(tensor.dtype) ? 2 : 1);
}

}  // namespace

int64_t HostTensor::num_elements() const { return NumElements(dims); }

std::string HostTensor::ShapeString() const {
  return std::string(DTypeName(dtype)) + DimsString(dims);
}

bool IsRealFloat(DType dtype) { return IsFloatingType(dtype) && !IsComplex(dtype); }

bool IsComplex(DType dtype) {
  return dtype == BERTH_COMPLEX64 || dtype == BERTH_COMPLEX128;
}

bool IsUnsigned(DType dtype) {
  return dtype == BERTH_UINT8 || dtype == BERTH_UINT16 || dtype == BERTH_UINT32 ||
         dtype == BERTH_UINT64;
}

bool IsInteger(DType dtype) {
  return IsUnsigned(dtype) || dtype == BERTH_INT8 || dtype == BERTH_INT16 ||
         dtype == BERTH_INT32 || dtype == BERTH_INT64;
}

int64_t NumElements(const std::vector<int64_t>& dims) {
  int64_t n = 1;
  for (const int64_t dim : dims) n *= dim;
  return n;
}

std::string DimsString(const std::vector<int64_t>& dims) {
  std::string text = "[";
  for (size_t i = 0; i < dims.size(); ++i) {
    text += (i == 0 ? "" : ",") + std::to_string(dims[i]);
  }
  return text + "]";
}

HostTensor ZeroTensor(DType dtype, std::vector<int64_t> dims) {
  const auto n = static_cast<size_t>(NumElements(dims));
  return {dtype, std::move(dims), std::vector<char>(n * DTypeSize(dtype))};
}

std::vector<Real> Reals(const HostTensor& tensor) {
  std::vector<Real> values(static_cast<size_t>(NumNumbers(tensor)));
  int64_t i = 0;
  for (Real& value : values) value = RealAt(tensor, i++);
  return values;
}

std::vector<Int> Ints(const HostTensor& tensor) {
  std::vector<Int> values(static_cast<size_t>(tensor.num_elements()));
  int64_t i = 0;
  for (Int& value : values) value = IntAt(tensor, i++);
  return values;
}

std::vector<int64_t> Indices(const HostTensor& tensor) {
  std::vector<int64_t> values;
  for (const Int value : Ints(tensor)) values.push_back(static_cast<int64_t>(value));
  return values;
}

HostTensor FromReals(DType dtype, std::vector<int64_t> dims,
                     const std::vector<Real>& values) {
  HostTensor tensor = ZeroTensor(dtype, std::move(dims));
  int64_t i = 0;
  for (const Real value : values) {
    switch (dtype) {
      case BERTH_FLOAT:
      case BERTH_COMPLEX64:
        Store(static_cast<float>(value), i++, &tensor);
        break;
      case BERTH_HALF:
        // Rounded once, here: the float is then exact.
        Store(FloatToHalf(static_cast<float>(FormatOf(dtype).Round(value))), i++,
              &tensor);
        break;
      case BERTH_BFLOAT16:
        Store(FloatToBFloat16(static_cast<float>(FormatOf(dtype).Round(value))), i++,
              &tensor);
        break;
      default:
        Store(static_cast<double>(value), i++, &tensor);
    }
  }
  return tensor;
}

HostTensor FromInts(DType dtype, std::vector<int64_t> dims,
                    const std::vector<Int>& values) {
  HostTensor tensor = ZeroTensor(dtype, std::move(dims));
  const size_t size = DTypeSize(dtype);
  size_t at = 0;
  for (const Int value : values) {
    const auto bits = dtype == BERTH_BOOL ? static_cast<uint64_t>(value != 0)
                                          : static_cast<uint64_t>(value);
    std::memcpy(tensor.bytes.data() + at, &bits, size);  // little endian, like the files
    at += size;
  }
  return tensor;
}

Real FloatFormat::unit_roundoff() const { return std::ldexp(Real{1}, -digits); }

Real FloatFormat::largest() const {
  return std::ldexp(2 - std::ldexp(Real{1}, 1 - digits), max_exponent);
}

Real FloatFormat::smallest_normal() const { return std::ldexp(Real{1}, min_exponent); }

Real FloatFormat::smallest_subnormal() const {
  return std::ldexp(Real{1}, min_exponent - digits + 1);
}

Real FloatFormat::UlpAt(Real value) const {
  int exponent = max_exponent;
  if (value == 0) {
    exponent = min_exponent;
  } else if (std::isfinite(value)) {
    exponent = std::min(max_exponent, std::max(min_exponent, std::ilogb(value)));
  }
  return std::ldexp(Real{1}, exponent - digits + 1);
}

Real FloatFormat::Round(Real value) const {
  if (!std::isfinite(value) || value == 0) return value;
  const Real quantum = UlpAt(value);
  const Real rounded = std::rint(value / quantum) * quantum;
  if (std::fabs(rounded) > largest()) {
    return std::copysign(std::numeric_limits<Real>::infinity(), value);
  }
  return std::copysign(rounded, value);
}

FloatFormat FormatOf(DType dtype) {
  switch (dtype) {
    case BERTH_HALF:
      return {11, -14, 15};
    case BERTH_BFLOAT16:
      return {8, -126, 127};
    case BERTH_DOUBLE:
    case BERTH_COMPLEX128:
      return {53, -1022, 1023};
    default:
      return {24, -126, 127};
  }
}

DType AccumulationType(DType dtype) {
  return dtype == BERTH_HALF || dtype == BERTH_BFLOAT16 ? BERTH_FLOAT : dtype;
}

}  // namespace berth::conformance
