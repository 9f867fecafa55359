#include "core/ops/op_schema.h"

#include <absl/container/flat_hash_map.h>
#include <absl/strings/string_view.h>
#include <absl/synchronization/mutex.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "core/ops/attr_check.h"
#include "core/ops/builtin_ops.h"

namespace berth {
namespace {

struct NameHash {
  using is_transparent = void;
  size_t operator()(std::string_view name) const {
    return absl::Hash<absl::string_view>()(absl::string_view(name.data(), name.size()));
  }
};
struct NameEq {
  using is_transparent = void;
  bool operator()(std::string_view a, std::string_view b) const { return a == b; }
};

bool SameArgs(const std::vector<ArgSchema>& a, const std::vector<ArgSchema>& b) {
  return std::equal(
      a.begin(), a.end(), b.begin(), b.end(), [](const ArgSchema& x, const ArgSchema& y) {
        return x.name == y.name && x.dtype == y.dtype && x.type_attr == y.type_attr &&
               x.number_attr == y.number_attr && x.type_list_attr == y.type_list_attr &&
               x.is_ref == y.is_ref;
      });
}

bool SameAttrs(const std::vector<AttrSchema>& a, const std::vector<AttrSchema>& b) {
  return std::equal(
      a.begin(), a.end(), b.begin(), b.end(),
      [](const AttrSchema& x, const AttrSchema& y) {
        return x.name == y.name && x.type == y.type &&
               x.default_value.has_value() == y.default_value.has_value() &&
               (!x.default_value || x.default_value->Equals(*y.default_value)) &&
               x.allowed_types == y.allowed_types &&
               x.allowed_strings == y.allowed_strings && x.minimum == y.minimum;
      });
}

// The definitions agree; who brought them does not count.
bool SameDefinition(const OpSchema& a, const OpSchema& b) {
  return a.name == b.name && SameArgs(a.inputs, b.inputs) &&
         SameArgs(a.outputs, b.outputs) && SameAttrs(a.attrs, b.attrs) &&
         a.is_stateful == b.is_stateful && a.is_commutative == b.is_commutative &&
         a.is_aggregate == b.is_aggregate &&
         a.allows_uninitialized_input == b.allows_uninitialized_input;
}

// Levenshtein's distance without regard to case; gives up above `limit`.
int EditDistance(std::string_view a, std::string_view b, int limit) {
  if (std::abs(static_cast<int>(a.size()) - static_cast<int>(b.size())) > limit) {
    return limit + 1;
  }
  std::vector<int> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = static_cast<int>(j);
  for (size_t i = 1; i <= a.size(); ++i) {
    int diagonal = row[0];
    row[0] = static_cast<int>(i);
    for (size_t j = 1; j <= b.size(); ++j) {
      const bool same = std::tolower(static_cast<unsigned char>(a[i - 1])) ==
                        std::tolower(static_cast<unsigned char>(b[j - 1]));
      const int change = diagonal + (same ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, change});
    }
  }
  return row[b.size()];
}

}  // namespace

const AttrSchema* OpSchema::FindAttr(std::string_view attr_name) const {
  for (const AttrSchema& attr : attrs) {
    if (attr.name == attr_name) return &attr;
  }
  return nullptr;
}

Result<int> ArgLength(const ArgSchema& arg, const AttrMap& attrs) {
  if (!arg.number_attr.empty()) {
    const AttrValue* value = attrs.Find(arg.number_attr);
    const int64_t* n = value ? value->get<int64_t>() : nullptr;
    if (n == nullptr) {
      return InvalidArgument("argument '" + arg.name + "' needs the int attribute '" +
                             arg.number_attr + "', which is " +
                             (value ? "a " + std::string(value->KindName()) : "missing"));
    }
    if (*n < 0 || *n > kMaxArgLength) {
      return InvalidArgument("attribute '" + arg.number_attr + "' is " +
                             std::to_string(*n) + ": argument '" + arg.name +
                             "' can stand for 0 to " + std::to_string(kMaxArgLength) +
                             " tensors");
    }
    return static_cast<int>(*n);
  }
  if (!arg.type_list_attr.empty()) {
    const AttrValue* value = attrs.Find(arg.type_list_attr);
    const ListAttr* list = value ? value->list() : nullptr;
    if (list == nullptr || list->size() != list->type.size()) {
      return InvalidArgument("argument '" + arg.name +
                             "' needs the list(type) attribute '" + arg.type_list_attr +
                             "', which is " +
                             (value ? "a " + std::string(value->KindName()) : "missing"));
    }
    return static_cast<int>(list->type.size());
  }
  return 1;
}

Status ResolveArgTypes(const std::vector<ArgSchema>& args, const AttrMap& attrs,
                       std::vector<DType>* types) {
  types->clear();
  for (const ArgSchema& arg : args) {
    BERTH_ASSIGN_OR_RETURN(const int length, ArgLength(arg, attrs));
    if (!arg.type_list_attr.empty()) {
      for (const DType type : attrs.Find(arg.type_list_attr)->list()->type) {
        types->push_back(arg.is_ref ? MakeRefType(type) : type);
      }
      continue;
    }
    DType type = arg.dtype;
    if (!arg.type_attr.empty()) {
      const AttrValue* value = attrs.Find(arg.type_attr);
      const TypeAttr* v = value ? value->get<TypeAttr>() : nullptr;
      if (v == nullptr) {
        return InvalidArgument(
            "argument '" + arg.name + "' needs the type attribute '" + arg.type_attr +
            "', which is " + (value ? "a " + std::string(value->KindName()) : "missing"));
      }
      type = v->dtype;
    }
    types->insert(types->end(), length, arg.is_ref ? MakeRefType(type) : type);
  }
  return OkStatus();
}

std::pair<int, int> ArgRange(const std::vector<ArgSchema>& args, const AttrMap& attrs,
                             std::string_view name) {
  int begin = 0;
  for (const ArgSchema& arg : args) {
    const Result<int> length = ArgLength(arg, attrs);
    if (!length.ok()) return {-1, -1};
    if (arg.name == name) return {begin, begin + *length};
    begin += *length;
  }
  return {-1, -1};
}

struct OpRegistry::Impl {
  mutable absl::Mutex mutex;
  // Schemas that were taken back stay owned: graphs may still point at them.
  std::vector<std::unique_ptr<OpSchema>> owned ABSL_GUARDED_BY(mutex);
  absl::flat_hash_map<std::string_view, const OpSchema*, NameHash, NameEq> by_name
      ABSL_GUARDED_BY(mutex);
  // Identical definitions of other plugins, in the order in which they came.
  std::vector<const OpSchema*> waiting ABSL_GUARDED_BY(mutex);
};

OpRegistry::OpRegistry() : impl_(std::make_unique<Impl>()) {}
OpRegistry::~OpRegistry() = default;

OpRegistry* OpRegistry::Global() {
  static OpRegistry* const kGlobal = [] {
    auto* registry = new OpRegistry;
    RegisterBuiltinOps(registry);
    return registry;
  }();
  return kGlobal;
}

const OpSchema* OpRegistry::Find(std::string_view name) const {
  const absl::ReaderMutexLock lock(&impl_->mutex);
  const auto it = impl_->by_name.find(name);
  return it == impl_->by_name.end() ? nullptr : it->second;
}

Status OpRegistry::Register(OpSchema schema) {
  const absl::MutexLock lock(&impl_->mutex);
  const auto it = impl_->by_name.find(schema.name);
  if (it != impl_->by_name.end()) {
    if (SameDefinition(*it->second, schema)) {
      if (schema.plugin == it->second->plugin) return OkStatus();
      impl_->owned.push_back(std::make_unique<OpSchema>(std::move(schema)));
      impl_->waiting.push_back(impl_->owned.back().get());
      return OkStatus();
    }
    const std::string& owner = it->second->plugin;
    return AlreadyExists(
        "op '" + schema.name + "' is already defined differently by " +
        (owner.empty() ? std::string("the core") : "the plugin " + owner) +
        "; a plugin's own ops are named \"Vendor>Op\"");
  }
  impl_->owned.push_back(std::make_unique<OpSchema>(std::move(schema)));
  const OpSchema* added = impl_->owned.back().get();
  impl_->by_name.emplace(added->name, added);
  return OkStatus();
}

void OpRegistry::Unregister(std::string_view name, std::string_view plugin) {
  const absl::MutexLock lock(&impl_->mutex);
  const auto of_plugin = [&](const OpSchema* schema) {
    return schema->name == name && schema->plugin == plugin;
  };
  std::erase_if(impl_->waiting, of_plugin);
  const auto it = impl_->by_name.find(name);
  if (it == impl_->by_name.end() || !of_plugin(it->second)) return;
  impl_->by_name.erase(it);
  const auto next =
      std::find_if(impl_->waiting.begin(), impl_->waiting.end(),
                   [&](const OpSchema* schema) { return schema->name == name; });
  if (next == impl_->waiting.end()) return;
  impl_->by_name.emplace((*next)->name, *next);
  impl_->waiting.erase(next);
}

std::vector<const OpSchema*> OpRegistry::List() const {
  std::vector<const OpSchema*> out;
  {
    const absl::ReaderMutexLock lock(&impl_->mutex);
    out.reserve(impl_->by_name.size());
    for (const auto& [name, schema] : impl_->by_name) out.push_back(schema);
  }
  std::sort(out.begin(), out.end(),
            [](const OpSchema* a, const OpSchema* b) { return a->name < b->name; });
  return out;
}

std::vector<std::string> OpRegistry::Similar(std::string_view name) const {
  constexpr size_t kMaxNames = 4;
  std::vector<std::pair<int, std::string>> found;
  // A third of the name may be wrong: short names get no wild guesses.
  const int limit = std::max(1, static_cast<int>(name.size()) / 3);
  for (const OpSchema* schema : List()) {
    const std::string_view other = schema->name;
    int distance = EditDistance(name, other, limit);
    // "Conv2" for "Conv2D" and "AddV3" for "Add": one begins the other.
    const std::string_view shorter = name.size() < other.size() ? name : other;
    const std::string_view longer = name.size() < other.size() ? other : name;
    if (shorter.size() >= 3 && longer.substr(0, shorter.size()) == shorter) {
      distance = std::min(distance, limit);
    }
    if (distance <= limit) found.emplace_back(distance, other);
  }
  std::sort(found.begin(), found.end());
  if (found.size() > kMaxNames) found.resize(kMaxNames);
  std::vector<std::string> out;
  for (auto& [distance, text] : found) out.push_back(std::move(text));
  return out;
}

}  // namespace berth
