// The two 16-bit floating formats, as storage: arithmetic is done in float.
#pragma once

#include <cstdint>
#include <cstring>

namespace berth::cpu {

struct Half {
  uint16_t bits;
};
struct Bfloat16 {
  uint16_t bits;
};

inline float FloatFromBits(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}
inline uint32_t BitsOfFloat(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

inline float ToFloat(Bfloat16 x) {
  return FloatFromBits(static_cast<uint32_t>(x.bits) << 16);
}
// Rounds to nearest, ties to even.
inline Bfloat16 Bfloat16FromFloat(float x) {
  const uint32_t bits = BitsOfFloat(x);
  if (x != x) return {static_cast<uint16_t>((bits >> 31) != 0 ? 0xffc0 : 0x7fc0)};
  return {static_cast<uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16)};
}

inline float ToFloat(Half x) {
  const uint32_t sign = static_cast<uint32_t>(x.bits & 0x8000) << 16;
  const uint32_t exponent = (x.bits >> 10) & 0x1f;
  const uint32_t mantissa = x.bits & 0x3ff;
  if (exponent == 0x1f) return FloatFromBits(sign | 0x7f800000 | (mantissa << 13));
  if (exponent == 0) {
    // Zero or a subnormal: mantissa times 2^-24 is exact in a float.
    const float magnitude = static_cast<float>(mantissa) * 5.9604644775390625e-8F;
    return FloatFromBits(sign | BitsOfFloat(magnitude));
  }
  return FloatFromBits(sign | ((exponent + 112) << 23) | (mantissa << 13));
}
// Rounds to nearest, ties to even; what is too large becomes infinite.
inline Half HalfFromFloat(float x) {
  const uint32_t bits = BitsOfFloat(x);
  const uint16_t sign = static_cast<uint16_t>((bits >> 16) & 0x8000);
  const uint32_t magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000) return {static_cast<uint16_t>(sign | 0x7e00)};
  if (magnitude >= 0x477ff000) return {static_cast<uint16_t>(sign | 0x7c00)};
  if (magnitude < 0x38800000) {
    // A subnormal: adding 0.5 makes the float's own rounding happen at bit 2^-24.
    const float shifted = FloatFromBits(magnitude) + 0.5F;
    return {static_cast<uint16_t>(sign | (BitsOfFloat(shifted) - 0x3f000000))};
  }
  const uint32_t rounded = magnitude + 0xfff + ((magnitude >> 13) & 1);
  return {static_cast<uint16_t>(sign | ((rounded - 0x38000000) >> 13))};
}

}  // namespace berth::cpu
