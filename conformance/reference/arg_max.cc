// ArgMax and ArgMin: among equals the lowest index. A NaN beats nothing, so that a line
// of NaNs alone gives 0.
#include <limits>

#include "conformance/reference/evaluation.h"
#include "conformance/reference/families.h"

namespace berth::conformance {
namespace {

template <bool kMax>
Result<Outputs> EvaluateArg(const OpCall& call) {
  BERTH_RETURN_IF_ERROR(ExpectInputs(call, 2));
  const HostTensor& x = call.input(0);
  if (call.input(1).num_elements() != 1) {
    return InvalidArgument("the dimension must be a scalar");
  }
  BERTH_ASSIGN_OR_RETURN(const int axis,
                         CanonicalAxis(Indices(call.input(1))[0], x.rank()));
  const int64_t length = x.dim(axis);
  if (length == 0) {
    return InvalidArgument("reduction axis " + std::to_string(axis) + " is empty in " +
                           x.ShapeString());
  }
  const int64_t inner = ProductOf(x.dims, axis + 1, x.rank());
  const int64_t outer = ProductOf(x.dims, 0, axis);
  // Every dtype fits: int64 and uint64 have 64 bits, as a Real's mantissa has.
  const std::vector<Real> values = Reals(x);
  std::vector<Int> results;
  for (int64_t o = 0; o < outer; ++o) {
    for (int64_t i = 0; i < inner; ++i) {
      const auto at = [&](int64_t k) {
        return values[static_cast<size_t>((o * length + k) * inner + i)];
      };
      int64_t best = 0;
      for (int64_t k = 1; k < length; ++k) {
        const bool is_number = at(best) == at(best);
        const bool better = kMax ? at(k) > at(best) : at(k) < at(best);
        const bool first_number = !is_number && at(k) == at(k);
        if (better || first_number) best = k;
      }
      results.push_back(best);
    }
  }
  std::vector<int64_t> dims = x.dims;
  dims.erase(dims.begin() + axis);
  const DType dtype = call.Type("output_type", BERTH_INT64);
  return Single(Exact(FromInts(dtype, std::move(dims), results)));
}

}  // namespace

void RegisterArgMax(ReferenceTable& table) {
  static_assert(std::numeric_limits<Real>::digits >= 64, "needs a wider Real");
  table.Add("ArgMax", EvaluateArg<true>);
  table.Add("ArgMin", EvaluateArg<false>);
}

}  // namespace berth::conformance
