// Gradients of layers and losses.
#include "client/gradients/registry.h"
#include "client/ops/ops.h"
#include "core/graph/graph.h"

namespace berth::client::internal {
namespace {

Output Binary(GradientContext& c, const char* op, Output x, Output y) {
  return OpBuilder(c.scope(), op).Input(x).Input(y).BuildOutput();
}

// The shape of an input as a tensor; a constant when it is known.
Output ShapeInput(GradientContext& c, int i) {
  const Shape& shape = c.input(i).shape();
  if (shape.IsFullyDefined()) return ops::Ints(c.scope(), shape.ToVector());
  return ops::ShapeOf(c.scope(), c.input(i));
}

void Conv2DGrad(GradientContext& c) {
  OpBuilder dx(c.scope(), "Conv2DBackpropInput");
  dx.Input(ShapeInput(c, 0)).Input(c.input(1)).Input(c.dy());
  c.set_dx(0, c.CopyWindow(dx).BuildOutput());
  OpBuilder dw(c.scope(), "Conv2DBackpropFilter");
  dw.Input(c.input(0)).Input(ShapeInput(c, 1)).Input(c.dy());
  c.set_dx(1, c.CopyWindow(dw).BuildOutput());
}

void BiasAddGrad(GradientContext& c) {
  c.set_dx(0, c.dy());
  c.set_dx(1, OpBuilder(c.scope(), "BiasAddGrad")
                  .Input(c.dy())
                  .Attr("data_format", c.StringAttr("data_format"))
                  .BuildOutput());
}

void MaxPoolGrad(GradientContext& c) {
  OpBuilder dx(c.scope(), "MaxPoolGrad");
  dx.Input(c.input(0)).Input(c.output(0)).Input(c.dy());
  c.set_dx(0, c.CopyWindow(dx).BuildOutput());
}

void AvgPoolGrad(GradientContext& c) {
  OpBuilder dx(c.scope(), "AvgPoolGrad");
  dx.Input(ShapeInput(c, 0)).Input(c.dy());
  c.set_dx(0, c.CopyWindow(dx).BuildOutput());
}

void ReluGrad(GradientContext& c) {
  c.set_dx(0, Binary(c, "ReluGrad", c.dy(), c.output(0)));
}
void Relu6Grad(GradientContext& c) {
  c.set_dx(0, Binary(c, "Relu6Grad", c.dy(), c.output(0)));
}
void EluGrad(GradientContext& c) {
  c.set_dx(0, Binary(c, "EluGrad", c.dy(), c.output(0)));
}

void SoftmaxGrad(GradientContext& c) {
  const Scope& s = c.scope();
  // dx = (dy - sum(dy · y)) · y.
  const Output sum = ops::Sum(s, ops::Mul(s, c.dy(), c.output(0)), {-1}, true);
  c.set_dx(0, ops::Mul(s, ops::Sub(s, c.dy(), sum), c.output(0)));
}

void LogSoftmaxGrad(GradientContext& c) {
  const Scope& s = c.scope();
  const Output sum = ops::Sum(s, c.dy(), {-1}, true);
  c.set_dx(0, ops::Sub(s, c.dy(), ops::Mul(s, sum, ops::Exp(s, c.output(0)))));
}

// Both cross-entropies compute d loss/d logits as their second output.
void CrossEntropyGrad(GradientContext& c) {
  const Scope& s = c.scope();
  c.set_dx(0, ops::Mul(s, ops::ExpandDims(s, c.dy(), -1), c.output(1)));
}

void L2LossGrad(GradientContext& c) {
  c.set_dx(0, ops::Mul(c.scope(), c.input(0), c.dy()));
}

void FusedBatchNormV3Grad(GradientContext& c) {
  const bool training = c.BoolAttr("is_training");
  OpBuilder grad(c.scope(), "FusedBatchNormGradV3");
  grad.Input(c.dy()).Input(c.input(0)).Input(c.input(1));
  // Training: what the forward pass reserved; inference: the given mean and variance.
  grad.Input(training ? c.output(3) : c.input(3));
  grad.Input(training ? c.output(4) : c.input(4));
  grad.Input(c.output(5));
  grad.Attr("epsilon", c.op().node()->attrs().GetFloat("epsilon"));
  grad.Attr("data_format", c.StringAttr("data_format"));
  grad.Attr("is_training", training);
  const Operation op = grad.Build();
  for (int i = 0; i < 3; ++i) c.set_dx(i, op.output(i));
}

}  // namespace

void RegisterNnGradients() {
  RegisterGradient("Conv2D", Conv2DGrad);
  RegisterGradient("BiasAdd", BiasAddGrad);
  RegisterGradient("MaxPool", MaxPoolGrad);
  RegisterGradient("AvgPool", AvgPoolGrad);
  RegisterGradient("Relu", ReluGrad);
  RegisterGradient("Relu6", Relu6Grad);
  RegisterGradient("Elu", EluGrad);
  RegisterGradient("Softmax", SoftmaxGrad);
  RegisterGradient("LogSoftmax", LogSoftmaxGrad);
  RegisterGradient("SoftmaxCrossEntropyWithLogits", CrossEntropyGrad);
  RegisterGradient("SparseSoftmaxCrossEntropyWithLogits", CrossEntropyGrad);
  RegisterGradient("L2Loss", L2LossGrad);
  RegisterGradient("FusedBatchNormV3", FusedBatchNormV3Grad);
}

}  // namespace berth::client::internal
