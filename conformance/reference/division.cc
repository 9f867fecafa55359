// Quotients, remainders and powers, element-wise with broadcasting. An integer divided by
// zero is INVALID_ARGUMENT; the lowest value divided by -1 wraps.
#include <cmath>

#include "conformance/reference/evaluation.h"
#include "conformance/reference/families.h"

namespace berth::conformance {
namespace {

struct Quotient {
  Real value;
  Real magnitude;
  // Where a quotient lies this near to a whole number, a device's rounding may take it
  // across.
  Real slack = 0;
};
Quotient Plain(Real value) { return {value, std::fabs(value)}; }

Quotient Divide(Real a, Real b, const FloatFormat&) { return Plain(a / b); }
Quotient DivideNoNan(Real a, Real b, const FloatFormat&) {
  return Plain(b == 0 ? 0 : a / b);
}
// The floor of the rounded quotient, so says TensorFlow's definition. Where the exact one
// is near a whole number, but none, either side of it will do: OpenCL lets a division be
// wrong by 2.5 units.
Quotient FloorDivide(Real a, Real b, const FloatFormat& format) {
  const Real exact = a / b;
  const Real nearest = std::rint(exact);
  const Real off = std::fabs(exact - nearest);
  constexpr Real kDivisionUlps = 2.5L;
  if (!std::isfinite(exact) || off == 0 || off > kDivisionUlps * format.UlpAt(exact)) {
    return {std::floor(exact), std::fabs(exact)};
  }
  // The whole number itself or the one below it.
  return {nearest - 0.5L, std::fabs(exact), 0.5L + off};
}
// Exact in every format.
Quotient Remainder(Real a, Real b, const FloatFormat&) { return Plain(std::fmod(a, b)); }
Quotient FloorRemainder(Real a, Real b, const FloatFormat&) {
  const Real r = std::fmod(a, b);
  if (r == 0 || (r < 0) == (b < 0)) return Plain(r);
  return {r + b, std::fabs(r) + std::fabs(b)};
}
Quotient Power(Real a, Real b, const FloatFormat&) { return Plain(std::pow(a, b)); }

Int DivideInt(Int a, Int b) { return a / b; }
Int FloorDivideInt(Int a, Int b) {
  const Int q = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
}
Int RemainderInt(Int a, Int b) { return a % b; }
Int FloorRemainderInt(Int a, Int b) {
  const Int r = a % b;
  return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}
Int PowerInt(Int base, Int exponent) {
  Int result = 1;
  for (; exponent > 0; exponent >>= 1) {
    if ((exponent & 1) != 0) result = static_cast<int64_t>(Times(result, base));
    base = static_cast<int64_t>(Times(base, base));
  }
  return result;
}

struct DivisionOp {
  const char* name;
  Quotient (*real)(Real, Real, const FloatFormat&);
  Int (*integer)(Int, Int);
};
constexpr DivisionOp kOps[] = {{"Div", Divide, DivideInt},
                               {"DivNoNan", DivideNoNan, nullptr},
                               {"FloorDiv", FloorDivide, FloorDivideInt},
                               {"FloorMod", FloorRemainder, FloorRemainderInt},
                               {"Mod", Remainder, RemainderInt},
                               {"Pow", Power, PowerInt},
                               {"RealDiv", Divide, nullptr},
                               {"TruncateDiv", nullptr, DivideInt},
                               {"TruncateMod", Remainder, RemainderInt}};

Result<Outputs> DivideReals(const OpCall& call, const DivisionOp& op,
                            const std::vector<int64_t>& dims) {
  const HostTensor& a = call.input(0);
  const HostTensor& b = call.input(1);
  const std::vector<int64_t> map_a = BroadcastMap(a.dims, dims);
  const std::vector<int64_t> map_b = BroadcastMap(b.dims, dims);
  const std::vector<Real> x = Reals(a);
  const std::vector<Real> y = Reals(b);
  const FloatFormat format = FormatOf(AccumulationType(a.dtype));
  Output output = RealOutput(a.dtype, dims, std::vector<Real>(map_a.size()));
  output.magnitudes.resize(map_a.size());
  output.slack.resize(map_a.size());
  for (size_t i = 0; i < map_a.size(); ++i) {
    const Quotient q = op.real(x[static_cast<size_t>(map_a[i])],
                               y[static_cast<size_t>(map_b[i])], format);
    output.values[i] = q.value;
    output.magnitudes[i] = q.magnitude;
    output.slack[i] = q.slack;
  }
  return Single(std::move(output));
}

Result<Outputs> DivideInts(const OpCall& call, const DivisionOp& op,
                           const std::vector<int64_t>& dims) {
  const HostTensor& a = call.input(0);
  const HostTensor& b = call.input(1);
  const std::vector<int64_t> map_a = BroadcastMap(a.dims, dims);
  const std::vector<int64_t> map_b = BroadcastMap(b.dims, dims);
  const std::vector<Int> x = Ints(a);
  const std::vector<Int> y = Ints(b);
  const bool is_power = call.op == "Pow";
  std::vector<Int> values(map_a.size());
  for (size_t i = 0; i < values.size(); ++i) {
    const Int right = y[static_cast<size_t>(map_b[i])];
    if (is_power && right < 0) {
      return InvalidArgument("Integers to negative integer powers are not allowed");
    }
    if (!is_power && right == 0) return InvalidArgument("Integer division by zero");
    values[i] = op.integer(x[static_cast<size_t>(map_a[i])], right);
  }
  return Single(Exact(FromInts(a.dtype, dims, values)));
}

Result<Outputs> EvaluateDivision(const OpCall& call) {
  BERTH_RETURN_IF_ERROR(ExpectInputs(call, 2));
  const HostTensor& a = call.input(0);
  BERTH_ASSIGN_OR_RETURN(const std::vector<int64_t> dims,
                         BroadcastDims(a.dims, call.input(1).dims));
  const DivisionOp* op = kOps;
  while (op->name != call.op) ++op;
  if (IsRealFloat(a.dtype) ? op->real == nullptr : op->integer == nullptr) {
    return InvalidArgument("no " + call.op + " of " + std::string(DTypeName(a.dtype)));
  }
  return IsRealFloat(a.dtype) ? DivideReals(call, *op, dims)
                              : DivideInts(call, *op, dims);
}

}  // namespace

void RegisterDivision(ReferenceTable& table) {
  for (const DivisionOp& op : kOps) table.Add(op.name, EvaluateDivision);
}

}  // namespace berth::conformance
