#include "plugins/opencl/ops/windows.h"

#include <algorithm>

namespace berth::opencl {
namespace {

// Entries 1 and 2 of a list of four, or the fallback.
std::array<int64_t, 2> Spatial(const NodeView& node, const char* attr) {
  const std::vector<int64_t> values = node.Ints(attr);
  if (values.size() != 4) return {1, 1};
  return {values[1], values[2]};
}

// True for an absent list and for one of four whose outer entries are 1.
bool IsSpatialOnly(const berth_attr* attr) {
  if (attr == nullptr || attr->kind != BERTH_ATTR_LIST_INT || attr->count == 0) {
    return true;
  }
  return attr->count == 4 && attr->ints[0] == 1 && attr->ints[3] == 1;
}

}  // namespace

WindowAttrs WindowAttrs::Read(const NodeView& node) {
  WindowAttrs attrs;
  const std::string_view padding = node.String("padding");
  if (padding == "SAME") attrs.padding = PaddingKind::kSame;
  if (padding == "EXPLICIT") attrs.padding = PaddingKind::kExplicit;
  attrs.stride = Spatial(node, "strides");
  attrs.dilation = Spatial(node, "dilations");
  attrs.window = Spatial(node, "ksize");
  const std::vector<int64_t> pads = node.Ints("explicit_paddings");
  if (pads.size() == 8) attrs.explicit_pads = {pads[2], pads[3], pads[4], pads[5]};
  return attrs;
}

Result<WindowAxis> WindowAttrs::Axis(int which, int64_t input, int64_t size) const {
  WindowAxis axis;
  axis.input = input;
  axis.window = size;
  axis.stride = stride[which];
  axis.dilation = dilation[which];
  int64_t padded = input;
  if (padding == PaddingKind::kSame) {
    axis.output = (input + axis.stride - 1) / axis.stride;
    const int64_t total =
        std::max<int64_t>((axis.output - 1) * axis.stride + axis.reach() - input, 0);
    axis.pad = total / 2;
    return axis;
  }
  if (padding == PaddingKind::kExplicit) {
    axis.pad = explicit_pads[2 * static_cast<size_t>(which)];
    padded += axis.pad + explicit_pads[2 * static_cast<size_t>(which) + 1];
  }
  axis.output = (padded - axis.reach() + axis.stride) / axis.stride;
  if (padded - axis.reach() + axis.stride < 0) axis.output = -1;
  if (axis.output < 0) {
    return sdk::InvalidArgument("a window of " + std::to_string(axis.reach()) +
                                " is larger than the padded input of " +
                                std::to_string(padded));
  }
  return axis;
}

std::string SupportsWindows(const NodeView& node) {
  const std::string_view format = node.String("data_format", "NHWC");
  if (format != "NHWC") {
    return "data_format=" + std::string(format) + ": only NHWC runs on OPENCL";
  }
  for (const char* attr : {"strides", "ksize", "dilations"}) {
    if (!IsSpatialOnly(node.Find(attr))) {
      return std::string(attr) + ": batch and depth must be 1 on OPENCL";
    }
  }
  const std::vector<int64_t> pads = node.Ints("explicit_paddings");
  if (pads.size() == 8 &&
      (pads[0] != 0 || pads[1] != 0 || pads[6] != 0 || pads[7] != 0)) {
    return "explicit_paddings: batch and depth must be 0 on OPENCL";
  }
  return node.abi().num_inputs > 0 && node.output(0).dtype == BERTH_DOUBLE
             ? SupportsDouble(node)
             : std::string();
}

}  // namespace berth::opencl
