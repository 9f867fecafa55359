#include "core/formats/wire.h"

namespace berth::formats {
namespace {

constexpr int kMaxGroupDepth = 100;
constexpr uint32_t kStartGroup = 3;
constexpr uint32_t kEndGroup = 4;

// Length of the UTF-8 sequence that starts with `lead`; 0 for a byte that starts none.
size_t SequenceLength(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xc2 && lead < 0xe0) return 2;
  if (lead >= 0xe0 && lead < 0xf0) return 3;
  if (lead >= 0xf0 && lead < 0xf5) return 4;
  return 0;
}

// The second byte's range excludes overlong forms, surrogates and what lies beyond
// U+10FFFF.
bool IsValidSecondByte(unsigned char lead, unsigned char second) {
  switch (lead) {
    case 0xe0:
      return second >= 0xa0 && second < 0xc0;
    case 0xed:
      return second >= 0x80 && second < 0xa0;
    case 0xf0:
      return second >= 0x90 && second < 0xc0;
    case 0xf4:
      return second >= 0x80 && second < 0x90;
    default:
      return second >= 0x80 && second < 0xc0;
  }
}

}  // namespace

bool IsValidUtf8(std::string_view text) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
  for (size_t i = 0; i < text.size();) {
    const size_t length = SequenceLength(bytes[i]);
    if (length == 0 || length > text.size() - i) return false;
    if (length > 1 && !IsValidSecondByte(bytes[i], bytes[i + 1])) return false;
    for (size_t k = 2; k < length; ++k) {
      if ((bytes[i + k] & 0xc0) != 0x80) return false;
    }
    i += length;
  }
  return true;
}

bool WireReader::Fail(const char* what) {
  what_ = what;
  return false;
}

Status WireReader::status() const {
  if (what_ == nullptr) return OkStatus();
  return DataLoss(std::string(what_) + " at byte " +
                  std::to_string(base_ + static_cast<uint64_t>(at_ - begin_)));
}

bool WireReader::ReadSlowVarint(uint64_t* value) {
  if (ReadVarint64(&at_, end_, value)) return true;
  return Fail("a cut or oversized number");
}

bool WireReader::ReadContent() {
  switch (type_) {
    case kVarint:
      return ReadVarint(&value_);
    case kFixed64:
      if (end_ - at_ < 8) return Fail("a cut 64-bit field");
      value_ = LoadFixed64(at_);
      at_ += 8;
      return true;
    case kFixed32:
      if (end_ - at_ < 4) return Fail("a cut 32-bit field");
      value_ = LoadFixed32(at_);
      at_ += 4;
      return true;
    case kStartGroup:
      return SkipGroup();
    default:
      return Fail("a field of a kind that cannot be");
  }
}

// Groups are history; a message of ours has none, but an unknown field may be one.
bool WireReader::SkipGroup() {
  uint32_t open[kMaxGroupDepth];
  int depth = 0;
  open[depth++] = field_;
  while (depth > 0) {
    uint64_t tag = 0;
    if (at_ == end_ || !ReadVarint(&tag)) return Fail("a group without an end");
    const auto field = static_cast<uint32_t>(tag >> 3);
    const auto type = static_cast<uint32_t>(tag & 7);
    if (type == kStartGroup) {
      if (depth == kMaxGroupDepth) return Fail("groups nested too deeply");
      open[depth++] = field;
    } else if (type == kEndGroup) {
      if (open[--depth] != field) return Fail("a group's end without its start");
    } else if (type == kBytes) {
      uint64_t size = 0;
      if (!ReadVarint(&size)) return false;
      if (size > static_cast<uint64_t>(end_ - at_)) {
        return Fail("a field that is longer than what is left");
      }
      at_ += size;
    } else {
      type_ = type;
      if (!ReadContent()) return false;
    }
  }
  type_ = kStartGroup;  // no is_…() holds: the caller skips it
  return true;
}

bool PackedVarints::Next(uint64_t* value) {
  if (at_ == end_ || !ok_) return false;
  ok_ = ReadVarint64(&at_, end_, value);
  return ok_;
}

}  // namespace berth::formats
