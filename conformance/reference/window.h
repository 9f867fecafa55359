// The geometry of windows that slide over images: what convolutions and pooling share.
#pragma once

#include <vector>

#include "conformance/reference/op_call.h"
#include "core/base/status.h"

namespace berth::conformance {

// One spatial axis.
struct WindowAxis {
  int64_t input = 0;
  int64_t window = 1;  // taps
  int64_t stride = 1;
  int64_t dilation = 1;
  int64_t pad_before = 0;
  int64_t output = 0;

  // The input position of a tap; outside [0, input) it lies in the padding.
  int64_t At(int64_t position, int64_t tap) const {
    return position * stride + tap * dilation - pad_before;
  }
  bool Inside(int64_t at) const { return at >= 0 && at < input; }
};

// Which axes of a rank-4 tensor are what.
struct ImageLayout {
  size_t channels = 3;
  size_t height = 1;
  size_t width = 2;

  // The element of an image in a tensor of `dims`.
  int64_t Element(const std::vector<int64_t>& dims, int64_t batch, int64_t row,
                  int64_t column, int64_t channel) const;
};

// By the attribute data_format, NHWC or NCHW.
ImageLayout LayoutOf(const OpCall& call);

// Axes for height and width out of the attributes strides, dilations, padding and
// explicit_paddings. INVALID_ARGUMENT for what no image fits.
Result<std::vector<WindowAxis>> WindowAxes(const OpCall& call,
                                           const std::vector<int64_t>& image_dims,
                                           int64_t window_height, int64_t window_width);

}  // namespace berth::conformance
