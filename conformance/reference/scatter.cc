// Scatter ops: rows of a variable changed one after another, in the order of the indices.
#include <cmath>

#include "conformance/reference/evaluation.h"
#include "conformance/reference/families.h"

namespace berth::conformance {
namespace {

enum class Kind { kUpdate, kAdd, kSub, kMul, kDiv, kMin, kMax };

Real Apply(Kind kind, Real v, Real x) {
  switch (kind) {
    case Kind::kAdd:
      return v + x;
    case Kind::kSub:
      return v - x;
    case Kind::kMul:
      return v * x;
    case Kind::kDiv:
      return v / x;
    case Kind::kMin:
      return std::isnan(v) || std::isnan(x) ? v + x : (x < v ? x : v);
    case Kind::kMax:
      return std::isnan(v) || std::isnan(x) ? v + x : (v < x ? x : v);
    default:
      return x;
  }
}

Int ApplyInt(Kind kind, Int v, Int x) {
  switch (kind) {
    case Kind::kAdd:
      return v + x;
    case Kind::kSub:
      return v - x;
    case Kind::kMul:
      return Times(v, x);
    case Kind::kDiv:
      return v / x;
    case Kind::kMin:
      return x < v ? x : v;
    case Kind::kMax:
      return v < x ? x : v;
    default:
      return x;
  }
}

Status CheckShapes(const OpCall& call) {
  BERTH_RETURN_IF_ERROR(ExpectInputs(call, 3));
  const HostTensor& variable = call.input(0);
  if (variable.rank() < 1) return InvalidArgument("the variable must have rows");
  std::vector<int64_t> wanted = call.input(1).dims;
  wanted.insert(wanted.end(), variable.dims.begin() + 1, variable.dims.end());
  const HostTensor& updates = call.input(2);
  if (updates.rank() != 0 && updates.dims != wanted) {
    return InvalidArgument("updates must be a scalar or have shape " +
                           DimsString(wanted) + ", got " + updates.ShapeString());
  }
  for (const int64_t index : Indices(call.input(1))) {
    if (index >= 0 && index < variable.dim(0)) continue;
    return InvalidArgument("index " + std::to_string(index) + " is not in [0, " +
                           std::to_string(variable.dim(0)) + ")");
  }
  return OkStatus();
}

// Calls visit(element of the variable, element of the updates) in order.
template <typename Visit>
void ForEachUpdate(const OpCall& call, const Visit& visit) {
  const int64_t width = ProductOf(call.input(0).dims, 1, call.input(0).rank());
  const bool scalar = call.input(2).rank() == 0;
  int64_t row = 0;
  for (const int64_t index : Indices(call.input(1))) {
    for (int64_t i = 0; i < width; ++i) {
      visit(static_cast<size_t>(index * width + i),
            scalar ? 0 : static_cast<size_t>(row * width + i));
    }
    ++row;
  }
}

Output ScatterReals(const OpCall& call, Kind kind) {
  const HostTensor& variable = call.input(0);
  std::vector<Real> values = Reals(variable);
  std::vector<Real> magnitudes;
  for (const Real value : values) magnitudes.push_back(Size(value));
  std::vector<int64_t> hits(values.size());
  std::vector<bool> open(values.size());
  const std::vector<Real> updates = Reals(call.input(2));
  const bool adds = kind == Kind::kAdd || kind == Kind::kSub;
  ForEachUpdate(call, [&](size_t to, size_t from) {
    values[to] = Apply(kind, values[to], updates[from]);
    magnitudes[to] = adds ? magnitudes[to] + Size(updates[from]) : Size(values[to]);
    ++hits[to];
    // Whether a maximum or minimum keeps a NaN is not said.
    const bool chooses = kind == Kind::kMin || kind == Kind::kMax;
    if (chooses && std::isnan(values[to])) open[to] = true;
  });
  int64_t most = 0;
  const bool rounds = adds || kind == Kind::kMul || kind == Kind::kDiv;
  for (const int64_t count : hits) most = std::max(most, rounds ? count : 0);
  Output output = SumOutput(variable.dtype, variable.dims, std::move(values),
                            std::move(magnitudes), most);
  output.open = std::move(open);
  return output;
}

template <Kind kKind>
Result<Outputs> EvaluateScatter(const OpCall& call) {
  BERTH_RETURN_IF_ERROR(CheckShapes(call));
  const HostTensor& variable = call.input(0);
  Output result;
  if (kKind == Kind::kUpdate) {
    // Copied to the bit.
    std::vector<int64_t> map;
    for (int64_t i = 0; i < variable.num_elements(); ++i) map.push_back(i);
    HostTensor both = variable;
    both.bytes.insert(both.bytes.end(), call.input(2).bytes.begin(),
                      call.input(2).bytes.end());
    ForEachUpdate(call, [&](size_t to, size_t from) {
      map[to] = variable.num_elements() + static_cast<int64_t>(from);
    });
    result = Exact(Pick(both, variable.dims, map));
  } else if (IsRealFloat(variable.dtype)) {
    result = ScatterReals(call, kKind);
  } else {
    std::vector<Int> values = Ints(variable);
    const std::vector<Int> updates = Ints(call.input(2));
    bool divides_by_zero = false;
    ForEachUpdate(call, [&](size_t to, size_t from) {
      divides_by_zero = divides_by_zero || (kKind == Kind::kDiv && updates[from] == 0);
      if (divides_by_zero) return;
      values[to] = Wrapped(ApplyInt(kKind, values[to], updates[from]), variable.dtype);
    });
    if (divides_by_zero) return InvalidArgument("Integer division by zero");
    result = Exact(FromInts(variable.dtype, variable.dims, values));
  }
  Outputs outputs;
  if (!call.op.starts_with("Resource")) outputs.outputs.push_back(result);
  outputs.written.emplace_back(0, std::move(result));
  return outputs;
}

template <Kind kKind>
void Add(ReferenceTable& table, const char* op, const char* resource_op) {
  table.Add(op, EvaluateScatter<kKind>);
  table.Add(resource_op, EvaluateScatter<kKind>);
}

}  // namespace

void RegisterScatter(ReferenceTable& table) {
  Add<Kind::kUpdate>(table, "ScatterUpdate", "ResourceScatterUpdate");
  Add<Kind::kAdd>(table, "ScatterAdd", "ResourceScatterAdd");
  Add<Kind::kSub>(table, "ScatterSub", "ResourceScatterSub");
  Add<Kind::kMul>(table, "ScatterMul", "ResourceScatterMul");
  Add<Kind::kDiv>(table, "ScatterDiv", "ResourceScatterDiv");
  Add<Kind::kMin>(table, "ScatterMin", "ResourceScatterMin");
  Add<Kind::kMax>(table, "ScatterMax", "ResourceScatterMax");
}

}  // namespace berth::conformance
