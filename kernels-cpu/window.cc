#include "kernels-cpu/window.h"

namespace berth::cpu {

WindowAttrs::WindowAttrs(const NodeView& node)
    : channels_first_(node.String("data_format", "NHWC") == "NCHW"),
      padding_(Padding::kExplicit),
      strides_(node.Ints("strides")),
      dilations_(node.Ints("dilations")),
      explicit_paddings_(node.Ints("explicit_paddings")),
      kernel_sizes_(node.Ints("ksize")) {
  const std::string_view padding = node.String("padding");
  if (padding == "SAME") padding_ = Padding::kSame;
  if (padding == "VALID") padding_ = Padding::kValid;
  strides_.resize(4, 1);
  dilations_.resize(4, 1);
  explicit_paddings_.resize(8, 0);
  kernel_sizes_.resize(4, 1);
}

int64_t WindowAttrs::kernel_size(int axis) const {
  return kernel_sizes_[static_cast<size_t>(axis)];
}

WindowAxis WindowAttrs::Axis(int axis, int64_t in, int64_t kernel) const {
  const size_t at = static_cast<size_t>(axis);
  WindowAxis w;
  w.in = in;
  w.kernel = kernel;
  w.stride = strides_[at];
  w.dilation = dilations_[at];
  switch (padding_) {
    case Padding::kSame: {
      w.out = (in + w.stride - 1) / w.stride;
      // What is missing goes to the end first.
      const int64_t total =
          std::max<int64_t>(0, (w.out - 1) * w.stride + w.extent() - in);
      w.pad_before = total / 2;
      w.pad_after = total - w.pad_before;
      return w;
    }
    case Padding::kExplicit:
      w.pad_before = explicit_paddings_[2 * at];
      w.pad_after = explicit_paddings_[2 * at + 1];
      break;
    case Padding::kValid:
      break;
  }
  const int64_t room = in + w.pad_before + w.pad_after - w.extent();
  w.out = room < 0 ? 0 : room / w.stride + 1;
  return w;
}

Status MakeConvGeometry(const WindowAttrs& attrs, const int64_t* input,
                        const int64_t* filter, ConvGeometry* out) {
  out->batch = input[0];
  out->channels_first = attrs.channels_first();
  out->in_channels = input[attrs.channel_axis()];
  out->out_channels = filter[3];
  const int64_t filter_in = filter[2];
  if (filter_in == 0 || out->in_channels % filter_in != 0) {
    return InvalidArgument("input depth must be evenly divisible by filter depth: " +
                           std::to_string(out->in_channels) + " vs " +
                           std::to_string(filter_in));
  }
  out->groups = std::max<int64_t>(1, out->in_channels / filter_in);
  if (out->out_channels % out->groups != 0) {
    return InvalidArgument("the number of filters, " + std::to_string(out->out_channels) +
                           ", must be a multiple of the number of groups, " +
                           std::to_string(out->groups));
  }
  out->height = attrs.Axis(attrs.height_axis(), input[attrs.height_axis()], filter[0]);
  out->width = attrs.Axis(attrs.width_axis(), input[attrs.width_axis()], filter[1]);
  return {};
}

std::string SpatialOnly(const NodeView& node) {
  const int channels = node.String("data_format", "NHWC") == "NCHW" ? 1 : 3;
  for (const char* name : {"strides", "dilations", "ksize"}) {
    const std::vector<int64_t> values = node.Ints(name);
    if (values.size() != 4) continue;
    for (const int axis : {0, channels}) {
      if (values[static_cast<size_t>(axis)] == 1) continue;
      return std::string(name) + " of " +
             std::to_string(values[static_cast<size_t>(axis)]) + " along the " +
             (axis == 0 ? "batch" : "channels") +
             ": this kernel's windows cover height and width only";
    }
  }
  return {};
}

}  // namespace berth::cpu
