// Integer arithmetic that wraps instead of being undefined.
#pragma once

#include <cstdint>
#include <type_traits>

namespace berth::cpu {

// The type in which T's arithmetic may overflow: unsigned, and no narrower than int, to
// which narrower operands would be promoted.
template <typename T>
using WrapType = std::conditional_t<sizeof(T) < 4, uint32_t, std::make_unsigned_t<T>>;

template <typename T>
inline T WrapAdd(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<WrapType<T>>(a) + static_cast<WrapType<T>>(b));
  } else {
    return a + b;
  }
}
template <typename T>
inline T WrapSub(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<WrapType<T>>(a) - static_cast<WrapType<T>>(b));
  } else {
    return a - b;
  }
}
template <typename T>
inline T WrapMul(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<WrapType<T>>(a) * static_cast<WrapType<T>>(b));
  } else {
    return a * b;
  }
}

// Quotient and remainder towards zero. REQUIRES: b != 0. The lowest value by -1 wraps to
// itself with remainder 0, where the processor's instruction would trap.
template <typename T>
inline T TruncatedQuotient(T a, T b) {
  if constexpr (std::is_signed_v<T>) {
    if (b == -1) return WrapSub<T>(0, a);
  }
  return static_cast<T>(a / b);
}
template <typename T>
inline T TruncatedRemainder(T a, T b) {
  if constexpr (std::is_signed_v<T>) {
    if (b == -1) return 0;
  }
  return static_cast<T>(a % b);
}

}  // namespace berth::cpu
