// Pad, PadV2, Tile and BroadcastTo: tensors made larger, to the bit.
#include "conformance/reference/evaluation.h"
#include "conformance/reference/families.h"

namespace berth::conformance {
namespace {

// Inputs: the tensor, rows (before, after), and for PadV2 the value.
Result<Outputs> EvaluatePad(const OpCall& call) {
  BERTH_RETURN_IF_ERROR(ExpectInputs(call, call.op == "Pad" ? 2 : 3));
  const HostTensor& x = call.input(0);
  const std::vector<int64_t> pads = Indices(call.input(1));
  if (call.input(1).dims != std::vector<int64_t>{x.rank(), 2}) {
    return InvalidArgument("paddings must have shape " + DimsString({x.rank(), 2}) +
                           ", got " + call.input(1).ShapeString());
  }
  std::vector<int64_t> dims;
  for (size_t i = 0; i < x.dims.size(); ++i) {
    if (pads[2 * i] < 0 || pads[2 * i + 1] < 0) {
      return InvalidArgument("paddings must not be negative");
    }
    dims.push_back(pads[2 * i] + x.dims[i] + pads[2 * i + 1]);
  }
  const std::vector<int64_t> steps = RowMajorStrides(x.dims);
  std::vector<int64_t> map;
  ForEachElement(dims, [&](const std::vector<int64_t>& at, int64_t) {
    int64_t from = 0;
    for (size_t i = 0; i < dims.size() && from != kFill; ++i) {
      const int64_t inside = at[i] - pads[2 * i];
      from = inside >= 0 && inside < x.dims[i] ? from + inside * steps[i] : kFill;
    }
    map.push_back(from);
  });
  const HostTensor* fill = call.op == "Pad" ? nullptr : &call.input(2);
  return Single(Exact(Pick(x, std::move(dims), map, fill)));
}

Result<Outputs> EvaluateTile(const OpCall& call) {
  BERTH_RETURN_IF_ERROR(ExpectInputs(call, 2));
  const HostTensor& x = call.input(0);
  const std::vector<int64_t> multiples = Indices(call.input(1));
  if (call.input(1).rank() != 1 || multiples.size() != x.dims.size()) {
    return InvalidArgument("multiples must be a vector of length " +
                           std::to_string(x.rank()));
  }
  std::vector<int64_t> dims;
  for (size_t i = 0; i < multiples.size(); ++i) {
    if (multiples[i] < 0) return InvalidArgument("multiples must not be negative");
    dims.push_back(x.dims[i] * multiples[i]);
  }
  const std::vector<int64_t> steps = RowMajorStrides(x.dims);
  std::vector<int64_t> map;
  ForEachElement(dims, [&](const std::vector<int64_t>& at, int64_t) {
    int64_t from = 0;
    for (size_t i = 0; i < dims.size(); ++i) from += at[i] % x.dims[i] * steps[i];
    map.push_back(from);
  });
  return Single(Exact(Pick(x, std::move(dims), map)));
}

Result<Outputs> EvaluateBroadcastTo(const OpCall& call) {
  BERTH_RETURN_IF_ERROR(ExpectInputs(call, 2));
  const HostTensor& x = call.input(0);
  const std::vector<int64_t> dims = Indices(call.input(1));
  BERTH_ASSIGN_OR_RETURN(const std::vector<int64_t> both, BroadcastDims(x.dims, dims));
  if (both != dims) {
    return InvalidArgument(DimsString(x.dims) + " does not broadcast to " +
                           DimsString(dims));
  }
  return Single(Exact(Pick(x, dims, BroadcastMap(x.dims, dims))));
}

}  // namespace

void RegisterPad(ReferenceTable& table) {
  table.AddMoving("Pad", EvaluatePad);
  table.AddMoving("PadV2", EvaluatePad);
  table.AddMoving("Tile", EvaluateTile);
  table.AddMoving("BroadcastTo", EvaluateBroadcastTo);
}

}  // namespace berth::conformance
