#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/hash/hash.h"
#include "core/ops/op_schema.h"
#include "core/registry/kernel_registry.h"
#include "core/registry/node_signature.h"

namespace berth {

struct KernelClasses::Impl {
  const KernelRegistry* registry;
  absl::flat_hash_map<const OpSchema*, KernelRegistry::OpTraits> traits;
  absl::flat_hash_map<std::string, int> classes;
  std::string key;  // reused from node to node
};

KernelClasses::KernelClasses(const KernelRegistry* registry)
    : impl_(std::make_unique<Impl>()) {
  impl_->registry = registry;
}

KernelClasses::~KernelClasses() = default;

int KernelClasses::ClassOf(const Node& node, std::span<const Shape> input_shapes) {
  const OpSchema* schema = &node.schema();
  auto it = impl_->traits.find(schema);
  if (it == impl_->traits.end()) {
    it = impl_->traits.emplace(schema, impl_->registry->TraitsOf(node.op())).first;
  }
  std::string& key = impl_->key;
  key.clear();
  if (it->second.is_conditional) {
    AppendNodeSignature(node, input_shapes, &key);
  } else {
    key.append(reinterpret_cast<const char*>(&schema), sizeof(schema));
    for (const std::string& name : it->second.attrs) {
      const AttrValue* value = node.attrs().Find(name);
      if (value != nullptr) AppendAttrSignature(*value, &key);
      key.push_back('\0');
    }
  }
  const auto found = impl_->classes.find(key);
  if (found != impl_->classes.end()) return found->second;
  const int number = static_cast<int>(impl_->classes.size());
  impl_->classes.emplace(key, number);
  return number;
}

int KernelClasses::num_classes() const { return static_cast<int>(impl_->classes.size()); }

}  // namespace berth
