// Layers' ops: convolution, pooling, activations, losses. Images are NHWC, filters HWIO.
#pragma once

#include <string>
#include <vector>

#include "client/scope.h"

namespace berth::client::ops {

// How a window walks over height and width.
struct Window {
  int64_t stride = 1;
  std::string padding = "SAME";  // or "VALID"
};

// x [N,H,W,C], filter [kh,kw,C,F].
Output Conv2D(const Scope& scope, Output x, Output filter, const Window& window = {});
// x […,C], bias [C].
Output BiasAdd(const Scope& scope, Output x, Output bias);
// A square window of `size`.
Output MaxPool(const Scope& scope, Output x, int64_t size, const Window& window);
Output AvgPool(const Scope& scope, Output x, int64_t size, const Window& window);

Output Relu(const Scope& scope, Output x);
Output Relu6(const Scope& scope, Output x);
Output Elu(const Scope& scope, Output x);
Output Softmax(const Scope& scope, Output logits);
Output LogSoftmax(const Scope& scope, Output logits);
// Half the sum of squares; a scalar.
Output L2Loss(const Scope& scope, Output x);
// Keeps each value with probability `keep_prob` and scales it by its inverse.
Output Dropout(const Scope& scope, Output x, Output keep_prob, int64_t seed);

// One loss a row: labels are class numbers [N] (int32 or int64), logits are raw [N,C].
Output SparseSoftmaxCrossEntropy(const Scope& scope, Output labels, Output logits);
// labels are distributions [N,C].
Output SoftmaxCrossEntropy(const Scope& scope, Output labels, Output logits);

}  // namespace berth::client::ops
