#include "client/variable.h"

#include <cmath>

#include "client/graph_builder.h"
#include "client/ops/ops.h"

namespace berth::client {

Initializer Zeros() { return Constant(0); }

Initializer Constant(float value) {
  return [value](const Scope& scope, const Shape& shape, DType dtype) {
    return ops::Fill(scope, shape, dtype, value);
  };
}

Initializer TruncatedNormal(float stddev, int64_t seed) {
  return [stddev, seed](const Scope& scope, const Shape& shape, DType dtype) {
    const Output draw = ops::TruncatedNormal(scope, shape, seed, dtype);
    return ops::Mul(scope, draw, ops::Scalar(scope, dtype, stddev));
  };
}

Initializer GlorotUniform(int64_t seed) {
  return [seed](const Scope& scope, const Shape& shape, DType dtype) {
    const int rank = shape.rank();
    // Convolution filters: the receptive field multiplies both fans.
    double field = 1;
    for (int i = 0; i < rank - 2; ++i) field *= static_cast<double>(shape.dim(i));
    const double fan_in = rank < 2 ? shape.num_elements() : field * shape.dim(rank - 2);
    const double fan_out = rank < 2 ? fan_in : field * shape.dim(rank - 1);
    const auto limit = static_cast<float>(std::sqrt(6 / (fan_in + fan_out)));
    const Output draw = ops::RandomUniform(scope, shape, seed, dtype);
    const Output wide = ops::Mul(scope, draw, ops::Scalar(scope, dtype, 2 * limit));
    return ops::Sub(scope, wide, ops::Scalar(scope, dtype, limit));
  };
}

Variable Variable::Create(const Scope& scope, std::string_view name, const Shape& shape,
                          const Initializer& initializer, DType dtype, bool trainable) {
  const Scope home = scope.ForVariables();
  Variable variable;
  variable.trainable_ = trainable;
  variable.ref_ = OpBuilder(home, "VariableV2", name)
                      .Attr("shape", shape)
                      .TypeAttr("dtype", dtype)
                      .BuildOutput();
  if (!variable.ref_) return variable;
  const std::string leaf(name);
  const Output value = initializer(home.Name(leaf + "/Initializer"), shape, dtype);
  const Scope beside = home.ColocateWith(variable.ref_);
  variable.initializer_ = OpBuilder(beside, "Assign", leaf + "/Assign")
                              .Input(variable.ref_)
                              .Input(value)
                              .Build();
  variable.read_ =
      OpBuilder(beside, "Identity", leaf + "/read").Input(variable.ref_).BuildOutput();
  scope.builder()->variables().push_back(variable);
  return variable;
}

Output Variable::Assign(const Scope& scope, Output value) const {
  return OpBuilder(scope, "Assign").Input(ref_).Input(value).BuildOutput();
}

Output Variable::AssignAdd(const Scope& scope, Output value) const {
  return OpBuilder(scope, "AssignAdd").Input(ref_).Input(value).BuildOutput();
}

std::vector<Variable> GlobalVariables(const Scope& scope) {
  return scope.builder()->variables();
}

std::vector<Variable> TrainableVariables(const Scope& scope) {
  std::vector<Variable> trainable;
  for (const Variable& variable : scope.builder()->variables()) {
    if (variable.trainable()) trainable.push_back(variable);
  }
  return trainable;
}

Operation GlobalVariablesInitializer(const Scope& scope) {
  std::vector<Operation> all;
  for (const Variable& variable : scope.builder()->variables()) {
    all.push_back(variable.initializer());
  }
  return ops::Group(scope, all, "init");
}

}  // namespace berth::client
