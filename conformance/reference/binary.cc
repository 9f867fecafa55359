// Element-wise ops of two operands that broadcast: sums, differences, products, the
// larger and the smaller. Integers wrap.
#include <cmath>

#include "conformance/reference/evaluation.h"
#include "conformance/reference/families.h"

namespace berth::conformance {
namespace {

Real Add(Real a, Real b) { return a + b; }
Real Sub(Real a, Real b) { return a - b; }
Real Mul(Real a, Real b) { return a * b; }
Real SquaredDifference(Real a, Real b) { return (a - b) * (a - b); }
// A NaN on either side is the result.
Real Maximum(Real a, Real b) {
  if (std::isnan(a) || std::isnan(b)) return a + b;
  return a < b ? b : a;
}
Real Minimum(Real a, Real b) {
  if (std::isnan(a) || std::isnan(b)) return a + b;
  return b < a ? b : a;
}

Int AddInt(Int a, Int b) { return a + b; }
Int SubInt(Int a, Int b) { return a - b; }
Int MulInt(Int a, Int b) { return Times(a, b); }
Int SquaredDifferenceInt(Int a, Int b) { return Times(a - b, a - b); }
Int MaximumInt(Int a, Int b) { return a < b ? b : a; }
Int MinimumInt(Int a, Int b) { return b < a ? b : a; }

struct BinaryOp {
  const char* name;
  Real (*real)(Real, Real);
  Int (*integer)(Int, Int);
};
constexpr BinaryOp kOps[] = {
    {"Add", Add, AddInt},
    {"AddV2", Add, AddInt},
    {"Maximum", Maximum, MaximumInt},
    {"Minimum", Minimum, MinimumInt},
    {"Mul", Mul, MulInt},
    {"SquaredDifference", SquaredDifference, SquaredDifferenceInt},
    {"Sub", Sub, SubInt}};

Result<Outputs> EvaluateBinary(const OpCall& call) {
  BERTH_RETURN_IF_ERROR(ExpectInputs(call, 2));
  const HostTensor& a = call.input(0);
  const HostTensor& b = call.input(1);
  BERTH_ASSIGN_OR_RETURN(const std::vector<int64_t> dims, BroadcastDims(a.dims, b.dims));
  const BinaryOp* op = kOps;
  while (op->name != call.op) ++op;
  const std::vector<int64_t> map_a = BroadcastMap(a.dims, dims);
  const std::vector<int64_t> map_b = BroadcastMap(b.dims, dims);
  if (IsRealFloat(a.dtype)) {
    const std::vector<Real> x = Reals(a);
    const std::vector<Real> y = Reals(b);
    std::vector<Real> values(map_a.size());
    for (size_t i = 0; i < values.size(); ++i) {
      values[i] =
          op->real(x[static_cast<size_t>(map_a[i])], y[static_cast<size_t>(map_b[i])]);
    }
    return Single(RealOutput(a.dtype, dims, std::move(values)));
  }
  const std::vector<Int> x = Ints(a);
  const std::vector<Int> y = Ints(b);
  std::vector<Int> values(map_a.size());
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] =
        op->integer(x[static_cast<size_t>(map_a[i])], y[static_cast<size_t>(map_b[i])]);
  }
  return Single(Exact(FromInts(a.dtype, dims, values)));
}

// A variable plus or minus a value of its shape.
template <int kSign>
Result<Outputs> EvaluateAssign(const OpCall& call) {
  BERTH_RETURN_IF_ERROR(ExpectInputs(call, 2));
  if (call.input(0).dims != call.input(1).dims) {
    return InvalidArgument("variable and value must have one shape");
  }
  OpCall sum = call;
  sum.op = kSign > 0 ? "Add" : "Sub";
  BERTH_ASSIGN_OR_RETURN(Outputs outputs, EvaluateBinary(sum));
  outputs.written.emplace_back(0, outputs.outputs[0]);
  // The forms on resource variables have no output.
  if (call.op.ends_with("VariableOp")) outputs.outputs.clear();
  return outputs;
}

}  // namespace

void RegisterBinary(ReferenceTable& table) {
  for (const BinaryOp& op : kOps) table.Add(op.name, EvaluateBinary);
  table.Add("AssignAdd", EvaluateAssign<1>);
  table.Add("AssignAddVariableOp", EvaluateAssign<1>);
  table.Add("AssignSub", EvaluateAssign<-1>);
  table.Add("AssignSubVariableOp", EvaluateAssign<-1>);
}

}  // namespace berth::conformance
