// The gradient functions by op. Internal.
#pragma once

#include <string_view>

#include "client/gradients/gradients.h"

namespace berth::client::internal {

// nullptr when the op has no gradient function.
const GradientFn* FindGradient(std::string_view op);
// Ops through which nothing flows back: Shape, ArgMax, Equal …
bool IsNotDifferentiable(std::string_view op);

// One explicit list a family.
void RegisterArrayGradients();
void RegisterMathGradients();
void RegisterReductionGradients();
void RegisterNnGradients();

// Sums `dx` (shaped like the broadcast result) back to the shape of `x`, whose partner in
// the broadcast was `other`.
Output ReduceToShapeOf(const Scope& scope, Output dx, Output x, Output other);

}  // namespace berth::client::internal
