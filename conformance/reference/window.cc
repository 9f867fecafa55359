#include "conformance/reference/window.h"

#include <algorithm>

namespace berth::conformance {
namespace {

// Fills in padding and output size. TensorFlow's rule: SAME gives ceil(input / stride)
// and puts the odd element of padding at the end; VALID has none.
Status Resolve(const std::string& padding, int64_t before, int64_t after,
               WindowAxis* axis) {
  if (axis->stride < 1 || axis->dilation < 1 || axis->window < 1) {
    return InvalidArgument("strides, dilations and windows must be positive");
  }
  const int64_t reach = (axis->window - 1) * axis->dilation + 1;
  if (padding == "SAME") {
    axis->output = (axis->input + axis->stride - 1) / axis->stride;
    const int64_t total =
        std::max<int64_t>(0, (axis->output - 1) * axis->stride + reach - axis->input);
    axis->pad_before = total / 2;
    return OkStatus();
  }
  axis->pad_before = before;
  // A window that just does not fit leaves an empty result.
  const int64_t room = axis->input + before + after - reach + axis->stride;
  axis->output = room / axis->stride;
  if (axis->output < 0) {
    return InvalidArgument("a window that reaches " + std::to_string(reach) +
                           " does not fit into " +
                           std::to_string(axis->input + before + after));
  }
  return OkStatus();
}

}  // namespace

int64_t ImageLayout::Element(const std::vector<int64_t>& dims, int64_t batch, int64_t row,
                             int64_t column, int64_t channel) const {
  const int64_t h = dims[height];
  const int64_t w = dims[width];
  const int64_t c = dims[channels];
  return channels == 1 ? ((batch * c + channel) * h + row) * w + column
                       : ((batch * h + row) * w + column) * c + channel;
}

ImageLayout LayoutOf(const OpCall& call) {
  if (call.String("data_format", "NHWC") == "NCHW") return {1, 2, 3};
  return {3, 1, 2};
}

Result<std::vector<WindowAxis>> WindowAxes(const OpCall& call,
                                           const std::vector<int64_t>& image_dims,
                                           int64_t window_height, int64_t window_width) {
  const ImageLayout layout = LayoutOf(call);
  const std::vector<int64_t> strides = call.Ints("strides");
  std::vector<int64_t> dilations = call.Ints("dilations");
  if (dilations.empty()) dilations = {1, 1, 1, 1};
  const std::string padding = call.String("padding");
  std::vector<int64_t> pads = call.Ints("explicit_paddings");
  if (image_dims.size() != 4 || strides.size() != 4 || dilations.size() != 4) {
    return InvalidArgument("images, strides and dilations must have four entries");
  }
  if (strides[0] != 1 || strides[layout.channels] != 1 || dilations[0] != 1 ||
      dilations[layout.channels] != 1) {
    return InvalidArgument("no stride or dilation over batch or channels");
  }
  if (padding == "EXPLICIT" ? pads.size() != 8
                            : padding != "SAME" && padding != "VALID") {
    return InvalidArgument("padding must be SAME, VALID or EXPLICIT with eight numbers");
  }
  if (padding != "EXPLICIT") pads.assign(8, 0);
  std::vector<WindowAxis> axes;
  for (const auto& [axis, window] :
       {std::pair(layout.height, window_height), std::pair(layout.width, window_width)}) {
    axes.push_back({image_dims[axis], window, strides[axis], dilations[axis], 0, 0});
    BERTH_RETURN_IF_ERROR(
        Resolve(padding, pads[2 * axis], pads[2 * axis + 1], &axes.back()));
  }
  return axes;
}

}  // namespace berth::conformance
