#include "core/formats/crc32c.h"

#include <array>
#include <cstddef>
#include <cstring>

namespace berth::formats {
namespace {

constexpr uint32_t kPolynomial = 0x82f63b78;  // 0x1edc6f41, bits reversed

// table[k][b]: what byte b contributes when k more bytes follow.
constexpr std::array<std::array<uint32_t, 256>, 8> MakeTables() {
  std::array<std::array<uint32_t, 256>, 8> tables{};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) * kPolynomial);
    tables[0][byte] = crc;
  }
  for (size_t k = 1; k < tables.size(); ++k) {
    for (size_t byte = 0; byte < 256; ++byte) {
      const uint32_t before = tables[k - 1][byte];
      tables[k][byte] = (before >> 8) ^ tables[0][before & 0xff];
    }
  }
  return tables;
}
constexpr auto kTables = MakeTables();

uint64_t Load64(const char* data) {
  uint64_t value;
  std::memcpy(&value, data, sizeof value);
  return value;
}

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) uint32_t ExtendWithInstruction(uint32_t crc,
                                                                 std::string_view data) {
  uint64_t state = ~crc;
  const char* at = data.data();
  size_t left = data.size();
  for (; left >= 8; left -= 8, at += 8) {
    state = __builtin_ia32_crc32di(state, Load64(at));
  }
  auto narrow = static_cast<uint32_t>(state);
  for (; left > 0; --left, ++at) {
    narrow = __builtin_ia32_crc32qi(narrow, static_cast<unsigned char>(*at));
  }
  return ~narrow;
}
#endif

}  // namespace

uint32_t ExtendCrc32cPortable(uint32_t crc, std::string_view data) {
  crc = ~crc;
  const char* at = data.data();
  size_t left = data.size();
  for (; left >= 8; left -= 8, at += 8) {
    const uint64_t word = Load64(at) ^ crc;
    crc = 0;
    for (size_t k = 0; k < 8; ++k) crc ^= kTables[7 - k][(word >> (8 * k)) & 0xff];
  }
  for (; left > 0; --left, ++at) {
    crc = (crc >> 8) ^ kTables[0][(crc ^ static_cast<unsigned char>(*at)) & 0xff];
  }
  return ~crc;
}

uint32_t ExtendCrc32c(uint32_t crc, std::string_view data) {
#if defined(__x86_64__)
  static const bool has_instruction = __builtin_cpu_supports("sse4.2") != 0;
  if (has_instruction) return ExtendWithInstruction(crc, data);
#endif
  return ExtendCrc32cPortable(crc, data);
}

}  // namespace berth::formats
