#include "client/ops/math_ops.h"

#include <numeric>

#include "client/ops/array_ops.h"

namespace berth::client::ops {
namespace {

Output Unary(const Scope& scope, const char* op, Output x) {
  return OpBuilder(scope, op).Input(x).BuildOutput();
}

Output Binary(const Scope& scope, const char* op, Output x, Output y) {
  return OpBuilder(scope, op).Input(x).Input(y).BuildOutput();
}

Output Reduce(const Scope& scope, const char* op, Output x, std::vector<int64_t> axes,
              bool keep_dims) {
  Output indices;
  if (axes.empty() && !x.shape().has_rank()) {
    const Output rank = OpBuilder(scope, "Rank").Input(x).BuildOutput();
    indices = OpBuilder(scope, "Range")
                  .Input(Int(scope, 0))
                  .Input(rank)
                  .Input(Int(scope, 1))
                  .BuildOutput();
  } else {
    if (axes.empty()) {
      axes.resize(static_cast<size_t>(x.shape().rank()));
      std::iota(axes.begin(), axes.end(), 0);
    }
    indices = Ints(scope, axes, "Const");
  }
  return OpBuilder(scope, op)
      .Input(x)
      .Input(indices)
      .Attr("keep_dims", keep_dims)
      .BuildOutput();
}

}  // namespace

Output Add(const Scope& scope, Output x, Output y) {
  return OpBuilder(scope, "AddV2", "add").Input(x).Input(y).BuildOutput();
}
Output Sub(const Scope& scope, Output x, Output y) { return Binary(scope, "Sub", x, y); }
Output Mul(const Scope& scope, Output x, Output y) { return Binary(scope, "Mul", x, y); }
Output Div(const Scope& scope, Output x, Output y) {
  return Binary(scope, "RealDiv", x, y);
}
Output Pow(const Scope& scope, Output x, Output y) { return Binary(scope, "Pow", x, y); }
Output Maximum(const Scope& scope, Output x, Output y) {
  return Binary(scope, "Maximum", x, y);
}
Output Minimum(const Scope& scope, Output x, Output y) {
  return Binary(scope, "Minimum", x, y);
}
Output AddN(const Scope& scope, const std::vector<Output>& values) {
  return OpBuilder(scope, "AddN").Inputs(values).BuildOutput();
}

Output Neg(const Scope& scope, Output x) { return Unary(scope, "Neg", x); }
Output Abs(const Scope& scope, Output x) { return Unary(scope, "Abs", x); }
Output Sign(const Scope& scope, Output x) { return Unary(scope, "Sign", x); }
Output Exp(const Scope& scope, Output x) { return Unary(scope, "Exp", x); }
Output Log(const Scope& scope, Output x) { return Unary(scope, "Log", x); }
Output Sqrt(const Scope& scope, Output x) { return Unary(scope, "Sqrt", x); }
Output Rsqrt(const Scope& scope, Output x) { return Unary(scope, "Rsqrt", x); }
Output Square(const Scope& scope, Output x) { return Unary(scope, "Square", x); }
Output Tanh(const Scope& scope, Output x) { return Unary(scope, "Tanh", x); }
Output Sigmoid(const Scope& scope, Output x) { return Unary(scope, "Sigmoid", x); }
Output Floor(const Scope& scope, Output x) { return Unary(scope, "Floor", x); }

Output Equal(const Scope& scope, Output x, Output y) {
  return Binary(scope, "Equal", x, y);
}
Output Greater(const Scope& scope, Output x, Output y) {
  return Binary(scope, "Greater", x, y);
}
Output GreaterEqual(const Scope& scope, Output x, Output y) {
  return Binary(scope, "GreaterEqual", x, y);
}
Output Less(const Scope& scope, Output x, Output y) {
  return Binary(scope, "Less", x, y);
}
Output LessEqual(const Scope& scope, Output x, Output y) {
  return Binary(scope, "LessEqual", x, y);
}
Output Where(const Scope& scope, Output condition, Output x, Output y) {
  return OpBuilder(scope, "Select").Input(condition).Input(x).Input(y).BuildOutput();
}
Output Cast(const Scope& scope, Output x, DType dtype) {
  if (x && x.dtype() == dtype) return x;
  return OpBuilder(scope, "Cast").Input(x).TypeAttr("DstT", dtype).BuildOutput();
}

Output MatMul(const Scope& scope, Output a, Output b, bool transpose_a,
              bool transpose_b) {
  return OpBuilder(scope, "MatMul")
      .Input(a)
      .Input(b)
      .Attr("transpose_a", transpose_a)
      .Attr("transpose_b", transpose_b)
      .BuildOutput();
}

Output Sum(const Scope& scope, Output x, const std::vector<int64_t>& axes,
           bool keep_dims) {
  return Reduce(scope, "Sum", x, axes, keep_dims);
}
Output Mean(const Scope& scope, Output x, const std::vector<int64_t>& axes,
            bool keep_dims) {
  return Reduce(scope, "Mean", x, axes, keep_dims);
}
Output Max(const Scope& scope, Output x, const std::vector<int64_t>& axes,
           bool keep_dims) {
  return Reduce(scope, "Max", x, axes, keep_dims);
}
Output ArgMax(const Scope& scope, Output x, int64_t axis) {
  const Output dimension = Int(scope, axis, "ArgMax/dimension");
  return OpBuilder(scope, "ArgMax").Input(x).Input(dimension).BuildOutput();
}

}  // namespace berth::client::ops
