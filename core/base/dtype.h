// Element types inside the core.
#pragma once

#include <berth/tensor.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace berth {

// TensorFlow's DataType numbers. A reference type is the base number + 100.
using DType = int32_t;

inline bool IsRefType(DType dtype) { return dtype > BERTH_DTYPE_REF_OFFSET; }
inline DType BaseType(DType dtype) {
  return IsRefType(dtype) ? dtype - BERTH_DTYPE_REF_OFFSET : dtype;
}
inline DType MakeRefType(DType dtype) {
  return IsRefType(dtype) ? dtype : dtype + BERTH_DTYPE_REF_OFFSET;
}

// Bytes of an element; 0 for string, resource, variant and unknown numbers.
size_t DTypeSize(DType dtype);
// True for the numbers of berth_dtype (base or reference) that exist.
bool IsKnownDType(DType dtype);
// "float", "int32", "float_ref": the names of messages, as TensorFlow's DataTypeString.
std::string_view DTypeName(DType dtype);
// "DT_FLOAT": the names of text protos; "DT_INVALID" for an unknown number.
std::string_view DTypeEnumName(DType dtype);
// Accepts both spellings.
std::optional<DType> ParseDType(std::string_view name);
// Floating point, complex, half or bfloat16: has a gradient.
bool IsFloatingType(DType dtype);

}  // namespace berth
