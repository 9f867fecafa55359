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

// "strides=[1,2,2,1]".
std::string ListText(const char* attr, const std::vector<int64_t>& values) {
  std::string text = std::string(attr) + "=[";
  for (size_t i = 0; i < values.size(); ++i) {
    text += (i > 0 ? "," : "") + std::to_string(values[i]);
  }
  return text + "]";
}

// "" or what is wrong with a list [batch, height, width, depth] of steps or sizes.
std::string WhyNotSpatial(const NodeView& node, const char* attr) {
  const std::vector<int64_t> values = node.Ints(attr);
  if (values.empty()) return {};
  const bool spatial = values.size() == 4 && values[0] == 1 && values[3] == 1;
  if (spatial && values[1] > 0 && values[2] > 0) return {};
  return ListText(attr, values) +
         (spatial ? ": every entry must be at least 1"
                  : ": the entries for batch and depth must be 1 on OPENCL");
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
    const std::string why = WhyNotSpatial(node, attr);
    if (!why.empty()) return why;
  }
  const std::vector<int64_t> pads = node.Ints("explicit_paddings");
  if (pads.size() == 8 &&
      (pads[0] != 0 || pads[1] != 0 || pads[6] != 0 || pads[7] != 0)) {
    return ListText("explicit_paddings", pads) +
           ": the entries for batch and depth must be 0 on OPENCL";
  }
  if (std::any_of(pads.begin(), pads.end(), [](int64_t pad) { return pad < 0; })) {
    return ListText("explicit_paddings", pads) + ": no entry may be negative";
  }
  return node.abi().num_inputs > 0 && node.output(0).dtype == BERTH_DOUBLE
             ? SupportsDouble(node)
             : std::string();
}

}  // namespace berth::opencl
