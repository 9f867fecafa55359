// Select and SelectV2: one of two values by a condition, to the bit.
#include "conformance/reference/evaluation.h"
#include "conformance/reference/families.h"

namespace berth::conformance {
namespace {

// The second tensor of `a` and `b`, element by element, where `take_b` says so.
HostTensor Choose(const HostTensor& a, const HostTensor& b, std::vector<int64_t> dims,
                  const std::vector<std::pair<bool, int64_t>>& choices) {
  const size_t size = DTypeSize(a.dtype);
  HostTensor out = ZeroTensor(a.dtype, std::move(dims));
  size_t at = 0;
  for (const auto& [first, element] : choices) {
    const HostTensor& from = first ? a : b;
    const auto begin = from.bytes.begin() + static_cast<int64_t>(size) * element;
    std::copy(begin, begin + static_cast<int64_t>(size),
              out.bytes.begin() + static_cast<int64_t>(at));
    at += size;
  }
  return out;
}

// The condition has the values' shape, or is a scalar, or a vector that chooses rows.
Result<Outputs> EvaluateSelect(const OpCall& call) {
  BERTH_RETURN_IF_ERROR(ExpectInputs(call, 3));
  const HostTensor& condition = call.input(0);
  const HostTensor& a = call.input(1);
  const HostTensor& b = call.input(2);
  if (a.dims != b.dims) return InvalidArgument("both values must have one shape");
  const int64_t n = a.num_elements();
  int64_t elements_each = 1;  // for one value of the condition
  if (condition.dims != a.dims) {
    if (condition.rank() == 0) {
      elements_each = n;
    } else if (condition.rank() == 1 && a.rank() >= 1 && condition.dim(0) == a.dim(0)) {
      elements_each = ProductOf(a.dims, 1, a.rank());
    } else {
      return InvalidArgument("a condition of shape " + condition.ShapeString() +
                             " chooses nothing of " + a.ShapeString());
    }
  }
  const std::vector<Int> flags = Ints(condition);
  std::vector<std::pair<bool, int64_t>> choices;
  for (int64_t i = 0; i < n; ++i) {
    choices.emplace_back(flags[static_cast<size_t>(i / elements_each)] != 0, i);
  }
  return Single(Exact(Choose(a, b, a.dims, choices)));
}

// All three broadcast.
Result<Outputs> EvaluateSelectV2(const OpCall& call) {
  BERTH_RETURN_IF_ERROR(ExpectInputs(call, 3));
  const HostTensor& condition = call.input(0);
  const HostTensor& a = call.input(1);
  const HostTensor& b = call.input(2);
  BERTH_ASSIGN_OR_RETURN(const std::vector<int64_t> values,
                         BroadcastDims(a.dims, b.dims));
  BERTH_ASSIGN_OR_RETURN(const std::vector<int64_t> dims,
                         BroadcastDims(condition.dims, values));
  const std::vector<int64_t> map_c = BroadcastMap(condition.dims, dims);
  const std::vector<int64_t> map_a = BroadcastMap(a.dims, dims);
  const std::vector<int64_t> map_b = BroadcastMap(b.dims, dims);
  const std::vector<Int> flags = Ints(condition);
  std::vector<std::pair<bool, int64_t>> choices;
  for (size_t i = 0; i < map_c.size(); ++i) {
    const bool first = flags[static_cast<size_t>(map_c[i])] != 0;
    choices.emplace_back(first, first ? map_a[i] : map_b[i]);
  }
  return Single(Exact(Choose(a, b, dims, choices)));
}

}  // namespace

void RegisterSelect(ReferenceTable& table) {
  table.AddMoving("Select", EvaluateSelect);
  table.AddMoving("SelectV2", EvaluateSelectV2);
}

}  // namespace berth::conformance
