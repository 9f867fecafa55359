#include "core/registry/node_signature.h"

#include <cstring>
#include <string_view>
#include <type_traits>
#include <utility>

#include "absl/hash/hash.h"
#include "absl/strings/string_view.h"
#include "core/ops/op_schema.h"

namespace berth {
namespace {

constexpr size_t kDigestAbove = 256;

template <typename T>
void AppendRaw(const T& value, std::string* key) {
  static_assert(std::is_trivially_copyable_v<T>);
  key->append(reinterpret_cast<const char*>(&value), sizeof(value));
}

void AppendBytes(std::string_view bytes, std::string* key) {
  AppendRaw(static_cast<uint64_t>(bytes.size()), key);
  key->append(bytes);
}

void AppendDigest(const char* data, size_t size, std::string* key) {
  // Two independent hashes: the second one sees the bytes behind another salt.
  const auto hash = [&](char salt) {
    return static_cast<uint64_t>(absl::Hash<std::pair<char, absl::string_view>>{}(
        {salt, absl::string_view(data, size)}));
  };
  AppendRaw(hash('a'), key);
  AppendRaw(hash('b'), key);
}

void AppendShape(const Shape& shape, std::string* key) {
  AppendRaw(static_cast<int32_t>(shape.rank()), key);
  for (int i = 0; i < shape.rank(); ++i) AppendRaw(shape.dim(i), key);
}

void AppendTensor(const Tensor& tensor, std::string* key) {
  AppendRaw(tensor.dtype(), key);
  AppendShape(tensor.shape(), key);
  if (tensor.raw() == nullptr) return;
  if (tensor.dtype() == BERTH_STRING) {
    for (int64_t i = 0; i < tensor.num_elements(); ++i) {
      AppendBytes(tensor.strings()[i], key);
    }
  } else if (tensor.byte_size() > kDigestAbove) {
    AppendDigest(tensor.raw(), tensor.byte_size(), key);
  } else {
    AppendBytes({tensor.raw(), tensor.byte_size()}, key);
  }
}

void AppendList(const ListAttr& list, std::string* key) {
  for (const std::string& s : list.s) AppendBytes(s, key);
  for (int64_t i : list.i) AppendRaw(i, key);
  for (float f : list.f) AppendRaw(f, key);
  for (bool b : list.b) AppendRaw(b, key);
  for (DType type : list.type) AppendRaw(type, key);
  for (const Shape& shape : list.shape) AppendShape(shape, key);
  for (const Tensor& tensor : list.tensor) AppendTensor(tensor, key);
  for (const FuncAttr& func : list.func) AppendBytes(func.name, key);
}

}  // namespace

void AppendAttrSignature(const AttrValue& value, std::string* key) {
  AppendRaw(static_cast<uint8_t>(value.variant().index()), key);
  if (const auto* s = value.get<std::string>()) {
    AppendBytes(*s, key);
  } else if (const auto* i = value.get<int64_t>()) {
    AppendRaw(*i, key);
  } else if (const auto* f = value.get<float>()) {
    AppendRaw(*f, key);
  } else if (const auto* b = value.get<bool>()) {
    AppendRaw(*b, key);
  } else if (const auto* type = value.get<TypeAttr>()) {
    AppendRaw(type->dtype, key);
  } else if (const auto* shape = value.get<Shape>()) {
    AppendShape(*shape, key);
  } else if (const auto* tensor = value.get<Tensor>()) {
    AppendTensor(*tensor, key);
  } else if (const auto* func = value.get<FuncAttr>()) {
    AppendBytes(func->name, key);
  } else if (const auto* placeholder = value.get<PlaceholderAttr>()) {
    AppendBytes(placeholder->name, key);
  } else if (const ListAttr* list = value.list()) {
    for (size_t size : {list->s.size(), list->i.size(), list->f.size(), list->b.size(),
                        list->type.size(), list->shape.size(), list->tensor.size()}) {
      AppendRaw(static_cast<uint32_t>(size), key);
    }
    AppendList(*list, key);
  }
}

void AppendNodeSignature(const Node& node, std::span<const Shape> input_shapes,
                         std::string* key) {
  const OpSchema* schema = &node.schema();
  AppendRaw(schema, key);
  for (const auto& [name, value] : node.attrs()) {
    if (name == "_class" || name == "_output_shapes") continue;
    AppendBytes(name, key);
    AppendAttrSignature(value, key);
  }
  for (int i = 0; i < node.num_inputs(); ++i) {
    if (static_cast<size_t>(i) < input_shapes.size()) {
      AppendShape(input_shapes[i], key);
    } else {
      AppendRaw(int32_t{-1}, key);
    }
  }
}

}  // namespace berth
