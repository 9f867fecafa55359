// Reading protobuf's wire format straight from bytes, without generated messages.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "core/base/status.h"

namespace berth::formats {

// Messages larger than this are refused, as protobuf itself does.
inline constexpr uint64_t kMaxMessageBytes = uint64_t{1} << 31;

// True when `text` is well-formed UTF-8: what protobuf asks of its string fields.
bool IsValidUtf8(std::string_view text);

// Walks the fields of one message. Takes no memory; the bytes must outlive it. After the
// first malformed field, Next() returns false for good and status() says what and where.
//
// Use: while (reader.Next()) switch (reader.field()) { case 1: … reader.bytes() … }
// A field of a wire type that the caller does not expect is an unknown field, which is
// skipped; hence the is_…() tests.
class WireReader {
 public:
  enum WireType : uint32_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

  // `base` is where `data` begins in the file; it is used in messages only.
  explicit WireReader(std::string_view data, uint64_t base = 0)
      : begin_(data.data()),
        at_(data.data()),
        end_(data.data() + data.size()),
        base_(base) {}

  // Moves to the next field; false at the end or at damage.
  bool Next();

  uint32_t field() const { return field_; }
  bool is_varint() const { return type_ == kVarint; }
  bool is_bytes() const { return type_ == kBytes; }
  bool is_fixed32() const { return type_ == kFixed32; }
  bool is_fixed64() const { return type_ == kFixed64; }
  // REQUIRES: is_varint(), is_fixed32() or is_fixed64().
  uint64_t value() const { return value_; }
  // REQUIRES: is_bytes(). Points into the data.
  std::string_view bytes() const { return bytes_; }
  // Where the field's content begins in the file.
  uint64_t offset() const {
    return base_ +
           static_cast<uint64_t>((type_ == kBytes ? bytes_.data() : at_) - begin_);
  }

  bool ok() const { return what_ == nullptr; }
  // DATA_LOSS with the offset, when !ok().
  Status status() const;

 private:
  bool Fail(const char* what);
  bool ReadVarint(uint64_t* value);
  bool ReadSlowVarint(uint64_t* value);
  bool ReadContent();
  bool SkipGroup();

  const char* begin_;
  const char* at_;
  const char* end_;
  uint64_t base_;
  uint32_t field_ = 0;
  uint32_t type_ = 0;
  uint64_t value_ = 0;
  std::string_view bytes_;
  const char* what_ = nullptr;
};

// Reads the varints of a packed field one by one.
class PackedVarints {
 public:
  explicit PackedVarints(std::string_view data)
      : at_(data.data()), end_(data.data() + data.size()) {}
  // False at the end or at damage.
  bool Next(uint64_t* value);
  bool ok() const { return ok_; }

 private:
  const char* at_;
  const char* end_;
  bool ok_ = true;
};

// Reads one varint at `*at` < `end` and moves behind it; false when it is cut or has more
// than 10 bytes.
inline bool ReadVarint64(const char** at, const char* end, uint64_t* value) {
  uint64_t result = 0;
  const char* p = *at;
  for (int shift = 0; shift < 70 && p < end; shift += 7) {
    const auto byte = static_cast<unsigned char>(*p++);
    if (shift < 64) result |= uint64_t{byte & 0x7fu} << shift;
    if (byte < 0x80) {
      *at = p;
      *value = result;
      return true;
    }
  }
  return false;
}

inline bool WireReader::ReadVarint(uint64_t* value) {
  if (at_ < end_ && static_cast<unsigned char>(*at_) < 0x80) {
    *value = static_cast<unsigned char>(*at_++);
    return true;
  }
  return ReadSlowVarint(value);
}

inline bool WireReader::Next() {
  if (at_ == end_ || what_ != nullptr) return false;
  uint64_t tag = 0;
  if (!ReadVarint(&tag)) return false;
  field_ = static_cast<uint32_t>(tag >> 3);
  type_ = static_cast<uint32_t>(tag & 7);
  if (tag >> 32 != 0 || field_ == 0) return Fail("a field number that cannot be");
  if (type_ != kBytes) return ReadContent();
  uint64_t size = 0;
  if (!ReadVarint(&size)) return false;
  if (size > static_cast<uint64_t>(end_ - at_)) {
    return Fail("a field that is longer than what is left");
  }
  bytes_ = std::string_view(at_, size);
  at_ += size;
  return true;
}

inline uint32_t LoadFixed32(const char* data) {
  uint32_t value;
  std::memcpy(&value, data, sizeof value);
  return value;
}
inline uint64_t LoadFixed64(const char* data) {
  uint64_t value;
  std::memcpy(&value, data, sizeof value);
  return value;
}

// Writing: appends one varint.
inline void AppendVarint(uint64_t value, std::string* out) {
  while (value >= 0x80) {
    out->push_back(static_cast<char>(value | 0x80));
    value >>= 7;
  }
  out->push_back(static_cast<char>(value));
}

}  // namespace berth::formats
