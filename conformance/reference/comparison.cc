// Comparisons and logic, element-wise with broadcasting. A NaN equals nothing.
#include "conformance/reference/evaluation.h"
#include "conformance/reference/families.h"

namespace berth::conformance {
namespace {

enum class Relation { kEqual, kNotEqual, kLess, kLessEqual, kGreater, kGreaterEqual };

template <typename T>
bool Holds(Relation relation, T a, T b) {
  switch (relation) {
    case Relation::kEqual:
      return a == b;
    case Relation::kNotEqual:
      return a != b;
    case Relation::kLess:
      return a < b;
    case Relation::kLessEqual:
      return a <= b;
    case Relation::kGreater:
      return a > b;
    default:
      return a >= b;
  }
}

template <typename T>
HostTensor Compare(Relation relation, const std::vector<T>& x, const std::vector<T>& y,
                   const std::vector<std::vector<int64_t>>& dims) {
  const std::vector<int64_t> map_a = BroadcastMap(dims[0], dims[2]);
  const std::vector<int64_t> map_b = BroadcastMap(dims[1], dims[2]);
  std::vector<Int> values(map_a.size());
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = Holds(relation, x[static_cast<size_t>(map_a[i])],
                      y[static_cast<size_t>(map_b[i])])
                    ? 1
                    : 0;
  }
  return FromInts(BERTH_BOOL, dims[2], values);
}

template <Relation kRelation>
Result<Outputs> EvaluateComparison(const OpCall& call) {
  BERTH_RETURN_IF_ERROR(ExpectInputs(call, 2));
  const HostTensor& a = call.input(0);
  const HostTensor& b = call.input(1);
  Result<std::vector<int64_t>> dims = BroadcastDims(a.dims, b.dims);
  if (!dims.ok()) {
    // Equal and NotEqual may be told to answer for shapes that do not fit.
    if (call.Bool("incompatible_shape_error", true)) return dims.status();
    const Int differ = kRelation == Relation::kNotEqual ? 1 : 0;
    return Single(Exact(FromInts(BERTH_BOOL, {}, {differ})));
  }
  const std::vector<std::vector<int64_t>> all = {a.dims, b.dims, *dims};
  return Single(Exact(IsRealFloat(a.dtype)
                          ? Compare<Real>(kRelation, Reals(a), Reals(b), all)
                          : Compare<Int>(kRelation, Ints(a), Ints(b), all)));
}

template <bool kAnd>
Result<Outputs> EvaluateLogic(const OpCall& call) {
  BERTH_RETURN_IF_ERROR(ExpectInputs(call, 2));
  const HostTensor& a = call.input(0);
  const HostTensor& b = call.input(1);
  BERTH_ASSIGN_OR_RETURN(const std::vector<int64_t> dims, BroadcastDims(a.dims, b.dims));
  const std::vector<int64_t> map_a = BroadcastMap(a.dims, dims);
  const std::vector<int64_t> map_b = BroadcastMap(b.dims, dims);
  const std::vector<Int> x = Ints(a);
  const std::vector<Int> y = Ints(b);
  std::vector<Int> values(map_a.size());
  for (size_t i = 0; i < values.size(); ++i) {
    const bool left = x[static_cast<size_t>(map_a[i])] != 0;
    const bool right = y[static_cast<size_t>(map_b[i])] != 0;
    values[i] = (kAnd ? left && right : left || right) ? 1 : 0;
  }
  return Single(Exact(FromInts(BERTH_BOOL, dims, values)));
}

}  // namespace

void RegisterComparison(ReferenceTable& table) {
  table.Add("Equal", EvaluateComparison<Relation::kEqual>);
  table.Add("NotEqual", EvaluateComparison<Relation::kNotEqual>);
  table.Add("Less", EvaluateComparison<Relation::kLess>);
  table.Add("LessEqual", EvaluateComparison<Relation::kLessEqual>);
  table.Add("Greater", EvaluateComparison<Relation::kGreater>);
  table.Add("GreaterEqual", EvaluateComparison<Relation::kGreaterEqual>);
  table.Add("LogicalAnd", EvaluateLogic<true>);
  table.Add("LogicalOr", EvaluateLogic<false>);
}

}  // namespace berth::conformance
