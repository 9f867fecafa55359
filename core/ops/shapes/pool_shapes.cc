// Pooling and its gradients.
#include <string>

#include "core/ops/shapes/common.h"
#include "core/ops/shapes/nn_shapes.h"
#include "core/ops/shapes/window.h"

namespace berth {
namespace {

Shape OrUnknownDims(const Shape& shape, int rank) {
  return shape.has_rank() ? shape : Shape::UnknownDims(rank);
}

// A window of `sizes` over input 0; both lists name every axis of the layout.
Result<Shape> SlideWindow(const InferenceContext& c, const ImageLayout& layout,
                          const std::vector<int64_t>& sizes,
                          const std::vector<int64_t>& strides) {
  BERTH_RETURN_IF_ERROR(c.WithRank(0, layout.rank));
  BERTH_ASSIGN_OR_RETURN(const std::vector<int64_t> pads,
                         ReadExplicitPaddings(c, layout));
  const std::string_view padding = c.attrs().GetString("padding");
  if (sizes[0] != 1 || strides[0] != 1) {
    return c.UnimplementedError("Pooling over the batch dimension is not supported");
  }
  Shape out = OrUnknownDims(c.input(0), layout.rank);
  for (size_t axis = 0; axis < sizes.size(); ++axis) {
    Window window{.size = sizes[axis], .stride = strides[axis]};
    // The batch may be empty.
    if (window.size == 1 && window.stride == 1 && pads.empty()) continue;
    if (!pads.empty()) {
      window.pad_before = pads[2 * axis];
      window.pad_after = pads[2 * axis + 1];
    }
    BERTH_ASSIGN_OR_RETURN(
        const int64_t size,
        WindowPositions(c, out.dim(static_cast<int>(axis)), window, padding));
    out.set_dim(static_cast<int>(axis), size);
  }
  return out;
}

Result<Shape> SlideAttrs(const InferenceContext& c, int num_space) {
  const int count = num_space + 2;
  BERTH_ASSIGN_OR_RETURN(const std::vector<int64_t> sizes,
                         ReadWindowAttr(c, "ksize", count));
  BERTH_ASSIGN_OR_RETURN(const std::vector<int64_t> strides,
                         ReadWindowAttr(c, "strides", count));
  return SlideWindow(c, ReadLayout(c, num_space), sizes, strides);
}

Status SizesShape(InferenceContext& c, int rank) {
  BERTH_ASSIGN_OR_RETURN(Shape out, c.ShapeFromInput(0));
  BERTH_RETURN_IF_ERROR(CheckRank(c, out, rank));
  c.set_output(0, OrUnknownDims(out, rank));
  return OkStatus();
}

}  // namespace

Status AvgPoolShape(InferenceContext& c) {
  BERTH_ASSIGN_OR_RETURN(Shape out, SlideAttrs(c, 2));
  c.set_output(0, std::move(out));
  return OkStatus();
}

Status MaxPoolShape(InferenceContext& c) { return AvgPoolShape(c); }

Status MaxPoolV2Shape(InferenceContext& c) {
  const ImageLayout layout = ReadLayout(c, 2);
  BERTH_RETURN_IF_ERROR(c.WithRank(0, layout.rank));
  std::vector<int64_t> lists[2];
  for (int i = 0; i < 2; ++i) {
    BERTH_RETURN_IF_ERROR(c.WithRank(i + 1, 1));
    BERTH_RETURN_IF_ERROR(c.WithDim(c.input_dim(i + 1, 0), 4));
    const Tensor* value = c.input_value(i + 1);
    if (value == nullptr) {
      c.set_output(0, Shape::UnknownDims(layout.rank));
      return OkStatus();
    }
    lists[i] = value->ToInts();
    for (const int64_t entry : lists[i]) {
      if (entry <= 0) {
        return c.Error(std::string(i == 0 ? "ksize" : "strides") +
                       " must be > 0, but got " + std::to_string(entry));
      }
    }
  }
  BERTH_ASSIGN_OR_RETURN(Shape out, SlideWindow(c, layout, lists[0], lists[1]));
  c.set_output(0, std::move(out));
  return OkStatus();
}

Status Pool3DShape(InferenceContext& c) {
  BERTH_ASSIGN_OR_RETURN(Shape out, SlideAttrs(c, 3));
  c.set_output(0, std::move(out));
  return OkStatus();
}

Status AvgPoolGradShape(InferenceContext& c) { return SizesShape(c, 4); }
Status AvgPool3DGradShape(InferenceContext& c) { return SizesShape(c, 5); }

Status MaxPoolGradShape(InferenceContext& c) { return UnchangedRank4(c); }

Status MaxPoolWithArgmaxShape(InferenceContext& c) {
  BERTH_RETURN_IF_ERROR(AvgPoolShape(c));
  c.set_output(1, c.output(0));
  return OkStatus();
}

}  // namespace berth
