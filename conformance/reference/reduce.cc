// Reductions over axes: Sum, Mean, Prod, Max, Min, All, Any; and L2Loss. Nothing to
// reduce gives the identity: 0, NaN, 1, the lowest, the highest, true, false.
#include <cmath>
#include <limits>
#include <set>

#include "conformance/reference/evaluation.h"
#include "conformance/reference/families.h"

namespace berth::conformance {
namespace {

// Which result every element goes to.
struct Reduction {
  std::vector<int64_t> dims;  // of the results
  std::vector<size_t> map;
  int64_t length = 0;  // elements that go to one result
};

Result<Reduction> MakeReduction(const OpCall& call) {
  BERTH_RETURN_IF_ERROR(ExpectInputs(call, 2));
  const HostTensor& x = call.input(0);
  std::set<int> axes;
  for (const int64_t axis : Indices(call.input(1))) {
    BERTH_ASSIGN_OR_RETURN(const int at, CanonicalAxis(axis, x.rank()));
    if (!axes.insert(at).second) {
      return InvalidArgument("axis " + std::to_string(axis) + " is given twice");
    }
  }
  std::vector<int64_t> kept = x.dims;
  Reduction reduction;
  reduction.length = 1;
  for (int i = 0; i < x.rank(); ++i) {
    const bool reduced = axes.count(i) != 0;
    if (reduced) {
      reduction.length *= x.dim(i);
      kept[static_cast<size_t>(i)] = 1;
    }
    if (!reduced || call.Bool("keep_dims")) {
      reduction.dims.push_back(reduced ? 1 : x.dim(i));
    }
  }
  for (const int64_t i : BroadcastMap(kept, x.dims)) {
    reduction.map.push_back(static_cast<size_t>(i));
  }
  return reduction;
}

constexpr Real kInfinity = std::numeric_limits<Real>::infinity();

enum class Kind { kSum, kMean, kProd, kMax, kMin };

// A NaN among the elements is the result of Max and Min.
template <typename T>
T Combine(Kind kind, T a, T b) {
  switch (kind) {
    case Kind::kProd:
      return Times(a, b);
    case Kind::kMax:
      return b > a || b != b ? b : a;
    case Kind::kMin:
      return b < a || b != b ? b : a;
    default:
      return Plus(a, b);
  }
}

Real RealIdentity(Kind kind) {
  if (kind == Kind::kProd) return 1;
  if (kind == Kind::kMax) return -kInfinity;
  return kind == Kind::kMin ? kInfinity : 0;
}

// Products depend on the order where a part of them leaves the range of the dtype.
void MarkOrderDependent(const std::vector<Real>& x, const Reduction& reduction,
                        const FloatFormat& format, Output* output) {
  std::vector<Real> largest(output->values.size(), 1);
  std::vector<Real> smallest(output->values.size(), 1);
  for (size_t i = 0; i < x.size(); ++i) {
    const Real size = std::fabs(x[i]);
    if (size > 1 && std::isfinite(size)) largest[reduction.map[i]] *= size;
    if (size < 1 && size > 0) smallest[reduction.map[i]] *= size;
  }
  output->open.resize(output->values.size());
  for (size_t i = 0; i < largest.size(); ++i) {
    output->open[i] =
        largest[i] > format.largest() || smallest[i] < format.smallest_normal();
  }
}

Outputs ReduceReals(Kind kind, const HostTensor& input, const Reduction& reduction) {
  const auto n = static_cast<size_t>(NumElements(reduction.dims));
  const std::vector<Real> x = Reals(input);
  Output output =
      RealOutput(input.dtype, reduction.dims, std::vector<Real>(n, RealIdentity(kind)));
  const bool adds = kind == Kind::kSum || kind == Kind::kMean;
  if (adds) output.magnitudes.resize(n);
  for (size_t i = 0; i < x.size(); ++i) {
    Real& result = output.values[reduction.map[i]];
    const bool settled = (kind == Kind::kMax || kind == Kind::kMin) && std::isnan(result);
    if (!settled) result = Combine(kind, result, x[i]);
    if (adds) output.magnitudes[reduction.map[i]] += Size(x[i]);
  }
  if (kind == Kind::kMean) {
    output.peaks = output.magnitudes;  // the sum comes before the quotient
    for (size_t i = 0; i < n; ++i) {
      output.values[i] /= static_cast<Real>(reduction.length);
      if (reduction.length != 0) {
        output.magnitudes[i] /= static_cast<Real>(reduction.length);
      }
    }
  }
  output.roundings = adds || kind == Kind::kProd ? reduction.length : 0;
  if (kind == Kind::kProd) {
    MarkOrderDependent(x, reduction, FormatOf(AccumulationType(input.dtype)), &output);
  }
  return Single(std::move(output));
}

Outputs ReduceInts(Kind kind, const HostTensor& input, const Reduction& reduction) {
  const auto n = static_cast<size_t>(NumElements(reduction.dims));
  const DType dtype = input.dtype;
  Int identity = kind == Kind::kProd ? 1 : 0;
  if (kind == Kind::kMax) identity = LowestOf(dtype);
  if (kind == Kind::kMin) identity = HighestOf(dtype);
  std::vector<Int> results(n, identity);
  const std::vector<Int> x = Ints(input);
  for (size_t i = 0; i < x.size(); ++i) {
    Int& result = results[reduction.map[i]];
    result = Combine(kind, result, x[i]);
  }
  Output output;
  if (kind == Kind::kMean && reduction.length != 0) {
    // Narrow sums do not wrap; those of 32 and 64 bits may, and the quotient is then
    // open.
    const DType sum = DTypeSize(dtype) < 4 ? BERTH_INT32 : dtype;
    for (Int& result : results) {
      output.open.push_back(result < LowestOf(sum) || result > HighestOf(sum));
      result /= reduction.length;
    }
  }
  output.tensor = FromInts(dtype, reduction.dims, results);
  return Single(std::move(output));
}

template <Kind kKind>
Result<Outputs> EvaluateReduction(const OpCall& call) {
  BERTH_ASSIGN_OR_RETURN(const Reduction reduction, MakeReduction(call));
  return IsRealFloat(call.input(0).dtype) ? ReduceReals(kKind, call.input(0), reduction)
                                          : ReduceInts(kKind, call.input(0), reduction);
}

template <bool kAll>
Result<Outputs> EvaluateLogical(const OpCall& call) {
  BERTH_ASSIGN_OR_RETURN(const Reduction reduction, MakeReduction(call));
  const auto n = static_cast<size_t>(NumElements(reduction.dims));
  std::vector<Int> results(n, kAll ? 1 : 0);
  const std::vector<Int> x = Ints(call.input(0));
  for (size_t i = 0; i < x.size(); ++i) {
    if ((x[i] != 0) != kAll) results[reduction.map[i]] = kAll ? 0 : 1;
  }
  return Single(Exact(FromInts(BERTH_BOOL, reduction.dims, results)));
}

// Half the sum of the squares.
Result<Outputs> EvaluateL2Loss(const OpCall& call) {
  BERTH_RETURN_IF_ERROR(ExpectInputs(call, 1));
  const HostTensor& x = call.input(0);
  Real sum = 0;
  for (const Real value : Reals(x)) sum += value * value / 2;
  return Single(SumOutput(x.dtype, {}, {sum}, {sum}, x.num_elements() + 1));
}

}  // namespace

void RegisterReduce(ReferenceTable& table) {
  table.Add("Sum", EvaluateReduction<Kind::kSum>);
  table.Add("Mean", EvaluateReduction<Kind::kMean>);
  table.Add("Prod", EvaluateReduction<Kind::kProd>);
  table.Add("Max", EvaluateReduction<Kind::kMax>);
  table.Add("Min", EvaluateReduction<Kind::kMin>);
  table.Add("All", EvaluateLogical<true>);
  table.Add("Any", EvaluateLogical<false>);
  table.Add("L2Loss", EvaluateL2Loss);
}

}  // namespace berth::conformance
