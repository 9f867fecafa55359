#include "core/formats/npy.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>
#include <vector>

#include "core/formats/file.h"

namespace berth::formats {
namespace {

constexpr std::string_view kMagic("\x93NUMPY", 6);
constexpr size_t kAlign = 64;  // where NumPy lets the data begin
constexpr uint64_t kMaxStringBytes = uint64_t{1} << 31;

struct Code {
  DType dtype;
  std::string_view descr;  // with the byte order
};
// The first entry of a code is what a file with it gives.
constexpr Code kCodes[] = {
    {BERTH_FLOAT, "<f4"},
    {BERTH_DOUBLE, "<f8"},
    {BERTH_HALF, "<f2"},
    {BERTH_INT8, "|i1"},
    {BERTH_INT16, "<i2"},
    {BERTH_INT32, "<i4"},
    {BERTH_INT64, "<i8"},
    {BERTH_UINT8, "|u1"},
    {BERTH_UINT16, "<u2"},
    {BERTH_UINT32, "<u4"},
    {BERTH_UINT64, "<u8"},
    {BERTH_BOOL, "|b1"},
    {BERTH_COMPLEX64, "<c8"},
    {BERTH_COMPLEX128, "<c16"},
    // Types that NumPy does not have, as integers.
    {BERTH_BFLOAT16, "<u2"},
    {BERTH_QINT8, "|i1"},
    {BERTH_QUINT8, "|u1"},
    {BERTH_QINT16, "<i2"},
    {BERTH_QUINT16, "<u2"},
    {BERTH_QINT32, "<i4"},
};

// The header's Python dictionary, taken apart.
struct Header {
  std::string descr;
  bool fortran = false;
  std::vector<int64_t> dims;
  size_t data_begin = 0;
};

// Reads the literal {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }.
class HeaderParser {
 public:
  explicit HeaderParser(std::string_view text) : text_(text) {}

  bool Parse(Header* header) {
    if (!Eat('{')) return false;
    bool descr = false;
    bool fortran = false;
    bool shape = false;
    while (!Eat('}')) {
      std::string key;
      if (!ReadString(&key) || !Eat(':')) return false;
      if (key == "descr") {
        // A list here is a record type; the caller refuses the empty string.
        descr = Peek() == '[' ? SkipList() : ReadString(&header->descr);
        if (!descr) return false;
      } else if (key == "fortran_order") {
        fortran = ReadBool(&header->fortran);
        if (!fortran) return false;
      } else if (key == "shape") {
        shape = ReadShape(&header->dims);
        if (!shape) return false;
      } else {
        return false;
      }
      if (!Eat(',') && Peek() != '}') return false;
    }
    return descr && fortran && shape && Peek() == '\0';
  }

 private:
  char Peek() {
    const size_t next = text_.find_first_not_of(" \n\t");
    text_.remove_prefix(std::min(next, text_.size()));
    return text_.empty() ? '\0' : text_.front();
  }

  bool Eat(char wanted) {
    if (Peek() != wanted) return false;
    text_.remove_prefix(1);
    return true;
  }

  bool EatWord(std::string_view word) {
    Peek();
    if (!text_.starts_with(word)) return false;
    text_.remove_prefix(word.size());
    return true;
  }

  bool ReadString(std::string* out) {
    const char quote = Peek();
    if (quote != '\'' && quote != '"') return false;
    const size_t end = text_.find(quote, 1);
    if (end == std::string_view::npos) return false;
    *out = text_.substr(1, end - 1);
    text_.remove_prefix(end + 1);
    return true;
  }

  bool ReadBool(bool* out) {
    *out = EatWord("True");
    return *out || EatWord("False");
  }

  bool SkipList() {
    const size_t end = text_.rfind(']');
    if (end == std::string_view::npos) return false;
    text_.remove_prefix(end + 1);
    return true;
  }

  bool ReadShape(std::vector<int64_t>* dims) {
    if (!Eat('(')) return false;
    while (!Eat(')')) {
      Peek();
      int64_t size = 0;
      const auto [end, error] =
          std::from_chars(text_.data(), text_.data() + text_.size(), size);
      if (error != std::errc() || size < 0 || dims->size() == Shape::kMaxRank) {
        return false;
      }
      text_.remove_prefix(static_cast<size_t>(end - text_.data()));
      EatWord("L");  // as Python 2 wrote long integers
      dims->push_back(size);
      if (!Eat(',') && Peek() != ')') return false;
    }
    return true;
  }

  std::string_view text_;
};

Result<Header> ParseHeader(std::string_view bytes) {
  if (!bytes.starts_with(kMagic) || bytes.size() < 10) {
    return DataLoss("not an .npy file: it does not begin with \\x93NUMPY");
  }
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(bytes[i]); };
  const int version = byte(6);
  if (version < 1 || version > 3) {
    return Unimplemented(".npy version " + std::to_string(version) +
                         "; versions 1 to 3 can be read");
  }
  size_t begin = 10;
  size_t size = byte(8) | byte(9) << 8;
  if (version > 1) {
    if (bytes.size() < 12) return DataLoss("cut inside its header");
    begin = 12;
    size |= static_cast<size_t>(byte(10)) << 16 | static_cast<size_t>(byte(11)) << 24;
  }
  if (size > bytes.size() - begin) return DataLoss("cut inside its header");
  Header header;
  if (!HeaderParser(bytes.substr(begin, size)).Parse(&header)) {
    return DataLoss("an .npy header that makes no sense: " +
                    std::string(bytes.substr(begin, std::min<size_t>(size, 200))));
  }
  header.data_begin = begin + size;
  return header;
}

// The dtype of `descr`, read as `as` where that is given.
Result<DType> FindDType(const std::string& descr, DType as) {
  if (descr.size() < 2) {
    return Unimplemented("an .npy file of records cannot be read: save each field");
  }
  DType found = BERTH_INVALID_DTYPE;
  for (const Code& code : kCodes) {
    // One byte has no order, and some writers give it one.
    const bool same = code.descr == descr ||
                      (code.descr[0] == '|' && code.descr.substr(1) == descr.substr(1));
    if (!same) continue;
    if (code.dtype == as) return as;
    if (found == BERTH_INVALID_DTYPE) found = code.dtype;
  }
  if (found == BERTH_INVALID_DTYPE) {
    const bool big = !descr.empty() && descr[0] == '>';
    return Unimplemented("type '" + descr + "' of an .npy file" +
                         (big ? "; big endian cannot be read: save "
                                "array.astype(array.dtype.newbyteorder('<'))"
                              : "; numbers, bool and strings can be read"));
  }
  if (as != BERTH_INVALID_DTYPE) {
    return InvalidArgument("the .npy file has type '" + descr + "', which cannot be " +
                           std::string(DTypeName(as)));
  }
  return found;
}

void AppendUtf8(uint32_t code, std::string* out) {
  if (code < 0x80) {
    out->push_back(static_cast<char>(code));
  } else if (code < 0x800) {
    out->push_back(static_cast<char>(0xc0 | code >> 6));
    out->push_back(static_cast<char>(0x80 | (code & 0x3f)));
  } else if (code < 0x10000) {
    out->push_back(static_cast<char>(0xe0 | code >> 12));
    out->push_back(static_cast<char>(0x80 | (code >> 6 & 0x3f)));
    out->push_back(static_cast<char>(0x80 | (code & 0x3f)));
  } else {
    out->push_back(static_cast<char>(0xf0 | (code >> 18 & 7)));
    out->push_back(static_cast<char>(0x80 | (code >> 12 & 0x3f)));
    out->push_back(static_cast<char>(0x80 | (code >> 6 & 0x3f)));
    out->push_back(static_cast<char>(0x80 | (code & 0x3f)));
  }
}

std::string ReadCell(const char* cell, uint64_t size, bool unicode) {
  std::string text;
  if (!unicode) {
    text.assign(cell, size);
    text.resize(text.find_last_not_of('\0') + 1);  // npos + 1 is 0
    return text;
  }
  for (uint64_t i = 0; i + 4 <= size; i += 4) {
    uint32_t code;
    std::memcpy(&code, cell + i, sizeof code);
    if (code == 0) break;
    AppendUtf8(code, &text);
  }
  return text;
}

Status CheckDataSize(std::string_view data, uint64_t wanted, const Shape& shape) {
  if (data.size() == wanted) return OkStatus();
  return DataLoss("shape " + shape.ToString() + " needs " + std::to_string(wanted) +
                  " bytes of data, but there are " + std::to_string(data.size()));
}

// "|S12" or "<U3".
Result<Tensor> ParseStrings(const Header& header, std::string_view data) {
  const std::string_view digits = std::string_view(header.descr).substr(2);
  const bool unicode = header.descr[1] == 'U';
  uint64_t cell = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), cell);
  if (error != std::errc() || end != digits.data() + digits.size() ||
      cell > kMaxStringBytes) {
    return DataLoss("the string type '" + header.descr + "' of an .npy header");
  }
  if (unicode) cell *= 4;
  const Shape shape(header.dims);
  BERTH_ASSIGN_OR_RETURN(const int64_t count,
                         Shape::CheckedElements(shape.dims(), header.dims.size()));
  uint64_t wanted = 0;
  if (__builtin_mul_overflow(static_cast<uint64_t>(count), cell, &wanted)) {
    return DataLoss("shape " + shape.ToString() + " is too large for its file");
  }
  BERTH_RETURN_IF_ERROR(CheckDataSize(data, wanted, shape));
  // Cells of no bytes prove nothing about the count.
  if (cell == 0 && static_cast<uint64_t>(count) > kMaxStringBytes / sizeof(std::string)) {
    return ResourceExhausted("shape " + shape.ToString() + " of empty strings");
  }
  BERTH_ASSIGN_OR_RETURN(Tensor tensor, Tensor::Allocate(BERTH_STRING, shape));
  for (int64_t i = 0; i < count; ++i) {
    tensor.mutable_strings()[i] =
        ReadCell(data.data() + static_cast<uint64_t>(i) * cell, cell, unicode);
  }
  return tensor;
}

std::string MakeHeader(std::string_view descr, const Shape& shape) {
  std::string dict =
      "{'descr': '" + std::string(descr) + "', 'fortran_order': False, 'shape': (";
  for (int i = 0; i < shape.rank(); ++i) {
    if (i > 0) dict += ' ';
    dict += std::to_string(shape.dim(i)) + ",";
  }
  if (shape.rank() > 1) dict.pop_back();  // (2, 3) but (2,)
  dict += "), }";
  // Magic, version and a two-byte size come before; a line end comes last.
  const size_t whole = (10 + dict.size() + 1 + kAlign - 1) / kAlign * kAlign;
  dict.append(whole - 10 - dict.size() - 1, ' ');
  dict += '\n';
  std::string out(kMagic);
  out += '\x01';
  out += '\x00';
  out += static_cast<char>(dict.size() & 0xff);
  out += static_cast<char>(dict.size() >> 8);
  return out + dict;
}

std::string FormatStrings(const Tensor& tensor) {
  const int64_t count = tensor.num_elements();
  const std::string* strings = tensor.strings();
  size_t cell = 1;  // NumPy has no empty cells
  for (int64_t i = 0; i < count; ++i) cell = std::max(cell, strings[i].size());
  std::string out = MakeHeader("|S" + std::to_string(cell), tensor.shape());
  for (int64_t i = 0; i < count; ++i) {
    out += strings[i];
    out.append(cell - strings[i].size(), '\0');
  }
  return out;
}

}  // namespace

Result<Tensor> ParseNpy(std::string_view bytes, DType as) {
  BERTH_ASSIGN_OR_RETURN(const Header header, ParseHeader(bytes));
  if (header.fortran && header.dims.size() > 1) {
    return Unimplemented(
        "an .npy file in Fortran order cannot be read: save "
        "numpy.ascontiguousarray(array)");
  }
  const std::string_view data = bytes.substr(header.data_begin);
  const bool text = header.descr.size() > 2 &&
                    (header.descr[1] == 'S' || header.descr[1] == 'U') &&
                    header.descr[0] != '>';
  if (text) {
    if (as != BERTH_INVALID_DTYPE && as != BERTH_STRING) {
      return InvalidArgument("the .npy file has strings, which cannot be " +
                             std::string(DTypeName(as)));
    }
    return ParseStrings(header, data);
  }
  BERTH_ASSIGN_OR_RETURN(const DType dtype, FindDType(header.descr, as));
  const Shape shape(header.dims);
  BERTH_ASSIGN_OR_RETURN(const int64_t count,
                         Shape::CheckedElements(shape.dims(), header.dims.size()));
  uint64_t wanted = 0;
  if (__builtin_mul_overflow(static_cast<uint64_t>(count), DTypeSize(dtype), &wanted)) {
    return DataLoss("shape " + shape.ToString() + " is too large for its file");
  }
  BERTH_RETURN_IF_ERROR(CheckDataSize(data, wanted, shape));
  BERTH_ASSIGN_OR_RETURN(Tensor tensor, Tensor::Allocate(dtype, shape));
  if (wanted > 0) std::memcpy(tensor.raw(), data.data(), wanted);
  return tensor;
}

Result<Tensor> ReadNpy(const std::string& path, DType as) {
  BERTH_ASSIGN_OR_RETURN(const std::string bytes, ReadFile(path));
  Result<Tensor> tensor = ParseNpy(bytes, as);
  if (!tensor.ok()) return tensor.status().WithPrefix("'" + path + "': ");
  return tensor;
}

Result<std::string> FormatNpy(const Tensor& tensor) {
  if (tensor.dtype() == BERTH_STRING) return FormatStrings(tensor);
  for (const Code& code : kCodes) {
    if (code.dtype != tensor.dtype()) continue;
    std::string out = MakeHeader(code.descr, tensor.shape());
    if (tensor.byte_size() > 0) out.append(tensor.raw(), tensor.byte_size());
    return out;
  }
  return InvalidArgument("a tensor of type " + std::string(DTypeName(tensor.dtype())) +
                         " cannot be an .npy file");
}

Status WriteNpy(const std::string& path, const Tensor& tensor) {
  BERTH_ASSIGN_OR_RETURN(const std::string bytes, FormatNpy(tensor));
  return WriteFile(path, bytes);
}

}  // namespace berth::formats
