// The meaning of StridedSlice's begin, end, strides and masks.
#pragma once

#include <array>
#include <cstdint>

#include "kernels-cpu/common.h"

namespace berth::cpu {

// Bit i of a mask is about entry i of begin, end and strides.
struct SliceMasks {
  explicit SliceMasks(const NodeView& node);
  uint64_t begin;     // the entry of begin is ignored: from the start
  uint64_t end;       // the entry of end is ignored: to the end
  uint64_t ellipsis;  // stands for all axes that no other entry names
  uint64_t new_axis;  // adds an axis of size 1
  uint64_t shrink;    // takes one element and drops the axis
};

// A slice of a dense tensor: for each input axis how many elements are taken, and the
// distance between them in the whole tensor.
struct SliceSpec {
  std::array<int64_t, BERTH_MAX_RANK> dims{};
  std::array<int64_t, BERTH_MAX_RANK> strides{};
  int64_t offset = 0;                                 // of the first element
  std::array<int64_t, BERTH_MAX_RANK> result_dims{};  // with axes added and dropped
  int result_rank = 0;
};

// INVALID_ARGUMENT for a stride of zero, an index out of bounds of a dropped axis, too
// many entries and the like.
Status MakeSliceSpec(const SliceMasks& masks, const int64_t* dims, int rank,
                     const berth_tensor& begin, const berth_tensor& end,
                     const berth_tensor& strides, SliceSpec* out);

}  // namespace berth::cpu
