#include "conformance/reference/evaluation.h"

#include <cstring>

namespace berth::conformance {

Status ExpectInputs(const OpCall& call, int count) {
  if (call.num_inputs() == count) return OkStatus();
  return InvalidArgument("takes " + std::to_string(count) + " inputs, got " +
                         std::to_string(call.num_inputs()));
}

Status ExpectAtLeast(const OpCall& call, int count) {
  if (call.num_inputs() >= count) return OkStatus();
  return InvalidArgument("takes at least " + std::to_string(count) + " inputs, got " +
                         std::to_string(call.num_inputs()));
}

Result<int> CanonicalAxis(int64_t axis, int rank) {
  if (axis < -rank || axis >= rank) {
    return InvalidArgument("axis " + std::to_string(axis) + " is not in [" +
                           std::to_string(-rank) + ", " + std::to_string(rank) + ")");
  }
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

Output Exact(HostTensor tensor) {
  Output output;
  output.tensor = std::move(tensor);
  return output;
}

Output RealOutput(DType dtype, std::vector<int64_t> dims, std::vector<Real> values) {
  Output output;
  output.tensor.dtype = dtype;
  output.tensor.dims = std::move(dims);
  output.values = std::move(values);
  return output;
}

Output SumOutput(DType dtype, std::vector<int64_t> dims, std::vector<Real> values,
                 std::vector<Real> magnitudes, int64_t roundings) {
  Output output = RealOutput(dtype, std::move(dims), std::move(values));
  output.magnitudes = std::move(magnitudes);
  output.roundings = roundings;
  return output;
}

Outputs Single(Output output) {
  Outputs outputs;
  outputs.outputs.push_back(std::move(output));
  return outputs;
}

Result<std::vector<int64_t>> BroadcastDims(const std::vector<int64_t>& a,
                                           const std::vector<int64_t>& b) {
  std::vector<int64_t> dims(std::max(a.size(), b.size()));
  for (size_t i = 0; i < dims.size(); ++i) {
    const int64_t x = i < a.size() ? a[a.size() - 1 - i] : 1;
    const int64_t y = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (x != y && x != 1 && y != 1) {
      return InvalidArgument("incompatible shapes: " + DimsString(a) + " and " +
                             DimsString(b));
    }
    dims[dims.size() - 1 - i] = x == 1 ? y : x;
  }
  return dims;
}

std::vector<int64_t> BroadcastMap(const std::vector<int64_t>& from,
                                  const std::vector<int64_t>& to) {
  const std::vector<int64_t> dense = RowMajorStrides(from);
  std::vector<int64_t> steps(to.size(), 0);
  const size_t missing = to.size() - from.size();
  for (size_t i = 0; i < from.size(); ++i) {
    steps[missing + i] = from[i] == 1 ? 0 : dense[i];
  }
  std::vector<int64_t> map(static_cast<size_t>(NumElements(to)));
  ForEachElement(to, [&](const std::vector<int64_t>& at, int64_t i) {
    int64_t offset = 0;
    for (size_t d = 0; d < to.size(); ++d) offset += at[d] * steps[d];
    map[static_cast<size_t>(i)] = offset;
  });
  return map;
}

std::vector<int64_t> RowMajorStrides(const std::vector<int64_t>& dims) {
  std::vector<int64_t> strides(dims.size());
  int64_t step = 1;
  for (size_t i = dims.size(); i-- > 0;) {
    strides[i] = step;
    step *= dims[i];
  }
  return strides;
}

void ForEachElement(
    const std::vector<int64_t>& dims,
    const std::function<void(const std::vector<int64_t>&, int64_t)>& visit) {
  const int64_t n = NumElements(dims);
  std::vector<int64_t> at(dims.size(), 0);
  for (int64_t i = 0; i < n; ++i) {
    visit(at, i);
    for (size_t d = dims.size(); d-- > 0;) {
      if (++at[d] < dims[d]) break;
      at[d] = 0;
    }
  }
}

HostTensor Pick(const HostTensor& from, std::vector<int64_t> dims,
                const std::vector<int64_t>& map, const HostTensor* fill) {
  HostTensor out = ZeroTensor(from.dtype, std::move(dims));
  const size_t size = DTypeSize(from.dtype);
  char* to = out.bytes.data();
  for (const int64_t i : map) {
    if (i != kFill) {
      std::memcpy(to, from.bytes.data() + static_cast<size_t>(i) * size, size);
    } else if (fill != nullptr) {
      std::memcpy(to, fill->bytes.data(), size);
    }
    to += size;
  }
  return out;
}

int64_t ProductOf(const std::vector<int64_t>& dims, int begin, int end) {
  int64_t product = 1;
  for (int i = begin; i < end; ++i) product *= dims[static_cast<size_t>(i)];
  return product;
}

Int Wrapped(Int value, DType dtype) { return Ints(FromInts(dtype, {}, {value})).front(); }

Int LowestOf(DType dtype) {
  if (IsUnsigned(dtype) || dtype == BERTH_BOOL) return 0;
  return -(Int{1} << (8 * DTypeSize(dtype) - 1));
}

Int HighestOf(DType dtype) {
  if (dtype == BERTH_BOOL) return 1;
  const size_t bits = 8 * DTypeSize(dtype) - (IsUnsigned(dtype) ? 0 : 1);
  return (Int{1} << bits) - 1;
}

}  // namespace berth::conformance
