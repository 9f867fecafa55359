// Windows that slide over space: convolution, pooling, dilation.
#pragma once

#include <string_view>
#include <vector>

#include "core/ops/inference_context.h"

namespace berth {

// Where the axes of an image batch lie.
struct ImageLayout {
  int rank = 4;
  int channel = 3;
  int first_space = 1;  // the axes of space are first_space …
  int num_space = 2;
};
// Of the attribute "data_format": NHWC, NCHW, NDHWC, NCDHW.
ImageLayout ReadLayout(const InferenceContext& c, int num_space);

// One axis of a window.
struct Window {
  int64_t size = 1;
  int64_t stride = 1;
  int64_t dilation = 1;
  int64_t pad_before = 0;  // for EXPLICIT
  int64_t pad_after = 0;
};
// How many positions a window has on an axis of `input` elements; -1 when not known.
// `padding` is SAME, VALID or EXPLICIT.
Result<int64_t> WindowPositions(const InferenceContext& c, int64_t input,
                                const Window& window, std::string_view padding);

// The int list attribute `name`, which must have `count` entries above zero.
Result<std::vector<int64_t>> ReadWindowAttr(const InferenceContext& c,
                                            std::string_view name, int count);
// The attribute "explicit_paddings", before and after for each axis: empty unless the
// attribute "padding" is EXPLICIT; checked against the layout.
Result<std::vector<int64_t>> ReadExplicitPaddings(const InferenceContext& c,
                                                  const ImageLayout& layout);

}  // namespace berth
