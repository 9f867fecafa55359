// Optimizers: from a loss to one training step.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "client/scope.h"
#include "client/variable.h"

namespace berth::client {

struct GradientAndVariable {
  Output gradient;  // none: the variable is left alone
  Variable variable;
};

// Base of all optimizers. Slots are created once, beside their variable and colocated
// with it, named "<variable>/<Slot>".
class Optimizer {
 public:
  virtual ~Optimizer() = default;

  // `variables` = all trainable ones when empty. Gradient ops go where `scope` says.
  std::vector<GradientAndVariable> ComputeGradients(
      const Scope& scope, Output loss, const std::vector<Variable>& variables = {}) const;
  // One op that updates every variable that has a gradient; INVALID_ARGUMENT when none
  // has.
  Operation ApplyGradients(const Scope& scope,
                           const std::vector<GradientAndVariable>& gradients);
  // Both at once.
  Operation Minimize(const Scope& scope, Output loss,
                     const std::vector<Variable>& variables = {});

 protected:
  // Adds the update of one variable.
  virtual Operation ApplyOne(const Scope& scope, const Variable& variable,
                             Output gradient) = 0;
  // The variable's slot called `name`, zero at first.
  Variable Slot(const Scope& scope, const Variable& variable, const std::string& name);

 private:
  std::vector<std::pair<std::string, Variable>> slots_;
};

// w -= rate · g.
class GradientDescent : public Optimizer {
 public:
  explicit GradientDescent(double learning_rate) : learning_rate_(learning_rate) {}

 protected:
  Operation ApplyOne(const Scope& scope, const Variable& variable,
                     Output gradient) override;

 private:
  double learning_rate_;
};

// a = momentum · a + g; w -= rate · a (Nesterov: w -= rate · (g + momentum · a)).
class Momentum : public Optimizer {
 public:
  Momentum(double learning_rate, double momentum, bool use_nesterov = false)
      : learning_rate_(learning_rate), momentum_(momentum), use_nesterov_(use_nesterov) {}

 protected:
  Operation ApplyOne(const Scope& scope, const Variable& variable,
                     Output gradient) override;

 private:
  double learning_rate_;
  double momentum_;
  bool use_nesterov_;
};

}  // namespace berth::client
