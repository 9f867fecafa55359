#include "core/formats/tensor_proto.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/formats/wire.h"

namespace berth::formats {
namespace {

// Field numbers of TensorProto.
enum : uint32_t {
  kDType = 1,
  kShape = 2,
  kContent = 4,
  kFloatVal = 5,
  kDoubleVal = 6,
  kIntVal = 7,
  kStringVal = 8,
  kScomplexVal = 9,
  kInt64Val = 10,
  kBoolVal = 11,
  kDcomplexVal = 12,
  kHalfVal = 13,
  kUint32Val = 16,
  kUint64Val = 17,
};

// A uniform tensor smaller than this goes out as content.
constexpr uint64_t kUniformBytes = 64;

// The typed field that carries values of `dtype`; 0 when there is none.
uint32_t ValueField(DType dtype) {
  switch (dtype) {
    case BERTH_FLOAT:
      return kFloatVal;
    case BERTH_DOUBLE:
      return kDoubleVal;
    case BERTH_INT32:
    case BERTH_INT16:
    case BERTH_INT8:
    case BERTH_UINT16:
    case BERTH_UINT8:
    case BERTH_QINT32:
    case BERTH_QINT16:
    case BERTH_QINT8:
    case BERTH_QUINT16:
    case BERTH_QUINT8:
      return kIntVal;
    case BERTH_STRING:
      return kStringVal;
    case BERTH_COMPLEX64:
      return kScomplexVal;
    case BERTH_INT64:
      return kInt64Val;
    case BERTH_BOOL:
      return kBoolVal;
    case BERTH_COMPLEX128:
      return kDcomplexVal;
    case BERTH_HALF:
    case BERTH_BFLOAT16:
      return kHalfVal;
    case BERTH_UINT32:
      return kUint32Val;
    case BERTH_UINT64:
      return kUint64Val;
    default:
      return 0;
  }
}

// Calls `use` with a value of the type in which `dtype`'s scalars are stored; complex
// numbers are pairs of theirs, halves their bits.
template <typename F>
auto WithScalarType(DType dtype, F use) {
  switch (dtype) {
    case BERTH_FLOAT:
    case BERTH_COMPLEX64:
      return use(float{});
    case BERTH_DOUBLE:
    case BERTH_COMPLEX128:
      return use(double{});
    case BERTH_INT64:
      return use(int64_t{});
    case BERTH_UINT64:
      return use(uint64_t{});
    case BERTH_INT32:
    case BERTH_QINT32:
      return use(int32_t{});
    case BERTH_UINT32:
      return use(uint32_t{});
    case BERTH_INT16:
    case BERTH_QINT16:
      return use(int16_t{});
    case BERTH_UINT16:
    case BERTH_QUINT16:
    case BERTH_HALF:
    case BERTH_BFLOAT16:
      return use(uint16_t{});
    case BERTH_BOOL:
      return use(bool{});
    case BERTH_INT8:
    case BERTH_QINT8:
      return use(int8_t{});
    default:
      return use(uint8_t{});
  }
}

// What a first look at a TensorProto finds.
struct Header {
  DType dtype = BERTH_INVALID_DTYPE;
  Shape shape;
  std::string_view content;
};

Result<Header> ReadHeader(std::string_view proto, uint64_t base) {
  Header header;
  WireReader reader(proto, base);
  while (reader.Next()) {
    if (reader.field() == kDType && reader.is_varint()) {
      BERTH_ASSIGN_OR_RETURN(header.dtype, CheckedDType(reader.value()));
    } else if (reader.field() == kShape && reader.is_bytes()) {
      BERTH_ASSIGN_OR_RETURN(header.shape, DecodeShape(reader.bytes(), reader.offset()));
    } else if (reader.field() == kContent && reader.is_bytes()) {
      header.content = reader.bytes();
    }
  }
  BERTH_RETURN_IF_ERROR(reader.status());
  return header;
}

std::string Describe(const Header& header) {
  return "a tensor of type " + std::string(DTypeName(header.dtype)) + " and shape " +
         header.shape.ToString();
}

// The element count, after everything that can be known before memory is taken.
Result<int64_t> CheckedCount(const Header& header) {
  if (header.dtype == BERTH_INVALID_DTYPE) {
    return InvalidArgument("a tensor without a dtype");
  }
  if (IsRefType(header.dtype)) {
    return InvalidArgument("a tensor's value cannot be of the reference type " +
                           std::string(DTypeName(header.dtype)));
  }
  if (ValueField(header.dtype) == 0) {
    return Unimplemented("a tensor of type " + std::string(DTypeName(header.dtype)) +
                         " has no value that a file can hold");
  }
  if (!header.shape.IsFullyDefined()) {
    return InvalidArgument("a tensor's value cannot have the shape " +
                           header.shape.ToString());
  }
  // Zero sizes do not excuse an overflow: the product is formed in this order later.
  int64_t count = 1;
  for (int i = 0; i < header.shape.rank(); ++i) {
    if (__builtin_mul_overflow(count, header.shape.dim(i), &count)) {
      return InvalidArgument("the shape " + header.shape.ToString() +
                             " has more elements than 63 bits count");
    }
  }
  const uint64_t size =
      header.dtype == BERTH_STRING ? sizeof(std::string) : DTypeSize(header.dtype);
  if (static_cast<uint64_t>(count) > kMaxMessageBytes / size) {
    return ResourceExhausted(Describe(header) +
                             " exceeds the 2 GiB that a message can stand for");
  }
  return count;
}

// Writes values as they come, up to `limit` of them.
template <typename T>
class ValueSink {
 public:
  ValueSink(T* data, int64_t limit) : data_(data), limit_(limit) {}
  void Add(T value) {
    if (count_ < limit_) data_[count_++] = value;
  }
  int64_t count() const { return count_; }

 private:
  T* data_;
  int64_t limit_;
  int64_t count_ = 0;
};

template <typename T>
T FromVarint(uint64_t value) {
  if constexpr (std::is_same_v<T, bool>) {
    return value != 0;
  } else {
    return static_cast<T>(value);
  }
}

// One occurrence of the typed field: a single value or a packed list of them.
template <typename T>
bool AddValues(const WireReader& field, ValueSink<T>* sink) {
  if constexpr (std::is_floating_point_v<T>) {
    T value;
    const bool single = sizeof(T) == 4 ? field.is_fixed32() : field.is_fixed64();
    if (single) {
      const uint64_t bits = field.value();
      std::memcpy(&value, &bits, sizeof value);  // little endian, checked at build time
      sink->Add(value);
    } else if (field.is_bytes()) {
      const std::string_view packed = field.bytes();
      if (packed.size() % sizeof(T) != 0) return false;
      for (size_t i = 0; i < packed.size(); i += sizeof(T)) {
        std::memcpy(&value, packed.data() + i, sizeof value);
        sink->Add(value);
      }
    }
    return true;
  } else {
    if (field.is_varint()) sink->Add(FromVarint<T>(field.value()));
    if (!field.is_bytes()) return true;
    PackedVarints packed(field.bytes());
    uint64_t value = 0;
    while (packed.Next(&value)) sink->Add(FromVarint<T>(value));
    return packed.ok();
  }
}
static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);

template <typename T>
Status FillFromValues(std::string_view proto, uint64_t base, Tensor* tensor) {
  const int64_t group = DTypeSize(tensor->dtype()) / sizeof(T);  // 2 for complex
  const int64_t total = tensor->num_elements() * group;
  T* data = tensor->mutable_data<T>();
  ValueSink<T> sink(data, total);
  WireReader reader(proto, base);
  const uint32_t wanted = ValueField(tensor->dtype());
  while (reader.Next()) {
    if (reader.field() == wanted && !AddValues(reader, &sink)) {
      return DataLoss("a damaged list of values at byte " +
                      std::to_string(reader.offset()));
    }
  }
  BERTH_RETURN_IF_ERROR(reader.status());
  const int64_t have = sink.count() / group * group;
  if (have == 0) {
    std::fill(data, data + total, T{});
    return OkStatus();
  }
  for (int64_t i = have; i < total; ++i) data[i] = data[i - group];
  return OkStatus();
}

Status FillStringsFromValues(std::string_view proto, uint64_t base, Tensor* tensor) {
  const int64_t total = tensor->num_elements();
  std::string* data = tensor->mutable_strings();
  int64_t count = 0;
  WireReader reader(proto, base);
  while (reader.Next()) {
    if (reader.field() == kStringVal && reader.is_bytes() && count < total) {
      data[count++] = std::string(reader.bytes());
    }
  }
  BERTH_RETURN_IF_ERROR(reader.status());
  if (count == 0) return OkStatus();
  const std::string& last = data[count - 1];
  if (count < total && last.size() > kMaxMessageBytes / static_cast<uint64_t>(total)) {
    return ResourceExhausted("a string of " + std::to_string(last.size()) +
                             " bytes repeated " + std::to_string(total - count) +
                             " times exceeds the 2 GiB that a message can stand for");
  }
  std::fill(data + count, data + total, last);
  return OkStatus();
}

// Content of strings: all lengths as varints, then all bytes.
Status FillStringsFromContent(std::string_view content, Tensor* tensor) {
  const char* at = content.data();
  const char* end = at + content.size();
  std::vector<uint64_t> sizes(static_cast<size_t>(tensor->num_elements()));
  uint64_t total = 0;
  for (uint64_t& size : sizes) {
    if (at == end || !ReadVarint64(&at, end, &size) || size > content.size()) {
      return DataLoss("a tensor's content has cut string lengths");
    }
    total += size;
  }
  if (total != static_cast<uint64_t>(end - at)) {
    return DataLoss("a tensor's content has " + std::to_string(end - at) +
                    " bytes of strings where its lengths say " + std::to_string(total));
  }
  std::string* out = tensor->mutable_strings();
  for (const uint64_t size : sizes) {
    (out++)->assign(at, size);
    at += size;
  }
  return OkStatus();
}

template <typename T>
void AppendValue(T value, std::string* out) {
  if constexpr (std::is_floating_point_v<T>) {
    char bytes[sizeof(T)];
    std::memcpy(bytes, &value, sizeof value);
    out->append(bytes, sizeof value);
  } else if constexpr (std::is_signed_v<T>) {
    AppendVarint(static_cast<uint64_t>(static_cast<int64_t>(value)), out);
  } else {
    AppendVarint(static_cast<uint64_t>(value), out);
  }
}

// True when all elements have the same bits.
bool IsUniform(const char* data, uint64_t size, uint64_t bytes) {
  return std::memcmp(data, data + size, bytes - size) == 0;
}

}  // namespace

Result<DType> CheckedDType(uint64_t number) {
  if (number > 2 * BERTH_DTYPE_REF_OFFSET || !IsKnownDType(static_cast<DType>(number))) {
    return InvalidArgument("dtype " + std::to_string(number) + " is none that exists");
  }
  return static_cast<DType>(number);
}

Result<Shape> DecodeShape(std::string_view proto, uint64_t base) {
  int64_t dims[Shape::kMaxRank];
  size_t rank = 0;
  bool unknown_rank = false;
  WireReader reader(proto, base);
  while (reader.Next()) {
    if (reader.field() == 3 && reader.is_varint()) unknown_rank = reader.value() != 0;
    if (reader.field() != 2 || !reader.is_bytes()) continue;
    if (rank == Shape::kMaxRank) {
      return InvalidArgument("a shape of more than " + std::to_string(Shape::kMaxRank) +
                             " dimensions at byte " + std::to_string(base));
    }
    WireReader dim(reader.bytes(), reader.offset());
    int64_t size = 0;
    while (dim.Next()) {
      if (dim.field() == 1 && dim.is_varint()) size = static_cast<int64_t>(dim.value());
    }
    BERTH_RETURN_IF_ERROR(dim.status());
    if (size < -1) {
      return InvalidArgument("a dimension of size " + std::to_string(size) + " at byte " +
                             std::to_string(reader.offset()));
    }
    dims[rank++] = size;
  }
  BERTH_RETURN_IF_ERROR(reader.status());
  if (unknown_rank && rank > 0) {
    return InvalidArgument("a shape of unknown rank with dimensions at byte " +
                           std::to_string(base));
  }
  return unknown_rank ? Shape::UnknownRank() : Shape(dims, rank);
}

Result<Tensor> DecodeTensor(std::string_view proto, uint64_t base) {
  BERTH_ASSIGN_OR_RETURN(const Header header, ReadHeader(proto, base));
  BERTH_ASSIGN_OR_RETURN(const int64_t count, CheckedCount(header));
  if (header.dtype == BERTH_STRING) {
    if (header.content.size() > 0 &&
        static_cast<uint64_t>(count) > header.content.size()) {
      return DataLoss(Describe(header) + " has content of only " +
                      std::to_string(header.content.size()) + " bytes");
    }
    BERTH_ASSIGN_OR_RETURN(Tensor tensor, Tensor::Allocate(header.dtype, header.shape));
    BERTH_RETURN_IF_ERROR(header.content.empty()
                              ? FillStringsFromValues(proto, base, &tensor)
                              : FillStringsFromContent(header.content, &tensor));
    return tensor;
  }
  const uint64_t bytes = static_cast<uint64_t>(count) * DTypeSize(header.dtype);
  if (!header.content.empty() && header.content.size() != bytes) {
    return DataLoss(Describe(header) + " needs " + std::to_string(bytes) +
                    " bytes, but its content has " +
                    std::to_string(header.content.size()));
  }
  BERTH_ASSIGN_OR_RETURN(Tensor tensor, Tensor::Allocate(header.dtype, header.shape));
  if (!header.content.empty()) {
    std::memcpy(tensor.raw(), header.content.data(), bytes);
  } else if (count > 0) {
    BERTH_RETURN_IF_ERROR(WithScalarType(header.dtype, [&](auto scalar) {
      return FillFromValues<decltype(scalar)>(proto, base, &tensor);
    }));
  }
  return tensor;
}

void AppendBytesField(uint32_t number, std::string_view bytes, std::string* out) {
  AppendVarint(uint64_t{number} << 3 | WireReader::kBytes, out);
  AppendVarint(bytes.size(), out);
  out->append(bytes);
}

void AppendVarintField(uint32_t number, uint64_t value, std::string* out) {
  AppendVarint(uint64_t{number} << 3 | WireReader::kVarint, out);
  AppendVarint(value, out);
}

void AppendShape(const Shape& shape, std::string* out) {
  if (!shape.has_rank()) return AppendVarintField(3, 1, out);
  for (int i = 0; i < shape.rank(); ++i) {
    std::string dim;
    // proto3 leaves out zeros.
    if (shape.dim(i) != 0) {
      AppendVarintField(1, static_cast<uint64_t>(shape.dim(i)), &dim);
    }
    AppendBytesField(2, dim, out);
  }
}

void AppendTensor(const Tensor& tensor, std::string* out) {
  AppendVarintField(kDType, static_cast<uint64_t>(tensor.dtype()), out);
  std::string shape;
  AppendShape(tensor.shape(), &shape);
  AppendBytesField(kShape, shape, out);
  const int64_t count = tensor.num_elements();
  if (count == 0) return;
  if (tensor.dtype() == BERTH_STRING) {
    for (int64_t i = 0; i < count; ++i) {
      AppendBytesField(kStringVal, tensor.strings()[i], out);
    }
    return;
  }
  const uint64_t size = DTypeSize(tensor.dtype());
  const uint64_t bytes = tensor.byte_size();
  const bool single =
      count == 1 || (bytes > kUniformBytes && IsUniform(tensor.raw(), size, bytes));
  if (!single) {
    return AppendBytesField(kContent, std::string_view(tensor.raw(), bytes), out);
  }
  std::string value;
  WithScalarType(tensor.dtype(), [&](auto scalar) {
    using T = decltype(scalar);
    for (uint64_t i = 0; i < size / sizeof(T); ++i) {
      AppendValue(tensor.data<T>()[i], &value);
    }
  });
  AppendBytesField(ValueField(tensor.dtype()), value, out);
}

}  // namespace berth::formats
