#include "core/base/printable.h"

#include <cstdint>
#include <cstdio>

namespace berth {
namespace {

uint32_t Byte(std::string_view text, size_t i) {
  return static_cast<unsigned char>(text[i]);
}

// The size of the well-formed UTF-8 sequence that `text` begins with; 0 = there is none.
// Overlong forms, surrogates and what lies beyond U+10FFFF are not well-formed.
size_t SequenceSize(std::string_view text) {
  const uint32_t first = Byte(text, 0);
  if (first < 0x80) return 1;
  const size_t size = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < size) return 0;
  uint32_t point = first & (0x7Fu >> size);
  for (size_t i = 1; i < size; ++i) {
    if ((Byte(text, i) & 0xC0) != 0x80) return 0;
    point = point << 6 | (Byte(text, i) & 0x3F);
  }
  constexpr uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = point >= 0xD800 && point <= 0xDFFF;
  return point < kLeast[size] || point > 0x10FFFF || surrogate ? 0 : size;
}

bool IsControl(std::string_view sequence) {
  const uint32_t first = Byte(sequence, 0);
  if (sequence.size() == 2) return first == 0xC2 && Byte(sequence, 1) < 0xA0;
  return (first < 0x20 && first != '\n' && first != '\t') || first == 0x7F;
}

}  // namespace

std::string Printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const size_t size = SequenceSize(text);
    if (size > 0 && !IsControl(text.substr(0, size))) {
      out += text.substr(0, size);
      text.remove_prefix(size);
      continue;
    }
    char escape[8];
    std::snprintf(escape, sizeof(escape), "\\x%02x", Byte(text, 0));
    out += escape;
    text.remove_prefix(1);
  }
  return out;
}

}  // namespace berth
