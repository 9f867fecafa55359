// Shape functions of builtin/random_ops.cc.
#pragma once

#include "core/ops/inference_context.h"

namespace berth {

Status RandomIntShape(InferenceContext& c);
Status RandomCropShape(InferenceContext& c);
Status RandomPerElementShape(InferenceContext& c);  // RandomGamma, RandomPoissonV2
Status MultinomialShape(InferenceContext& c);
Status StatelessRandomShape(InferenceContext& c);

}  // namespace berth
