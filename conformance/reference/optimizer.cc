// Updates of variables by a gradient, on reference and on resource variables. All inputs
// that are updated are outputs of the reference (Outputs::written).
//
// An error bound goes with every number: its value, and the sum of the absolute values of
// the terms that it is made of.
#include <cmath>

#include "conformance/reference/evaluation.h"
#include "conformance/reference/families.h"

namespace berth::conformance {
namespace {

struct Term {
  Real value = 0;
  Real size = 0;
};
Term Of(Real value) { return {value, std::fabs(value)}; }
Term operator+(Term a, Term b) { return {a.value + b.value, a.size + b.size}; }
Term operator-(Term a, Term b) { return {a.value - b.value, a.size + b.size}; }
Term operator*(Term a, Term b) { return {a.value * b.value, a.size * b.size}; }
// The divisor's own relative error counts as often as the quotient.
Term operator/(Term a, Term b) {
  const Real quotient = a.value / b.value;
  const Real condition = b.value == 0 ? 0 : b.size / std::fabs(b.value);
  return {quotient, b.value == 0
                        ? 0
                        : a.size / std::fabs(b.value) + std::fabs(quotient) * condition};
}
Term Sqrt(Term a) {
  const Real root = std::sqrt(a.value);
  const Real condition = a.value == 0 ? 0 : a.size / a.value;
  return {root, root * (1 + condition / 2)};
}

// Variables of one element, scalars and the gradient; update changes the variables.
struct Step {
  std::vector<Term> variables;
  std::vector<Term> scalars;
  Term gradient;
};

struct Optimizer {
  const char* name;
  // Positions among the inputs: variables come first, the gradient here, the rest are
  // scalars in order.
  int variables;
  int gradient;
  int inputs;
  // The most roundings on the way of any term.
  int roundings;
  void (*update)(const OpCall& call, Step* step);
  bool squares;  // the gradient is squared on the way
};

void GradientDescent(const OpCall&, Step* s) {
  s->variables[0] = s->variables[0] - s->scalars[0] * s->gradient;
}

// Scalars: rate, momentum.
void Momentum(const OpCall& call, Step* s) {
  Term& accumulated = s->variables[1];
  accumulated = accumulated * s->scalars[1] + s->gradient;
  const Term direction =
      call.Bool("use_nesterov") ? s->gradient + accumulated * s->scalars[1] : accumulated;
  s->variables[0] = s->variables[0] - s->scalars[0] * direction;
}

// The rate is inside the accumulated value.
void KerasMomentum(const OpCall& call, Step* s) {
  Term& accumulated = s->variables[1];
  const Term change = s->scalars[0] * s->gradient;
  accumulated = accumulated * s->scalars[1] - change;
  const Term direction =
      call.Bool("use_nesterov") ? accumulated * s->scalars[1] - change : accumulated;
  s->variables[0] = s->variables[0] + direction;
}

// Scalars: beta1_power, beta2_power, rate, beta1, beta2, epsilon.
void Adam(const OpCall& call, Step* s) {
  const Term one = Of(1);
  const Term g = s->gradient;
  // What is subtracted from 1 is given exactly: one rounding each.
  const Term left1 = Of(1 - s->scalars[3].value);
  const Term left2 = Of(1 - s->scalars[4].value);
  const Term rate = s->scalars[2] * Sqrt(Of(one.value - s->scalars[1].value)) /
                    Of(one.value - s->scalars[0].value);
  Term& m = s->variables[1];
  Term& v = s->variables[2];
  m = m + (g - m) * left1;
  v = v + (g * g - v) * left2;
  const Term direction = call.Bool("use_nesterov") ? g * left1 + s->scalars[3] * m : m;
  s->variables[0] = s->variables[0] - direction * rate / (Sqrt(v) + s->scalars[5]);
}

// Scalars: rate.
void Adagrad(const OpCall& call, Step* s) {
  Term& accumulated = s->variables[1];
  if (call.Bool("update_slots", true)) {
    accumulated = accumulated + s->gradient * s->gradient;
  }
  s->variables[0] = s->variables[0] - s->gradient * s->scalars[0] / Sqrt(accumulated);
}

// Scalars: rate, rho, momentum, epsilon.
void RmsProp(const OpCall&, Step* s) {
  const Term g = s->gradient;
  Term& mean_square = s->variables[1];
  Term& moment = s->variables[2];
  mean_square = mean_square + (g * g - mean_square) * Of(1 - s->scalars[1].value);
  moment = moment * s->scalars[2] + s->scalars[0] * g / Sqrt(mean_square + s->scalars[3]);
  s->variables[0] = s->variables[0] - moment;
}

constexpr Optimizer kOptimizers[] = {
    {"ApplyGradientDescent", 1, 2, 3, 2, GradientDescent, false},
    {"ApplyMomentum", 2, 3, 5, 6, Momentum, false},
    {"ApplyAdam", 3, 9, 10, 16, Adam, true},
    {"ApplyAdagrad", 2, 3, 4, 8, Adagrad, true},
    {"ApplyRMSProp", 3, 7, 8, 14, RmsProp, true},
    {"ApplyKerasMomentum", 2, 3, 5, 6, KerasMomentum, false}};

const Optimizer& Find(const std::string& op) {
  const std::string name = op.starts_with("Resource") ? op.substr(8) : op;
  const Optimizer* optimizer = kOptimizers;
  while (optimizer->name != name) ++optimizer;
  return *optimizer;
}

Status CheckShapes(const OpCall& call, const Optimizer& optimizer) {
  BERTH_RETURN_IF_ERROR(ExpectInputs(call, optimizer.inputs));
  for (int i = 1; i < optimizer.inputs; ++i) {
    const bool whole = i < optimizer.variables || i == optimizer.gradient;
    const HostTensor& input = call.input(i);
    if (whole ? input.dims == call.input(0).dims : input.num_elements() == 1) continue;
    return InvalidArgument("input " + std::to_string(i) +
                           " does not fit: " + input.ShapeString());
  }
  return OkStatus();
}

Result<Outputs> EvaluateUpdate(const OpCall& call) {
  const Optimizer& optimizer = Find(call.op);
  BERTH_RETURN_IF_ERROR(CheckShapes(call, optimizer));
  Step step;
  std::vector<std::vector<Real>> wholes;
  for (int i = 0; i < optimizer.inputs; ++i) {
    std::vector<Real> values = Reals(call.input(i));
    if (i < optimizer.variables || i == optimizer.gradient) {
      wholes.push_back(std::move(values));
    } else {
      step.scalars.push_back(Of(values[0]));
    }
  }
  const auto variables = static_cast<size_t>(optimizer.variables);
  const HostTensor& first = call.input(0);
  std::vector<Output> updated(
      variables, SumOutput(first.dtype, first.dims, {}, {}, optimizer.roundings));
  // A device may read the slots back as the dtype holds them.
  const bool narrow = AccumulationType(first.dtype) != first.dtype;
  const Real read_back = narrow ? FormatOf(first.dtype).unit_roundoff() : 0;
  const Real largest = FormatOf(first.dtype).largest();
  for (size_t i = 0; i < wholes[0].size(); ++i) {
    step.variables.clear();
    for (size_t v = 0; v < variables; ++v) step.variables.push_back(Of(wholes[v][i]));
    step.gradient = Of(wholes[variables][i]);
    optimizer.update(call, &step);
    // A square that the dtype cannot hold is infinite; how far that reaches is open.
    const Real g = step.gradient.value;
    const bool overflows = optimizer.squares && std::isfinite(g) && g * g > largest;
    for (size_t v = 0; v < variables; ++v) {
      updated[v].open.push_back(overflows);
      updated[v].values.push_back(step.variables[v].value);
      updated[v].magnitudes.push_back(step.variables[v].size);
      updated[v].slack.push_back(
          v == 0 ? read_back * (step.variables[v].size - std::fabs(wholes[0][i])) : 0);
    }
  }
  Outputs outputs;
  if (!call.op.starts_with("Resource")) outputs.outputs.push_back(updated[0]);
  for (size_t v = 0; v < variables; ++v) {
    outputs.written.emplace_back(static_cast<int>(v), std::move(updated[v]));
  }
  return outputs;
}

}  // namespace

void RegisterOptimizer(ReferenceTable& table) {
  for (const char* op :
       {"ApplyAdagrad", "ApplyAdam", "ApplyGradientDescent", "ApplyMomentum",
        "ApplyRMSProp", "ResourceApplyAdagrad", "ResourceApplyAdam",
        "ResourceApplyGradientDescent", "ResourceApplyKerasMomentum",
        "ResourceApplyMomentum", "ResourceApplyRMSProp"}) {
    table.Add(op, EvaluateUpdate);
  }
}

}  // namespace berth::conformance
