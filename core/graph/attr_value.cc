#include "core/graph/attr_value.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace berth {
namespace {

constexpr size_t kMaxText = 120;

// Strings may be binary or long: cut them, and replace what a terminal cannot show.
std::string Quote(std::string_view text) {
  std::string out = "'";
  for (const char c : text.substr(0, kMaxText)) {
    out += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c;
  }
  return out + (text.size() > kMaxText ? "…'" : "'");
}

std::string FloatText(float value) {
  char buffer[32];
  std::snprintf(buffer, sizeof(buffer), "%.9g", static_cast<double>(value));
  return buffer;
}

template <typename T, typename F>
void AppendItems(const std::vector<T>& items, F text, std::string* out) {
  constexpr size_t kMaxItems = 16;
  for (size_t i = 0; i < items.size(); ++i) {
    if (i == kMaxItems) {
      *out += ", …";
      return;
    }
    if (i > 0) *out += ", ";
    *out += text(items[i]);
  }
}

std::string ListText(const ListAttr& list) {
  std::string out = "[";
  AppendItems(
      list.s, [](const std::string& v) { return Quote(v); }, &out);
  AppendItems(
      list.i, [](int64_t v) { return std::to_string(v); }, &out);
  AppendItems(list.f, FloatText, &out);
  AppendItems(
      list.b, [](bool v) { return std::string(v ? "true" : "false"); }, &out);
  AppendItems(
      list.type, [](DType v) { return std::string(DTypeName(v)); }, &out);
  AppendItems(
      list.shape, [](const Shape& v) { return v.ToString(); }, &out);
  AppendItems(
      list.tensor, [](const Tensor& v) { return v.DebugString(); }, &out);
  AppendItems(
      list.func, [](const FuncAttr& v) { return Quote(v.name); }, &out);
  return out + "]";
}

// -0.0 and 0.0 differ and NaN equals itself, as TensorFlow compares serialized values.
bool SameFloat(float a, float b) { return std::memcmp(&a, &b, sizeof(a)) == 0; }

bool SameTensor(const Tensor& a, const Tensor& b) {
  if (a.dtype() != b.dtype()) return false;
  if (!a.is_valid()) return true;
  if (!(a.shape() == b.shape())) return false;
  if (a.buffer().get() == b.buffer().get() && a.offset() == b.offset()) return true;
  if (a.num_elements() == 0) return true;
  if (!a.on_host() || !b.on_host()) return false;
  if (a.dtype() == BERTH_STRING) {
    return std::equal(a.strings(), a.strings() + a.num_elements(), b.strings());
  }
  return std::memcmp(a.raw(), b.raw(), a.byte_size()) == 0;
}

bool SameFunc(const FuncAttr& a, const FuncAttr& b) {
  if (a.name != b.name) return false;
  const size_t size_a = a.attrs ? a.attrs->size() : 0;
  const size_t size_b = b.attrs ? b.attrs->size() : 0;
  if (size_a != size_b) return false;
  if (size_a == 0) return true;
  return std::equal(a.attrs->begin(), a.attrs->end(), b.attrs->begin(),
                    [](const AttrMap::Entry& x, const AttrMap::Entry& y) {
                      return x.first == y.first && x.second.Equals(y.second);
                    });
}

template <typename T, typename F>
bool SameItems(const std::vector<T>& a, const std::vector<T>& b, F same) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), same);
}

bool SameList(const ListAttr& a, const ListAttr& b) {
  return a.s == b.s && a.i == b.i && SameItems(a.f, b.f, SameFloat) && a.b == b.b &&
         a.type == b.type && a.shape == b.shape &&
         SameItems(a.tensor, b.tensor, SameTensor) && SameItems(a.func, b.func, SameFunc);
}

std::string_view ListKind(const ListAttr& list) {
  if (!list.s.empty()) return "list(string)";
  if (!list.i.empty()) return "list(int)";
  if (!list.f.empty()) return "list(float)";
  if (!list.b.empty()) return "list(bool)";
  if (!list.type.empty()) return "list(type)";
  if (!list.shape.empty()) return "list(shape)";
  if (!list.tensor.empty()) return "list(tensor)";
  if (!list.func.empty()) return "list(func)";
  return "list";
}

}  // namespace

std::string_view AttrValue::KindName() const {
  return std::visit(
      [](const auto& v) -> std::string_view {
        using T = std::decay_t<decltype(v)>;
        if constexpr (std::is_same_v<T, std::monostate>) return "nothing";
        if constexpr (std::is_same_v<T, std::string>) return "string";
        if constexpr (std::is_same_v<T, int64_t>) return "int";
        if constexpr (std::is_same_v<T, float>) return "float";
        if constexpr (std::is_same_v<T, bool>) return "bool";
        if constexpr (std::is_same_v<T, TypeAttr>) return "type";
        if constexpr (std::is_same_v<T, Shape>) return "shape";
        if constexpr (std::is_same_v<T, Tensor>) return "tensor";
        if constexpr (std::is_same_v<T, FuncAttr>) return "func";
        if constexpr (std::is_same_v<T, PlaceholderAttr>) return "placeholder";
        if constexpr (std::is_same_v<T, List>) return v ? ListKind(*v) : "list";
      },
      value_);
}

bool AttrValue::Equals(const AttrValue& other) const {
  if (value_.index() != other.value_.index()) return false;
  return std::visit(
      [&](const auto& v) {
        using T = std::decay_t<decltype(v)>;
        const T& w = std::get<T>(other.value_);
        if constexpr (std::is_same_v<T, std::monostate>) return true;
        if constexpr (std::is_same_v<T, float>) return SameFloat(v, w);
        if constexpr (std::is_same_v<T, Tensor>) return SameTensor(v, w);
        if constexpr (std::is_same_v<T, FuncAttr>) return SameFunc(v, w);
        if constexpr (std::is_same_v<T, PlaceholderAttr>) return v.name == w.name;
        if constexpr (std::is_same_v<T, List>) {
          const ListAttr empty;
          return v == w || SameList(v ? *v : empty, w ? *w : empty);
        }
        if constexpr (std::is_same_v<T, std::string> || std::is_same_v<T, int64_t> ||
                      std::is_same_v<T, bool> || std::is_same_v<T, TypeAttr> ||
                      std::is_same_v<T, Shape>) {
          return v == w;
        }
      },
      value_);
}

std::string AttrValue::ToString() const {
  return std::visit(
      [](const auto& v) -> std::string {
        using T = std::decay_t<decltype(v)>;
        if constexpr (std::is_same_v<T, std::monostate>) return "<unset>";
        if constexpr (std::is_same_v<T, std::string>) return Quote(v);
        if constexpr (std::is_same_v<T, int64_t>) return std::to_string(v);
        if constexpr (std::is_same_v<T, float>) return FloatText(v);
        if constexpr (std::is_same_v<T, bool>) return v ? "true" : "false";
        if constexpr (std::is_same_v<T, TypeAttr>) return std::string(DTypeName(v.dtype));
        if constexpr (std::is_same_v<T, Shape>) return v.ToString();
        if constexpr (std::is_same_v<T, Tensor>) return v.DebugString();
        if constexpr (std::is_same_v<T, FuncAttr>) return Quote(v.name);
        if constexpr (std::is_same_v<T, PlaceholderAttr>) return "$" + v.name;
        if constexpr (std::is_same_v<T, List>) return v ? ListText(*v) : "[]";
      },
      value_);
}

const AttrValue* AttrMap::Find(std::string_view name) const {
  for (const Entry& entry : entries_) {
    if (entry.first == name) return &entry.second;
  }
  return nullptr;
}

void AttrMap::Set(std::string_view name, AttrValue value) {
  auto it = entries_.begin();
  while (it != entries_.end() && it->first < name) ++it;
  if (it != entries_.end() && it->first == name) {
    it->second = std::move(value);
  } else {
    entries_.emplace(it, std::string(name), std::move(value));
  }
}

void AttrMap::Erase(std::string_view name) {
  std::erase_if(entries_, [&](const Entry& entry) { return entry.first == name; });
}

int64_t AttrMap::GetInt(std::string_view name, int64_t fallback) const {
  const AttrValue* value = Find(name);
  const int64_t* v = value ? value->get<int64_t>() : nullptr;
  return v ? *v : fallback;
}

float AttrMap::GetFloat(std::string_view name, float fallback) const {
  const AttrValue* value = Find(name);
  const float* v = value ? value->get<float>() : nullptr;
  return v ? *v : fallback;
}

bool AttrMap::GetBool(std::string_view name, bool fallback) const {
  const AttrValue* value = Find(name);
  const bool* v = value ? value->get<bool>() : nullptr;
  return v ? *v : fallback;
}

DType AttrMap::GetType(std::string_view name, DType fallback) const {
  const AttrValue* value = Find(name);
  const TypeAttr* v = value ? value->get<TypeAttr>() : nullptr;
  return v ? v->dtype : fallback;
}

std::string_view AttrMap::GetString(std::string_view name,
                                    std::string_view fallback) const {
  const AttrValue* value = Find(name);
  const std::string* v = value ? value->get<std::string>() : nullptr;
  return v ? std::string_view(*v) : fallback;
}

const Shape* AttrMap::GetShape(std::string_view name) const {
  const AttrValue* value = Find(name);
  return value ? value->get<Shape>() : nullptr;
}

const Tensor* AttrMap::GetTensor(std::string_view name) const {
  const AttrValue* value = Find(name);
  return value ? value->get<Tensor>() : nullptr;
}

const std::vector<int64_t>& AttrMap::GetInts(std::string_view name) const {
  static const std::vector<int64_t> kEmpty;
  const AttrValue* value = Find(name);
  const ListAttr* list = value ? value->list() : nullptr;
  return list ? list->i : kEmpty;
}

}  // namespace berth
