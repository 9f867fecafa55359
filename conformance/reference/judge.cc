#include "conformance/reference/judge.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <limits>

namespace berth::conformance {
namespace {

constexpr double kWrong = std::numeric_limits<double>::infinity();

bool IsOpen(const Output& reference, size_t i) {
  return i < reference.open.size() && reference.open[i];
}

// The largest value that a part of element i may have before it adds up.
bool MayOverflow(const Output& reference, const Bound& bound, size_t i) {
  const std::vector<Real>& parts =
      reference.peaks.empty() ? reference.magnitudes : reference.peaks;
  return !parts.empty() && parts[i] > bound.accumulation.largest();
}

// The error of one number as a part of what is allowed.
double MarginOf(const Output& reference, const Bound& bound, size_t i, Real got) {
  const Real want = reference.values[i];
  if (std::isnan(want)) return std::isnan(got) ? 0 : kWrong;
  if (std::isinf(want)) {
    // An infinity among the terms may meet the opposite one out of a partial sum.
    const bool may_be_other = !std::isfinite(got) && MayOverflow(reference, bound, i);
    return got == want || may_be_other ? 0 : kWrong;
  }
  if (std::isnan(got)) return MayOverflow(reference, bound, i) ? 0 : kWrong;
  const Real allowed = bound.At(reference, i);
  if (std::isinf(got)) {
    const Real limit = bound.result.largest() + bound.result.UlpAt(got) / 2;
    const bool reaches = std::fabs(want) + allowed >= limit && (want < 0) == (got < 0);
    return reaches || MayOverflow(reference, bound, i) ? 0 : kWrong;
  }
  if (want == 0 && got == 0) {
    const bool differs = std::signbit(want) != std::signbit(got);
    return differs && bound.zero_sign && !bound.flushes_subnormals ? kWrong : 0;
  }
  const Real error = std::fabs(got - want);
  if (error == 0) return 0;
  if (bound.flushes_subnormals && got == 0 &&
      std::fabs(want) < bound.result.smallest_normal()) {
    return 0;
  }
  return allowed > 0 ? static_cast<double>(error / allowed) : kWrong;
}

std::string Place(const std::vector<int64_t>& dims, int64_t index) {
  std::vector<int64_t> at(dims.size());
  for (size_t d = dims.size(); d-- > 0;) {
    at[d] = index % dims[d];
    index /= dims[d];
  }
  return DimsString(at);
}

void Fail(int64_t index, std::string text, Judgement* judgement) {
  if (!judgement->pass) return;
  judgement->pass = false;
  judgement->index = index;
  judgement->text = std::move(text);
}

Judgement JudgeReals(const Output& reference, const HostTensor& got, const Bound& bound,
                     const Output* flushed) {
  Judgement judgement;
  const std::vector<Real> values = Reals(got);
  for (size_t i = 0; i < values.size(); ++i) {
    if (IsOpen(reference, i) && !bound.open_as_x86) continue;
    double margin = MarginOf(reference, bound, i, values[i]);
    if (margin > 1 && flushed != nullptr) {
      margin = std::min(margin, MarginOf(*flushed, bound, i, values[i]));
    }
    judgement.margin = std::max(judgement.margin, margin);
    if (margin <= 1) continue;
    const auto index = static_cast<int64_t>(i) / (IsComplex(got.dtype) ? 2 : 1);
    const Real want = reference.values[i];
    std::string text =
        fmt::format("element {} of {}: got {:.9g}, the reference is {:.17g}",
                    Place(got.dims, index), got.ShapeString(), values[i], want);
    if (std::isfinite(want) && std::isfinite(values[i])) {
      const Real allowed = bound.At(reference, i);
      text += fmt::format(": off by {:.3g}, allowed {:.3g} ({:.3g} ulp)",
                          std::fabs(values[i] - want), allowed,
                          allowed / bound.result.UlpAt(want));
    }
    Fail(index, std::move(text), &judgement);
  }
  return judgement;
}

std::string ElementText(const HostTensor& tensor, size_t i) {
  const size_t size = DTypeSize(tensor.dtype);
  HostTensor one{tensor.dtype, {}, {}};
  one.bytes.assign(tensor.bytes.begin() + static_cast<int64_t>(i * size),
                   tensor.bytes.begin() + static_cast<int64_t>((i + 1) * size));
  if (IsFloatingType(tensor.dtype)) return fmt::format("{:.9g}", Reals(one)[0]);
  const Int value = Ints(one)[0];
  return IsUnsigned(tensor.dtype) ? std::to_string(static_cast<uint64_t>(value))
                                  : std::to_string(static_cast<int64_t>(value));
}

// Bit equality, but for NaNs.
bool SameElement(const HostTensor& a, const HostTensor& b, size_t i) {
  const size_t size = DTypeSize(a.dtype);
  if (std::memcmp(a.bytes.data() + i * size, b.bytes.data() + i * size, size) == 0) {
    return true;
  }
  if (!IsFloatingType(a.dtype)) return false;
  const size_t parts = IsComplex(a.dtype) ? 2 : 1;
  const size_t width = size / parts;
  for (size_t part = 0; part < parts; ++part) {
    const size_t at = i * size + part * width;
    if (std::memcmp(a.bytes.data() + at, b.bytes.data() + at, width) == 0) continue;
    const auto number = [&](const HostTensor& from) {
      const DType dtype = !IsComplex(from.dtype)          ? from.dtype
                          : from.dtype == BERTH_COMPLEX64 ? BERTH_FLOAT
                                                          : BERTH_DOUBLE;
      HostTensor one{dtype, {}, {}};
      one.bytes.assign(from.bytes.begin() + static_cast<int64_t>(at),
                       from.bytes.begin() + static_cast<int64_t>(at + width));
      return Reals(one)[0];
    };
    if (!std::isnan(number(a)) || !std::isnan(number(b))) return false;
  }
  return true;
}

Judgement JudgeExact(const Output& reference, const HostTensor& got, const Bound& bound,
                     const Output* flushed) {
  Judgement judgement;
  const auto n = static_cast<size_t>(got.num_elements());
  for (size_t i = 0; i < n; ++i) {
    if (IsOpen(reference, i) && !bound.open_as_x86) continue;
    if (SameElement(reference.tensor, got, i)) continue;
    if (flushed != nullptr && SameElement(flushed->tensor, got, i)) continue;
    judgement.margin = kWrong;
    const auto index = static_cast<int64_t>(i);
    Fail(index,
         fmt::format("element {} of {}: got {}, must be {} exactly",
                     Place(got.dims, index), got.ShapeString(), ElementText(got, i),
                     ElementText(reference.tensor, i)),
         &judgement);
  }
  return judgement;
}

}  // namespace

Judgement Judge(const Output& reference, const HostTensor& got, const Bound& bound,
                const Output* flushed) {
  if (reference.any_value) return {};
  const HostTensor& want = reference.tensor;
  if (got.dtype != want.dtype || got.dims != want.dims) {
    return {false, kWrong, -1,
            "got " + got.ShapeString() + ", wanted " + want.ShapeString()};
  }
  if (!bound.flushes_subnormals) flushed = nullptr;
  return reference.is_exact() ? JudgeExact(reference, got, bound, flushed)
                              : JudgeReals(reference, got, bound, flushed);
}

}  // namespace berth::conformance
