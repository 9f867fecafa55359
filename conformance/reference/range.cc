// Sequences and the arithmetic of shapes: Range, LinSpace, BroadcastArgs,
// BroadcastGradientArgs.
#include <cmath>

#include "conformance/reference/evaluation.h"
#include "conformance/reference/families.h"

namespace berth::conformance {
namespace {

Status ExpectScalars(const OpCall& call) {
  BERTH_RETURN_IF_ERROR(ExpectInputs(call, 3));
  for (const HostTensor& input : call.inputs) {
    if (input.num_elements() != 1) return InvalidArgument("all inputs must be scalars");
  }
  return OkStatus();
}

Status CheckDirection(bool zero, bool wrong_way) {
  if (zero) return InvalidArgument("Requires delta != 0");
  if (wrong_way) return InvalidArgument("start lies beyond limit in delta's direction");
  return OkStatus();
}

// Inputs: start, limit, delta.
Result<Outputs> EvaluateRange(const OpCall& call) {
  BERTH_RETURN_IF_ERROR(ExpectScalars(call));
  const DType dtype = call.input(0).dtype;
  if (!IsRealFloat(dtype)) {
    const Int start = Ints(call.input(0))[0];
    const Int limit = Ints(call.input(1))[0];
    const Int delta = Ints(call.input(2))[0];
    BERTH_RETURN_IF_ERROR(
        CheckDirection(delta == 0, delta > 0 ? start > limit : start < limit));
    std::vector<Int> values;
    for (Int x = start; delta > 0 ? x < limit : x > limit; x += delta) {
      values.push_back(x);
    }
    const auto n = static_cast<int64_t>(values.size());
    return Single(Exact(FromInts(dtype, {n}, values)));
  }
  const Real start = Reals(call.input(0))[0];
  const Real limit = Reals(call.input(1))[0];
  const Real delta = Reals(call.input(2))[0];
  BERTH_RETURN_IF_ERROR(
      CheckDirection(delta == 0, delta > 0 ? start > limit : start < limit));
  // TensorFlow counts in double, and then adds delta again and again.
  const double steps = std::ceil(
      std::fabs(static_cast<double>(limit - start) / static_cast<double>(delta)));
  const auto n = static_cast<int64_t>(steps);
  std::vector<Real> values;
  std::vector<Real> magnitudes;
  for (int64_t i = 0; i < n; ++i) {
    const Real way = static_cast<Real>(i) * delta;
    values.push_back(start + way);
    magnitudes.push_back(std::fabs(start) + std::fabs(way));
  }
  return Single(SumOutput(dtype, {n}, std::move(values), std::move(magnitudes),
                          std::max<int64_t>(1, n)));
}

// Inputs: start, stop, count.
Result<Outputs> EvaluateLinSpace(const OpCall& call) {
  BERTH_RETURN_IF_ERROR(ExpectScalars(call));
  const DType dtype = call.input(0).dtype;
  const Real start = Reals(call.input(0))[0];
  const Real stop = Reals(call.input(1))[0];
  const int64_t n = Indices(call.input(2))[0];
  if (n < 1) return InvalidArgument("Requires num > 0");
  std::vector<Real> values;
  std::vector<Real> magnitudes;
  for (int64_t i = 0; i < n; ++i) {
    const Real way = n == 1 ? 0 : static_cast<Real>(i) / static_cast<Real>(n - 1);
    values.push_back(start + (stop - start) * way);
    magnitudes.push_back(std::fabs(start) * (1 + way) + std::fabs(stop) * way);
  }
  return Single(SumOutput(dtype, {n}, std::move(values), std::move(magnitudes), 5));
}

Result<std::vector<int64_t>> ShapesBroadcast(const OpCall& call) {
  BERTH_RETURN_IF_ERROR(ExpectInputs(call, 2));
  if (call.input(0).rank() != 1 || call.input(1).rank() != 1) {
    return InvalidArgument("both shapes must be vectors");
  }
  return BroadcastDims(Indices(call.input(0)), Indices(call.input(1)));
}

HostTensor IndexVector(DType dtype, const std::vector<int64_t>& values) {
  return FromInts(dtype, {static_cast<int64_t>(values.size())},
                  {values.begin(), values.end()});
}

Result<Outputs> EvaluateBroadcastArgs(const OpCall& call) {
  BERTH_ASSIGN_OR_RETURN(const std::vector<int64_t> dims, ShapesBroadcast(call));
  return Single(Exact(IndexVector(call.input(0).dtype, dims)));
}

// For each of two shapes the axes of the common shape that a gradient must be summed
// over: those that this operand lacks or has with size 1. An axis of size 1 in both
// counts for both, but not where the shapes are equal.
Result<Outputs> EvaluateBroadcastGradientArgs(const OpCall& call) {
  BERTH_ASSIGN_OR_RETURN(const std::vector<int64_t> dims, ShapesBroadcast(call));
  Outputs outputs;
  const bool equal = Indices(call.input(0)) == Indices(call.input(1));
  for (int operand = 0; operand < 2; ++operand) {
    const std::vector<int64_t> own = Indices(call.input(operand));
    std::vector<int64_t> axes;
    for (size_t i = 0; i < dims.size() && !equal; ++i) {
      const size_t missing = dims.size() - own.size();
      if (i < missing || own[i - missing] == 1) axes.push_back(static_cast<int64_t>(i));
    }
    outputs.outputs.push_back(Exact(IndexVector(call.input(0).dtype, axes)));
  }
  return outputs;
}

}  // namespace

void RegisterRange(ReferenceTable& table) {
  table.Add("Range", EvaluateRange);
  table.Add("LinSpace", EvaluateLinSpace);
  table.Add("BroadcastArgs", EvaluateBroadcastArgs);
  table.Add("BroadcastGradientArgs", EvaluateBroadcastGradientArgs);
}

}  // namespace berth::conformance
