#include "core/formats/attr_wire.h"

#include <bit>
#include <memory>
#include <utility>

#include "core/formats/tensor_proto.h"
#include "core/formats/wire.h"

namespace berth::formats {
namespace {

// Field numbers: of AttrValue, and of AttrValue.ListValue up to kFuncInList.
enum : uint32_t {
  kList = 1,
  kString = 2,
  kInt = 3,
  kFloat = 4,
  kBool = 5,
  kType = 6,
  kShape = 7,
  kTensor = 8,
  kFuncInList = 9,
  kPlaceholder = 9,
  kFunc = 10,
};

// Functions' attributes hold functions …; protobuf stops at this depth as well.
constexpr int kMaxDepth = 100;

Result<AttrValue> Decode(std::string_view proto, uint64_t base, int depth);

Status BadText(const WireReader& reader) {
  return DataLoss("text that is not UTF-8 at byte " + std::to_string(reader.offset()));
}

// One entry of map<string, AttrValue>.
Status DecodeEntry(const WireReader& field, int depth, AttrMap* attrs) {
  WireReader entry(field.bytes(), field.offset());
  std::string_view key;
  AttrValue value;
  while (entry.Next()) {
    if (!entry.is_bytes()) continue;
    if (entry.field() == 1) {
      if (!IsValidUtf8(entry.bytes())) return BadText(entry);
      key = entry.bytes();
    } else if (entry.field() == 2) {
      BERTH_ASSIGN_OR_RETURN(value, Decode(entry.bytes(), entry.offset(), depth));
    }
  }
  BERTH_RETURN_IF_ERROR(entry.status());
  attrs->Set(key, std::move(value));
  return OkStatus();
}

Result<FuncAttr> DecodeFunc(const WireReader& field, int depth) {
  if (depth == kMaxDepth) {
    return DataLoss("functions nested too deeply at byte " +
                    std::to_string(field.offset()));
  }
  FuncAttr func;
  auto attrs = std::make_shared<AttrMap>();
  WireReader reader(field.bytes(), field.offset());
  while (reader.Next()) {
    if (!reader.is_bytes()) continue;
    if (reader.field() == 1) {
      if (!IsValidUtf8(reader.bytes())) return BadText(reader);
      func.name = reader.bytes();
    } else if (reader.field() == 2) {
      BERTH_RETURN_IF_ERROR(DecodeEntry(reader, depth + 1, attrs.get()));
    }
  }
  BERTH_RETURN_IF_ERROR(reader.status());
  func.attrs = std::move(attrs);
  return func;
}

// DT_INVALID may stand in an attribute, though not as a tensor's type.
Result<DType> AttrDType(uint64_t number) {
  if (number == 0) return DType{BERTH_INVALID_DTYPE};
  return CheckedDType(number);
}

// Calls `add` with each number of a field that may be packed.
template <typename Add>
Status ForEachVarint(const WireReader& field, Add add) {
  if (field.is_varint()) return add(field.value());
  if (!field.is_bytes()) return OkStatus();
  PackedVarints packed(field.bytes());
  uint64_t value = 0;
  while (packed.Next(&value)) BERTH_RETURN_IF_ERROR(add(value));
  if (packed.ok()) return OkStatus();
  return DataLoss("a cut list of numbers at byte " + std::to_string(field.offset()));
}

Status DecodeFloats(const WireReader& field, std::vector<float>* out) {
  if (field.is_fixed32()) {
    out->push_back(std::bit_cast<float>(static_cast<uint32_t>(field.value())));
  } else if (field.is_bytes()) {
    const std::string_view packed = field.bytes();
    if (packed.size() % sizeof(float) != 0) {
      return DataLoss("a cut list of floats at byte " + std::to_string(field.offset()));
    }
    out->resize(out->size() + packed.size() / sizeof(float));
    std::memcpy(out->data() + out->size() - packed.size() / sizeof(float), packed.data(),
                packed.size());
  }
  return OkStatus();
}

Status DecodeListField(const WireReader& field, int depth, ListAttr* list) {
  switch (field.field()) {
    case kInt:
      return ForEachVarint(field, [&](uint64_t value) {
        list->i.push_back(static_cast<int64_t>(value));
        return OkStatus();
      });
    case kFloat:
      return DecodeFloats(field, &list->f);
    case kBool:
      return ForEachVarint(field, [&](uint64_t value) {
        list->b.push_back(value != 0);
        return OkStatus();
      });
    case kType:
      return ForEachVarint(field, [&](uint64_t value) {
        BERTH_ASSIGN_OR_RETURN(const DType dtype, AttrDType(value));
        list->type.push_back(dtype);
        return OkStatus();
      });
    default:
      break;
  }
  if (!field.is_bytes()) return OkStatus();
  if (field.field() == kString) {
    list->s.emplace_back(field.bytes());
  } else if (field.field() == kShape) {
    BERTH_ASSIGN_OR_RETURN(Shape shape, DecodeShape(field.bytes(), field.offset()));
    list->shape.push_back(std::move(shape));
  } else if (field.field() == kTensor) {
    BERTH_ASSIGN_OR_RETURN(Tensor tensor, DecodeTensor(field.bytes(), field.offset()));
    list->tensor.push_back(std::move(tensor));
  } else if (field.field() == kFuncInList) {
    BERTH_ASSIGN_OR_RETURN(FuncAttr func, DecodeFunc(field, depth));
    list->func.push_back(std::move(func));
  }
  return OkStatus();
}

Result<ListAttr> DecodeList(const WireReader& field, int depth) {
  ListAttr list;
  WireReader reader(field.bytes(), field.offset());
  while (reader.Next()) BERTH_RETURN_IF_ERROR(DecodeListField(reader, depth, &list));
  BERTH_RETURN_IF_ERROR(reader.status());
  return list;
}

// The kinds that are messages or strings.
Status DecodeBytesField(const WireReader& field, int depth, AttrValue* value) {
  switch (field.field()) {
    case kList: {
      BERTH_ASSIGN_OR_RETURN(ListAttr list, DecodeList(field, depth));
      *value = AttrValue::OfList(std::move(list));
      break;
    }
    case kString:
      *value = AttrValue::String(std::string(field.bytes()));
      break;
    case kShape: {
      BERTH_ASSIGN_OR_RETURN(Shape shape, DecodeShape(field.bytes(), field.offset()));
      *value = AttrValue::OfShape(std::move(shape));
      break;
    }
    case kTensor: {
      BERTH_ASSIGN_OR_RETURN(Tensor tensor, DecodeTensor(field.bytes(), field.offset()));
      *value = AttrValue::OfTensor(std::move(tensor));
      break;
    }
    case kPlaceholder:
      if (!IsValidUtf8(field.bytes())) return BadText(field);
      *value = AttrValue(PlaceholderAttr{std::string(field.bytes())});
      break;
    case kFunc: {
      BERTH_ASSIGN_OR_RETURN(FuncAttr func, DecodeFunc(field, depth));
      *value = AttrValue(std::move(func));
      break;
    }
    default:
      break;
  }
  return OkStatus();
}

Result<AttrValue> Decode(std::string_view proto, uint64_t base, int depth) {
  AttrValue value;
  WireReader reader(proto, base);
  while (reader.Next()) {
    if (reader.is_bytes()) {
      BERTH_RETURN_IF_ERROR(DecodeBytesField(reader, depth, &value));
    } else if (reader.is_fixed32()) {
      if (reader.field() != kFloat) continue;
      value =
          AttrValue::Float(std::bit_cast<float>(static_cast<uint32_t>(reader.value())));
    } else if (reader.is_varint()) {
      if (reader.field() == kInt) {
        value = AttrValue::Int(static_cast<int64_t>(reader.value()));
      } else if (reader.field() == kBool) {
        value = AttrValue::Bool(reader.value() != 0);
      } else if (reader.field() == kType) {
        BERTH_ASSIGN_OR_RETURN(const DType dtype, AttrDType(reader.value()));
        value = AttrValue::Type(dtype);
      }
    }
  }
  BERTH_RETURN_IF_ERROR(reader.status());
  return value;
}

void AppendFloat(float value, std::string* out) {
  char bytes[sizeof value];
  std::memcpy(bytes, &value, sizeof value);
  out->append(bytes, sizeof value);
}

void AppendFunc(uint32_t number, const FuncAttr& func, std::string* out) {
  std::string text;
  if (!func.name.empty()) AppendBytesField(1, func.name, &text);
  if (func.attrs != nullptr) {
    for (const auto& [name, value] : *func.attrs) {
      std::string encoded;
      AppendAttrValue(value, &encoded);
      std::string entry;
      AppendBytesField(1, name, &entry);
      AppendBytesField(2, encoded, &entry);
      AppendBytesField(2, entry, &text);
    }
  }
  AppendBytesField(number, text, out);
}

template <typename Values>
void AppendPacked(uint32_t number, const Values& values, std::string* out) {
  if (values.empty()) return;
  std::string packed;
  for (const auto value : values) {
    AppendVarint(static_cast<uint64_t>(static_cast<int64_t>(value)), &packed);
  }
  AppendBytesField(number, packed, out);
}

std::string EncodeList(const ListAttr& list) {
  std::string out;
  for (const std::string& s : list.s) AppendBytesField(kString, s, &out);
  AppendPacked(kInt, list.i, &out);
  if (!list.f.empty()) {
    std::string packed;
    for (const float f : list.f) AppendFloat(f, &packed);
    AppendBytesField(kFloat, packed, &out);
  }
  AppendPacked(kBool, list.b, &out);
  AppendPacked(kType, list.type, &out);
  for (const Shape& shape : list.shape) {
    std::string encoded;
    AppendShape(shape, &encoded);
    AppendBytesField(kShape, encoded, &out);
  }
  for (const Tensor& tensor : list.tensor) {
    std::string encoded;
    AppendTensor(tensor, &encoded);
    AppendBytesField(kTensor, encoded, &out);
  }
  for (const FuncAttr& func : list.func) AppendFunc(kFuncInList, func, &out);
  return out;
}

// Writes the alternative of the value; no value writes nothing. Values of a oneof are
// written even when they are zero.
struct Encoder {
  std::string* out;

  void operator()(std::monostate) const {}
  void operator()(const std::string& v) const { AppendBytesField(kString, v, out); }
  void operator()(int64_t v) const {
    AppendVarintField(kInt, static_cast<uint64_t>(v), out);
  }
  void operator()(float v) const {
    AppendVarint(uint64_t{kFloat} << 3 | WireReader::kFixed32, out);
    AppendFloat(v, out);
  }
  void operator()(bool v) const { AppendVarintField(kBool, v ? 1 : 0, out); }
  void operator()(const TypeAttr& v) const {
    AppendVarintField(kType, static_cast<uint64_t>(v.dtype), out);
  }
  void operator()(const Shape& v) const {
    std::string encoded;
    AppendShape(v, &encoded);
    AppendBytesField(kShape, encoded, out);
  }
  void operator()(const Tensor& v) const {
    std::string encoded;
    AppendTensor(v, &encoded);
    AppendBytesField(kTensor, encoded, out);
  }
  void operator()(const FuncAttr& v) const { AppendFunc(kFunc, v, out); }
  void operator()(const PlaceholderAttr& v) const {
    AppendBytesField(kPlaceholder, v.name, out);
  }
  void operator()(const AttrValue::List& v) const {
    AppendBytesField(kList, EncodeList(*v), out);
  }
};

}  // namespace

Result<AttrValue> DecodeAttrValue(std::string_view proto, uint64_t base) {
  return Decode(proto, base, 0);
}

void AppendAttrValue(const AttrValue& value, std::string* out) {
  std::visit(Encoder{out}, value.variant());
}

}  // namespace berth::formats
