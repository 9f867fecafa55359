// Elements as words of their size: for kernels that move values and do not look at them.
#pragma once

#include <cstdint>

namespace berth::cpu {

// An element of 16 bytes.
struct Word16 {
  uint64_t low;
  uint64_t high;
};

// Calls `run` with a word of `size` bytes (1, 2, 4, 8 or 16), whose type is what counts:
//   WithWord(size_, [&](auto word) { Run<decltype(word)>(plan, context); });
template <typename Run>
void WithWord(int64_t size, const Run& run) {
  switch (size) {
    case 1:
      return run(uint8_t{});
    case 2:
      return run(uint16_t{});
    case 4:
      return run(uint32_t{});
    case 8:
      return run(uint64_t{});
    default:
      return run(Word16{});
  }
}

}  // namespace berth::cpu
