// Random draws: TensorFlow's Philox streams, number for number.
#pragma once

#include "client/scope.h"

namespace berth::client::ops {

// `seed` as TensorFlow's op seed without a graph seed: the same numbers in every session.
// The next run of the same op draws the next numbers.
Output RandomUniform(const Scope& scope, Output shape, int64_t seed,
                     DType dtype = BERTH_FLOAT);
Output RandomUniform(const Scope& scope, const Shape& shape, int64_t seed,
                     DType dtype = BERTH_FLOAT);
Output RandomNormal(const Scope& scope, const Shape& shape, int64_t seed,
                    DType dtype = BERTH_FLOAT);
Output TruncatedNormal(const Scope& scope, const Shape& shape, int64_t seed,
                       DType dtype = BERTH_FLOAT);

}  // namespace berth::client::ops
