// Tensors made of constants: Fill, ZerosLike, OnesLike, OneHot.
#include "conformance/reference/evaluation.h"
#include "conformance/reference/families.h"

namespace berth::conformance {
namespace {

Result<Outputs> EvaluateFill(const OpCall& call) {
  BERTH_RETURN_IF_ERROR(ExpectInputs(call, 2));
  if (call.input(0).rank() != 1) return InvalidArgument("dims must be a vector");
  if (call.input(1).rank() != 0) return InvalidArgument("the value must be a scalar");
  const std::vector<int64_t> dims = Indices(call.input(0));
  for (const int64_t dim : dims) {
    if (dim < 0) return InvalidArgument("dims must not be negative: " + DimsString(dims));
  }
  const std::vector<int64_t> map(static_cast<size_t>(NumElements(dims)), 0);
  return Single(Exact(Pick(call.input(1), dims, map)));
}

Result<Outputs> EvaluateZerosLike(const OpCall& call) {
  BERTH_RETURN_IF_ERROR(ExpectInputs(call, 1));
  return Single(Exact(ZeroTensor(call.input(0).dtype, call.input(0).dims)));
}

Result<Outputs> EvaluateOnesLike(const OpCall& call) {
  BERTH_RETURN_IF_ERROR(ExpectInputs(call, 1));
  const HostTensor& x = call.input(0);
  const auto n = static_cast<size_t>(x.num_elements());
  if (IsComplex(x.dtype)) {
    std::vector<Real> parts;
    for (size_t i = 0; i < n; ++i) parts.insert(parts.end(), {1, 0});
    return Single(Exact(FromReals(x.dtype, x.dims, parts)));
  }
  return Single(Exact(IsRealFloat(x.dtype)
                          ? FromReals(x.dtype, x.dims, std::vector<Real>(n, 1))
                          : FromInts(x.dtype, x.dims, std::vector<Int>(n, 1))));
}

// Inputs: indices, depth, the value where the index is, the value elsewhere. An index
// outside [0, depth) gives a row of the latter.
Result<Outputs> EvaluateOneHot(const OpCall& call) {
  BERTH_RETURN_IF_ERROR(ExpectInputs(call, 4));
  const HostTensor& indices = call.input(0);
  if (call.input(1).rank() != 0 || call.input(2).rank() != 0 ||
      call.input(3).rank() != 0) {
    return InvalidArgument("depth, on_value and off_value must be scalars");
  }
  const int64_t depth = Indices(call.input(1))[0];
  if (depth < 0) return InvalidArgument("depth must not be negative");
  const int64_t wanted = call.Int("axis", -1);
  BERTH_ASSIGN_OR_RETURN(const int axis, CanonicalAxis(wanted, indices.rank() + 1));
  std::vector<int64_t> dims = indices.dims;
  dims.insert(dims.begin() + axis, depth);
  const std::vector<int64_t> at = Indices(indices);
  const int64_t inner = ProductOf(indices.dims, axis, indices.rank());
  std::vector<int64_t> map;
  ForEachElement({ProductOf(indices.dims, 0, axis), depth, inner},
                 [&](const std::vector<int64_t>& place, int64_t) {
                   const auto from = static_cast<size_t>(place[0] * inner + place[2]);
                   map.push_back(at[from] == place[1] ? 0 : kFill);
                 });
  return Single(Exact(Pick(call.input(2), std::move(dims), map, &call.input(3))));
}

}  // namespace

void RegisterFill(ReferenceTable& table) {
  table.AddMoving("Fill", EvaluateFill);
  table.AddMoving("ZerosLike", EvaluateZerosLike);
  table.AddMoving("OnesLike", EvaluateOnesLike);
  table.AddMoving("OneHot", EvaluateOneHot);
}

}  // namespace berth::conformance
