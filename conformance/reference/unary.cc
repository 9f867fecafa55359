// Element-wise ops of one operand: signs, rounding, powers, exponentials, trigonometry,
// tests for NaN and infinity.
#include <cmath>

#include "conformance/reference/evaluation.h"
#include "conformance/reference/families.h"

namespace berth::conformance {
namespace {

Real Sign(Real x) {
  if (std::isnan(x)) return x;
  return x > 0 ? 1 : (x < 0 ? -1 : 0);
}
// Halves go to the even neighbour, in Round and Rint alike.
Real RoundToEven(Real x) { return std::rint(x); }
Real Negate(Real x) { return -x; }
Real Square(Real x) { return x * x; }
Real Reciprocal(Real x) { return 1 / x; }
Real Rsqrt(Real x) { return 1 / std::sqrt(x); }
Real Abs(Real x) { return std::fabs(x); }
Real Sqrt(Real x) { return std::sqrt(x); }
Real Exp(Real x) { return std::exp(x); }
Real Expm1(Real x) { return std::expm1(x); }
Real Log(Real x) { return std::log(x); }
Real Log1p(Real x) { return std::log1p(x); }
Real Sin(Real x) { return std::sin(x); }
Real Cos(Real x) { return std::cos(x); }
Real Floor(Real x) { return std::floor(x); }
Real Ceil(Real x) { return std::ceil(x); }

Int AbsInt(Int x) { return x < 0 ? -x : x; }
Int NegateInt(Int x) { return -x; }
Int SignInt(Int x) { return x > 0 ? 1 : (x < 0 ? -1 : 0); }
Int SquareInt(Int x) { return Times(x, x); }
Int Same(Int x) { return x; }

using RealFunction = Real (*)(Real);
using IntFunction = Int (*)(Int);

struct UnaryOp {
  const char* name;
  RealFunction real;
  IntFunction integer;  // nullptr: floating dtypes alone
};
constexpr UnaryOp kOps[] = {{"Abs", Abs, AbsInt},
                            {"Ceil", Ceil, nullptr},
                            {"Cos", Cos, nullptr},
                            {"Exp", Exp, nullptr},
                            {"Expm1", Expm1, nullptr},
                            {"Floor", Floor, nullptr},
                            {"Inv", Reciprocal, nullptr},
                            {"Log", Log, nullptr},
                            {"Log1p", Log1p, nullptr},
                            {"Neg", Negate, NegateInt},
                            {"Reciprocal", Reciprocal, nullptr},
                            {"Rint", RoundToEven, nullptr},
                            {"Round", RoundToEven, Same},
                            {"Rsqrt", Rsqrt, nullptr},
                            {"Sign", Sign, SignInt},
                            {"Sin", Sin, nullptr},
                            {"Sqrt", Sqrt, nullptr},
                            {"Square", Square, SquareInt}};

Result<Outputs> EvaluateUnary(const OpCall& call) {
  BERTH_RETURN_IF_ERROR(ExpectInputs(call, 1));
  const HostTensor& x = call.input(0);
  const UnaryOp* op = kOps;
  while (op->name != call.op) ++op;
  if (IsRealFloat(x.dtype)) {
    std::vector<Real> values = Reals(x);
    for (Real& value : values) value = op->real(value);
    return Single(RealOutput(x.dtype, x.dims, std::move(values)));
  }
  if (op->integer == nullptr || !IsInteger(x.dtype)) {
    return InvalidArgument("no " + call.op + " of " + x.ShapeString());
  }
  std::vector<Int> values = Ints(x);
  for (Int& value : values) value = op->integer(value);
  return Single(Exact(FromInts(x.dtype, x.dims, values)));
}

bool IsNan(Real x) { return std::isnan(x); }
bool IsInf(Real x) { return std::isinf(x); }
bool IsFinite(Real x) { return std::isfinite(x); }
bool IsZero(Real x) { return x == 0; }

template <bool (*kTest)(Real)>
Result<Outputs> EvaluateTest(const OpCall& call) {
  BERTH_RETURN_IF_ERROR(ExpectInputs(call, 1));
  std::vector<Int> results;
  for (const Real x : Reals(call.input(0))) results.push_back(kTest(x) ? 1 : 0);
  return Single(Exact(FromInts(BERTH_BOOL, call.input(0).dims, results)));
}

}  // namespace

void RegisterUnary(ReferenceTable& table) {
  for (const UnaryOp& op : kOps) table.Add(op.name, EvaluateUnary);
  table.Add("IsFinite", EvaluateTest<IsFinite>);
  table.Add("IsInf", EvaluateTest<IsInf>);
  table.Add("IsNan", EvaluateTest<IsNan>);
  table.Add("LogicalNot", EvaluateTest<IsZero>);
}

}  // namespace berth::conformance
