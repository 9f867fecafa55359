// Attribute values of nodes and op schemas.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/dtype.h"
#include "core/base/shape.h"
#include "core/base/tensor.h"

namespace berth {

class AttrMap;

// A function's name with its attributes (AttrValue.func).
struct FuncAttr {
  std::string name;
  std::shared_ptr<const AttrMap> attrs;
};

// Distinguishes a dtype from an int in the variant.
struct TypeAttr {
  DType dtype = BERTH_INVALID_DTYPE;
  bool operator==(const TypeAttr&) const = default;
};

// AttrValue.placeholder: stands for an attribute of the enclosing function.
struct PlaceholderAttr {
  std::string name;
};

// AttrValue.list. TensorFlow's list has one field per kind; an empty list has no kind.
struct ListAttr {
  std::vector<std::string> s = {};
  std::vector<int64_t> i = {};
  std::vector<float> f = {};
  std::vector<bool> b = {};
  std::vector<DType> type = {};
  std::vector<Shape> shape = {};
  std::vector<Tensor> tensor = {};
  std::vector<FuncAttr> func = {};
  size_t size() const {
    return s.size() + i.size() + f.size() + b.size() + type.size() + shape.size() +
           tensor.size() + func.size();
  }
};

// One value: TensorFlow's AttrValue (tensorflow/core/framework/attr_value.proto). Copies
// share tensors and lists.
class AttrValue {
 public:
  using List = std::shared_ptr<const ListAttr>;
  using Variant = std::variant<std::monostate, std::string, int64_t, float, bool,
                               TypeAttr, Shape, Tensor, FuncAttr, PlaceholderAttr, List>;

  AttrValue() = default;
  explicit AttrValue(Variant value) : value_(std::move(value)) {}
  static AttrValue String(std::string v) { return AttrValue(Variant(std::move(v))); }
  static AttrValue Int(int64_t v) { return AttrValue(Variant(v)); }
  static AttrValue Float(float v) { return AttrValue(Variant(v)); }
  static AttrValue Bool(bool v) { return AttrValue(Variant(v)); }
  static AttrValue Type(DType v) { return AttrValue(Variant(TypeAttr{v})); }
  static AttrValue OfShape(Shape v) { return AttrValue(Variant(std::move(v))); }
  static AttrValue OfTensor(Tensor v) { return AttrValue(Variant(std::move(v))); }
  static AttrValue OfList(ListAttr v) {
    return AttrValue(Variant(std::make_shared<const ListAttr>(std::move(v))));
  }

  bool has_value() const { return value_.index() != 0; }
  template <typename T>
  const T* get() const {
    return std::get_if<T>(&value_);
  }
  const ListAttr* list() const {
    const List* list = get<List>();
    return list ? list->get() : nullptr;
  }
  const Variant& variant() const { return value_; }

  // "string", "list(int)", "type" …: the kind's name in an OpDef; "list" for an empty
  // list.
  std::string_view KindName() const;
  // Equal as TensorFlow compares defaults: same kind, same value, tensors by content.
  bool Equals(const AttrValue& other) const;
  // One line for messages; long values are cut.
  std::string ToString() const;

 private:
  Variant value_;
};

// A node's attributes, sorted by name; small, so a vector.
class AttrMap {
 public:
  using Entry = std::pair<std::string, AttrValue>;

  // nullptr when absent.
  const AttrValue* Find(std::string_view name) const;
  // Replaces an existing value.
  void Set(std::string_view name, AttrValue value);
  void Erase(std::string_view name);
  void Reserve(size_t n) { entries_.reserve(n); }
  size_t size() const { return entries_.size(); }
  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }

  // Typed reads; the fallback when absent or of another kind.
  int64_t GetInt(std::string_view name, int64_t fallback = 0) const;
  float GetFloat(std::string_view name, float fallback = 0) const;
  bool GetBool(std::string_view name, bool fallback = false) const;
  DType GetType(std::string_view name, DType fallback = BERTH_INVALID_DTYPE) const;
  std::string_view GetString(std::string_view name, std::string_view fallback = {}) const;
  // nullptr when absent or no shape.
  const Shape* GetShape(std::string_view name) const;
  const Tensor* GetTensor(std::string_view name) const;
  // An empty vector when absent.
  const std::vector<int64_t>& GetInts(std::string_view name) const;

 private:
  std::vector<Entry> entries_;
};

}  // namespace berth
