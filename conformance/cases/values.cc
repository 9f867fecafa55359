#include "conformance/cases/values.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "conformance/cases/op_schema.h"
#include "conformance/reference/evaluation.h"

namespace berth::conformance {
namespace {

constexpr Real kInfinity = std::numeric_limits<Real>::infinity();

// Numbers of the tensor's storage: two for a complex element.
size_t NumbersOf(DType dtype, const Dims& dims) {
  return static_cast<size_t>(NumElements(dims)) * (IsComplex(dtype) ? 2 : 1);
}

std::vector<Real> SpecialReals(const FloatFormat& format) {
  const Real largest = format.largest();
  const Real normal = format.smallest_normal();
  const Real subnormal = format.smallest_subnormal();
  std::vector<Real> values = {std::numeric_limits<Real>::quiet_NaN(), kInfinity, 0};
  for (const Real x : {Real{1}, Real{0.5L}, Real{1.5L}, Real{2.5L}, Real{3}, Real{6},
                       Real{100}, 1 + 2 * format.unit_roundoff(),
                       1 - format.unit_roundoff(), format.unit_roundoff(), largest,
                       largest / 2, normal, normal - subnormal, subnormal}) {
    values.push_back(x);
  }
  const size_t positive = values.size();
  for (size_t i = 1; i < positive; ++i) values.push_back(-values[i]);
  return values;
}

std::vector<Int> SpecialInts(DType dtype) {
  const Int low = LowestOf(dtype);
  const Int high = HighestOf(dtype);
  std::vector<Int> values = {0, 1, 2, 3, 7, high, high - 1, high / 2, low, low + 1};
  if (!IsUnsigned(dtype)) values.insert(values.end(), {-1, -2, -3, -7, low / 2});
  return values;
}

}  // namespace

bool Values::is_float() const { return IsRealFloat(dtype_); }
bool Values::is_real() const { return IsRealFloat(dtype_) || IsInteger(dtype_); }

// SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators",
// 2014).
uint64_t Values::Next() {
  uint64_t z = state_ += 0x9E3779B97F4A7C15ULL;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  return z ^ (z >> 31);
}

double Values::Fraction() { return std::ldexp(static_cast<double>(Next() >> 11), -53); }

HostTensor Values::Ordinary(DType dtype, const Dims& dims) {
  if (dtype == BERTH_BOOL) return Bools(dims);
  if (IsUnsigned(dtype)) return Uniform(dtype, dims, 0, 40);
  return IsInteger(dtype) ? Uniform(dtype, dims, -20, 20) : Uniform(dtype, dims, -4, 4);
}

HostTensor Values::Uniform(DType dtype, const Dims& dims, double low, double high) {
  const size_t n = NumbersOf(dtype, dims);
  if (IsFloatingType(dtype)) {
    std::vector<Real> values;
    for (size_t i = 0; i < n; ++i) values.push_back(low + (high - low) * Fraction());
    return FromReals(dtype, dims, values);
  }
  std::vector<Int> values;
  const auto count = static_cast<int64_t>(high - low) + 1;
  for (size_t i = 0; i < n; ++i) values.push_back(static_cast<Int>(low) + Below(count));
  return FromInts(dtype, dims, values);
}

HostTensor Values::Logarithmic(const Dims& dims, int low, int high) {
  std::vector<Real> values;
  for (size_t i = 0; i < NumbersOf(dtype_, dims); ++i) {
    const auto exponent = static_cast<int>(low + Below(high - low));
    const Real size = std::ldexp(Real{1} + Fraction(), exponent);
    values.push_back(Below(2) == 0 ? size : -size);
  }
  return FromReals(dtype_, dims, values);
}

HostTensor Values::AllSpecial() const {
  if (IsFloatingType(dtype_)) {
    std::vector<Real> values = SpecialReals(FormatOf(dtype_));
    if (IsComplex(dtype_) && values.size() % 2 != 0) values.push_back(0);
    const auto n = static_cast<int64_t>(values.size()) / (IsComplex(dtype_) ? 2 : 1);
    return FromReals(dtype_, {n}, values);
  }
  const std::vector<Int> values =
      dtype_ == BERTH_BOOL ? std::vector<Int>{0, 1} : SpecialInts(dtype_);
  return FromInts(dtype_, {static_cast<int64_t>(values.size())}, values);
}

HostTensor Values::Special(const Dims& dims) {
  const HostTensor all = AllSpecial();
  std::vector<int64_t> map;
  for (int64_t i = 0; i < NumElements(dims); ++i) {
    map.push_back(Below(all.num_elements()));
  }
  return Pick(all, dims, map);
}

HostTensor Values::Extreme(const Dims& dims) {
  if (IsFloatingType(dtype_)) {
    const FloatFormat format = FormatOf(dtype_);
    return Logarithmic(dims, format.min_exponent, format.max_exponent + 1);
  }
  std::vector<Int> values;
  for (size_t i = 0; i < NumbersOf(dtype_, dims); ++i) {
    values.push_back(dtype_ == BERTH_BOOL ? Below(2) : static_cast<Int>(Next()));
  }
  return FromInts(dtype_, dims, values);
}

HostTensor Values::Tiny(const Dims& dims) {
  const FloatFormat format = FormatOf(dtype_);
  return Logarithmic(dims, format.min_exponent - format.digits + 1,
                     format.min_exponent + 4);
}

HostTensor Values::Zeros(const Dims& dims) const { return ZeroTensor(dtype_, dims); }

HostTensor Values::Halves(int64_t n) const {
  std::vector<Real> reals;
  std::vector<Int> ints;
  for (int64_t i = 0; i < n; ++i) {
    ints.push_back(i - n / 2);
    reals.push_back(static_cast<Real>(ints.back()) / 2);
  }
  return is_float() ? FromReals(dtype_, {n}, reals) : FromInts(dtype_, {n}, ints);
}

HostTensor Values::Ties(const Dims& dims) {
  if (dtype_ == BERTH_BOOL) return Bools(dims);
  std::vector<Real> reals;
  std::vector<Int> ints;
  for (size_t i = 0; i < NumbersOf(dtype_, dims); ++i) {
    ints.push_back(Below(3));
    reals.push_back(static_cast<Real>(ints.back()));
  }
  return IsFloatingType(dtype_) ? FromReals(dtype_, dims, reals)
                                : FromInts(dtype_, dims, ints);
}

HostTensor Values::Constant(const Dims& dims, double value) const {
  const size_t n = NumbersOf(dtype_, dims);
  if (IsFloatingType(dtype_)) {
    return FromReals(dtype_, dims, std::vector<Real>(n, value));
  }
  return FromInts(dtype_, dims, std::vector<Int>(n, static_cast<Int>(value)));
}

HostTensor Values::Bools(const Dims& dims) {
  std::vector<Int> values;
  for (int64_t i = 0; i < NumElements(dims); ++i) values.push_back(Below(2));
  return FromInts(BERTH_BOOL, dims, values);
}

HostTensor Values::Indices(const Dims& values) const {
  return Indices(values, {static_cast<int64_t>(values.size())});
}

HostTensor Values::Indices(const Dims& values, const Dims& dims) const {
  return Ints(index_type_, values, dims);
}

HostTensor Values::Ints(DType dtype, const Dims& values, const Dims& dims) {
  return FromInts(dtype, dims, {values.begin(), values.end()});
}

HostTensor Values::RandomIndices(const Dims& dims, int64_t limit) {
  Dims values;
  for (int64_t i = 0; i < NumElements(dims); ++i) values.push_back(Below(limit));
  return Indices(values, dims);
}

OpCall Values::Call(std::vector<HostTensor> inputs) const {
  OpCall call;
  call.op = op_;
  call.inputs = std::move(inputs);
  const OpSchema* schema = FindSchema(op_);
  if (schema == nullptr) return call;
  if (schema->type_attr[0] != '\0') call.attrs[schema->type_attr] = TypeAttr{dtype_};
  CompleteAttrs(*schema, &call);
  return call;
}

}  // namespace berth::conformance
