// The geometry of convolutions and pooling: windows that slide over height and width.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "kernels-cpu/common.h"

namespace berth::cpu {

// One spatial axis.
struct WindowAxis {
  int64_t in = 0;
  int64_t out = 0;
  int64_t kernel = 1;
  int64_t stride = 1;
  int64_t dilation = 1;
  int64_t pad_before = 0;
  int64_t pad_after = 0;

  // Extent of the window with its gaps.
  int64_t extent() const { return (kernel - 1) * dilation + 1; }
};

// Strides, dilations and padding of a node with a 4-D NHWC or NCHW input.
class WindowAttrs {
 public:
  explicit WindowAttrs(const NodeView& node);

  bool channels_first() const { return channels_first_; }
  int height_axis() const { return channels_first_ ? 2 : 1; }
  int width_axis() const { return channels_first_ ? 3 : 2; }
  int channel_axis() const { return channels_first_ ? 1 : 3; }

  // The geometry of axis `axis` (height_axis or width_axis) for an input of size `in`
  // and a kernel of size `kernel`.
  WindowAxis Axis(int axis, int64_t in, int64_t kernel) const;

  // Pooling: the window's size along an axis.
  int64_t kernel_size(int axis) const;

 private:
  enum class Padding { kSame, kValid, kExplicit };

  bool channels_first_;
  Padding padding_;
  std::vector<int64_t> strides_;
  std::vector<int64_t> dilations_;
  std::vector<int64_t> explicit_paddings_;
  std::vector<int64_t> kernel_sizes_;
};

// Everything a 2-D convolution and its gradients need to know. Filters are [height,
// width, in channels of a group, out channels].
struct ConvGeometry {
  int64_t batch = 0;
  int64_t in_channels = 0;
  int64_t out_channels = 0;
  int64_t groups = 1;
  WindowAxis height;
  WindowAxis width;
  bool channels_first = false;

  int64_t group_in() const { return in_channels / groups; }
  int64_t group_out() const { return out_channels / groups; }
  int64_t in_image() const { return height.in * width.in * in_channels; }
  int64_t out_image() const { return height.out * width.out * out_channels; }
  int64_t filter_size() const {
    return height.kernel * width.kernel * group_in() * out_channels;
  }
  // Multiplications of one image.
  int64_t image_work() const { return height.out * width.out * filter_size(); }
  bool empty() const {
    return batch * in_image() == 0 || out_image() <= 0 || filter_size() == 0;
  }
};

// `input` and `filter` are dims of rank 4. Fails with INVALID_ARGUMENT when they do not
// fit together.
Status MakeConvGeometry(const WindowAttrs& attrs, const int64_t* input,
                        const int64_t* filter, ConvGeometry* out);

// "" when the node's strides and dilations stay within height and width; otherwise the
// reason for a supports() that declines. `dilations` may be absent.
std::string SpatialOnly(const NodeView& node);

}  // namespace berth::cpu
