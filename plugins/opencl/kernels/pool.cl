// Pooling in NHWC and its gradients; one work-item an element of the result, so that the
// gradients need no atomics and sum in a fixed order. T is float or double.

typedef struct {
  FastDiv depth;
  FastDiv width;  // of the result that is written
  FastDiv height;
  int in_height;
  int in_width;
  int out_height;
  int out_width;
  int window_y;
  int window_x;
  int stride_y;
  int stride_x;
  int pad_y;
  int pad_x;
} Pool;

// Splits an index of the result into batch, y, x and channel.
#define COORDINATES(i)                                         \
  const uint row_ = fast_divide(i, p.depth);                   \
  const int channel = (int)(i - row_ * p.depth.divisor);       \
  const uint line_ = fast_divide(row_, p.width);               \
  const int x = (int)(row_ - line_ * p.width.divisor);         \
  const int batch = (int)fast_divide(line_, p.height);         \
  const int y = (int)(line_ - (uint)batch * p.height.divisor); \
  const int channels = (int)p.depth.divisor;

// The part of a window that lies on the input.
#define WINDOW(oy, ox)                                                         \
  const int top = max((oy)*p.stride_y - p.pad_y, 0);                           \
  const int bottom = min((oy)*p.stride_y - p.pad_y + p.window_y, p.in_height); \
  const int left = max((ox)*p.stride_x - p.pad_x, 0);                          \
  const int right = min((ox)*p.stride_x - p.pad_x + p.window_x, p.in_width);

// Outputs whose window covers an input position.
#define COVERING(first, last, at, pad, window, stride, outputs)              \
  const int first = max(((at) + (pad) - (window) + (stride)) / (stride), 0); \
  const int last = min(((at) + (pad)) / (stride), (outputs)-1);

inline ulong element(int batch, int y, int x, int channel, int height, int width,
                     int channels) {
  return (((ulong)batch * height + y) * width + x) * channels + channel;
}

__kernel void MaxPool(INPUT(T, in), OUTPUT(T, out), const uint n, const Pool p) {
  const uint i = get_global_id(0);
  if (i < n) {
    COORDINATES(i)
    WINDOW(y, x)
    T most = -INFINITY;
    for (int iy = top; iy < bottom; ++iy) {
      for (int ix = left; ix < right; ++ix) {
        const T v = in[in_at + element(batch, iy, ix, channel, p.in_height, p.in_width,
                                       channels)];
        // NaN stays, wherever it stands.
        most = (v > most || v != v) ? v : most;
      }
    }
    out[out_at + i] = most;
  }
}

// The gradient goes to the first of the largest elements of a window.
__kernel void MaxPoolGrad(INPUT(T, in), INPUT(T, gradient), OUTPUT(T, out), const uint n,
                          const Pool p) {
  const uint i = get_global_id(0);
  if (i < n) {
    COORDINATES(i)
    COVERING(first_y, last_y, y, p.pad_y, p.window_y, p.stride_y, p.out_height)
    COVERING(first_x, last_x, x, p.pad_x, p.window_x, p.stride_x, p.out_width)
    T sum = 0;
    for (int oy = first_y; oy <= last_y; ++oy) {
      for (int ox = first_x; ox <= last_x; ++ox) {
        WINDOW(oy, ox)
        T most = -INFINITY;
        int at_y = top;
        int at_x = left;
        for (int iy = top; iy < bottom; ++iy) {
          for (int ix = left; ix < right; ++ix) {
            const T v = in[in_at + element(batch, iy, ix, channel, p.in_height,
                                           p.in_width, channels)];
            const bool better = v > most || (v != v && most == most);
            most = better ? v : most;
            at_y = better ? iy : at_y;
            at_x = better ? ix : at_x;
          }
        }
        if (at_y == y && at_x == x) {
          sum += gradient[gradient_at + element(batch, oy, ox, channel, p.out_height,
                                                p.out_width, channels)];
        }
      }
    }
    out[out_at + i] = sum;
  }
}

// The mean of the cells that lie on the input.
__kernel void AvgPool(INPUT(T, in), OUTPUT(T, out), const uint n, const Pool p) {
  const uint i = get_global_id(0);
  if (i < n) {
    COORDINATES(i)
    WINDOW(y, x)
    T sum = 0;
    for (int iy = top; iy < bottom; ++iy) {
      for (int ix = left; ix < right; ++ix) {
        sum += in[in_at +
                  element(batch, iy, ix, channel, p.in_height, p.in_width, channels)];
      }
    }
    out[out_at + i] = sum / (T)((bottom - top) * (right - left));
  }
}

__kernel void AvgPoolGrad(INPUT(T, gradient), OUTPUT(T, out), const uint n,
                          const Pool p) {
  const uint i = get_global_id(0);
  if (i < n) {
    COORDINATES(i)
    COVERING(first_y, last_y, y, p.pad_y, p.window_y, p.stride_y, p.out_height)
    COVERING(first_x, last_x, x, p.pad_x, p.window_x, p.stride_x, p.out_width)
    T sum = 0;
    for (int oy = first_y; oy <= last_y; ++oy) {
      for (int ox = first_x; ox <= last_x; ++ox) {
        WINDOW(oy, ox)
        sum += gradient[gradient_at + element(batch, oy, ox, channel, p.out_height,
                                              p.out_width, channels)] /
               (T)((bottom - top) * (right - left));
      }
    }
    out[out_at + i] = sum;
  }
}
