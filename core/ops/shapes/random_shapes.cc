#include "core/ops/shapes/random_shapes.h"

#include <string>

#include "core/ops/shapes/common.h"

namespace berth {

Status RandomIntShape(InferenceContext& c) {
  BERTH_RETURN_IF_ERROR(c.WithRank(1, 0));
  BERTH_RETURN_IF_ERROR(c.WithRank(2, 0));
  return ShapeFromFirstInput(c);
}

Status RandomCropShape(InferenceContext& c) {
  BERTH_RETURN_IF_ERROR(c.WithRank(0, 3));
  BERTH_RETURN_IF_ERROR(c.WithRank(1, 1));
  BERTH_RETURN_IF_ERROR(c.WithDim(c.input_dim(1, 0), 2));
  const std::optional<Elements> size = c.ElementsFromInput(1);
  Shape out = Shape::UnknownDims(3);
  out.set_dim(2, c.input_dim(0, 2));
  for (int i = 0; size && i < 2; ++i) {
    if ((*size)[i] == kUnknownElement) continue;
    if ((*size)[i] < 0) {
      return c.Error("size[" + std::to_string(i) + "] must be non-negative, but is " +
                     std::to_string((*size)[i]));
    }
    out.set_dim(i, (*size)[i]);
  }
  c.set_output(0, std::move(out));
  return OkStatus();
}

Status RandomPerElementShape(InferenceContext& c) {
  BERTH_ASSIGN_OR_RETURN(const Shape shape, c.ShapeFromInput(0));
  c.set_output(0, ConcatShapes(shape, c.input(1)));
  return OkStatus();
}

Status MultinomialShape(InferenceContext& c) {
  BERTH_RETURN_IF_ERROR(c.WithRank(0, 2));
  BERTH_ASSIGN_OR_RETURN(const std::optional<int64_t> count, c.IntFromInput(1));
  if (count && *count < 0) {
    return c.Error("num_samples should be nonnegative, got " + std::to_string(*count));
  }
  c.set_output(0, Shape({c.input_dim(0, 0), count.value_or(Shape::kUnknown)}));
  return OkStatus();
}

Status StatelessRandomShape(InferenceContext& c) {
  BERTH_RETURN_IF_ERROR(c.WithRank(1, 1));
  BERTH_RETURN_IF_ERROR(c.WithDim(c.input_dim(1, 0), 2));
  return ShapeFromFirstInput(c);
}

}  // namespace berth
