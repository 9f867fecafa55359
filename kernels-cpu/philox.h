// The Philox 4x32-10 counter-based generator (Salmon et al., "Parallel Random Numbers: As
// Easy as 1, 2, 3", 2011), keyed and counted as TensorFlow does, and the distributions
// drawn from it.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>

#include "kernels-cpu/half.h"

namespace berth::cpu {

// A position in a stream of groups of four 32-bit numbers. A value: copies go their own
// ways.
class Philox {
 public:
  using Group = std::array<uint32_t, 4>;

  Philox() = default;
  Philox(uint64_t seed, uint64_t seed2)
      : key_{static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)},
        counter_{0, 0, static_cast<uint32_t>(seed2), static_cast<uint32_t>(seed2 >> 32)} {
  }

  // Moves on by `groups` groups.
  void Skip(uint64_t groups) {
    const uint64_t low = (static_cast<uint64_t>(counter_[1]) << 32) | counter_[0];
    const uint64_t sum = low + groups;
    counter_[0] = static_cast<uint32_t>(sum);
    counter_[1] = static_cast<uint32_t>(sum >> 32);
    if (sum < low && ++counter_[2] == 0) ++counter_[3];
  }

  Group Next() {
    Group counter = counter_;
    uint32_t key0 = key_[0];
    uint32_t key1 = key_[1];
    for (int round = 0; round < 10; ++round) {
      const uint64_t product0 = static_cast<uint64_t>(kMultiplier0) * counter[0];
      const uint64_t product1 = static_cast<uint64_t>(kMultiplier1) * counter[2];
      counter = {static_cast<uint32_t>(product1 >> 32) ^ counter[1] ^ key0,
                 static_cast<uint32_t>(product1),
                 static_cast<uint32_t>(product0 >> 32) ^ counter[3] ^ key1,
                 static_cast<uint32_t>(product0)};
      key0 += kWeyl0;
      key1 += kWeyl1;
    }
    Skip(1);
    return counter;
  }

 private:
  static constexpr uint32_t kMultiplier0 = 0xD2511F53;
  static constexpr uint32_t kMultiplier1 = 0xCD9E8D57;
  static constexpr uint32_t kWeyl0 = 0x9E3779B9;
  static constexpr uint32_t kWeyl1 = 0xBB67AE85;

  std::array<uint32_t, 2> key_{};
  Group counter_{};
};

// A number in [0, 1) from the low 23 bits: the mantissa of a float in [1, 2).
inline float UniformFloat(uint32_t bits) {
  return FloatFromBits(0x3f800000 | (bits & 0x7fffff)) - 1.0F;
}
// A number in [0, 1) from 52 bits.
inline double UniformDouble(uint32_t high, uint32_t low) {
  const uint64_t bits =
      (uint64_t{1023} << 52) | (static_cast<uint64_t>(high & 0xfffff) << 32) | low;
  double value;
  std::memcpy(&value, &bits, sizeof(value));
  return value - 1.0;
}

// Two normal numbers by the method of Box and Muller.
inline std::array<float, 2> BoxMuller(uint32_t x0, uint32_t x1) {
  // The logarithm of zero is avoided.
  const float u1 = std::fmax(UniformFloat(x0), 1.0e-7F);
  const float angle =
      static_cast<float>(2 * M_PI * static_cast<double>(UniformFloat(x1)));
  const float radius = std::sqrt(-2.0F * std::log(u1));
  return {std::sin(angle) * radius, std::cos(angle) * radius};
}
inline std::array<double, 2> BoxMuller(uint32_t x0, uint32_t x1, uint32_t x2,
                                       uint32_t x3) {
  const double u1 = std::fmax(UniformDouble(x0, x1), 1.0e-7);
  const double angle = 2 * M_PI * UniformDouble(x2, x3);
  const double radius = std::sqrt(-2.0 * std::log(u1));
  return {std::sin(angle) * radius, std::cos(angle) * radius};
}

}  // namespace berth::cpu
