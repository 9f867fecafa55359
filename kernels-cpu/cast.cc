// cast.cc — Cast on the CPU between all numeric dtypes, half, bfloat16 and complex
// included.
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>

#include "kernels-cpu/elementwise.h"
#include "kernels-cpu/families.h"
#include "kernels-cpu/half.h"

namespace berth::cpu {
namespace {

// A real number without a place in the integer type gives what the processor's conversion
// gives: the lowest value for 32 and 64 bits, and its low bits for narrower types.
template <typename From, typename To>
To RealToInteger(From x) {
  using Wide = std::conditional_t<(sizeof(To) < 4), int32_t, int64_t>;
  using Target =
      std::conditional_t<(sizeof(To) <= 4 && std::is_signed_v<To>), int32_t, Wide>;
  const From low = static_cast<From>(std::numeric_limits<Target>::min());
  const Target wide =
      x >= low && x < -low ? static_cast<Target>(x) : std::numeric_limits<Target>::min();
  return static_cast<To>(wide);
}

// 64 unsigned bits need their upper half.
template <typename From>
uint64_t RealToUint64(From x) {
  constexpr From kHalfway = static_cast<From>(9223372036854775808.0);
  if (x >= kHalfway) {
    return x < 2 * kHalfway
               ? static_cast<uint64_t>(static_cast<int64_t>(x - kHalfway)) ^ (1ULL << 63)
               : std::numeric_limits<uint64_t>::max();
  }
  return x >= -kHalfway ? static_cast<uint64_t>(static_cast<int64_t>(x)) : 1ULL << 63;
}

template <typename T>
inline constexpr bool kIsComplex =
    std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>;

template <typename To, typename From>
To Convert(From x) {
  if constexpr (kIsComplex<From> && kIsComplex<To>) {
    return To(x);
  } else if constexpr (kIsComplex<From>) {
    return Convert<To>(x.real());  // the imaginary part is lost
  } else if constexpr (kIsComplex<To>) {
    return To(Convert<typename To::value_type>(x));
  } else if constexpr (std::is_same_v<From, Half> || std::is_same_v<From, Bfloat16>) {
    return Convert<To>(ToFloat(x));
  } else if constexpr (std::is_same_v<To, Half>) {
    return HalfFromFloat(static_cast<float>(x));
  } else if constexpr (std::is_same_v<To, Bfloat16>) {
    return Bfloat16FromFloat(static_cast<float>(x));
  } else if constexpr (std::is_same_v<To, bool>) {
    return x != From{0};
  } else if constexpr (std::is_floating_point_v<From> && std::is_same_v<To, uint64_t>) {
    return RealToUint64(x);
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    return RealToInteger<From, To>(x);
  } else {
    return static_cast<To>(x);
  }
}

template <typename From, typename To>
void Run(const void* x, void* out, int64_t n) {
  const From* in = static_cast<const From*>(x);
  To* z = static_cast<To*>(out);
  for (int64_t i = 0; i < n; ++i) z[i] = Convert<To>(in[i]);
}

// Casts to a shorter real type that cut the mantissa off instead of rounding it
// (attribute Truncate): the bits that have no place are cleared first.
template <typename From, typename To, int kKeptBits>
void RunTruncated(const void* x, void* out, int64_t n) {
  using Bits = std::conditional_t<sizeof(From) == 4, uint32_t, uint64_t>;
  constexpr int kCut = std::numeric_limits<From>::digits - 1 - kKeptBits;
  const From* in = static_cast<const From*>(x);
  To* z = static_cast<To*>(out);
  for (int64_t i = 0; i < n; ++i) {
    Bits bits;
    std::memcpy(&bits, in + i, sizeof(bits));
    if (in[i] == in[i]) bits &= ~Bits{0} << kCut;
    From cut;
    std::memcpy(&cut, &bits, sizeof(cut));
    z[i] = Convert<To>(cut);
  }
}

// No loop where truncation changes nothing.
UnaryLoop TruncatedLoopFor(int32_t from, int32_t to) {
  if (from == kF32 && to == kHalf) return {&RunTruncated<float, Half, 10>, 4, 2, 2};
  if (from == kF32 && to == kBf16) return {&RunTruncated<float, Bfloat16, 7>, 4, 2, 2};
  if (from == kF64 && to == kHalf) return {&RunTruncated<double, Half, 10>, 8, 2, 2};
  if (from == kF64 && to == kBf16) return {&RunTruncated<double, Bfloat16, 7>, 8, 2, 2};
  if (from == kF64 && to == kF32) return {&RunTruncated<double, float, 23>, 8, 4, 1};
  return {};
}

template <typename From>
UnaryLoop To(int32_t dtype) {
  switch (dtype) {
    case kF32:
      return {&Run<From, float>, sizeof(From), 4, 1};
    case kF64:
      return {&Run<From, double>, sizeof(From), 8, 1};
    case kI32:
      return {&Run<From, int32_t>, sizeof(From), 4, 1};
    case kI64:
      return {&Run<From, int64_t>, sizeof(From), 8, 1};
    case kI16:
      return {&Run<From, int16_t>, sizeof(From), 2, 1};
    case kI8:
      return {&Run<From, int8_t>, sizeof(From), 1, 1};
    case kU8:
      return {&Run<From, uint8_t>, sizeof(From), 1, 1};
    case kU16:
      return {&Run<From, uint16_t>, sizeof(From), 2, 1};
    case kU32:
      return {&Run<From, uint32_t>, sizeof(From), 4, 1};
    case kU64:
      return {&Run<From, uint64_t>, sizeof(From), 8, 1};
    case kBool:
      return {&Run<From, bool>, sizeof(From), 1, 1};
    case kHalf:
      return {&Run<From, Half>, sizeof(From), 2, 2};
    case kBf16:
      return {&Run<From, Bfloat16>, sizeof(From), 2, 2};
    case kC64:
      return {&Run<From, std::complex<float>>, sizeof(From), 8, 1};
    case kC128:
      return {&Run<From, std::complex<double>>, sizeof(From), 16, 1};
    default:
      return {};
  }
}

UnaryLoop LoopFor(int32_t from, int32_t to) {
  switch (from) {
    case kF32:
      return To<float>(to);
    case kF64:
      return To<double>(to);
    case kI32:
      return To<int32_t>(to);
    case kI64:
      return To<int64_t>(to);
    case kI16:
      return To<int16_t>(to);
    case kI8:
      return To<int8_t>(to);
    case kU8:
      return To<uint8_t>(to);
    case kU16:
      return To<uint16_t>(to);
    case kU32:
      return To<uint32_t>(to);
    case kU64:
      return To<uint64_t>(to);
    case kBool:
      return To<bool>(to);
    case kHalf:
      return To<Half>(to);
    case kBf16:
      return To<Bfloat16>(to);
    case kC64:
      return To<std::complex<float>>(to);
    case kC128:
      return To<std::complex<double>>(to);
    default:
      return {};
  }
}

class CastKernel : public UnaryBase {
 public:
  using UnaryBase::UnaryBase;
  static Result<std::unique_ptr<CastKernel>> Create(const NodeView& node, berth_device*) {
    const int32_t from = node.input(0).dtype;
    const int32_t to = node.output(0).dtype;
    UnaryLoop loop;
    if (node.Bool("Truncate")) loop = TruncatedLoopFor(from, to);
    if (loop.run == nullptr) loop = LoopFor(from, to);
    if (loop.run == nullptr) return NoLoop(node, node.input(0).dtype);
    return std::make_unique<CastKernel>(loop);
  }
};

}  // namespace

void RegisterCast(KernelTable& table) {
  table.Op("Cast").Type("SrcT", kFixedSize).Type("DstT", kFixedSize).Use<CastKernel>();
}

}  // namespace berth::cpu
