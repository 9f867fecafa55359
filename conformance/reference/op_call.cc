#include "conformance/reference/op_call.h"

namespace berth::conformance {
namespace {

template <typename T>
const T* Find(const OpCall& call, const char* name) {
  const auto found = call.attrs.find(name);
  return found == call.attrs.end() ? nullptr : std::get_if<T>(&found->second);
}

struct Printer {
  std::string operator()(int64_t i) const { return std::to_string(i); }
  std::string operator()(float f) const { return std::to_string(f); }
  std::string operator()(bool b) const { return b ? "true" : "false"; }
  std::string operator()(const std::string& s) const { return s; }
  std::string operator()(const TypeAttr& type) const {
    return std::string(DTypeName(type.dtype));
  }
  std::string operator()(const std::vector<int64_t>& ints) const {
    return DimsString(ints);
  }
};

}  // namespace

int64_t OpCall::Int(const char* name, int64_t fallback) const {
  const int64_t* value = Find<int64_t>(*this, name);
  return value != nullptr ? *value : fallback;
}

float OpCall::Float(const char* name, float fallback) const {
  const float* value = Find<float>(*this, name);
  return value != nullptr ? *value : fallback;
}

bool OpCall::Bool(const char* name, bool fallback) const {
  const bool* value = Find<bool>(*this, name);
  return value != nullptr ? *value : fallback;
}

std::string OpCall::String(const char* name, std::string_view fallback) const {
  const std::string* value = Find<std::string>(*this, name);
  return value != nullptr ? *value : std::string(fallback);
}

DType OpCall::Type(const char* name, DType fallback) const {
  const TypeAttr* value = Find<TypeAttr>(*this, name);
  return value != nullptr ? value->dtype : fallback;
}

std::vector<int64_t> OpCall::Ints(const char* name) const {
  const std::vector<int64_t>* value = Find<std::vector<int64_t>>(*this, name);
  return value != nullptr ? *value : std::vector<int64_t>();
}

std::string OpCall::ToString() const {
  std::string text = op + "(";
  for (size_t i = 0; i < inputs.size(); ++i) {
    text += (i == 0 ? "" : ", ") + inputs[i].ShapeString();
  }
  const char* separator = "; ";
  for (const auto& [name, value] : attrs) {
    text += separator + name + "=" + std::visit(Printer(), value);
    separator = ", ";
  }
  return text + ")";
}

}  // namespace berth::conformance
