#include "core/base/dtype.h"

#include <iterator>

namespace berth {
namespace {

struct Entry {
  DType dtype;
  size_t size;
  std::string_view name;
  std::string_view enum_name;
  std::string_view ref_name;
  std::string_view ref_enum_name;
};

#define BERTH_DTYPE_ENTRY_(id, size, text) \
  { BERTH_##id, size, text, "DT_" #id, text "_ref", "DT_" #id "_REF" }
constexpr Entry kEntries[] = {
    BERTH_DTYPE_ENTRY_(FLOAT, 4, "float"),
    BERTH_DTYPE_ENTRY_(DOUBLE, 8, "double"),
    BERTH_DTYPE_ENTRY_(INT32, 4, "int32"),
    BERTH_DTYPE_ENTRY_(UINT8, 1, "uint8"),
    BERTH_DTYPE_ENTRY_(INT16, 2, "int16"),
    BERTH_DTYPE_ENTRY_(INT8, 1, "int8"),
    BERTH_DTYPE_ENTRY_(STRING, 0, "string"),
    BERTH_DTYPE_ENTRY_(COMPLEX64, 8, "complex64"),
    BERTH_DTYPE_ENTRY_(INT64, 8, "int64"),
    BERTH_DTYPE_ENTRY_(BOOL, 1, "bool"),
    BERTH_DTYPE_ENTRY_(QINT8, 1, "qint8"),
    BERTH_DTYPE_ENTRY_(QUINT8, 1, "quint8"),
    BERTH_DTYPE_ENTRY_(QINT32, 4, "qint32"),
    BERTH_DTYPE_ENTRY_(BFLOAT16, 2, "bfloat16"),
    BERTH_DTYPE_ENTRY_(QINT16, 2, "qint16"),
    BERTH_DTYPE_ENTRY_(QUINT16, 2, "quint16"),
    BERTH_DTYPE_ENTRY_(UINT16, 2, "uint16"),
    BERTH_DTYPE_ENTRY_(COMPLEX128, 16, "complex128"),
    BERTH_DTYPE_ENTRY_(HALF, 2, "half"),
    BERTH_DTYPE_ENTRY_(RESOURCE, 0, "resource"),
    BERTH_DTYPE_ENTRY_(VARIANT, 0, "variant"),
    BERTH_DTYPE_ENTRY_(UINT32, 4, "uint32"),
    BERTH_DTYPE_ENTRY_(UINT64, 8, "uint64"),
};
#undef BERTH_DTYPE_ENTRY_

// The table is in the order of the numbers, from 1.
const Entry* Find(DType dtype) {
  const DType base = BaseType(dtype);
  if (base < 1 || base > static_cast<DType>(std::size(kEntries))) return nullptr;
  return &kEntries[base - 1];
}

}  // namespace

size_t DTypeSize(DType dtype) {
  const Entry* entry = Find(dtype);
  return entry ? entry->size : 0;
}

bool IsKnownDType(DType dtype) { return Find(dtype) != nullptr; }

std::string_view DTypeName(DType dtype) {
  const Entry* entry = Find(dtype);
  if (entry == nullptr) return dtype == 0 ? "invalid" : "unknown dtype";
  return IsRefType(dtype) ? entry->ref_name : entry->name;
}

std::string_view DTypeEnumName(DType dtype) {
  const Entry* entry = Find(dtype);
  if (entry == nullptr) return "DT_INVALID";
  return IsRefType(dtype) ? entry->ref_enum_name : entry->enum_name;
}

std::optional<DType> ParseDType(std::string_view name) {
  if (name == "float32") return BERTH_FLOAT;
  if (name == "float64") return BERTH_DOUBLE;
  if (name == "float16") return BERTH_HALF;
  for (const Entry& entry : kEntries) {
    if (name == entry.name || name == entry.enum_name) return entry.dtype;
    if (name == entry.ref_name || name == entry.ref_enum_name) {
      return MakeRefType(entry.dtype);
    }
  }
  return std::nullopt;
}

bool IsFloatingType(DType dtype) {
  switch (BaseType(dtype)) {
    case BERTH_FLOAT:
    case BERTH_DOUBLE:
    case BERTH_HALF:
    case BERTH_BFLOAT16:
    case BERTH_COMPLEX64:
    case BERTH_COMPLEX128:
      return true;
    default:
      return false;
  }
}

}  // namespace berth
