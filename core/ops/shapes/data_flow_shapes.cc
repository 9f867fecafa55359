#include "core/ops/shapes/data_flow_shapes.h"

#include "core/ops/shapes/common.h"

namespace berth {
namespace {

constexpr int64_t kUnknown = Shape::kUnknown;

Shape ElementShapeAttr(const InferenceContext& c, const char* name) {
  const Shape* shape = c.attrs().GetShape(name);
  return shape != nullptr ? *shape : Shape::UnknownRank();
}

}  // namespace

Status RefHandleShape(InferenceContext& c) {
  c.set_output(0, Shape({2}));
  return OkStatus();
}

Status QueueHandleShape(InferenceContext& c) { return ScalarShape(c); }

Status StackPushShape(InferenceContext& c) {
  c.set_output(0, c.input(1));
  return OkStatus();
}

Status TensorArrayShape(InferenceContext& c) {
  BERTH_RETURN_IF_ERROR(c.WithRank(0, 0));
  c.set_output(0, Shape({2}));
  c.set_output(1, Shape());
  const Shape element = ElementShapeAttr(c, "element_shape");
  if (c.attrs().GetBool("identical_element_shapes") || element.IsFullyDefined()) {
    c.set_output_handle(0, {.shape = element, .dtype = c.attrs().GetType("dtype")});
  }
  return OkStatus();
}

Status TensorArrayGradShape(InferenceContext& c) {
  c.set_output(0, Shape({2}));
  c.set_output(1, Shape());
  if (c.input_handle(0) != nullptr) c.set_output_handle(0, *c.input_handle(0));
  return OkStatus();
}

Status TensorArrayReadShape(InferenceContext& c) {
  BERTH_RETURN_IF_ERROR(c.WithRank(1, 0));
  BERTH_RETURN_IF_ERROR(c.WithRank(2, 0));
  if (c.input_handle(0) != nullptr) c.set_output(0, c.input_handle(0)->shape);
  return OkStatus();
}

Status TensorArrayWriteShape(InferenceContext& c) {
  BERTH_RETURN_IF_ERROR(c.WithRank(1, 0));
  BERTH_RETURN_IF_ERROR(c.WithRank(3, 0));
  if (c.input_handle(0) != nullptr) {
    BERTH_RETURN_IF_ERROR(c.Merge(c.input_handle(0)->shape, c.input(2)).status());
  }
  return ScalarShape(c);
}

Status TensorArrayGatherShape(InferenceContext& c) {
  BERTH_RETURN_IF_ERROR(c.WithRank(1, 1));
  BERTH_RETURN_IF_ERROR(c.WithRank(2, 0));
  Shape element = ElementShapeAttr(c, "element_shape");
  if (c.input_handle(0) != nullptr) {
    BERTH_ASSIGN_OR_RETURN(element, c.Merge(element, c.input_handle(0)->shape));
  }
  c.set_output(0, ConcatShapes(Shape({c.input_dim(1, 0)}), element));
  return OkStatus();
}

Status TensorArrayScatterShape(InferenceContext& c) {
  BERTH_RETURN_IF_ERROR(c.WithRank(1, 1));
  BERTH_RETURN_IF_ERROR(c.WithRankAtLeast(2, 1));
  BERTH_RETURN_IF_ERROR(c.WithRank(3, 0));
  BERTH_RETURN_IF_ERROR(c.MergeDim(c.input_dim(1, 0), c.input_dim(2, 0)).status());
  return ScalarShape(c);
}

Status TensorArrayConcatShape(InferenceContext& c) {
  BERTH_RETURN_IF_ERROR(c.WithRank(1, 0));
  c.set_output(
      0, ConcatShapes(Shape({kUnknown}), ElementShapeAttr(c, "element_shape_except0")));
  c.set_output(1, Shape({kUnknown}));
  return OkStatus();
}

Status TensorListGetItemShape(InferenceContext& c) {
  BERTH_RETURN_IF_ERROR(c.WithRank(1, 0));
  BERTH_ASSIGN_OR_RETURN(Shape out, c.OpenShapeFromInput(2));
  c.set_output(0, std::move(out));
  return OkStatus();
}

Status TensorListStackShape(InferenceContext& c) {
  BERTH_ASSIGN_OR_RETURN(const Shape element, c.OpenShapeFromInput(1));
  const int64_t count = c.attrs().GetInt("num_elements", kUnknown);
  c.set_output(0, ConcatShapes(Shape({count}), element));
  return OkStatus();
}

Status TensorListPopBackShape(InferenceContext& c) {
  BERTH_ASSIGN_OR_RETURN(Shape element, c.OpenShapeFromInput(1));
  c.set_output(0, Shape());
  c.set_output(1, std::move(element));
  return OkStatus();
}

Status TensorListConcatShape(InferenceContext& c) {
  BERTH_ASSIGN_OR_RETURN(const Shape element, c.OpenShapeFromInput(1));
  if (element.rank() > 0) {
    c.set_output(0, ConcatShapes(Shape({kUnknown}), SubShape(element, 1)));
  }
  c.set_output(1, Shape({kUnknown}));
  return OkStatus();
}

Status TableFindShape(InferenceContext& c) {
  // A table of vectors has a default of that shape; a static one has scalars.
  c.set_output(0, ConcatShapes(c.input(1), c.input(2)));
  return OkStatus();
}

Status ReaderReadShape(InferenceContext& c) { return ScalarShape(c); }

Status ReaderReadUpToShape(InferenceContext& c) {
  BERTH_RETURN_IF_ERROR(c.WithRank(2, 0));
  return UnknownVectorShape(c);
}

}  // namespace berth
