#include "client/optimizer.h"

#include "client/gradients/gradients.h"
#include "client/ops/ops.h"

namespace berth::client {

std::vector<GradientAndVariable> Optimizer::ComputeGradients(
    const Scope& scope, Output loss, const std::vector<Variable>& variables) const {
  const std::vector<Variable> chosen =
      variables.empty() ? TrainableVariables(scope) : variables;
  if (chosen.empty()) {
    scope.Fail(InvalidArgument("no variables to optimize: the graph of '" + loss.name() +
                               "' has no trainable variable"));
    return {};
  }
  std::vector<Output> reads;
  for (const Variable& variable : chosen) reads.push_back(variable.read());
  const std::vector<Output> gradients = Gradients(scope, {loss}, reads);
  std::vector<GradientAndVariable> result;
  for (size_t i = 0; i < chosen.size(); ++i) result.push_back({gradients[i], chosen[i]});
  return result;
}

Operation Optimizer::ApplyGradients(const Scope& scope,
                                    const std::vector<GradientAndVariable>& gradients) {
  std::vector<Operation> updates;
  std::string names;
  for (const GradientAndVariable& pair : gradients) {
    names += " '" + pair.variable.name() + "'";
    if (!pair.gradient) continue;
    updates.push_back(ApplyOne(scope.Name(pair.variable.name() + "_update"),
                               pair.variable, pair.gradient));
  }
  if (updates.empty() && scope.status().ok()) {
    scope.Fail(InvalidArgument("no variable has a gradient: the loss depends on none of" +
                               names));
  }
  return ops::Group(scope, updates, "train");
}

Operation Optimizer::Minimize(const Scope& scope, Output loss,
                              const std::vector<Variable>& variables) {
  return ApplyGradients(scope, ComputeGradients(scope, loss, variables));
}

Variable Optimizer::Slot(const Scope& scope, const Variable& variable,
                         const std::string& name) {
  const std::string full_name = variable.name() + "/" + name;
  for (const auto& [slot_name, slot] : slots_) {
    if (slot_name == full_name) return slot;
  }
  const Scope beside = scope.Absolute().ColocateWith(variable.ref());
  Variable slot =
      Variable::Create(beside, full_name, variable.shape(), Zeros(), variable.dtype(),
                       /*trainable=*/false);
  slots_.emplace_back(full_name, slot);
  return slot;
}

Operation GradientDescent::ApplyOne(const Scope& scope, const Variable& variable,
                                    Output gradient) {
  const Scope beside = scope.ForVariables().ColocateWith(variable.ref());
  return OpBuilder(beside, "ApplyGradientDescent")
      .Input(variable.ref())
      .Input(ops::Scalar(beside, variable.dtype(), learning_rate_, "learning_rate"))
      .Input(gradient)
      .Build();
}

Operation Momentum::ApplyOne(const Scope& scope, const Variable& variable,
                             Output gradient) {
  const Variable slot = Slot(scope, variable, "Momentum");
  const Scope beside = scope.ForVariables().ColocateWith(variable.ref());
  return OpBuilder(beside, "ApplyMomentum")
      .Input(variable.ref())
      .Input(slot.ref())
      .Input(ops::Scalar(beside, variable.dtype(), learning_rate_, "learning_rate"))
      .Input(gradient)
      .Input(ops::Scalar(beside, variable.dtype(), momentum_, "momentum"))
      .Attr("use_nesterov", use_nesterov_)
      .Build();
}

}  // namespace berth::client
