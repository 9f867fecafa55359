// The arithmetic of StridedSlice.
#pragma once

#include <vector>

#include "core/ops/inference_context.h"

namespace berth {

// Elements begin, begin + stride, … (`size` of them) of one axis.
struct SliceRange {
  int64_t begin = 0;
  int64_t stride = 1;
  int64_t size = Shape::kUnknown;
};

struct StridedSlicePlan {
  bool values_known = false;     // every range is
  std::vector<SliceRange> axes;  // of the input, in order
  Shape processing;              // the sizes of the ranges
  Shape output;                  // without shrunk, with new axes
};

// For an op whose inputs `first_index` and the two behind it are begin, end and strides,
// and whose attributes are StridedSlice's masks. `input` is the shape that is sliced.
Result<StridedSlicePlan> PlanStridedSlice(const InferenceContext& c, const Shape& input,
                                          int first_index);
inline Result<StridedSlicePlan> PlanStridedSlice(const InferenceContext& c) {
  return PlanStridedSlice(c, c.input(0), 1);
}

Status StridedSliceShape(InferenceContext& c);
Status StridedSliceGradShape(InferenceContext& c);
Status StridedSliceAssignShape(InferenceContext& c);

}  // namespace berth
