// The loops of pooling, vectorised over channels.
#pragma once

#include <algorithm>
#include <limits>

#include "kernels-cpu/window.h"

namespace berth::cpu {

struct PoolGeometry {
  int64_t batch = 0;
  int64_t channels = 0;
  WindowAxis height;
  WindowAxis width;

  int64_t in_image() const { return height.in * width.in * channels; }
  int64_t out_image() const { return height.out * width.out * channels; }
  // Whether no input cell lies in two windows.
  bool disjoint() const {
    return height.stride >= height.kernel && width.stride >= width.kernel;
  }
};

// The part of a window that lies inside the image: [begin, end) of an axis.
struct WindowRange {
  int64_t begin;
  int64_t end;
};
inline WindowRange RangeOf(const WindowAxis& axis, int64_t out) {
  const int64_t start = out * axis.stride - axis.pad_before;
  return {std::max<int64_t>(start, 0), std::min(start + axis.kernel, axis.in)};
}

// Row `row` of batch*height.out.
template <typename T>
void MaxPoolRow(const PoolGeometry& g, const T* input, T* output, int64_t row) {
  const int64_t c = g.channels;
  const T* image = input + row / g.height.out * g.in_image();
  T* y = output + row * g.width.out * c;
  const WindowRange h = RangeOf(g.height, row % g.height.out);
  const T lowest = std::numeric_limits<T>::has_infinity
                       ? -std::numeric_limits<T>::infinity()
                       : std::numeric_limits<T>::lowest();
  for (int64_t ow = 0; ow < g.width.out; ++ow, y += c) {
    const WindowRange w = RangeOf(g.width, ow);
    bool first = true;
    for (int64_t ih = h.begin; ih < h.end; ++ih) {
      for (int64_t iw = w.begin; iw < w.end; ++iw) {
        const T* x = image + (ih * g.width.in + iw) * c;
        if (first) {
          std::copy(x, x + c, y);
          first = false;
          continue;
        }
        for (int64_t i = 0; i < c; ++i) y[i] = x[i] > y[i] || x[i] != x[i] ? x[i] : y[i];
      }
    }
    if (first) std::fill(y, y + c, lowest);
  }
}

template <typename T>
void AvgPoolRow(const PoolGeometry& g, const T* input, T* output, int64_t row) {
  const int64_t c = g.channels;
  const T* image = input + row / g.height.out * g.in_image();
  T* y = output + row * g.width.out * c;
  const WindowRange h = RangeOf(g.height, row % g.height.out);
  for (int64_t ow = 0; ow < g.width.out; ++ow, y += c) {
    const WindowRange w = RangeOf(g.width, ow);
    std::fill(y, y + c, T{0});
    for (int64_t ih = h.begin; ih < h.end; ++ih) {
      for (int64_t iw = w.begin; iw < w.end; ++iw) {
        const T* x = image + (ih * g.width.in + iw) * c;
        for (int64_t i = 0; i < c; ++i) y[i] += x[i];
      }
    }
    const T cells = static_cast<T>((h.end - h.begin) * (w.end - w.begin));
    for (int64_t i = 0; i < c; ++i) y[i] /= cells;
  }
}

// Channels that are looked at together while the first maximum of a window is searched.
constexpr int64_t kPoolChannels = 64;

// One window of the maximum's gradient for channels [0, count): the first cell, in row
// order, that equals the maximum takes the gradient.
template <bool kAdd, typename T>
void MaxPoolGradWindow(const PoolGeometry& g, WindowRange h, WindowRange w, int64_t count,
                       const T* x, const T* y, const T* dy, T* dx) {
  // What is left to give away, by channel.
  T left[kPoolChannels];
  std::copy(dy, dy + count, left);
  for (int64_t ih = h.begin; ih < h.end; ++ih) {
    for (int64_t iw = w.begin; iw < w.end; ++iw) {
      const int64_t cell = (ih * g.width.in + iw) * g.channels;
      for (int64_t i = 0; i < count; ++i) {
        const T v = x[cell + i];
        const bool takes = v == y[i] || (v != v && y[i] != y[i]);
        const T share = takes ? left[i] : T{0};
        left[i] = takes ? T{0} : left[i];
        dx[cell + i] = kAdd ? dx[cell + i] + share : share;
      }
    }
  }
}

template <typename T>
void MaxPoolGradImage(const PoolGeometry& g, const T* x, const T* y, const T* dy, T* dx) {
  // Disjoint windows that cover the image write every cell once.
  const auto covers = [](const WindowAxis& a) {
    return a.stride == a.kernel && a.pad_before == 0 && a.out * a.stride >= a.in;
  };
  const bool store = covers(g.height) && covers(g.width);
  if (!store) std::fill(dx, dx + g.in_image(), T{0});
  for (int64_t oh = 0; oh < g.height.out; ++oh) {
    const WindowRange h = RangeOf(g.height, oh);
    for (int64_t ow = 0; ow < g.width.out; ++ow) {
      const WindowRange w = RangeOf(g.width, ow);
      const int64_t at = (oh * g.width.out + ow) * g.channels;
      for (int64_t c = 0; c < g.channels; c += kPoolChannels) {
        const int64_t count = std::min(kPoolChannels, g.channels - c);
        if (store) {
          MaxPoolGradWindow<false>(g, h, w, count, x + c, y + at + c, dy + at + c,
                                   dx + c);
        } else {
          MaxPoolGradWindow<true>(g, h, w, count, x + c, y + at + c, dy + at + c, dx + c);
        }
      }
    }
  }
}

template <typename T>
void AvgPoolGradImage(const PoolGeometry& g, const T* dy, T* dx) {
  const int64_t c = g.channels;
  std::fill(dx, dx + g.in_image(), T{0});
  for (int64_t oh = 0; oh < g.height.out; ++oh) {
    const WindowRange h = RangeOf(g.height, oh);
    for (int64_t ow = 0; ow < g.width.out; ++ow, dy += c) {
      const WindowRange w = RangeOf(g.width, ow);
      const T cells = static_cast<T>((h.end - h.begin) * (w.end - w.begin));
      for (int64_t ih = h.begin; ih < h.end; ++ih) {
        for (int64_t iw = w.begin; iw < w.end; ++iw) {
          T* to = dx + (ih * g.width.in + iw) * c;
          for (int64_t i = 0; i < c; ++i) to[i] += dy[i] / cells;
        }
      }
    }
  }
}

}  // namespace berth::cpu
