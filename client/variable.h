// Variables: values that live in a session between runs.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "client/scope.h"

namespace berth::client {

// Gives the first value of a variable: called with the scope of the initialiser's ops.
using Initializer =
    std::function<Output(const Scope& scope, const Shape& shape, DType dtype)>;

Initializer Zeros();
Initializer Constant(float value);
// Values beyond two standard deviations are drawn again. Equal seeds give equal numbers.
Initializer TruncatedNormal(float stddev, int64_t seed);
// Uniform in ±sqrt(6 / (fan_in + fan_out)).
Initializer GlorotUniform(int64_t seed);

// A variable of TensorFlow 1's kind (VariableV2). A value; the graph keeps a copy.
class Variable {
 public:
  Variable() = default;

  // Creates it on the scope's variable device and adds it to the graph's variables.
  static Variable Create(const Scope& scope, std::string_view name, const Shape& shape,
                         const Initializer& initializer, DType dtype = BERTH_FLOAT,
                         bool trainable = true);

  // What ops read.
  Output read() const { return read_; }
  // NOLINTNEXTLINE(google-explicit-constructor): a variable reads as its value.
  operator Output() const { return read_; }
  // The reference that assignments and optimizers take.
  Output ref() const { return ref_; }
  Operation initializer() const { return initializer_; }
  std::string name() const { return ref_.op_name(); }
  DType dtype() const { return ref_.dtype(); }
  const Shape& shape() const { return ref_.shape(); }
  bool trainable() const { return trainable_; }

  Output Assign(const Scope& scope, Output value) const;
  Output AssignAdd(const Scope& scope, Output value) const;

 private:
  Output ref_;
  Output read_;
  Operation initializer_;
  bool trainable_ = false;
};

// All variables of the scope's graph, in order of creation.
std::vector<Variable> GlobalVariables(const Scope& scope);
std::vector<Variable> TrainableVariables(const Scope& scope);
// One op that initialises all variables there are now.
Operation GlobalVariablesInitializer(const Scope& scope);

}  // namespace berth::client
