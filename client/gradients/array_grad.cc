// Gradients of the ops that move data.
#include "client/gradients/registry.h"
#include "client/ops/ops.h"

namespace berth::client::internal {
namespace {

void IdentityGrad(GradientContext& c) { c.set_dx(0, c.dy()); }

// Reshape, Squeeze, ExpandDims: back to the input's shape.
void ReshapeGrad(GradientContext& c) {
  const Scope& s = c.scope();
  const Output x = c.input(0);
  const Output shape = x.shape().IsFullyDefined() ? ops::Ints(s, x.shape().ToVector())
                                                  : ops::ShapeOf(s, x);
  c.set_dx(0, ops::Reshape(s, c.dy(), shape));
}

void TransposeGrad(GradientContext& c) {
  const Scope& s = c.scope();
  const Output inverse =
      OpBuilder(s, "InvertPermutation").Input(c.input(1)).BuildOutput();
  c.set_dx(0, OpBuilder(s, "Transpose").Input(c.dy()).Input(inverse).BuildOutput());
}

void ConcatGrad(GradientContext& c) {
  const Scope& s = c.scope();
  const int count = c.num_inputs() - 1;
  OpBuilder shapes(s, "ShapeN");
  for (int i = 0; i < count; ++i) shapes.Input(c.input(i));
  const Operation sizes = shapes.Build();
  OpBuilder offset(s, "ConcatOffset");
  offset.Input(c.input(count));
  for (int i = 0; i < count; ++i) offset.Input(sizes.output(i));
  const Operation offsets = offset.Build();
  for (int i = 0; i < count; ++i) {
    c.set_dx(i, ops::Slice(s, c.dy(), offsets.output(i), sizes.output(i)));
  }
}

// dx is the part of dy that the padding left in place.
void PadGrad(GradientContext& c) {
  const Scope& s = c.scope();
  const Output x = c.input(0);
  const int rank = x.shape().rank();
  if (rank < 0) {
    s.Fail(Unimplemented("the gradient of Pad (node '" + c.op().name() +
                         "') needs a known rank"));
    return;
  }
  const Output before =
      ops::Slice(s, c.input(1), ops::Ints(s, {0, 0}), ops::Ints(s, {rank, 1}));
  const Output begin = ops::Reshape(s, before, std::vector<int64_t>{-1});
  c.set_dx(0, ops::Slice(s, c.dy(), begin, ops::ShapeOf(s, x)));
}

void TileGrad(GradientContext& c) {
  const Scope& s = c.scope();
  const Output x = c.input(0);
  const int rank = x.shape().rank();
  if (rank < 0) {
    s.Fail(Unimplemented("the gradient of Tile (node '" + c.op().name() +
                         "') needs a known rank"));
    return;
  }
  // [m0, d0, m1, d1, …], summed over the multiples.
  const Output pairs = OpBuilder(s, "Pack")
                           .Input(c.input(1))
                           .Input(ops::ShapeOf(s, x))
                           .Attr("axis", 1)
                           .BuildOutput();
  const Output split =
      ops::Reshape(s, c.dy(), ops::Reshape(s, pairs, std::vector<int64_t>{-1}));
  std::vector<int64_t> axes;
  for (int i = 0; i < rank; ++i) axes.push_back(2 * i);
  c.set_dx(0, rank == 0 ? c.dy() : ops::Sum(s, split, axes));
}

void CastGrad(GradientContext& c) {
  if (IsFloatingType(c.input(0).dtype())) {
    c.set_dx(0, ops::Cast(c.scope(), c.dy(), c.input(0).dtype()));
  }
}

void FillGrad(GradientContext& c) { c.set_dx(1, ops::Sum(c.scope(), c.dy())); }

}  // namespace

void RegisterArrayGradients() {
  for (const char* op : {"Identity", "PlaceholderWithDefault"}) {
    RegisterGradient(op, IdentityGrad);
  }
  for (const char* op : {"Reshape", "Squeeze", "ExpandDims"}) {
    RegisterGradient(op, ReshapeGrad);
  }
  RegisterGradient("Transpose", TransposeGrad);
  RegisterGradient("ConcatV2", ConcatGrad);
  RegisterGradient("Pad", PadGrad);
  RegisterGradient("Tile", TileGrad);
  RegisterGradient("Cast", CastGrad);
  RegisterGradient("Fill", FillGrad);
}

}  // namespace berth::client::internal
