#include "conformance/reference/bounds.h"

#include <array>
#include <cmath>

namespace berth::conformance {
namespace {

using Part = double Accuracy::*;

enum class Kind {
  kExact,      // no error at all
  kFunction,   // one operation or function of the device: its own accuracy
  kComposite,  // a chain of them without cancellation: 4 ulp on a CPU, else their sum
  kSum,        // terms of both signs: errors grow with the magnitude
};

struct OpRule {
  const char* op;
  Kind kind;
  // The operations of the chain; of a sum, those beside the roundings that the reference
  // counts.
  std::array<Part, 4> parts{};
};

constexpr Part kAdd = &Accuracy::add;
constexpr Part kDivide = &Accuracy::divide;
constexpr Part kSqrt = &Accuracy::sqrt;
constexpr Part kRsqrt = &Accuracy::rsqrt;
constexpr Part kExp = &Accuracy::exp;
constexpr Part kExpm1 = &Accuracy::expm1;
constexpr Part kLog = &Accuracy::log;
constexpr Part kLog1p = &Accuracy::log1p;
constexpr Part kSin = &Accuracy::sin;

constexpr OpRule kRules[] = {
    {"Abs", Kind::kExact},
    {"Ceil", Kind::kExact},
    {"Floor", Kind::kExact},

    {"Max", Kind::kExact},
    {"MaxPool", Kind::kExact},
    {"Maximum", Kind::kExact},
    {"Min", Kind::kExact},
    {"Minimum", Kind::kExact},
    {"Mod", Kind::kExact},
    {"Neg", Kind::kExact},
    {"Relu", Kind::kExact},
    {"Relu6", Kind::kExact},
    {"Relu6Grad", Kind::kExact},
    {"ReluGrad", Kind::kExact},
    {"Rint", Kind::kExact},
    {"Round", Kind::kExact},
    {"ScatterMax", Kind::kExact},
    {"ScatterMin", Kind::kExact},
    {"Sign", Kind::kExact},
    {"TruncateMod", Kind::kExact},

    {"Add", Kind::kFunction, {kAdd}},
    {"AddV2", Kind::kFunction, {kAdd}},
    {"AssignAdd", Kind::kFunction, {kAdd}},
    {"AssignAddVariableOp", Kind::kFunction, {kAdd}},
    {"AssignSub", Kind::kFunction, {kAdd}},
    {"AssignSubVariableOp", Kind::kFunction, {kAdd}},
    {"BiasAdd", Kind::kFunction, {kAdd}},
    {"BiasAddV1", Kind::kFunction, {kAdd}},
    {"Cast", Kind::kFunction, {kAdd}},
    {"Cos", Kind::kFunction, {&Accuracy::cos}},
    {"Div", Kind::kFunction, {kDivide}},
    {"DivNoNan", Kind::kFunction, {kDivide}},
    {"Elu", Kind::kFunction, {kExpm1}},
    {"Exp", Kind::kFunction, {kExp}},
    {"Expm1", Kind::kFunction, {kExpm1}},
    {"Inv", Kind::kFunction, {&Accuracy::reciprocal}},
    {"FloorDiv", Kind::kFunction, {kDivide}},
    {"LeakyRelu", Kind::kFunction, {kAdd}},
    {"LeakyReluGrad", Kind::kFunction, {kAdd}},
    {"Log", Kind::kFunction, {kLog}},
    {"Log1p", Kind::kFunction, {kLog1p}},
    {"Mul", Kind::kFunction, {kAdd}},
    {"Pow", Kind::kFunction, {&Accuracy::pow}},
    {"RealDiv", Kind::kFunction, {kDivide}},
    {"Reciprocal", Kind::kFunction, {&Accuracy::reciprocal}},
    {"Rsqrt", Kind::kFunction, {kRsqrt}},
    {"Sin", Kind::kFunction, {kSin}},
    {"Sqrt", Kind::kFunction, {kSqrt}},
    {"Square", Kind::kFunction, {kAdd}},
    {"Sub", Kind::kFunction, {kAdd}},
    {"Tanh", Kind::kFunction, {&Accuracy::tanh}},

    {"InvGrad", Kind::kComposite, {kAdd, kAdd}},
    {"ReciprocalGrad", Kind::kComposite, {kAdd, kAdd}},
    {"RsqrtGrad", Kind::kComposite, {kAdd, kAdd, kAdd, kAdd}},
    {"Selu", Kind::kComposite, {kExpm1, kAdd, kAdd, kAdd}},
    {"Sigmoid", Kind::kComposite, {kExp, kAdd, kDivide}},
    {"Softplus", Kind::kComposite, {kExp, kLog1p, kAdd}},
    {"SoftplusGrad", Kind::kComposite, {kExp, kAdd, kDivide}},
    {"Softsign", Kind::kComposite, {kAdd, kDivide}},
    {"SoftsignGrad", Kind::kComposite, {kAdd, kAdd, kAdd, kDivide}},
    {"SqrtGrad", Kind::kComposite, {kAdd, kDivide}},
    {"SquaredDifference", Kind::kComposite, {kAdd, kAdd, kAdd}},

    {"AccumulateNV2", Kind::kSum},
    {"AddN", Kind::kSum},
    {"ApplyAdagrad", Kind::kSum, {kRsqrt, kAdd}},
    {"ApplyAdam", Kind::kSum, {kSqrt, kSqrt, kDivide, kDivide}},
    {"ApplyGradientDescent", Kind::kSum},
    {"ApplyKerasMomentum", Kind::kSum},
    {"ApplyMomentum", Kind::kSum},
    {"ApplyRMSProp", Kind::kSum, {kRsqrt, kDivide}},
    {"AvgPool", Kind::kSum, {kDivide}},
    {"AvgPoolGrad", Kind::kSum, {kDivide}},
    {"BatchMatMul", Kind::kSum},
    {"BatchMatMulV2", Kind::kSum},
    {"BiasAddGrad", Kind::kSum},
    {"Conv2D", Kind::kSum},
    {"Conv2DBackpropFilter", Kind::kSum},
    {"Conv2DBackpropInput", Kind::kSum},
    {"EluGrad", Kind::kSum, {kAdd, kAdd}},
    {"FloorMod", Kind::kSum, {kAdd}},
    {"FusedBatchNorm", Kind::kSum, {kRsqrt, kDivide}},
    {"FusedBatchNormGrad", Kind::kSum, {kRsqrt, kDivide}},
    {"FusedBatchNormGradV2", Kind::kSum, {kRsqrt, kDivide}},
    {"FusedBatchNormGradV3", Kind::kSum, {kRsqrt, kDivide}},
    {"FusedBatchNormV2", Kind::kSum, {kRsqrt, kDivide}},
    {"FusedBatchNormV3", Kind::kSum, {kRsqrt, kDivide}},
    {"L2Loss", Kind::kSum, {kAdd}},
    {"LinSpace", Kind::kSum, {kDivide}},
    {"LogSoftmax", Kind::kSum, {kExp, kLog, kAdd}},
    {"MatMul", Kind::kSum},
    {"MaxPoolGrad", Kind::kSum},
    {"Mean", Kind::kSum, {kDivide}},
    {"Prod", Kind::kSum},
    {"RandomStandardNormal", Kind::kSum, {kLog, kSqrt, kSin}},
    {"Range", Kind::kSum},
    {"ScatterAdd", Kind::kSum},
    {"ScatterDiv", Kind::kSum, {kDivide}},
    {"ScatterMul", Kind::kSum},
    {"ScatterSub", Kind::kSum},
    {"SeluGrad", Kind::kSum, {kAdd, kAdd, kAdd}},
    {"SigmoidGrad", Kind::kSum, {kAdd, kAdd, kAdd}},
    {"Softmax", Kind::kSum, {kExp, kExp, kDivide}},
    {"SoftmaxCrossEntropyWithLogits", Kind::kSum, {kExp, kExp, kLog, kDivide}},
    {"SparseSoftmaxCrossEntropyWithLogits", Kind::kSum, {kExp, kExp, kLog, kDivide}},
    {"Sum", Kind::kSum},
    {"TanhGrad", Kind::kSum, {kAdd, kAdd, kAdd}},
    {"TruncatedNormal", Kind::kSum, {kLog, kSqrt, kSin}}};

// Ops that IEEE 754 fixes down to the sign of zero.
constexpr const char* kSignOps[] = {"Abs",   "Add",  "AddV2", "Ceil",    "Div",
                                    "Floor", "Mul",  "Neg",   "RealDiv", "Rint",
                                    "Round", "Sqrt", "Sub"};

// The forms on resource variables follow those on references.
std::string BaseName(const std::string& op) {
  return op.starts_with("Resource") ? op.substr(8) : op;
}

const OpRule* FindRule(const std::string& op) {
  const std::string name = BaseName(op);
  for (const OpRule& rule : kRules) {
    if (rule.op == name) return &rule;
  }
  return nullptr;
}

// A part that is off by k ulp is off by at most 2k roundings, relatively.
int64_t RoundingsOf(const OpRule& rule, const Accuracy& accuracy) {
  double sum = 0;
  for (const Part part : rule.parts) {
    if (part != nullptr) sum += 2 * accuracy.*part;
  }
  return static_cast<int64_t>(std::ceil(sum));
}

Real Gamma(int64_t n, const FloatFormat& format) {
  const Real nu = static_cast<Real>(n) * format.unit_roundoff();
  return nu < 0.5L ? nu / (1 - nu) : 2 * nu;
}

Real MagnitudeAt(const Output& reference, size_t i) {
  const Real magnitude =
      reference.magnitudes.empty() ? reference.values[i] : reference.magnitudes[i];
  return std::isnan(magnitude) ? 0 : std::fabs(magnitude);
}

}  // namespace

Real Bound::At(const Output& reference, size_t i) const {
  const Real value = reference.values[i];
  Real error = ulps * accumulation.UlpAt(value);
  if (roundings > 0) error += Gamma(roundings, accumulation) * MagnitudeAt(reference, i);
  // The reference itself is rounded, to 64 bits: seen beside double alone.
  if (accumulation.digits == 53) error *= 1 + 0x1p-8L;
  if (rounds_result) error += result.UlpAt(value) / 2;
  if (!reference.slack.empty()) error += reference.slack[i];
  return error + underflow;
}

Bound BoundOf(const std::string& op, const Output& reference, const DeviceRules& rules) {
  Bound bound;
  bound.flushes_subnormals = rules.flushes_subnormals;
  bound.open_as_x86 = rules.open_as_x86;
  const DType dtype = reference.tensor.dtype;
  if (!IsFloatingType(dtype)) return bound;
  const DType wide = AccumulationType(dtype);
  bound.result = FormatOf(dtype);
  bound.accumulation = FormatOf(wide);
  const OpRule* rule = FindRule(op);
  if (rule == nullptr || rule->kind == Kind::kExact) {
    for (const char* name : kSignOps) bound.zero_sign = bound.zero_sign || op == name;
    return bound;
  }
  for (const char* name : kSignOps) bound.zero_sign = bound.zero_sign || op == name;
  const Accuracy accuracy = AccuracyOf(rules.device, dtype);
  const Real least = rules.flushes_subnormals ? bound.accumulation.smallest_normal()
                                              : bound.accumulation.smallest_subnormal();
  bound.rounds_result = wide != dtype;
  switch (rule->kind) {
    case Kind::kFunction:
      bound.ulps = accuracy.*(rule->parts[0]);
      break;
    case Kind::kComposite:
      if (rules.device == DeviceClass::kCpu) {
        bound.ulps = 4;
      } else {
        bound.roundings = RoundingsOf(*rule, accuracy);
      }
      // The chain may leave the range of normal numbers before its end does.
      bound.underflow = bound.accumulation.smallest_normal();
      break;
    default:
      bound.roundings = reference.roundings + RoundingsOf(*rule, accuracy);
      bound.underflow = static_cast<Real>(bound.roundings) * least;
      // A function in a chain may lose what is below the smallest normal number.
      if (rule->parts[0] == kExp) {
        bound.underflow = std::max(bound.underflow, bound.accumulation.smallest_normal());
      }
  }
  return bound;
}

bool HasRule(const std::string& op) { return FindRule(op) != nullptr; }

}  // namespace berth::conformance
