// Shape functions of builtin/elementwise_ops.cc beside the common ones.
#pragma once

#include "core/ops/inference_context.h"

namespace berth {

// Equal and NotEqual: shapes that do not broadcast give a scalar when asked.
Status EqualShape(InferenceContext& c);
Status SelectShape(InferenceContext& c);
Status SelectV2Shape(InferenceContext& c);
Status ClipByValueShape(InferenceContext& c);
Status AccumulateShape(InferenceContext& c);

}  // namespace berth
