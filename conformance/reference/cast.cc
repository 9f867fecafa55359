// Cast between all numeric dtypes and bool. Real numbers lose their fraction on the way
// to integers; complex ones their imaginary part on the way to anything else.
#include <cmath>

#include "conformance/reference/evaluation.h"
#include "conformance/reference/families.h"

namespace berth::conformance {
namespace {

// What x86-64 makes of a real number, the ones without a place in the integer type
// included: conversion is to 32 or 64 bits, to the lowest value where they do not hold
// the number, and narrower types take the low bits.
Int ToInteger(Real x, DType to) {
  const Real whole = std::trunc(x);
  if (to == BERTH_UINT64 && whole >= 0x1p63L) {
    return whole < 0x1p64L ? static_cast<Int>(whole) : HighestOf(to);
  }
  const bool narrow = to != BERTH_INT64 && to != BERTH_UINT64 && to != BERTH_UINT32;
  const DType through = narrow ? BERTH_INT32 : BERTH_INT64;
  const auto low = static_cast<Real>(LowestOf(through));
  return whole >= low && whole < -low ? static_cast<Int>(whole) : LowestOf(through);
}

bool HasPlace(Real x, DType to) {
  const Real whole = std::trunc(x);  // NaN fails both comparisons
  return whole >= static_cast<Real>(LowestOf(to)) &&
         whole <= static_cast<Real>(HighestOf(to));
}

// The bits of the mantissa that have no place in `to` cleared (attribute Truncate).
Real CutTo(Real x, const FloatFormat& to, const FloatFormat& from) {
  if (!std::isfinite(x) || x == 0 || to.digits >= from.digits) return x;
  // Relative to the source's own exponent: subnormals of `to` are then rounded.
  const Real quantum = std::ldexp(Real{1}, std::ilogb(x) - to.digits + 1);
  return std::trunc(x / quantum) * quantum;
}

Output CastToReal(const HostTensor& x, DType to, bool truncate) {
  std::vector<Real> values = Reals(x);
  // TensorFlow knows the attribute for float and double alone.
  const bool can_truncate = x.dtype == BERTH_FLOAT || x.dtype == BERTH_DOUBLE;
  if (truncate && can_truncate && IsRealFloat(to)) {
    const FloatFormat format = FormatOf(to);
    const FloatFormat source = FormatOf(x.dtype);
    for (Real& value : values) value = CutTo(value, format, source);
  }
  std::vector<Real> parts;
  if (IsComplex(x.dtype) == IsComplex(to)) {
    parts = std::move(values);
  } else if (IsComplex(to)) {
    for (const Real value : values) parts.insert(parts.end(), {value, 0});
  } else {
    for (size_t i = 0; i < values.size(); i += 2) parts.push_back(values[i]);
  }
  return RealOutput(to, x.dims, std::move(parts));
}

Output CastToInteger(const HostTensor& x, DType to) {
  if (!IsFloatingType(x.dtype)) {
    return Exact(FromInts(to, x.dims, Ints(x)));
  }
  const std::vector<Real> values = Reals(x);
  const size_t step = IsComplex(x.dtype) ? 2 : 1;
  std::vector<Int> whole;
  std::vector<bool> open;
  for (size_t i = 0; i < values.size(); i += step) {
    if (to == BERTH_BOOL) {
      whole.push_back(values[i] != 0 ? 1 : 0);
      continue;
    }
    whole.push_back(ToInteger(values[i], to));
    open.push_back(!HasPlace(values[i], to));
  }
  Output output = Exact(FromInts(to, x.dims, whole));
  output.open = std::move(open);
  return output;
}

Result<Outputs> EvaluateCast(const OpCall& call) {
  BERTH_RETURN_IF_ERROR(ExpectInputs(call, 1));
  const HostTensor& x = call.input(0);
  const DType to = call.Type("DstT");
  if (DTypeSize(to) == 0 || DTypeSize(x.dtype) == 0) {
    return InvalidArgument("no cast between these dtypes");
  }
  if (to == x.dtype) return Single(Exact(x));
  return Single(IsFloatingType(to) ? CastToReal(x, to, call.Bool("Truncate"))
                                   : CastToInteger(x, to));
}

}  // namespace

void RegisterCast(ReferenceTable& table) { table.AddMoving("Cast", EvaluateCast); }

}  // namespace berth::conformance
