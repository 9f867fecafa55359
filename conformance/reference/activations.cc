// Activation functions and their gradients. Gradients take what TensorFlow's ops take:
// the activation's input (Relu, LeakyRelu, Softplus, Softsign) or its output (the
// others).
#include <cmath>

#include "conformance/reference/evaluation.h"
#include "conformance/reference/families.h"

namespace berth::conformance {
namespace {

// Klambauer et al., "Self-Normalizing Neural Networks", 2017.
constexpr Real kSeluScale = 1.0507009873554804934193349852946L;
constexpr Real kSeluAlpha = 1.6732632423543772848170429916717L;

// `a` is the attribute alpha. Comparisons are written so that NaN stays NaN.
Real Relu(Real x, Real) { return x <= 0 ? 0 : x; }
Real Relu6(Real x, Real) { return x <= 0 ? 0 : (x > 6 ? 6 : x); }
Real LeakyRelu(Real x, Real a) { return x <= 0 ? a * x : x; }
Real Elu(Real x, Real) { return x < 0 ? std::expm1(x) : x; }
Real Selu(Real x, Real) { return kSeluScale * (x < 0 ? kSeluAlpha * std::expm1(x) : x); }
Real Sigmoid(Real x, Real) { return 1 / (1 + std::exp(-x)); }
Real Tanh(Real x, Real) { return std::tanh(x); }
Real Softplus(Real x, Real) {
  if (std::isnan(x)) return x;
  return std::fmax(x, 0.0L) + std::log1p(std::exp(-std::fabs(x)));
}
Real Softsign(Real x, Real) { return x / (1 + std::fabs(x)); }

struct Activation {
  const char* name;
  Real (*function)(Real, Real);
};
constexpr Activation kActivations[] = {
    {"Elu", Elu},           {"LeakyRelu", LeakyRelu}, {"Relu", Relu},
    {"Relu6", Relu6},       {"Selu", Selu},           {"Sigmoid", Sigmoid},
    {"Softplus", Softplus}, {"Softsign", Softsign},   {"Tanh", Tanh}};

Result<Outputs> EvaluateActivation(const OpCall& call) {
  BERTH_RETURN_IF_ERROR(ExpectInputs(call, 1));
  const HostTensor& x = call.input(0);
  const Activation* op = kActivations;
  while (op->name != call.op) ++op;
  const Real alpha = call.Float("alpha", 0.2F);
  std::vector<Real> values = Reals(x);
  for (Real& value : values) value = op->function(value, alpha);
  if (IsRealFloat(x.dtype)) {
    return Single(RealOutput(x.dtype, x.dims, std::move(values)));
  }
  // Relu and Relu6 of integers.
  const std::vector<Int> whole(values.begin(), values.end());
  return Single(Exact(FromInts(x.dtype, x.dims, whole)));
}

// A gradient: the incoming one and what the op keeps, x or y.
struct Slope {
  Real value;
  // Sum of the absolute values of its terms.
  Real magnitude;
  // A product or quotient on the way: where the dtype cannot hold it, the order of the
  // operations decides.
  Real part = 1;
};
Slope Plain(Real value) { return {value, std::fabs(value)}; }

Slope ReluGrad(Real g, Real x, Real) { return Plain(x > 0 ? g : 0); }
Slope Relu6Grad(Real g, Real x, Real) { return Plain(x > 0 && x < 6 ? g : 0); }
Slope LeakyReluGrad(Real g, Real x, Real a) { return Plain(x > 0 ? g : a * g); }
Slope EluGrad(Real g, Real y, Real) {
  return y < 0 ? Slope{g * (y + 1), std::fabs(g) * (std::fabs(y) + 1)} : Plain(g);
}
Slope SeluGrad(Real g, Real y, Real) {
  constexpr Real kBoth = kSeluScale * kSeluAlpha;
  return y < 0 ? Slope{g * (y + kBoth), std::fabs(g) * (std::fabs(y) + kBoth)}
               : Plain(g * kSeluScale);
}
Slope SigmoidGrad(Real g, Real y, Real) {
  return {g * y * (1 - y), std::fabs(g * y) * (1 + std::fabs(y)), 1 + y * y};
}
Slope TanhGrad(Real g, Real y, Real) {
  return {g * (1 - y * y), std::fabs(g) * (1 + y * y), 1 + y * y};
}
Slope SoftplusGrad(Real g, Real x, Real) {
  const Real d = 1 + std::exp(-x);
  return {g / d, std::fabs(g / d), d};
}
Slope SoftsignGrad(Real g, Real x, Real) {
  const Real d = 1 + std::fabs(x);
  return {g / (d * d), std::fabs(g / (d * d)), d * d};
}
Slope InvGrad(Real g, Real y, Real) { return {-g * y * y, std::fabs(g * y * y), y * y}; }
Slope SqrtGrad(Real g, Real y, Real) { return {g / 2 / y, std::fabs(g / 2 / y), g / 2}; }
Slope RsqrtGrad(Real g, Real y, Real) {
  const Real part = y * y * y;
  // Half of the smallest gradient is lost beside an infinite y.
  return {-g / 2 * part, std::fabs(g / 2 * part), std::isinf(y) ? g / 2 : part};
}

struct Gradient {
  const char* name;
  Slope (*function)(Real, Real, Real);
  bool gradient_first;  // the op's inputs are (dy, x) and not (y, dy)
};
constexpr Gradient kGradients[] = {{"EluGrad", EluGrad, true},
                                   {"InvGrad", InvGrad, false},
                                   {"LeakyReluGrad", LeakyReluGrad, true},
                                   {"ReciprocalGrad", InvGrad, false},
                                   {"Relu6Grad", Relu6Grad, true},
                                   {"ReluGrad", ReluGrad, true},
                                   {"RsqrtGrad", RsqrtGrad, false},
                                   {"SeluGrad", SeluGrad, true},
                                   {"SigmoidGrad", SigmoidGrad, false},
                                   {"SoftplusGrad", SoftplusGrad, true},
                                   {"SoftsignGrad", SoftsignGrad, true},
                                   {"SqrtGrad", SqrtGrad, false},
                                   {"TanhGrad", TanhGrad, false}};

Result<Outputs> EvaluateGradient(const OpCall& call) {
  BERTH_RETURN_IF_ERROR(ExpectInputs(call, 2));
  const Gradient* op = kGradients;
  while (op->name != call.op) ++op;
  const HostTensor& first = call.input(0);
  const HostTensor& second = call.input(1);
  if (first.dims != second.dims) {
    return InvalidArgument("both inputs must have one shape");
  }
  const std::vector<Real> gradients = Reals(op->gradient_first ? first : second);
  const std::vector<Real> kept = Reals(op->gradient_first ? second : first);
  const Real alpha = call.Float("alpha", 0.2F);
  std::vector<Real> values;
  std::vector<Real> magnitudes;
  std::vector<bool> open;
  const FloatFormat format = FormatOf(AccumulationType(first.dtype));
  for (size_t i = 0; i < kept.size(); ++i) {
    const Slope slope = op->function(gradients[i], kept[i], alpha);
    values.push_back(slope.value);
    magnitudes.push_back(slope.magnitude);
    const Real part = std::fabs(slope.part);
    open.push_back(
        std::isfinite(part) &&
        (part > format.largest() || (part != 0 && part < format.smallest_normal())));
  }
  if (IsRealFloat(first.dtype)) {
    Output output =
        SumOutput(first.dtype, first.dims, std::move(values), std::move(magnitudes), 0);
    output.open = std::move(open);
    return Single(std::move(output));
  }
  const std::vector<Int> whole(values.begin(), values.end());
  return Single(Exact(FromInts(first.dtype, first.dims, whole)));
}

}  // namespace

void RegisterActivations(ReferenceTable& table) {
  for (const Activation& op : kActivations) table.Add(op.name, EvaluateActivation);
  for (const Gradient& op : kGradients) table.Add(op.name, EvaluateGradient);
}

}  // namespace berth::conformance
