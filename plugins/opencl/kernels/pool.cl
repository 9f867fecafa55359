// Pooling in NHWC and its gradients; one work-item V neighbouring channels of a position,
// so that the gradients need no atomics and sum in a fixed order. T is float or double, I
// an integer of its size.

#if V == 1
#define VEC T
#define INDEX I
#define LOAD(p, at) (p)[at]
#define STORE(value, p, at) (p)[at] = (value)
#else
#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define VEC JOIN(T, V)
#define INDEX JOIN(I, V)
#define LOAD(p, at) JOIN(vload, V)(0, (p) + (at))
#define STORE(value, p, at) JOIN(vstore, V)(value, 0, (p) + (at))
#endif

typedef struct {
  FastDiv depth;  // in steps of V channels
  FastDiv width;  // of the positions that work-items stand for
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

// Splits a work-item's number into batch, y, x and its first channel.
#define COORDINATES(i)                                         \
  const uint row_ = fast_divide(i, p.depth);                   \
  const int channel = (int)(i - row_ * p.depth.divisor) * V;   \
  const uint line_ = fast_divide(row_, p.width);               \
  const int x = (int)(row_ - line_ * p.width.divisor);         \
  const int batch = (int)fast_divide(line_, p.height);         \
  const int y = (int)(line_ - (uint)batch * p.height.divisor); \
  const int channels = (int)p.depth.divisor * V;

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

#define INPUT_AT(iy, ix) element(batch, iy, ix, channel, p.in_height, p.in_width, channels)
#define OUTPUT_AT(oy, ox) \
  element(batch, oy, ox, channel, p.out_height, p.out_width, channels)

inline ulong element(int batch, int y, int x, int channel, int height, int width,
                     int channels) {
  return (((ulong)batch * height + y) * width + x) * channels + channel;
}

// Where in the input, as y * width + x, the first of a window's largest elements lies.
inline INDEX argmax(__global const T* in, const Pool p, int batch, int channel,
                    int channels, int oy, int ox) {
  WINDOW(oy, ox)
  VEC most = (VEC)(-INFINITY);
  INDEX at = (INDEX)((I)(top * p.in_width + left));
  for (int iy = top; iy < bottom; ++iy) {
    for (int ix = left; ix < right; ++ix) {
      const VEC v = LOAD(in, INPUT_AT(iy, ix));
      const INDEX better = (v > most) | ((v != v) & (most == most));
      most = better ? v : most;
      at = better ? (INDEX)((I)(iy * p.in_width + ix)) : at;
    }
  }
  return at;
}

__kernel void MaxPool(INPUT(T, in), OUTPUT(T, out), const uint n, const Pool p) {
  const uint i = get_global_id(0);
  if (i < n) {
    COORDINATES(i)
    WINDOW(y, x)
    VEC most = (VEC)(-INFINITY);
    for (int iy = top; iy < bottom; ++iy) {
      for (int ix = left; ix < right; ++ix) {
        const VEC v = LOAD(in + in_at, INPUT_AT(iy, ix));
        // NaN stays, wherever it stands.
        most = ((v > most) | (v != v)) ? v : most;
      }
    }
    STORE(most, out + out_at, (ulong)i * V);
  }
}

// A work-item for each position of the input.
__kernel void MaxPoolGrad(INPUT(T, in), INPUT(T, gradient), OUTPUT(T, out), const uint n,
                          const Pool p) {
  const uint i = get_global_id(0);
  if (i < n) {
    COORDINATES(i)
    COVERING(first_y, last_y, y, p.pad_y, p.window_y, p.stride_y, p.out_height)
    COVERING(first_x, last_x, x, p.pad_x, p.window_x, p.stride_x, p.out_width)
    const INDEX here = (INDEX)((I)(y * p.in_width + x));
    VEC sum = (VEC)(0);
    for (int oy = first_y; oy <= last_y; ++oy) {
      for (int ox = first_x; ox <= last_x; ++ox) {
        const INDEX at = argmax(in + in_at, p, batch, channel, channels, oy, ox);
        const VEC g = LOAD(gradient + gradient_at, OUTPUT_AT(oy, ox));
        sum += (at == here) ? g : (VEC)(0);
      }
    }
    STORE(sum, out + out_at, (ulong)i * V);
  }
}

// The same for windows that do not overlap: a work-item for each window, which writes its
// cell of the input, up to where the next one's begins.
#define CELL(first, last, at, pad, stride, outputs, inputs)                    \
  const int first = (at) == 0 ? 0 : min((at) * (stride) - (pad), (inputs));    \
  const int last =                                                             \
      (at) == (outputs)-1 ? (inputs) : min(((at) + 1) * (stride) - (pad), (inputs));

__kernel void MaxPoolGradCells(INPUT(T, in), INPUT(T, gradient), OUTPUT(T, out),
                               const uint n, const Pool p) {
  const uint i = get_global_id(0);
  if (i < n) {
    COORDINATES(i)
    CELL(first_y, last_y, y, p.pad_y, p.stride_y, p.out_height, p.in_height)
    CELL(first_x, last_x, x, p.pad_x, p.stride_x, p.out_width, p.in_width)
    const INDEX at = argmax(in + in_at, p, batch, channel, channels, y, x);
    const VEC g = LOAD(gradient + gradient_at, (ulong)i * V);
    for (int iy = first_y; iy < last_y; ++iy) {
      for (int ix = first_x; ix < last_x; ++ix) {
        const INDEX here = (INDEX)((I)(iy * p.in_width + ix));
        STORE((at == here) ? g : (VEC)(0), out + out_at, INPUT_AT(iy, ix));
      }
    }
  }
}

// The mean of the cells that lie on the input.
__kernel void AvgPool(INPUT(T, in), OUTPUT(T, out), const uint n, const Pool p) {
  const uint i = get_global_id(0);
  if (i < n) {
    COORDINATES(i)
    WINDOW(y, x)
    VEC sum = (VEC)(0);
    for (int iy = top; iy < bottom; ++iy) {
      for (int ix = left; ix < right; ++ix) sum += LOAD(in + in_at, INPUT_AT(iy, ix));
    }
    STORE(sum / (T)((bottom - top) * (right - left)), out + out_at, (ulong)i * V);
  }
}

__kernel void AvgPoolGrad(INPUT(T, gradient), OUTPUT(T, out), const uint n,
                          const Pool p) {
  const uint i = get_global_id(0);
  if (i < n) {
    COORDINATES(i)
    COVERING(first_y, last_y, y, p.pad_y, p.window_y, p.stride_y, p.out_height)
    COVERING(first_x, last_x, x, p.pad_x, p.window_x, p.stride_x, p.out_width)
    VEC sum = (VEC)(0);
    for (int oy = first_y; oy <= last_y; ++oy) {
      for (int ox = first_x; ox <= last_x; ++ox) {
        WINDOW(oy, ox)
        sum += LOAD(gradient + gradient_at, OUTPUT_AT(oy, ox)) /
               (T)((bottom - top) * (right - left));
      }
    }
    STORE(sum, out + out_at, (ulong)i * V);
  }
}
