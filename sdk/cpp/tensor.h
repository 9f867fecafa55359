// Typed reading of tensor views.
#pragma once

#include <berth/tensor.h>

#include <cstdint>
#include <string>
#include <type_traits>

#include "sdk/cpp/namespace.h"

BERTH_SDK_BEGIN

// The element type as a C++ type: DtypeOf<float>() is BERTH_FLOAT. Half and bfloat16 are
// the plugin's business: it reads them as uint16_t.
template <typename T>
constexpr berth_dtype DtypeOf() {
  if constexpr (std::is_same_v<T, float>) return BERTH_FLOAT;
  if constexpr (std::is_same_v<T, double>) return BERTH_DOUBLE;
  if constexpr (std::is_same_v<T, int32_t>) return BERTH_INT32;
  if constexpr (std::is_same_v<T, int64_t>) return BERTH_INT64;
  if constexpr (std::is_same_v<T, uint8_t>) return BERTH_UINT8;
  if constexpr (std::is_same_v<T, int8_t>) return BERTH_INT8;
  if constexpr (std::is_same_v<T, uint16_t>) return BERTH_UINT16;
  if constexpr (std::is_same_v<T, int16_t>) return BERTH_INT16;
  if constexpr (std::is_same_v<T, uint32_t>) return BERTH_UINT32;
  if constexpr (std::is_same_v<T, uint64_t>) return BERTH_UINT64;
  if constexpr (std::is_same_v<T, bool>) return BERTH_BOOL;
  return BERTH_INVALID_DTYPE;
}

// Bytes of one element; 0 for types without a fixed size on the wire (resource, variant).
inline size_t DtypeSize(int32_t dtype) {
  switch (dtype) {
    case BERTH_UINT8:
    case BERTH_INT8:
    case BERTH_BOOL:
    case BERTH_QINT8:
    case BERTH_QUINT8:
      return 1;
    case BERTH_INT16:
    case BERTH_UINT16:
    case BERTH_HALF:
    case BERTH_BFLOAT16:
    case BERTH_QINT16:
    case BERTH_QUINT16:
      return 2;
    case BERTH_FLOAT:
    case BERTH_INT32:
    case BERTH_UINT32:
    case BERTH_QINT32:
      return 4;
    case BERTH_DOUBLE:
    case BERTH_INT64:
    case BERTH_UINT64:
    case BERTH_COMPLEX64:
      return 8;
    case BERTH_COMPLEX128:
      return 16;
    case BERTH_STRING:
      return sizeof(berth_string);
    default:
      return 0;
  }
}

// Elements of a view whose shape is known.
inline int64_t NumElements(const berth_tensor& tensor) {
  int64_t n = 1;
  for (int32_t i = 0; i < tensor.rank; ++i) n *= tensor.dims[i];
  return n;
}
inline int64_t NumElements(const berth_shape& shape) {
  int64_t n = 1;
  for (int32_t i = 0; i < shape.rank; ++i) n *= shape.dims[i];
  return n;
}

// The elements of a host-visible view. REQUIRES: the view's dtype is T's.
template <typename T>
const T* Data(const berth_tensor& tensor) {
  return static_cast<const T*>(tensor.host_data);
}
template <typename T>
T* MutableData(const berth_tensor& tensor) {
  return static_cast<T*>(tensor.host_data);
}

inline bool SameShape(const berth_tensor& a, const berth_tensor& b) {
  if (a.rank != b.rank) return false;
  for (int32_t i = 0; i < a.rank; ++i) {
    if (a.dims[i] != b.dims[i]) return false;
  }
  return true;
}

// "[2,3]" for messages.
inline std::string ShapeString(const int64_t* dims, int32_t rank) {
  if (rank < 0) return "<unknown>";
  std::string text = "[";
  for (int32_t i = 0; i < rank; ++i) {
    if (i > 0) text += ',';
    text += dims[i] < 0 ? "?" : std::to_string(dims[i]);
  }
  return text + "]";
}
inline std::string ShapeString(const berth_tensor& tensor) {
  return ShapeString(tensor.dims, tensor.rank);
}

BERTH_SDK_END
