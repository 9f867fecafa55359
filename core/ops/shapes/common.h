// What the shape functions of all families share.
#pragma once

#include <optional>
#include <string_view>

#include "core/ops/inference_context.h"

namespace berth {

// Sizes and their sums and products stay unknown (-1) when an operand is.
// INVALID_ARGUMENT on overflow, or where a difference would be negative.
Result<int64_t> AddDims(const InferenceContext& c, int64_t a, int64_t b);
Result<int64_t> SubtractDims(const InferenceContext& c, int64_t a, int64_t b);
Result<int64_t> MultiplyDims(const InferenceContext& c, int64_t a, int64_t b);
// Of all sizes in [begin, end); REQUIRES: the shape has a rank.
Result<int64_t> MultiplyDims(const InferenceContext& c, const Shape& shape, int begin,
                             int end);
// a / b. INVALID_ARGUMENT unless b > 0 and, when asked, b divides a.
Result<int64_t> DivideDims(const InferenceContext& c, int64_t a, int64_t b, bool evenly);

// Sizes [begin, end); unknown rank in, unknown rank out.
Shape SubShape(const Shape& shape, int begin, int end = Shape::kMaxRank);
Shape ConcatShapes(const Shape& a, const Shape& b);
// "Shape must be rank R but is rank r" for a shape that is no input.
Status CheckRank(const InferenceContext& c, const Shape& shape, int rank);
Status CheckRankAtLeast(const InferenceContext& c, const Shape& shape, int rank);
// `axis` in [-rank, rank) made non-negative, or INVALID_ARGUMENT.
Result<int> NormalizeAxis(const InferenceContext& c, int64_t axis, int rank);
// NumPy's broadcasting; -1 against 1 or -1 is -1.
Result<Shape> BroadcastShapes(const InferenceContext& c, const Shape& a, const Shape& b);

// Shape functions of many ops.
Status UnchangedShape(InferenceContext& c);  // every output i as input i, or as input 0
Status UnchangedRank4(InferenceContext& c);
Status UnchangedRank5(InferenceContext& c);
Status UnchangedAtLeastRank1(InferenceContext& c);
Status UnchangedAtLeastRank2(InferenceContext& c);
Status ScalarShape(InferenceContext& c);         // every output is a scalar
Status ScalarInputsShape(InferenceContext& c);   // and every input must be
Status UnknownVectorShape(InferenceContext& c);  // every output is a vector
Status MergeInputsShape(InferenceContext& c);    // all inputs and output 0 agree
Status BroadcastBinaryShape(InferenceContext& c);
Status ShapeFromFirstInput(InferenceContext& c);  // input 0 holds the output's shape
Status ExplicitShapeAttr(InferenceContext& c);    // output 0 as the attribute "shape"

}  // namespace berth
