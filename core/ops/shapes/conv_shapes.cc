// Convolutions, their gradients, and dilation.
#include <string>

#include "core/ops/shapes/common.h"
#include "core/ops/shapes/nn_shapes.h"
#include "core/ops/shapes/window.h"

namespace berth {
namespace {

constexpr int64_t kUnknown = Shape::kUnknown;

Shape OrUnknownDims(const Shape& shape, int rank) {
  return shape.has_rank() ? shape : Shape::UnknownDims(rank);
}

// Fills the axes of space of `out` with the positions of the filter.
Status SlideFilter(const InferenceContext& c, const ImageLayout& layout,
                   const Shape& input, const Shape& filter, Shape* out) {
  BERTH_ASSIGN_OR_RETURN(const std::vector<int64_t> strides,
                         ReadWindowAttr(c, "strides", layout.rank));
  BERTH_ASSIGN_OR_RETURN(const std::vector<int64_t> dilations,
                         ReadWindowAttr(c, "dilations", layout.rank));
  BERTH_ASSIGN_OR_RETURN(const std::vector<int64_t> pads,
                         ReadExplicitPaddings(c, layout));
  const std::string_view padding = c.attrs().GetString("padding");
  if (strides[0] != 1 || strides[layout.channel] != 1) {
    return c.UnimplementedError("strides in the batch and depth dimensions must be 1");
  }
  if (dilations[0] != 1 || dilations[layout.channel] != 1) {
    return c.UnimplementedError("dilations in the batch and depth dimensions must be 1");
  }
  for (int i = 0; i < layout.num_space; ++i) {
    const int axis = layout.first_space + i;
    Window window{
        .size = filter.dim(i), .stride = strides[axis], .dilation = dilations[axis]};
    if (!pads.empty()) {
      window.pad_before = pads[2 * axis];
      window.pad_after = pads[2 * axis + 1];
    }
    BERTH_ASSIGN_OR_RETURN(const int64_t size,
                           WindowPositions(c, input.dim(axis), window, padding));
    out->set_dim(axis, size);
  }
  return OkStatus();
}

// The input's depth must be a multiple of the filter's (grouped convolution), and the
// filter's output depth a multiple of the groups.
Status CheckDepths(const InferenceContext& c, int64_t in, int64_t filter_in,
                   int64_t filter_out) {
  if (in == kUnknown || filter_in == kUnknown) return OkStatus();
  if (filter_in == 0) return c.Error("Depth of filter must not be 0");
  if (in % filter_in != 0) {
    return c.Error("Depth of input (" + std::to_string(in) +
                   ") is not a multiple of input depth of filter (" +
                   std::to_string(filter_in) + ")");
  }
  const int64_t groups = in / filter_in;
  if (groups == 0) return c.Error("Number of groups must not be 0");
  if (filter_out != kUnknown && filter_out % groups != 0) {
    return c.Error("Depth of output (" + std::to_string(filter_out) +
                   ") is not a multiple of the number of groups (" +
                   std::to_string(groups) + ")");
  }
  return OkStatus();
}

Status ConvShape(InferenceContext& c, int num_space) {
  const ImageLayout layout = ReadLayout(c, num_space);
  BERTH_RETURN_IF_ERROR(c.WithRank(0, layout.rank));
  BERTH_RETURN_IF_ERROR(c.WithRank(1, num_space + 2));
  const Shape input = OrUnknownDims(c.input(0), layout.rank);
  const Shape filter = OrUnknownDims(c.input(1), num_space + 2);
  const int64_t filter_out = filter.dim(num_space + 1);
  BERTH_RETURN_IF_ERROR(
      CheckDepths(c, input.dim(layout.channel), filter.dim(num_space), filter_out));
  Shape out = input;
  out.set_dim(layout.channel, filter_out);
  BERTH_RETURN_IF_ERROR(SlideFilter(c, layout, input, filter, &out));
  c.set_output(0, std::move(out));
  return OkStatus();
}

Status SizesShape(InferenceContext& c, int sizes_input, int rank) {
  BERTH_ASSIGN_OR_RETURN(Shape out, c.ShapeFromInput(sizes_input));
  BERTH_RETURN_IF_ERROR(CheckRank(c, out, rank));
  c.set_output(0, OrUnknownDims(out, rank));
  return OkStatus();
}

}  // namespace

Status Conv2DShape(InferenceContext& c) { return ConvShape(c, 2); }
Status Conv3DShape(InferenceContext& c) { return ConvShape(c, 3); }

Status DepthwiseConv2DShape(InferenceContext& c) {
  const ImageLayout layout = ReadLayout(c, 2);
  BERTH_RETURN_IF_ERROR(c.WithRank(0, 4));
  BERTH_RETURN_IF_ERROR(c.WithRank(1, 4));
  const Shape input = OrUnknownDims(c.input(0), 4);
  const Shape filter = OrUnknownDims(c.input(1), 4);
  BERTH_ASSIGN_OR_RETURN(const int64_t depth,
                         c.MergeDim(input.dim(layout.channel), filter.dim(2)));
  BERTH_ASSIGN_OR_RETURN(const int64_t out_depth, MultiplyDims(c, depth, filter.dim(3)));
  Shape out = input;
  out.set_dim(layout.channel, out_depth);
  BERTH_RETURN_IF_ERROR(SlideFilter(c, layout, input, filter, &out));
  c.set_output(0, std::move(out));
  return OkStatus();
}

Status ConvBackpropInputShape(InferenceContext& c) {
  BERTH_ASSIGN_OR_RETURN(Shape sizes, c.ShapeFromInput(0));
  if (sizes.rank() == 2) {
    // Height and width alone: batch and depth follow from the gradient and the filter.
    const ImageLayout layout = ReadLayout(c, 2);
    BERTH_RETURN_IF_ERROR(c.WithRank(1, 4));
    BERTH_RETURN_IF_ERROR(c.WithRank(2, 4));
    Shape out = Shape::UnknownDims(4);
    out.set_dim(0, c.input_dim(2, 0));
    out.set_dim(layout.first_space, sizes.dim(0));
    out.set_dim(layout.first_space + 1, sizes.dim(1));
    out.set_dim(layout.channel, c.input_dim(1, 2));
    c.set_output(0, std::move(out));
    return OkStatus();
  }
  BERTH_RETURN_IF_ERROR(SizesShape(c, 0, 4));
  if (c.output(0).dim(0) == kUnknown && c.input(2).rank() == 4) {
    Shape out = c.output(0);
    out.set_dim(0, c.input_dim(2, 0));
    c.set_output(0, std::move(out));
  }
  return OkStatus();
}

Status Conv3DBackpropInputShape(InferenceContext& c) { return SizesShape(c, 0, 5); }
Status ConvBackpropFilterShape(InferenceContext& c) { return SizesShape(c, 1, 4); }
Status Conv3DBackpropFilterShape(InferenceContext& c) { return SizesShape(c, 1, 5); }
Status DepthwiseBackpropInputShape(InferenceContext& c) { return SizesShape(c, 0, 4); }

Status Dilation2DShape(InferenceContext& c) {
  BERTH_RETURN_IF_ERROR(c.WithRank(0, 4));
  BERTH_RETURN_IF_ERROR(c.WithRank(1, 3));
  BERTH_ASSIGN_OR_RETURN(const std::vector<int64_t> strides,
                         ReadWindowAttr(c, "strides", 4));
  BERTH_ASSIGN_OR_RETURN(const std::vector<int64_t> rates, ReadWindowAttr(c, "rates", 4));
  const Shape input = OrUnknownDims(c.input(0), 4);
  const Shape filter = OrUnknownDims(c.input(1), 3);
  BERTH_ASSIGN_OR_RETURN(const int64_t depth, c.MergeDim(input.dim(3), filter.dim(2)));
  Shape out = input;
  out.set_dim(3, depth);
  for (int i = 0; i < 2; ++i) {
    const Window window{
        .size = filter.dim(i), .stride = strides[i + 1], .dilation = rates[i + 1]};
    BERTH_ASSIGN_OR_RETURN(
        const int64_t size,
        WindowPositions(c, input.dim(i + 1), window, c.attrs().GetString("padding")));
    out.set_dim(i + 1, size);
  }
  c.set_output(0, std::move(out));
  return OkStatus();
}

}  // namespace berth
