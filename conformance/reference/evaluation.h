// What the op families share: checks of inputs, makers of outputs, broadcasting, walking
// over coordinates.
#pragma once

#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include "conformance/reference/reference.h"

namespace berth::conformance {

// INVALID_ARGUMENT unless there are `count` inputs.
Status ExpectInputs(const OpCall& call, int count);
// INVALID_ARGUMENT unless there are at least `count` inputs.
Status ExpectAtLeast(const OpCall& call, int count);
// `axis` counted from the end where negative. INVALID_ARGUMENT outside [-rank, rank).
Result<int> CanonicalAxis(int64_t axis, int rank);

// Outputs of the two kinds (see Output).
Output Exact(HostTensor tensor);
Output RealOutput(DType dtype, std::vector<int64_t> dims, std::vector<Real> values);
Output SumOutput(DType dtype, std::vector<int64_t> dims, std::vector<Real> values,
                 std::vector<Real> magnitudes, int64_t roundings);
// One output alone.
Outputs Single(Output output);

// The dims to which both broadcast. INVALID_ARGUMENT where they do not fit.
Result<std::vector<int64_t>> BroadcastDims(const std::vector<int64_t>& a,
                                           const std::vector<int64_t>& b);
// For each element of `to` the element of `from` that it reads. REQUIRES: from broadcasts
// to `to`.
std::vector<int64_t> BroadcastMap(const std::vector<int64_t>& from,
                                  const std::vector<int64_t>& to);
// Steps in elements of a row-major tensor.
std::vector<int64_t> RowMajorStrides(const std::vector<int64_t>& dims);

// Calls visit(coordinates, flat index) for every element of `dims`, in order.
void ForEachElement(
    const std::vector<int64_t>& dims,
    const std::function<void(const std::vector<int64_t>&, int64_t)>& visit);

// Marks in an element map of Pick: no element, take the fill.
inline constexpr int64_t kFill = -1;
// The tensor whose element i is element map[i] of `from`, to the bit; kFill takes the one
// element of `fill`, or zero without one.
HostTensor Pick(const HostTensor& from, std::vector<int64_t> dims,
                const std::vector<int64_t>& map, const HostTensor* fill = nullptr);

// The product of dims [begin, end).
int64_t ProductOf(const std::vector<int64_t>& dims, int begin, int end);

// Arithmetic that a generic loop needs in both number types. Integers wrap at 128 bits,
// so that the low 64 are right.
inline Real Plus(Real a, Real b) { return a + b; }
inline Real Times(Real a, Real b) { return a * b; }
__extension__ using UnsignedInt = unsigned __int128;
inline Int Plus(Int a, Int b) {
  return static_cast<Int>(static_cast<UnsignedInt>(a) + static_cast<UnsignedInt>(b));
}
inline Int Times(Int a, Int b) {
  return static_cast<Int>(static_cast<UnsignedInt>(a) * static_cast<UnsignedInt>(b));
}
// The absolute value, as a part of a magnitude: infinities and NaNs decide the result by
// themselves and count nothing.
inline Real Size(Real x) { return std::isfinite(x) ? std::fabs(x) : 0; }
inline Int Size(Int x) { return x < 0 ? -x : x; }
// `value` as the dtype's bits hold it.
Int Wrapped(Int value, DType dtype);
// Lowest and highest value of an integer dtype.
Int LowestOf(DType dtype);
Int HighestOf(DType dtype);

}  // namespace berth::conformance
