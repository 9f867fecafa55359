#include "client/ops/random_ops.h"

#include "client/ops/array_ops.h"

namespace berth::client::ops {
namespace {

// TensorFlow's graph-level seed when only the op has one
// (python/framework/random_seed.py).
constexpr int64_t kDefaultGraphSeed = 87654321;

Output Draw(const Scope& scope, const char* op, Output shape, int64_t seed, DType dtype) {
  return OpBuilder(scope, op)
      .Input(shape)
      .Attr("seed", kDefaultGraphSeed)
      .Attr("seed2", seed)
      .TypeAttr("dtype", dtype)
      .BuildOutput();
}

Output ShapeConst(const Scope& scope, const Shape& shape) {
  return Ints(scope, shape.ToVector(), "shape");
}

}  // namespace

Output RandomUniform(const Scope& scope, Output shape, int64_t seed, DType dtype) {
  return Draw(scope, "RandomUniform", shape, seed, dtype);
}
Output RandomUniform(const Scope& scope, const Shape& shape, int64_t seed, DType dtype) {
  return Draw(scope, "RandomUniform", ShapeConst(scope, shape), seed, dtype);
}
Output RandomNormal(const Scope& scope, const Shape& shape, int64_t seed, DType dtype) {
  return Draw(scope, "RandomStandardNormal", ShapeConst(scope, shape), seed, dtype);
}
Output TruncatedNormal(const Scope& scope, const Shape& shape, int64_t seed,
                       DType dtype) {
  return Draw(scope, "TruncatedNormal", ShapeConst(scope, shape), seed, dtype);
}

}  // namespace berth::client::ops
