// Convolutions as plain loops: for dtypes that oneDNN has not, and for geometries that it
// declines.
#pragma once

#include "kernels-cpu/window.h"

namespace berth::cpu {

// Images [begin, end) of the batch, NHWC. REQUIRES: dtype is f32, f64 or int32.
void PlainConv(int32_t dtype, const ConvGeometry& g, const void* input,
               const void* filter, void* output, int64_t begin, int64_t end);

// The gradient by the input, images [begin, end).
void PlainConvInputGrad(int32_t dtype, const ConvGeometry& g, const void* filter,
                        const void* out_grad, void* in_grad, int64_t begin, int64_t end);

// The gradient by the filter, positions [begin, end) of height*width of the filter.
void PlainConvFilterGrad(int32_t dtype, const ConvGeometry& g, const void* input,
                         const void* out_grad, void* filter_grad, int64_t begin,
                         int64_t end);

}  // namespace berth::cpu
