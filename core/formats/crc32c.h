// CRC-32C (Castagnoli), as checkpoints, LevelDB tables and TFRecords use it.
#pragma once

#include <cstdint>
#include <string_view>

namespace berth::formats {

// The checksum of what `crc` is the checksum of, followed by `data`. Start with 0.
uint32_t ExtendCrc32c(uint32_t crc, std::string_view data);
inline uint32_t Crc32c(std::string_view data) { return ExtendCrc32c(0, data); }

// Files store checksums masked, since a checksum of data that holds checksums is weak.
inline uint32_t MaskCrc(uint32_t crc) {
  return ((crc >> 15) | (crc << 17)) + 0xa282ead8u;
}
inline uint32_t UnmaskCrc(uint32_t masked) {
  const uint32_t rotated = masked - 0xa282ead8u;
  return (rotated >> 17) | (rotated << 15);
}

// The plain table look-up, for processors without the instruction and for tests.
uint32_t ExtendCrc32cPortable(uint32_t crc, std::string_view data);

}  // namespace berth::formats
