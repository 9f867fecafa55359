#include "core/ops/attr_check.h"

#include <algorithm>
#include <cmath>

namespace berth {
namespace {

std::string Where(const OpSchema& schema, const AttrSchema& attr) {
  return "attribute '" + attr.name + "' of op '" + schema.name + "'";
}

std::string AllowedTypesText(const AttrSchema& attr) {
  std::string out;
  for (const DType type : attr.allowed_types) {
    out += (out.empty() ? "" : ", ") + std::string(DTypeName(type));
  }
  return out;
}

Status CheckType(const OpSchema& schema, const AttrSchema& attr, DType type) {
  if (!IsKnownDType(type) || IsRefType(type)) {
    return InvalidArgument(Where(schema, attr) + " is the dtype number " +
                           std::to_string(type) + ", which is " +
                           (IsRefType(type) && IsKnownDType(type)
                                ? "a reference type; name the base type"
                                : "no dtype"));
  }
  if (!attr.allowed_types.empty() &&
      std::find(attr.allowed_types.begin(), attr.allowed_types.end(), type) ==
          attr.allowed_types.end()) {
    return InvalidArgument(Where(schema, attr) + " cannot be " +
                           std::string(DTypeName(type)) +
                           "; allowed: " + AllowedTypesText(attr));
  }
  return OkStatus();
}

Status CheckString(const OpSchema& schema, const AttrSchema& attr,
                   const std::string& text) {
  if (attr.allowed_strings.empty() ||
      std::find(attr.allowed_strings.begin(), attr.allowed_strings.end(), text) !=
          attr.allowed_strings.end()) {
    return OkStatus();
  }
  std::string allowed;
  for (const std::string& choice : attr.allowed_strings) {
    allowed += (allowed.empty() ? "'" : ", '") + choice + "'";
  }
  return InvalidArgument(Where(schema, attr) + " cannot be " +
                         AttrValue::String(text).ToString() + "; allowed: " + allowed);
}

Status CheckFloat(const OpSchema& schema, const AttrSchema& attr, float value) {
  if (!std::isnan(value)) return OkStatus();
  return InvalidArgument(Where(schema, attr) + " is NaN; it must be a number");
}

Status WrongKind(const OpSchema& schema, const AttrSchema& attr, const AttrValue& value) {
  return InvalidArgument(Where(schema, attr) + " must be of kind " + attr.type +
                         ", but is " + value.ToString() + " of kind " +
                         std::string(value.KindName()));
}

Status CheckList(const OpSchema& schema, const AttrSchema& attr, const ListAttr& list) {
  for (const DType type : list.type) {
    BERTH_RETURN_IF_ERROR(CheckType(schema, attr, type));
  }
  for (const std::string& text : list.s) {
    BERTH_RETURN_IF_ERROR(CheckString(schema, attr, text));
  }
  for (const float value : list.f) {
    BERTH_RETURN_IF_ERROR(CheckFloat(schema, attr, value));
  }
  if (attr.minimum && static_cast<int64_t>(list.size()) < *attr.minimum) {
    return InvalidArgument(Where(schema, attr) + " has " + std::to_string(list.size()) +
                           " entries; at least " + std::to_string(*attr.minimum) +
                           " are needed");
  }
  return OkStatus();
}

}  // namespace

Status CheckAttrValue(const OpSchema& schema, const AttrSchema& attr,
                      const AttrValue& value) {
  // Inside a function body an attribute may stand for the caller's: nothing to check yet.
  if (value.get<PlaceholderAttr>() != nullptr) return OkStatus();
  if (attr.type.starts_with("list(")) {
    if (value.get<AttrValue::List>() == nullptr) return WrongKind(schema, attr, value);
    const ListAttr* list = value.list();
    static const ListAttr kEmpty;
    if (list == nullptr) list = &kEmpty;
    const std::string_view kind = value.KindName();
    if (kind != "list" && kind != attr.type) return WrongKind(schema, attr, value);
    return CheckList(schema, attr, *list);
  }
  if (value.KindName() != attr.type) return WrongKind(schema, attr, value);
  if (const TypeAttr* type = value.get<TypeAttr>()) {
    return CheckType(schema, attr, type->dtype);
  }
  if (const std::string* text = value.get<std::string>()) {
    return CheckString(schema, attr, *text);
  }
  if (const float* number = value.get<float>()) return CheckFloat(schema, attr, *number);
  if (const int64_t* number = value.get<int64_t>()) {
    if (attr.minimum && *number < *attr.minimum) {
      return InvalidArgument(Where(schema, attr) + " is " + std::to_string(*number) +
                             "; it must be at least " + std::to_string(*attr.minimum));
    }
  }
  return OkStatus();
}

Status CompleteAttrs(const OpSchema& schema, AttrMap* attrs) {
  size_t known = 0;
  for (const AttrSchema& attr : schema.attrs) {
    const AttrValue* value = attrs->Find(attr.name);
    if (value != nullptr) {
      BERTH_RETURN_IF_ERROR(CheckAttrValue(schema, attr, *value));
    } else if (attr.default_value) {
      attrs->Set(attr.name, *attr.default_value);
    } else {
      return InvalidArgument(Where(schema, attr) + " (" + attr.type +
                             ") is missing and has no default");
    }
    ++known;
  }
  if (attrs->size() == known) return OkStatus();
  for (const auto& [name, value] : *attrs) {
    if (name.starts_with('_') || schema.FindAttr(name) != nullptr) continue;
    std::string names;
    for (const AttrSchema& attr : schema.attrs) {
      names += (names.empty() ? "'" : ", '") + attr.name + "'";
    }
    return InvalidArgument("op '" + schema.name + "' has no attribute '" + name + "'; " +
                           (names.empty() ? "it has none" : "it has " + names));
  }
  return OkStatus();
}

}  // namespace berth
