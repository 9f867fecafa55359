#include "core/ops/shapes/elementwise_shapes.h"

#include "core/ops/shapes/common.h"

namespace berth {

Status EqualShape(InferenceContext& c) {
  if (!c.attrs().GetBool("incompatible_shape_error", true)) {
    const Result<Shape> out = BroadcastShapes(c, c.input(0), c.input(1));
    if (!out.ok()) {
      c.set_output(0, Shape());
      return OkStatus();
    }
    // An unknown size may turn out not to fit, and then the result is a scalar.
    if (c.input(0).IsFullyDefined() && c.input(1).IsFullyDefined()) c.set_output(0, *out);
    return OkStatus();
  }
  return BroadcastBinaryShape(c);
}

Status SelectShape(InferenceContext& c) {
  BERTH_ASSIGN_OR_RETURN(Shape out, c.Merge(c.input(1), c.input(2)));
  const Shape& condition = c.input(0);
  if (condition.has_rank() && out.has_rank()) {
    // A scalar chooses all, a vector whole rows, anything else must agree.
    if (condition.rank() == 1 && out.rank() > 1) {
      BERTH_RETURN_IF_ERROR(c.MergeDim(condition.dim(0), out.dim(0)).status());
    } else if (condition.rank() > 0) {
      BERTH_ASSIGN_OR_RETURN(out, c.Merge(out, condition));
    }
  }
  c.set_output(0, std::move(out));
  return OkStatus();
}

Status SelectV2Shape(InferenceContext& c) {
  BERTH_ASSIGN_OR_RETURN(const Shape values, BroadcastShapes(c, c.input(1), c.input(2)));
  BERTH_ASSIGN_OR_RETURN(Shape out, BroadcastShapes(c, c.input(0), values));
  c.set_output(0, std::move(out));
  return OkStatus();
}

Status ClipByValueShape(InferenceContext& c) {
  Shape out = c.input(0);
  for (int i = 1; i <= 2; ++i) {
    if (c.input(i).rank() == 0) continue;
    BERTH_ASSIGN_OR_RETURN(out, c.Merge(out, c.input(i)));
  }
  c.set_output(0, std::move(out));
  return OkStatus();
}

Status AccumulateShape(InferenceContext& c) {
  BERTH_RETURN_IF_ERROR(MergeInputsShape(c));
  if (const Shape* shape = c.attrs().GetShape("shape")) {
    BERTH_ASSIGN_OR_RETURN(Shape out, c.Merge(c.output(0), *shape));
    c.set_output(0, std::move(out));
  }
  return OkStatus();
}

}  // namespace berth
