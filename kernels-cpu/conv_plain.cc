#include "kernels-cpu/conv_plain.h"

#include <cstring>

#include "kernels-cpu/arithmetic.h"

namespace berth::cpu {
namespace {

// Calls body(in_row, out_row) for each output position of `axis` that kernel position `k`
// reads inside the input.
template <typename Body>
void ForEachRow(const WindowAxis& axis, int64_t k, const Body& body) {
  for (int64_t out = 0; out < axis.out; ++out) {
    const int64_t in = out * axis.stride - axis.pad_before + k * axis.dilation;
    if (in >= 0 && in < axis.in) body(in, out);
  }
}

// Calls body(input offset, filter offset, output offset, group) for all combinations that
// contribute within one image and one filter position: offsets of channel vectors.
template <typename Body>
void ForEachPoint(const ConvGeometry& g, int64_t kh, int64_t kw, const Body& body) {
  const int64_t filter = (kh * g.width.kernel + kw) * g.group_in() * g.out_channels;
  ForEachRow(g.height, kh, [&](int64_t ih, int64_t oh) {
    ForEachRow(g.width, kw, [&](int64_t iw, int64_t ow) {
      for (int64_t group = 0; group < g.groups; ++group) {
        body((ih * g.width.in + iw) * g.in_channels + group * g.group_in(),
             filter + group * g.group_out(),
             (oh * g.width.out + ow) * g.out_channels + group * g.group_out());
      }
    });
  });
}

template <typename T>
void Forward(const ConvGeometry& g, const T* input, const T* filter, T* output,
             int64_t begin, int64_t end) {
  std::fill(output + begin * g.out_image(), output + end * g.out_image(), T{0});
  for (int64_t n = begin; n < end; ++n) {
    const T* image = input + n * g.in_image();
    T* result = output + n * g.out_image();
    for (int64_t k = 0; k < g.height.kernel * g.width.kernel; ++k) {
      ForEachPoint(g, k / g.width.kernel, k % g.width.kernel,
                   [&](int64_t in, int64_t weights, int64_t out) {
                     for (int64_t i = 0; i < g.group_in(); ++i) {
                       const T x = image[in + i];
                       const T* w = filter + weights + i * g.out_channels;
                       T* to = result + out;
                       for (int64_t o = 0; o < g.group_out(); ++o) {
                         to[o] = WrapAdd(to[o], WrapMul(x, w[o]));
                       }
                     }
                   });
    }
  }
}

template <typename T>
void InputGrad(const ConvGeometry& g, const T* filter, const T* out_grad, T* in_grad,
               int64_t begin, int64_t end) {
  std::fill(in_grad + begin * g.in_image(), in_grad + end * g.in_image(), T{0});
  for (int64_t n = begin; n < end; ++n) {
    const T* from = out_grad + n * g.out_image();
    T* image = in_grad + n * g.in_image();
    for (int64_t k = 0; k < g.height.kernel * g.width.kernel; ++k) {
      ForEachPoint(g, k / g.width.kernel, k % g.width.kernel,
                   [&](int64_t in, int64_t weights, int64_t out) {
                     for (int64_t i = 0; i < g.group_in(); ++i) {
                       const T* w = filter + weights + i * g.out_channels;
                       T sum = 0;
                       for (int64_t o = 0; o < g.group_out(); ++o) {
                         sum = WrapAdd(sum, WrapMul(from[out + o], w[o]));
                       }
                       image[in + i] = WrapAdd(image[in + i], sum);
                     }
                   });
    }
  }
}

template <typename T>
void FilterGrad(const ConvGeometry& g, const T* input, const T* out_grad, T* filter_grad,
                int64_t begin, int64_t end) {
  const int64_t size = g.group_in() * g.out_channels;
  std::fill(filter_grad + begin * size, filter_grad + end * size, T{0});
  for (int64_t k = begin; k < end; ++k) {
    for (int64_t n = 0; n < g.batch; ++n) {
      const T* image = input + n * g.in_image();
      const T* from = out_grad + n * g.out_image();
      ForEachPoint(g, k / g.width.kernel, k % g.width.kernel,
                   [&](int64_t in, int64_t weights, int64_t out) {
                     for (int64_t i = 0; i < g.group_in(); ++i) {
                       const T x = image[in + i];
                       T* to = filter_grad + weights + i * g.out_channels;
                       for (int64_t o = 0; o < g.group_out(); ++o) {
                         to[o] = WrapAdd(to[o], WrapMul(x, from[out + o]));
                       }
                     }
                   });
    }
  }
}

template <typename T>
const T* In(const void* data) {
  return static_cast<const T*>(data);
}
template <typename T>
T* Out(void* data) {
  return static_cast<T*>(data);
}

}  // namespace

void PlainConv(int32_t dtype, const ConvGeometry& g, const void* input,
               const void* filter, void* output, int64_t begin, int64_t end) {
  switch (dtype) {
    case kF32:
      return Forward(g, In<float>(input), In<float>(filter), Out<float>(output), begin,
                     end);
    case kF64:
      return Forward(g, In<double>(input), In<double>(filter), Out<double>(output), begin,
                     end);
    default:
      return Forward(g, In<int32_t>(input), In<int32_t>(filter), Out<int32_t>(output),
                     begin, end);
  }
}

void PlainConvInputGrad(int32_t dtype, const ConvGeometry& g, const void* filter,
                        const void* out_grad, void* in_grad, int64_t begin, int64_t end) {
  if (dtype == kF32) {
    InputGrad(g, In<float>(filter), In<float>(out_grad), Out<float>(in_grad), begin, end);
  } else if (dtype == kF64) {
    InputGrad(g, In<double>(filter), In<double>(out_grad), Out<double>(in_grad), begin,
              end);
  } else {
    InputGrad(g, In<int32_t>(filter), In<int32_t>(out_grad), Out<int32_t>(in_grad), begin,
              end);
  }
}

void PlainConvFilterGrad(int32_t dtype, const ConvGeometry& g, const void* input,
                         const void* out_grad, void* filter_grad, int64_t begin,
                         int64_t end) {
  if (dtype == kF32) {
    FilterGrad(g, In<float>(input), In<float>(out_grad), Out<float>(filter_grad), begin,
               end);
  } else {
    FilterGrad(g, In<double>(input), In<double>(out_grad), Out<double>(filter_grad),
               begin, end);
  }
}

}  // namespace berth::cpu
