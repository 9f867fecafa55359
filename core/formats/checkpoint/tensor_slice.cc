#include "core/formats/checkpoint/tensor_slice.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <optional>

namespace berth::formats {
namespace {

std::optional<int64_t> ParseNumber(std::string_view text) {
  int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || at != end || value < 0) return std::nullopt;
  return value;
}

std::vector<std::string_view> Split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

// The order-preserving codes of the keys. Each is a format of its own: unsigned numbers,
// signed numbers, strings.

void AppendUnsigned(uint64_t value, std::string* out) {
  const int bytes = (static_cast<int>(std::bit_width(value)) + 7) / 8;
  out->push_back(static_cast<char>(bytes));
  for (int i = bytes - 1; i >= 0; --i) {
    out->push_back(static_cast<char>(value >> (8 * i)));
  }
}

// n bytes hold 7n - 1 bits and the sign. The first n bits are ones and the next a zero,
// all inverted in negative numbers.
void AppendSigned(int64_t value, std::string* out) {
  const auto magnitude = static_cast<uint64_t>(value < 0 ? ~value : value);
  const int bytes = static_cast<int>(std::bit_width(magnitude)) / 7 + 1;
  char code[10];
  for (int i = 0; i < bytes; ++i) {
    const int shift = 8 * (bytes - 1 - i);
    // Above bit 63 there is the sign only.
    code[i] = static_cast<char>(shift > 63 ? (value < 0 ? -1 : 0) : value >> shift);
  }
  const auto header = static_cast<uint16_t>(0xffff0000u >> bytes);
  code[0] = static_cast<char>(code[0] ^ (header >> 8));
  if (bytes > 1) code[1] = static_cast<char>(code[1] ^ (header & 0xff));
  out->append(code, static_cast<size_t>(bytes));
}

void AppendString(std::string_view text, std::string* out) {
  for (const char c : text) {
    out->push_back(c);
    if (c == '\0') out->push_back('\xff');
    if (c == '\xff') out->push_back('\0');
  }
  out->append("\0\x01", 2);
}

// One region to copy, dimension by dimension.
struct Region {
  std::vector<int64_t> count;        // elements in each dimension
  std::vector<int64_t> from_stride;  // in elements
  std::vector<int64_t> to_stride;
  size_t element_size;  // 0 = std::string
};

void CopyRow(const Region& region, const char* from, char* to, int64_t count) {
  if (region.element_size == 0) {
    const auto* strings = reinterpret_cast<const std::string*>(from);
    std::copy(strings, strings + count, reinterpret_cast<std::string*>(to));
  } else {
    std::memcpy(to, from, static_cast<size_t>(count) * region.element_size);
  }
}

void CopyRegion(const Region& region, size_t dim, const char* from, char* to) {
  if (region.count.empty()) return CopyRow(region, from, to, 1);
  if (dim + 1 == region.count.size()) return CopyRow(region, from, to, region.count[dim]);
  const auto step = static_cast<int64_t>(region.element_size == 0 ? sizeof(std::string)
                                                                  : region.element_size);
  for (int64_t i = 0; i < region.count[dim]; ++i) {
    CopyRegion(region, dim + 1, from + i * region.from_stride[dim] * step,
               to + i * region.to_stride[dim] * step);
  }
}

// Elements from one index of a dimension to the next.
std::vector<int64_t> Strides(const Shape& shape) {
  std::vector<int64_t> strides(static_cast<size_t>(shape.rank()), 1);
  for (int i = shape.rank() - 2; i >= 0; --i) {
    strides[i] = strides[i + 1] * shape.dim(i + 1);
  }
  return strides;
}

}  // namespace

Result<TensorSlice> TensorSlice::Parse(std::string_view text) {
  std::vector<Range> ranges;
  if (text.empty()) return TensorSlice();
  for (const std::string_view part : Split(text, ':')) {
    if (part == "-") {
      ranges.emplace_back();
      continue;
    }
    const size_t comma = std::min(part.find(','), part.size());
    const auto start = ParseNumber(part.substr(0, comma));
    const auto length = ParseNumber(part.substr(std::min(comma + 1, part.size())));
    int64_t end = 0;
    if (!start || !length || *length == 0 ||
        __builtin_add_overflow(*start, *length, &end)) {
      return InvalidArgument("slice \"" + std::string(text) + "\": '" +
                             std::string(part) + "' is neither - nor start,length");
    }
    ranges.push_back({*start, *length});
  }
  return TensorSlice(std::move(ranges));
}

bool TensorSlice::IsWhole() const {
  return std::all_of(ranges_.begin(), ranges_.end(), [](const Range& range) {
    return range.start == 0 && range.length == kFull;
  });
}

std::string TensorSlice::ToString() const {
  std::string text;
  for (const Range& range : ranges_) {
    if (!text.empty()) text += ':';
    text += range.length == kFull
                ? "-"
                : std::to_string(range.start) + "," + std::to_string(range.length);
  }
  return text;
}

Result<TensorSlice> TensorSlice::ResolvedIn(const Shape& shape) const {
  if (rank() != shape.rank()) {
    return InvalidArgument("slice \"" + ToString() + "\" has " + std::to_string(rank()) +
                           " dimensions and the tensor has shape " + shape.ToString());
  }
  TensorSlice resolved = *this;
  for (int i = 0; i < rank(); ++i) {
    Range& range = resolved.ranges_[i];
    if (range.length == kFull) range = {0, shape.dim(i)};
    if (range.start < 0 || range.length < 0 || range.start > shape.dim(i) ||
        range.length > shape.dim(i) - range.start) {
      return InvalidArgument("slice \"" + ToString() + "\" is not inside shape " +
                             shape.ToString());
    }
  }
  return resolved;
}

Shape TensorSlice::ShapeOfSlice() const {
  std::vector<int64_t> dims;
  for (const Range& range : ranges_) dims.push_back(range.length);
  return Shape(dims);
}

Result<ShapeAndSlice> ShapeAndSlice::Parse(std::string_view text) {
  ShapeAndSlice parsed;
  if (text.empty()) return parsed;
  const auto bad = [&] {
    return InvalidArgument("shape and slice \"" + std::string(text) +
                           "\": expected dimensions and a slice, as in \"7 3 0,3:-\"");
  };
  std::vector<std::string_view> parts = Split(text, ' ');
  if (parts.size() - 1 > Shape::kMaxRank) return bad();
  std::vector<int64_t> dims;
  for (size_t i = 0; i + 1 < parts.size(); ++i) {
    const auto size = ParseNumber(parts[i]);
    if (!size) return bad();
    dims.push_back(*size);
  }
  BERTH_RETURN_IF_ERROR(Shape::CheckedElements(dims.data(), dims.size()).status());
  BERTH_ASSIGN_OR_RETURN(const TensorSlice slice, TensorSlice::Parse(parts.back()));
  parsed.whole = false;
  parsed.shape = Shape(dims);
  BERTH_ASSIGN_OR_RETURN(parsed.slice, slice.ResolvedIn(parsed.shape));
  return parsed;
}

std::string SliceKey(std::string_view name, const TensorSlice& slice) {
  std::string key;
  AppendUnsigned(0, &key);
  AppendString(name, &key);
  AppendUnsigned(static_cast<uint64_t>(slice.rank()), &key);
  for (const TensorSlice::Range& range : slice.ranges()) {
    AppendSigned(range.start, &key);
    AppendSigned(range.length, &key);
  }
  return key;
}

bool Overlap(const TensorSlice& a, const TensorSlice& b) {
  for (int i = 0; i < a.rank(); ++i) {
    const TensorSlice::Range& x = a.ranges()[i];
    const TensorSlice::Range& y = b.ranges()[i];
    if (x == y) continue;
    if (std::max(x.start, y.start) >= std::min(x.start + x.length, y.start + y.length)) {
      return false;
    }
  }
  return true;
}

int64_t CopyOverlap(const Tensor& from, const TensorSlice& from_slice,
                    const TensorSlice& to_slice, Tensor* to) {
  Region region;
  region.element_size = DTypeSize(from.dtype());
  region.from_stride = Strides(from.shape());
  region.to_stride = Strides(to->shape());
  int64_t from_offset = 0;
  int64_t to_offset = 0;
  int64_t total = 1;
  for (int i = 0; i < from_slice.rank(); ++i) {
    const TensorSlice::Range& a = from_slice.ranges()[i];
    const TensorSlice::Range& b = to_slice.ranges()[i];
    const int64_t begin = std::max(a.start, b.start);
    const int64_t end = std::min(a.start + a.length, b.start + b.length);
    if (begin >= end) return 0;
    region.count.push_back(end - begin);
    total *= end - begin;
    from_offset += (begin - a.start) * region.from_stride[i];
    to_offset += (begin - b.start) * region.to_stride[i];
  }
  const auto step = static_cast<int64_t>(region.element_size == 0 ? sizeof(std::string)
                                                                  : region.element_size);
  CopyRegion(region, 0, from.raw() + from_offset * step, to->raw() + to_offset * step);
  return total;
}

}  // namespace berth::formats
