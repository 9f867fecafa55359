// Gradients of element-wise arithmetic and products.
#include "client/gradients/registry.h"
#include "client/ops/ops.h"

namespace berth::client::internal {

Output ReduceToShapeOf(const Scope& scope, Output dx, Output x, Output other) {
  const Shape& shape = x.shape();
  if (shape.IsFullyDefined() && shape == other.shape()) return dx;
  if (shape.IsFullyDefined() && dx.shape() == shape) return dx;
  const Output own = ops::ShapeOf(scope, x);
  const Operation axes = OpBuilder(scope, "BroadcastGradientArgs")
                             .Input(own)
                             .Input(ops::ShapeOf(scope, other))
                             .Build();
  const Output sum =
      OpBuilder(scope, "Sum").Input(dx).Input(axes.output(0)).BuildOutput();
  return ops::Reshape(scope, sum, own);
}

namespace {

// Sets both dx of a broadcasting binary op.
void SetBoth(GradientContext& c, Output dx, Output dy) {
  const Scope& s = c.scope();
  c.set_dx(0, ReduceToShapeOf(s, dx, c.input(0), c.input(1)));
  c.set_dx(1, ReduceToShapeOf(s, dy, c.input(1), c.input(0)));
}

void AddGrad(GradientContext& c) { SetBoth(c, c.dy(), c.dy()); }
void SubGrad(GradientContext& c) { SetBoth(c, c.dy(), ops::Neg(c.scope(), c.dy())); }
void MulGrad(GradientContext& c) {
  const Scope& s = c.scope();
  SetBoth(c, ops::Mul(s, c.dy(), c.input(1)), ops::Mul(s, c.dy(), c.input(0)));
}
void DivGrad(GradientContext& c) {
  const Scope& s = c.scope();
  const Output dx = ops::Div(s, c.dy(), c.input(1));
  // d(x/y)/dy = -(x/y)/y.
  const Output dy = ops::Neg(s, ops::Mul(s, dx, c.output(0)));
  SetBoth(c, dx, dy);
}
void PowGrad(GradientContext& c) {
  const Scope& s = c.scope();
  const Output x = c.input(0);
  const Output y = c.input(1);
  const Output one = ops::Scalar(s, x.dtype(), 1);
  const Output dx =
      ops::Mul(s, c.dy(), ops::Mul(s, y, ops::Pow(s, x, ops::Sub(s, y, one))));
  // log x where x > 0, else 0, so that 0^y and (-a)^n have no NaN in dy.
  const Output positive = ops::Greater(s, x, ops::ZerosLike(s, x));
  const Output safe = ops::Where(s, positive, x, ops::OnesLike(s, x));
  const Output dy = ops::Mul(s, c.dy(), ops::Mul(s, c.output(0), ops::Log(s, safe)));
  SetBoth(c, dx, dy);
}

// Maximum and Minimum: the side that won gets dy (x on a tie).
void MaxMinGrad(GradientContext& c, Output x_wins) {
  const Scope& s = c.scope();
  const Output mask = ops::Cast(s, x_wins, c.dy().dtype());
  const Output dx = ops::Mul(s, c.dy(), mask);
  SetBoth(c, dx, ops::Sub(s, c.dy(), dx));
}
void MaximumGrad(GradientContext& c) {
  MaxMinGrad(c, ops::GreaterEqual(c.scope(), c.input(0), c.input(1)));
}
void MinimumGrad(GradientContext& c) {
  MaxMinGrad(c, ops::LessEqual(c.scope(), c.input(0), c.input(1)));
}

void AddNGrad(GradientContext& c) {
  for (int i = 0; i < c.num_inputs(); ++i) c.set_dx(i, c.dy());
}

void NegGrad(GradientContext& c) { c.set_dx(0, ops::Neg(c.scope(), c.dy())); }
void AbsGrad(GradientContext& c) {
  c.set_dx(0, ops::Mul(c.scope(), c.dy(), ops::Sign(c.scope(), c.input(0))));
}
void ExpGrad(GradientContext& c) {
  c.set_dx(0, ops::Mul(c.scope(), c.dy(), c.output(0)));
}
void LogGrad(GradientContext& c) { c.set_dx(0, ops::Div(c.scope(), c.dy(), c.input(0))); }
void SqrtGrad(GradientContext& c) {
  const Scope& s = c.scope();
  const Output half = ops::Scalar(s, c.dy().dtype(), 0.5);
  c.set_dx(0, ops::Div(s, ops::Mul(s, c.dy(), half), c.output(0)));
}
void RsqrtGrad(GradientContext& c) {
  const Scope& s = c.scope();
  // -y³/2.
  const Output cube = ops::Mul(s, ops::Square(s, c.output(0)), c.output(0));
  c.set_dx(0,
           ops::Mul(s, ops::Mul(s, c.dy(), cube), ops::Scalar(s, c.dy().dtype(), -0.5)));
}
void SquareGrad(GradientContext& c) {
  const Scope& s = c.scope();
  const Output two = ops::Scalar(s, c.dy().dtype(), 2);
  c.set_dx(0, ops::Mul(s, c.dy(), ops::Mul(s, c.input(0), two)));
}
void TanhGrad(GradientContext& c) {
  c.set_dx(
      0, OpBuilder(c.scope(), "TanhGrad").Input(c.output(0)).Input(c.dy()).BuildOutput());
}
void SigmoidGrad(GradientContext& c) {
  c.set_dx(
      0,
      OpBuilder(c.scope(), "SigmoidGrad").Input(c.output(0)).Input(c.dy()).BuildOutput());
}

void SelectGrad(GradientContext& c) {
  const Scope& s = c.scope();
  const Output zero = ops::ZerosLike(s, c.dy());
  c.set_dx(1, ops::Where(s, c.input(0), c.dy(), zero));
  c.set_dx(2, ops::Where(s, c.input(0), zero, c.dy()));
}

void MatMulGrad(GradientContext& c) {
  const Scope& s = c.scope();
  const Output a = c.input(0);
  const Output b = c.input(1);
  const Output g = c.dy();
  const bool ta = c.BoolAttr("transpose_a");
  const bool tb = c.BoolAttr("transpose_b");
  // With A' and B' the operands as multiplied: dA' = g·B'ᵀ and dB' = A'ᵀ·g.
  c.set_dx(0, ta ? ops::MatMul(s, b, g, tb, true) : ops::MatMul(s, g, b, false, !tb));
  c.set_dx(1, tb ? ops::MatMul(s, g, a, true, ta) : ops::MatMul(s, a, g, !ta, false));
}

}  // namespace

void RegisterMathGradients() {
  RegisterGradient("Add", AddGrad);
  RegisterGradient("AddV2", AddGrad);
  RegisterGradient("Sub", SubGrad);
  RegisterGradient("Mul", MulGrad);
  RegisterGradient("RealDiv", DivGrad);
  RegisterGradient("Div", DivGrad);
  RegisterGradient("Pow", PowGrad);
  RegisterGradient("Maximum", MaximumGrad);
  RegisterGradient("Minimum", MinimumGrad);
  RegisterGradient("AddN", AddNGrad);
  RegisterGradient("Neg", NegGrad);
  RegisterGradient("Abs", AbsGrad);
  RegisterGradient("Exp", ExpGrad);
  RegisterGradient("Log", LogGrad);
  RegisterGradient("Sqrt", SqrtGrad);
  RegisterGradient("Rsqrt", RsqrtGrad);
  RegisterGradient("Square", SquareGrad);
  RegisterGradient("Tanh", TanhGrad);
  RegisterGradient("Sigmoid", SigmoidGrad);
  RegisterGradient("Select", SelectGrad);
  RegisterGradient("MatMul", MatMulGrad);
}

}  // namespace berth::client::internal
