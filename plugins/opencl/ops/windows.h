// Sliding windows: the geometry that convolutions and pooling share.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "plugins/opencl/ops/op_kernel.h"

namespace berth::opencl {

// One spatial dimension of a window. Sizes in elements; `pad` is what lies before.
struct WindowAxis {
  int64_t input = 0;
  int64_t window = 1;
  int64_t stride = 1;
  int64_t dilation = 1;
  int64_t output = 0;
  int64_t pad = 0;

  // Extent of the window with its holes.
  int64_t reach() const { return (window - 1) * dilation + 1; }
};

enum class PaddingKind { kSame, kValid, kExplicit };

// The attributes of a windowed op in NHWC. Immutable.
struct WindowAttrs {
  PaddingKind padding = PaddingKind::kValid;
  std::array<int64_t, 2> stride = {1, 1};
  std::array<int64_t, 2> dilation = {1, 1};
  std::array<int64_t, 2> window = {1, 1};     // pooling: from ksize
  std::array<int64_t, 4> explicit_pads = {};  // top, bottom, left, right

  static WindowAttrs Read(const NodeView& node);
  // Output size and padding for an input; INVALID_ARGUMENT where the window is larger
  // than a VALID input or a given output size does not fit.
  Result<WindowAxis> Axis(int which, int64_t input, int64_t window) const;
};

// "" or why the attributes are not run here, naming attribute and value: layouts other
// than NHWC, windows over batch or depth, steps and sizes below 1.
std::string SupportsWindows(const NodeView& node);

}  // namespace berth::opencl
