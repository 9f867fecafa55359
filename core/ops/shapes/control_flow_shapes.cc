#include "core/ops/shapes/control_flow_shapes.h"

#include "core/ops/shapes/common.h"

namespace berth {
namespace {

// What is true of both shapes; unlike a merge, they may differ.
Shape Common(const Shape& a, const Shape& b) {
  if (a.rank() != b.rank() || !a.has_rank()) return Shape::UnknownRank();
  Shape out = a;
  for (int i = 0; i < a.rank(); ++i) {
    if (a.dim(i) != b.dim(i)) out.set_dim(i, Shape::kUnknown);
  }
  return out;
}

void CommonOf(InferenceContext& c, int begin) {
  Shape out = c.input(begin);
  for (int i = begin + 1; i < c.num_inputs(); ++i) out = Common(out, c.input(i));
  c.set_output(0, std::move(out));
}

}  // namespace

Status SwitchShape(InferenceContext& c) {
  BERTH_RETURN_IF_ERROR(c.WithRank(1, 0));
  for (int i = 0; i < 2; ++i) {
    c.set_output(i, c.input(0));
    if (c.input_handle(0) != nullptr) c.set_output_handle(i, *c.input_handle(0));
  }
  return OkStatus();
}

Status MergeShape(InferenceContext& c) {
  CommonOf(c, 0);
  c.set_output(1, Shape());
  return OkStatus();
}

Status LoopCondShape(InferenceContext& c) {
  BERTH_RETURN_IF_ERROR(c.WithRank(0, 0));
  return ScalarShape(c);
}

Status PassThroughShape(InferenceContext& c) {
  for (int i = 0; i < c.num_outputs(); ++i) {
    c.set_output(i, c.input(i));
    if (c.input_handle(i) != nullptr) c.set_output_handle(i, *c.input_handle(i));
  }
  return OkStatus();
}

Status RefSelectShape(InferenceContext& c) {
  BERTH_RETURN_IF_ERROR(c.WithRank(0, 0));
  CommonOf(c, 1);
  return OkStatus();
}

Status OutputShapesAttr(InferenceContext& c) {
  const AttrValue* value = c.attrs().Find("output_shapes");
  const ListAttr* list = value != nullptr ? value->list() : nullptr;
  if (list == nullptr || list->shape.empty()) return OkStatus();
  if (static_cast<int>(list->shape.size()) != c.num_outputs()) {
    return c.Error("`output_shapes` must be the same length as the outputs (" +
                   std::to_string(list->shape.size()) + " and " +
                   std::to_string(c.num_outputs()) + ")");
  }
  for (int i = 0; i < c.num_outputs(); ++i) c.set_output(i, list->shape[i]);
  return OkStatus();
}

Status ListOfArraysShape(InferenceContext& c) {
  if (c.num_inputs() == c.num_outputs()) return PassThroughShape(c);
  return OkStatus();
}

}  // namespace berth
