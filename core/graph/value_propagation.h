// Small integer values that follow from constants and shapes without running anything:
// the arguments of Reshape, Fill, Sum and their like in real graphs.
#pragma once

#include <optional>
#include <string_view>

#include "core/ops/inference_context.h"

namespace berth {

// More elements than this are not followed.
inline constexpr size_t kMaxElements = 1024;

// The elements of output `output` of the op in `c`, an integer scalar or vector;
// kUnknownElement for those that are not known. nullopt when nothing is known. Inputs in
// `c` must have been accepted by the op's shape function.
std::optional<Elements> PropagateElements(const InferenceContext& c, int output);

}  // namespace berth
