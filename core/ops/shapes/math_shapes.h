// Shape functions of builtin/math_ops.cc.
#pragma once

#include "core/ops/inference_context.h"

namespace berth {

Status ReductionShape(InferenceContext& c);
Status ArgReductionShape(InferenceContext& c);
Status ScanShape(InferenceContext& c);
Status RangeShape(InferenceContext& c);
Status LinSpaceShape(InferenceContext& c);
Status MatMulShape(InferenceContext& c);
Status BatchMatMulShape(InferenceContext& c);
Status BatchMatMulV2Shape(InferenceContext& c);
Status QrShape(InferenceContext& c);
Status SegmentShape(InferenceContext& c);
Status UnsortedSegmentShape(InferenceContext& c);
Status SparseSegmentShape(InferenceContext& c);

}  // namespace berth
