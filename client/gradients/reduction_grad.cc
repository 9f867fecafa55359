// Gradients of reductions: dy is spread over what was reduced.
#include <algorithm>
#include <optional>

#include "client/gradients/registry.h"
#include "client/graph_builder.h"
#include "client/ops/ops.h"

namespace berth::client::internal {
namespace {

// The input's sizes with 1 where it was reduced, as Reshape takes them: at most one is
// -1. Nothing when the graph does not fix the axes or leaves more than one size open.
std::optional<std::vector<int64_t>> StaticKeptShape(const GradientContext& c) {
  const Output x = c.input(0);
  const Output axes = c.input(1);
  const Tensor* value = c.scope().builder()->constant(axes.node(), axes.index());
  if (value == nullptr || !x.shape().has_rank()) return std::nullopt;
  std::vector<int64_t> kept = x.shape().ToVector();
  const auto rank = static_cast<int64_t>(kept.size());
  for (const int64_t axis : value->ToInts()) {
    kept[static_cast<size_t>(axis < 0 ? axis + rank : axis)] = 1;
  }
  if (std::count(kept.begin(), kept.end(), -1) > 1) return std::nullopt;
  return kept;
}

// `value` (the reduction's output or its dy) as if keep_dims had been set: sizes of 1
// where the input was reduced.
Output KeepDims(GradientContext& c, Output value) {
  if (c.BoolAttr("keep_dims")) return value;
  const Scope& s = c.scope();
  if (const auto kept = StaticKeptShape(c)) return ops::Reshape(s, value, *kept);
  const Output x = c.input(0);
  // Ones at the reduced axes, the input's sizes elsewhere, by DynamicStitch.
  const Output rank = OpBuilder(s, "Rank").Input(x).BuildOutput();
  const Output all = OpBuilder(s, "Range")
                         .Input(ops::Int(s, 0))
                         .Input(rank)
                         .Input(ops::Int(s, 1))
                         .BuildOutput();
  const Output axes = ops::Cast(s, c.input(1), BERTH_INT32);
  // Negative axes count from the end.
  const Output positive =
      OpBuilder(s, "FloorMod").Input(ops::Add(s, axes, rank)).Input(rank).BuildOutput();
  const Output ones = ops::Fill(s, ops::ShapeOf(s, positive), ops::Int(s, 1));
  const Output shape = OpBuilder(s, "DynamicStitch")
                           .Inputs({all, positive})
                           .Inputs({ops::ShapeOf(s, x), ones})
                           .Attr("N", 2)
                           .BuildOutput();
  return ops::Reshape(s, value, shape);
}

Output BroadcastToInput(GradientContext& c, Output value) {
  const Scope& s = c.scope();
  return OpBuilder(s, "BroadcastTo")
      .Input(KeepDims(c, value))
      .Input(ops::ShapeOf(s, c.input(0)))
      .BuildOutput();
}

void SumGrad(GradientContext& c) { c.set_dx(0, BroadcastToInput(c, c.dy())); }

void MeanGrad(GradientContext& c) {
  const Scope& s = c.scope();
  const Output spread = BroadcastToInput(c, c.dy());
  // How many elements share one mean; the maximum keeps an empty mean from dividing by 0.
  const Output in = ops::SizeOf(s, c.input(0));
  const Output out = ops::Maximum(s, ops::SizeOf(s, c.output(0)), ops::Int(s, 1));
  const Output count = OpBuilder(s, "FloorDiv").Input(in).Input(out).BuildOutput();
  const Output divisor =
      ops::Cast(s, ops::Maximum(s, count, ops::Int(s, 1)), spread.dtype());
  c.set_dx(0, ops::Div(s, spread, divisor));
}

// Max and Min: those equal to the result share dy.
void MaxGrad(GradientContext& c) {
  const Scope& s = c.scope();
  const Output chosen = ops::Cast(
      s, ops::Equal(s, c.input(0), BroadcastToInput(c, c.output(0))), c.dy().dtype());
  const Output count = OpBuilder(s, "Sum")
                           .Input(chosen)
                           .Input(c.input(1))
                           .Attr("keep_dims", c.BoolAttr("keep_dims"))
                           .BuildOutput();
  const Output share = BroadcastToInput(c, ops::Div(s, c.dy(), count));
  c.set_dx(0, ops::Mul(s, chosen, share));
}

}  // namespace

void RegisterReductionGradients() {
  RegisterGradient("Sum", SumGrad);
  RegisterGradient("Mean", MeanGrad);
  RegisterGradient("Max", MaxGrad);
  RegisterGradient("Min", MaxGrad);
}

}  // namespace berth::client::internal
