// Transpose, ReverseV2 and InvertPermutation: elements in another order, to the bit.
#include "conformance/reference/evaluation.h"
#include "conformance/reference/families.h"

namespace berth::conformance {
namespace {

// Where each of 0 to n-1 stands in `order`. INVALID_ARGUMENT unless each is there once.
Result<std::vector<int64_t>> Inverse(const std::vector<int64_t>& order) {
  std::vector<int64_t> inverse(order.size(), -1);
  for (size_t i = 0; i < order.size(); ++i) {
    const int64_t n = static_cast<int64_t>(order.size());
    const int64_t at = order[i];
    if (at < 0 || at >= n || inverse[static_cast<size_t>(at)] != -1) {
      return InvalidArgument(DimsString(order) + " is no permutation of 0 to " +
                             std::to_string(n - 1));
    }
    inverse[static_cast<size_t>(at)] = static_cast<int64_t>(i);
  }
  return inverse;
}

Result<Outputs> EvaluateTranspose(const OpCall& call) {
  BERTH_RETURN_IF_ERROR(ExpectInputs(call, 2));
  const HostTensor& x = call.input(0);
  std::vector<int64_t> order = Indices(call.input(1));
  if (order.size() != x.dims.size()) {
    return InvalidArgument("a permutation of " + std::to_string(order.size()) +
                           " axes does not fit " + x.ShapeString());
  }
  for (int64_t& axis : order) axis = axis < 0 ? axis + x.rank() : axis;
  BERTH_ASSIGN_OR_RETURN(const std::vector<int64_t> inverse, Inverse(order));
  const std::vector<int64_t> steps = RowMajorStrides(x.dims);
  std::vector<int64_t> dims;
  for (const int64_t axis : order) dims.push_back(x.dims[static_cast<size_t>(axis)]);
  std::vector<int64_t> map;
  ForEachElement(dims, [&](const std::vector<int64_t>& at, int64_t) {
    int64_t from = 0;
    for (size_t i = 0; i < order.size(); ++i) {
      from += at[i] * steps[static_cast<size_t>(order[i])];
    }
    map.push_back(from);
  });
  return Single(Exact(Pick(x, std::move(dims), map)));
}

Result<Outputs> EvaluateReverse(const OpCall& call) {
  BERTH_RETURN_IF_ERROR(ExpectInputs(call, 2));
  const HostTensor& x = call.input(0);
  std::vector<bool> reversed(x.dims.size());
  for (const int64_t axis : Indices(call.input(1))) {
    BERTH_ASSIGN_OR_RETURN(const int at, CanonicalAxis(axis, x.rank()));
    if (reversed[static_cast<size_t>(at)]) {
      return InvalidArgument("axis " + std::to_string(axis) + " is given twice");
    }
    reversed[static_cast<size_t>(at)] = true;
  }
  const std::vector<int64_t> steps = RowMajorStrides(x.dims);
  std::vector<int64_t> map;
  ForEachElement(x.dims, [&](const std::vector<int64_t>& at, int64_t) {
    int64_t from = 0;
    for (size_t i = 0; i < at.size(); ++i) {
      from += (reversed[i] ? x.dims[i] - 1 - at[i] : at[i]) * steps[i];
    }
    map.push_back(from);
  });
  return Single(Exact(Pick(x, x.dims, map)));
}

Result<Outputs> EvaluateInvertPermutation(const OpCall& call) {
  BERTH_RETURN_IF_ERROR(ExpectInputs(call, 1));
  if (call.input(0).rank() != 1) return InvalidArgument("a permutation is a vector");
  BERTH_ASSIGN_OR_RETURN(const std::vector<int64_t> inverse,
                         Inverse(Indices(call.input(0))));
  return Single(Exact(FromInts(call.input(0).dtype, call.input(0).dims,
                               {inverse.begin(), inverse.end()})));
}

}  // namespace

void RegisterTranspose(ReferenceTable& table) {
  table.AddMoving("Transpose", EvaluateTranspose);
  table.AddMoving("ReverseV2", EvaluateReverse);
  table.Add("InvertPermutation", EvaluateInvertPermutation);
}

}  // namespace berth::conformance
