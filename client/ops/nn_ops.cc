#include "client/ops/nn_ops.h"

#include "client/ops/array_ops.h"
#include "client/ops/math_ops.h"
#include "client/ops/random_ops.h"

namespace berth::client::ops {
namespace {

Output Pool(const Scope& scope, const char* op, Output x, int64_t size,
            const Window& window) {
  return OpBuilder(scope, op)
      .Input(x)
      .Attr("ksize", std::vector<int64_t>{1, size, size, 1})
      .Attr("strides", std::vector<int64_t>{1, window.stride, window.stride, 1})
      .Attr("padding", window.padding)
      .BuildOutput();
}

Output Unary(const Scope& scope, const char* op, Output x) {
  return OpBuilder(scope, op).Input(x).BuildOutput();
}

}  // namespace

Output Conv2D(const Scope& scope, Output x, Output filter, const Window& window) {
  return OpBuilder(scope, "Conv2D")
      .Input(x)
      .Input(filter)
      .Attr("strides", std::vector<int64_t>{1, window.stride, window.stride, 1})
      .Attr("padding", window.padding)
      .BuildOutput();
}
Output BiasAdd(const Scope& scope, Output x, Output bias) {
  return OpBuilder(scope, "BiasAdd").Input(x).Input(bias).BuildOutput();
}
Output MaxPool(const Scope& scope, Output x, int64_t size, const Window& window) {
  return Pool(scope, "MaxPool", x, size, window);
}
Output AvgPool(const Scope& scope, Output x, int64_t size, const Window& window) {
  return Pool(scope, "AvgPool", x, size, window);
}

Output Relu(const Scope& scope, Output x) { return Unary(scope, "Relu", x); }
Output Relu6(const Scope& scope, Output x) { return Unary(scope, "Relu6", x); }
Output Elu(const Scope& scope, Output x) { return Unary(scope, "Elu", x); }
Output Softmax(const Scope& scope, Output logits) {
  return Unary(scope, "Softmax", logits);
}
Output LogSoftmax(const Scope& scope, Output logits) {
  return Unary(scope, "LogSoftmax", logits);
}
Output L2Loss(const Scope& scope, Output x) { return Unary(scope, "L2Loss", x); }

Output Dropout(const Scope& scope, Output x, Output keep_prob, int64_t seed) {
  const Scope s = scope.Name("dropout");
  const Output draw = RandomUniform(s, ShapeOf(s, x), seed, x.dtype());
  // A draw in [0,1) plus keep_prob reaches 1 with probability keep_prob.
  const Output keep = Floor(s, Add(s, draw, keep_prob));
  return Mul(s, Div(s, x, keep_prob), keep);
}

Output SparseSoftmaxCrossEntropy(const Scope& scope, Output labels, Output logits) {
  return OpBuilder(scope, "SparseSoftmaxCrossEntropyWithLogits")
      .Input(logits)
      .Input(labels)
      .BuildOutput();
}
Output SoftmaxCrossEntropy(const Scope& scope, Output labels, Output logits) {
  return OpBuilder(scope, "SoftmaxCrossEntropyWithLogits")
      .Input(logits)
      .Input(labels)
      .BuildOutput();
}

}  // namespace berth::client::ops
