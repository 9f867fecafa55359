// AddN and AccumulateNV2: the sum of any number of tensors of one shape.
#include "conformance/reference/evaluation.h"
#include "conformance/reference/families.h"

namespace berth::conformance {
namespace {

Result<Outputs> EvaluateAddN(const OpCall& call) {
  BERTH_RETURN_IF_ERROR(ExpectAtLeast(call, 1));
  const HostTensor& first = call.input(0);
  for (const HostTensor& input : call.inputs) {
    if (input.dims != first.dims) {
      return InvalidArgument("all inputs must have one shape");
    }
  }
  if (!IsRealFloat(first.dtype)) {
    std::vector<Int> sums(static_cast<size_t>(first.num_elements()));
    for (const HostTensor& input : call.inputs) {
      const std::vector<Int> terms = Ints(input);
      for (size_t i = 0; i < sums.size(); ++i) sums[i] += terms[i];
    }
    return Single(Exact(FromInts(first.dtype, first.dims, sums)));
  }
  std::vector<Real> sums(static_cast<size_t>(first.num_elements()));
  std::vector<Real> magnitudes(sums.size());
  for (const HostTensor& input : call.inputs) {
    const std::vector<Real> terms = Reals(input);
    for (size_t i = 0; i < sums.size(); ++i) {
      sums[i] += terms[i];
      magnitudes[i] += Size(terms[i]);
    }
  }
  return Single(SumOutput(first.dtype, first.dims, std::move(sums), std::move(magnitudes),
                          call.num_inputs() - 1));
}

}  // namespace

void RegisterAddN(ReferenceTable& table) {
  table.Add("AddN", EvaluateAddN);
  table.Add("AccumulateNV2", EvaluateAddN);
}

}  // namespace berth::conformance
