// What every kernel file of this folder uses. Nothing here outlives a call; all of it is
// safe from any thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sdk/cpp/kernel.h"

namespace berth::cpu {

using sdk::ComputeContext;
using sdk::InvalidArgument;
using sdk::KernelTable;
using sdk::NodeView;
using sdk::NumElements;
using sdk::PrepareContext;
using sdk::Result;
using sdk::ShapeString;
using sdk::Status;

constexpr int32_t kF32 = BERTH_FLOAT;
constexpr int32_t kF64 = BERTH_DOUBLE;
constexpr int32_t kI8 = BERTH_INT8;
constexpr int32_t kI16 = BERTH_INT16;
constexpr int32_t kI32 = BERTH_INT32;
constexpr int32_t kI64 = BERTH_INT64;
constexpr int32_t kU8 = BERTH_UINT8;
constexpr int32_t kU16 = BERTH_UINT16;
constexpr int32_t kU32 = BERTH_UINT32;
constexpr int32_t kU64 = BERTH_UINT64;
constexpr int32_t kBool = BERTH_BOOL;
constexpr int32_t kHalf = BERTH_HALF;
constexpr int32_t kBf16 = BERTH_BFLOAT16;
constexpr int32_t kC64 = BERTH_COMPLEX64;
constexpr int32_t kC128 = BERTH_COMPLEX128;

// Every dtype whose elements have a fixed size: kernels that only move data take them
// all.
constexpr std::initializer_list<int32_t> kFixedSize = {
    BERTH_FLOAT,  BERTH_DOUBLE, BERTH_INT32,    BERTH_INT64,     BERTH_BOOL,
    BERTH_UINT8,  BERTH_INT8,   BERTH_INT16,    BERTH_UINT16,    BERTH_UINT32,
    BERTH_UINT64, BERTH_HALF,   BERTH_BFLOAT16, BERTH_COMPLEX64, BERTH_COMPLEX128};
constexpr std::initializer_list<int32_t> kIndexTypes = {BERTH_INT32, BERTH_INT64};

// Bytes that one piece of a memory-bound loop should touch before a second thread pays.
constexpr int64_t kGrainBytes = 128 * 1024;

// Items of a piece when each item touches `bytes_per_item` bytes.
inline int64_t GrainFor(int64_t bytes_per_item) {
  return std::max<int64_t>(1, kGrainBytes / std::max<int64_t>(1, bytes_per_item));
}

// Items of a piece when each item costs `flops` arithmetic operations (or what takes as
// long): a piece of some 20 microseconds.
inline int64_t GrainForFlops(int64_t flops) {
  return std::max<int64_t>(1, 200'000 / std::max<int64_t>(1, flops));
}

// Product of dims[begin, end).
inline int64_t Product(const int64_t* dims, int begin, int end) {
  int64_t n = 1;
  for (int i = begin; i < end; ++i) n *= dims[i];
  return n;
}

inline std::string ShapeString(const berth_shape& shape) {
  return sdk::ShapeString(shape.dims, shape.rank);
}

// The value of element `i` of an int32 or int64 tensor: axes, sizes, paddings.
inline int64_t IndexAt(const berth_tensor& tensor, int64_t i) {
  return tensor.dtype == BERTH_INT32 ? sdk::Data<int32_t>(tensor)[i]
                                     : sdk::Data<int64_t>(tensor)[i];
}

// All elements of an int32 or int64 tensor.
inline std::vector<int64_t> IndexVector(const berth_tensor& tensor) {
  std::vector<int64_t> values(static_cast<size_t>(NumElements(tensor)));
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = IndexAt(tensor, static_cast<int64_t>(i));
  }
  return values;
}

// `axis` counted from the front. REQUIRES: -rank <= axis < rank.
inline int FrontAxis(int64_t axis, int rank) {
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

// Writes a shape that depends on values and that the op's shape function may not know.
inline void SetShape(berth_shape* shape, const int64_t* dims, int rank) {
  shape->rank = rank;
  std::copy(dims, dims + rank, shape->dims);
}

// Create() of kernels that are built from the node alone.
template <typename K>
Result<std::unique_ptr<K>> Make(const NodeView& node) {
  return std::make_unique<K>(node);
}

// The dtype of a kernel's type attribute that no row lists: a defect of the table.
inline Status NoLoop(const NodeView& node, int32_t dtype) {
  return sdk::Internal(std::string(node.op()) + ": the kernel table lists dtype " +
                       std::to_string(dtype) + ", which the kernel has no loop for");
}

}  // namespace berth::cpu
