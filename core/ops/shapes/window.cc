#include "core/ops/shapes/window.h"

#include <algorithm>
#include <string>

#include "core/ops/op_schema.h"
#include "core/ops/shapes/common.h"

namespace berth {

ImageLayout ReadLayout(const InferenceContext& c, int num_space) {
  ImageLayout layout{.rank = num_space + 2,
                     .channel = num_space + 1,
                     .first_space = 1,
                     .num_space = num_space};
  const std::string_view format = c.attrs().GetString("data_format");
  if (format.starts_with("NC")) {
    layout.channel = 1;
    layout.first_space = 2;
  }
  if (format == "NCHW_VECT_C") layout.rank += 1;
  return layout;
}

Result<int64_t> WindowPositions(const InferenceContext& c, int64_t input,
                                const Window& window, std::string_view padding) {
  if (input == Shape::kUnknown || window.size == Shape::kUnknown) return Shape::kUnknown;
  if (padding == "SAME") {
    return input / window.stride + (input % window.stride != 0 ? 1 : 0);
  }
  if (window.size == 0) return c.Error("A window must have at least one element");
  BERTH_ASSIGN_OR_RETURN(int64_t reach,
                         MultiplyDims(c, window.size - 1, window.dilation));
  BERTH_ASSIGN_OR_RETURN(reach, AddDims(c, reach, 1));
  if (padding == "EXPLICIT") {
    BERTH_ASSIGN_OR_RETURN(input, AddDims(c, input, window.pad_before));
    BERTH_ASSIGN_OR_RETURN(input, AddDims(c, input, window.pad_after));
  }
  // A running kernel gives an empty output for a window that is a little too large.
  BERTH_ASSIGN_OR_RETURN(const int64_t room, AddDims(c, input, window.stride));
  if (room < reach || (input < reach && !c.at_run_time())) {
    return SubtractDims(c, input, reach);
  }
  return (room - reach) / window.stride;
}

Result<std::vector<int64_t>> ReadWindowAttr(const InferenceContext& c,
                                            std::string_view name, int count) {
  const std::vector<int64_t>& values = c.attrs().GetInts(name);
  if (static_cast<int>(values.size()) != count) {
    return c.Error(c.schema().name + " requires the " + std::string(name) +
                   " attribute to contain " + std::to_string(count) +
                   " values, but got: " + std::to_string(values.size()));
  }
  for (const int64_t value : values) {
    if (value <= 0) {
      return c.Error("The attribute " + std::string(name) + " must be > 0, but got " +
                     std::to_string(value));
    }
  }
  return values;
}

Result<std::vector<int64_t>> ReadExplicitPaddings(const InferenceContext& c,
                                                  const ImageLayout& layout) {
  const std::vector<int64_t>& pads = c.attrs().GetInts("explicit_paddings");
  if (c.attrs().GetString("padding") != "EXPLICIT") {
    if (!pads.empty()) {
      return c.Error("explicit_paddings must be empty when padding is " +
                     std::string(c.attrs().GetString("padding")));
    }
    return std::vector<int64_t>();
  }
  if (static_cast<int>(pads.size()) != 2 * layout.rank) {
    return c.Error("explicit_paddings must have " + std::to_string(2 * layout.rank) +
                   " entries, but got: " + std::to_string(pads.size()));
  }
  for (int axis = 0; axis < layout.rank; ++axis) {
    const int64_t before = pads[2 * axis];
    const int64_t after = pads[2 * axis + 1];
    if (before < 0 || after < 0) {
      return c.Error("explicit_paddings must be non-negative, but those of axis " +
                     std::to_string(axis) + " are " + std::to_string(before) + " and " +
                     std::to_string(after));
    }
    if ((axis == 0 || axis == layout.channel) && (before != 0 || after != 0)) {
      return c.Error("explicit_paddings must be 0 in the batch and depth dimensions");
    }
  }
  return pads;
}

}  // namespace berth
