#include "core/ops/shapes/image_shapes.h"

#include <string>

#include "core/ops/shapes/common.h"

namespace berth {
namespace {

constexpr int64_t kUnknown = Shape::kUnknown;

// The attribute "channels": 0 leaves it to the file.
Result<int64_t> ReadChannels(const InferenceContext& c) {
  const int64_t channels = c.attrs().GetInt("channels");
  if (channels < 0) {
    return c.Error("channels must be non-negative, got " + std::to_string(channels));
  }
  return channels == 0 ? kUnknown : channels;
}

struct Size {
  int64_t height = kUnknown;
  int64_t width = kUnknown;
};

// Input `i`, a vector [height, width].
Result<Size> ReadSize(const InferenceContext& c, int i) {
  BERTH_RETURN_IF_ERROR(c.WithRank(i, 1));
  BERTH_RETURN_IF_ERROR(c.WithDim(c.input_dim(i, 0), 2));
  const std::optional<Elements> elements = c.ElementsFromInput(i);
  if (!elements) return Size();
  Size size;
  for (int k = 0; k < 2; ++k) {
    const int64_t value = (*elements)[k];
    if (value == kUnknownElement) continue;
    if (value < 0) {
      return c.Error("An image's size cannot be negative, but is " +
                     std::to_string(value));
    }
    (k == 0 ? size.height : size.width) = value;
  }
  return size;
}

// Boxes [n, 4], indices [n]; gives n.
Result<int64_t> CheckBoxes(const InferenceContext& c, int boxes, int indices) {
  BERTH_RETURN_IF_ERROR(c.WithRank(boxes, 2));
  BERTH_RETURN_IF_ERROR(c.WithRank(indices, 1));
  BERTH_RETURN_IF_ERROR(c.WithDim(c.input_dim(boxes, 1), 4));
  return c.MergeDim(c.input_dim(boxes, 0), c.input_dim(indices, 0));
}

}  // namespace

Status DecodeImageFileShape(InferenceContext& c) {
  BERTH_RETURN_IF_ERROR(c.WithRank(0, 0));
  BERTH_ASSIGN_OR_RETURN(const int64_t channels, ReadChannels(c));
  c.set_output(0, Shape({kUnknown, kUnknown, channels}));
  return OkStatus();
}

Status DecodeAndCropJpegShape(InferenceContext& c) {
  BERTH_RETURN_IF_ERROR(DecodeImageFileShape(c));
  BERTH_RETURN_IF_ERROR(c.WithRank(1, 1));
  BERTH_RETURN_IF_ERROR(c.WithDim(c.input_dim(1, 0), 4));
  Shape out = c.output(0);
  if (const std::optional<Elements> window = c.ElementsFromInput(1)) {
    // y, x, height, width.
    for (int i = 0; i < 2; ++i) {
      const int64_t size = (*window)[2 + i];
      if (size >= 0) out.set_dim(i, size);
    }
  }
  c.set_output(0, std::move(out));
  return OkStatus();
}

Status DecodeImageShape(InferenceContext& c) {
  // An animation has a fourth axis.
  if (!c.attrs().GetBool("expand_animations", true)) return DecodeImageFileShape(c);
  BERTH_RETURN_IF_ERROR(c.WithRank(0, 0));
  return ReadChannels(c).status();
}

Status EncodeJpegShape(InferenceContext& c) {
  BERTH_RETURN_IF_ERROR(c.WithRank(0, 3));
  return ScalarShape(c);
}

Status EncodePngShape(InferenceContext& c) {
  BERTH_RETURN_IF_ERROR(c.WithRankAtLeast(0, 3));
  const Shape& in = c.input(0);
  if (in.has_rank()) c.set_output(0, SubShape(in, 0, in.rank() - 3));
  return OkStatus();
}

Status ExtractJpegShapeShape(InferenceContext& c) {
  BERTH_RETURN_IF_ERROR(c.WithRank(0, 0));
  c.set_output(0, Shape({3}));
  return OkStatus();
}

Status ExtractGlimpseShape(InferenceContext& c) {
  BERTH_RETURN_IF_ERROR(c.WithRank(0, 4));
  BERTH_RETURN_IF_ERROR(c.WithRank(2, 2));
  BERTH_RETURN_IF_ERROR(c.WithDim(c.input_dim(2, 1), 2));
  BERTH_ASSIGN_OR_RETURN(const int64_t batch,
                         c.MergeDim(c.input_dim(0, 0), c.input_dim(2, 0)));
  BERTH_ASSIGN_OR_RETURN(const Size size, ReadSize(c, 1));
  c.set_output(0, Shape({batch, size.height, size.width, c.input_dim(0, 3)}));
  return OkStatus();
}

Status ResizeShape(InferenceContext& c) {
  BERTH_RETURN_IF_ERROR(c.WithRank(0, 4));
  BERTH_ASSIGN_OR_RETURN(const Size size, ReadSize(c, 1));
  c.set_output(0, Shape({c.input_dim(0, 0), size.height, size.width, c.input_dim(0, 3)}));
  return OkStatus();
}

Status ResizeGradShape(InferenceContext& c) {
  BERTH_RETURN_IF_ERROR(c.WithRank(0, 4));
  BERTH_RETURN_IF_ERROR(c.WithRank(1, 4));
  BERTH_ASSIGN_OR_RETURN(const int64_t batch,
                         c.MergeDim(c.input_dim(0, 0), c.input_dim(1, 0)));
  BERTH_ASSIGN_OR_RETURN(const int64_t depth,
                         c.MergeDim(c.input_dim(0, 3), c.input_dim(1, 3)));
  c.set_output(0, Shape({batch, c.input_dim(1, 1), c.input_dim(1, 2), depth}));
  return OkStatus();
}

Status CropAndResizeShape(InferenceContext& c) {
  BERTH_RETURN_IF_ERROR(c.WithRank(0, 4));
  BERTH_ASSIGN_OR_RETURN(const int64_t count, CheckBoxes(c, 1, 2));
  BERTH_ASSIGN_OR_RETURN(const Size size, ReadSize(c, 3));
  c.set_output(0, Shape({count, size.height, size.width, c.input_dim(0, 3)}));
  return OkStatus();
}

Status CropAndResizeGradImageShape(InferenceContext& c) {
  BERTH_RETURN_IF_ERROR(c.WithRank(0, 4));
  BERTH_RETURN_IF_ERROR(CheckBoxes(c, 1, 2).status());
  BERTH_ASSIGN_OR_RETURN(Shape out, c.ShapeFromInput(3));
  BERTH_RETURN_IF_ERROR(CheckRank(c, out, 4));
  c.set_output(0, out.has_rank() ? std::move(out) : Shape::UnknownDims(4));
  return OkStatus();
}

Status CropAndResizeGradBoxesShape(InferenceContext& c) {
  BERTH_RETURN_IF_ERROR(c.WithRank(0, 4));
  BERTH_RETURN_IF_ERROR(c.WithRank(1, 4));
  BERTH_ASSIGN_OR_RETURN(const int64_t count, CheckBoxes(c, 2, 3));
  c.set_output(0, Shape({count, 4}));
  return OkStatus();
}

Status AdjustShape(InferenceContext& c) {
  BERTH_RETURN_IF_ERROR(c.WithRankAtLeast(0, 3));
  BERTH_RETURN_IF_ERROR(c.WithRank(1, 0));
  c.set_output(0, c.input(0));
  return OkStatus();
}

Status AdjustContrastShape(InferenceContext& c) {
  BERTH_RETURN_IF_ERROR(c.WithRankAtLeast(0, 3));
  for (int i = 1; i < c.num_inputs(); ++i) BERTH_RETURN_IF_ERROR(c.WithRank(i, 0));
  c.set_output(0, c.input(0));
  return OkStatus();
}

Status ColorspaceShape(InferenceContext& c) {
  BERTH_RETURN_IF_ERROR(c.WithRankAtLeast(0, 1));
  BERTH_RETURN_IF_ERROR(c.WithDim(c.input_dim(0, -1), 3));
  Shape out = c.input(0);
  if (out.has_rank()) out.set_dim(out.rank() - 1, 3);
  c.set_output(0, std::move(out));
  return OkStatus();
}

Status DrawBoundingBoxesShape(InferenceContext& c) {
  BERTH_RETURN_IF_ERROR(c.WithRank(0, 4));
  BERTH_RETURN_IF_ERROR(c.WithRank(1, 3));
  BERTH_RETURN_IF_ERROR(c.WithDim(c.input_dim(1, 2), 4));
  BERTH_RETURN_IF_ERROR(c.MergeDim(c.input_dim(0, 0), c.input_dim(1, 0)).status());
  if (c.num_inputs() > 2) BERTH_RETURN_IF_ERROR(c.WithRank(2, 2));
  return UnchangedRank4(c);
}

Status NonMaxSuppressionShape(InferenceContext& c) {
  BERTH_RETURN_IF_ERROR(CheckBoxes(c, 0, 1).status());
  for (int i = 2; i < c.num_inputs(); ++i) BERTH_RETURN_IF_ERROR(c.WithRank(i, 0));
  int64_t count = kUnknown;
  if (c.attrs().GetBool("pad_to_max_output_size")) {
    BERTH_ASSIGN_OR_RETURN(const std::optional<int64_t> size, c.IntFromInput(2));
    if (size && *size < 0) {
      return c.Error("max_output_size must be non-negative, got " +
                     std::to_string(*size));
    }
    count = size.value_or(kUnknown);
  }
  c.set_output(0, Shape({count}));
  if (c.num_outputs() > 1) c.set_output(1, Shape());
  return OkStatus();
}

}  // namespace berth
