#include "core/registry/kernel_registry.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/hash/hash.h"
#include "absl/synchronization/mutex.h"
#include "core/registry/abi_read.h"
#include "core/registry/device.h"
#include "core/registry/kernel_check.h"
#include "core/registry/node_abi.h"
#include "core/registry/node_signature.h"

namespace berth {
namespace {

// Answers of supports() that are remembered; then all are forgotten and asked anew.
constexpr size_t kMaxAnswers = 1 << 16;
constexpr size_t kReasonSize = 512;
constexpr size_t kMaxReportedRows = 10;

struct StringHash {
  using is_transparent = void;
  size_t operator()(std::string_view text) const {
    return std::hash<std::string_view>{}(text);
  }
};
template <typename V>
using StringMap = absl::flat_hash_map<std::string, V, StringHash, std::equal_to<>>;
using RowList = absl::InlinedVector<const KernelRow*, 8>;

struct Answer {
  bool yes = false;
  std::string reason;
};

// Ops that keep a value from run to run in the memory of their device; the attribute
// "dtype" is the value's.
bool KeepsAValue(std::string_view op) {
  return op == "VariableV2" || op == "Variable" || op == "VarHandleOp" ||
         op == "TemporaryVariable";
}

// "T = float, double; Tidx = int32", or "any type".
std::string DescribeTypes(const KernelRow& row) {
  std::string text;
  for (const KernelRow::Constraint& constraint : row.constraints) {
    text += text.empty() ? "" : "; ";
    text += constraint.attr + " = ";
    for (size_t i = 0; i < constraint.dtypes.size(); ++i) {
      text += i == 0 ? "" : ", ";
      text += DTypeName(constraint.dtypes[i]);
    }
    if (constraint.dtypes.empty()) text += "none";
  }
  return text.empty() ? "any type" : text;
}

// The rows of one device type, each different text once.
std::string DescribeRowList(const RowList& rows) {
  std::vector<std::string> texts;
  for (const KernelRow* row : rows) {
    std::string text = DescribeTypes(*row);
    if (std::find(texts.begin(), texts.end(), text) == texts.end()) {
      texts.push_back(std::move(text));
    }
  }
  // Rows that differ in one dtype of one attribute read better as one list.
  const bool single = std::all_of(rows.begin(), rows.end(), [&](const KernelRow* row) {
    return row->constraints.size() == 1 &&
           row->constraints[0].attr == rows[0]->constraints[0].attr;
  });
  if (single && !rows.empty()) {
    KernelRow merged;
    merged.constraints.push_back({rows[0]->constraints[0].attr, {}});
    std::vector<DType>& all = merged.constraints[0].dtypes;
    for (const KernelRow* row : rows) {
      for (DType dtype : row->constraints[0].dtypes) {
        if (std::find(all.begin(), all.end(), dtype) == all.end()) all.push_back(dtype);
      }
    }
    return DescribeTypes(merged);
  }
  std::string joined;
  for (const std::string& text : texts) joined += (joined.empty() ? "" : " | ") + text;
  return joined;
}

// The first dtype of a type attribute that is not `allowed`, as "T is int32"; "" = none.
template <typename Allowed>
std::string FirstMisfit(const Node& node, const std::string& attr,
                        const Allowed& allowed) {
  const AttrValue* value = node.attrs().Find(attr);
  if (value == nullptr) return attr + " is not set";
  if (const auto* type = value->get<TypeAttr>()) {
    if (allowed(BaseType(type->dtype))) return "";
    return attr + " is " + std::string(DTypeName(type->dtype));
  }
  if (const ListAttr* list = value->list()) {
    for (DType dtype : list->type) {
      if (allowed(BaseType(dtype))) continue;
      return attr + " holds " + std::string(DTypeName(dtype));
    }
  }
  return "";
}

// The first attribute of the row that the node does not fit, as "T is int32"; "" = fits.
std::string TypeMismatch(const Node& node, const KernelRow& row) {
  for (const KernelRow::Constraint& constraint : row.constraints) {
    const auto allowed = [&constraint](DType dtype) {
      return std::find(constraint.dtypes.begin(), constraint.dtypes.end(), dtype) !=
             constraint.dtypes.end();
    };
    std::string misfit = FirstMisfit(node, constraint.attr, allowed);
    if (!misfit.empty()) return misfit;
  }
  for (const std::string& attr : row.open_types) {
    const auto crosses = [](DType dtype) {
      return dtype != BERTH_STRING && dtype != BERTH_RESOURCE && dtype != BERTH_VARIANT;
    };
    std::string misfit = FirstMisfit(node, attr, crosses);
    if (!misfit.empty()) return misfit;
  }
  return "";
}

}  // namespace

std::string_view RejectCodeName(RejectCode code) {
  switch (code) {
    case RejectCode::kNoKernel:
      return "no_kernel";
    case RejectCode::kDType:
      return "dtype";
    case RejectCode::kAttribute:
      return "attribute";
    case RejectCode::kHostMemory:
      return "host_memory";
    case RejectCode::kColocation:
      return "colocation";
    case RejectCode::kPinned:
      return "pinned";
    case RejectCode::kDeviceAbsent:
      return "device_absent";
    case RejectCode::kPluginAbsent:
      return "plugin_absent";
    case RejectCode::kLabel:
      return "label";
  }
  return "unknown";
}

Result<berth_kernel*> KernelEntry::Create(berth_device* device,
                                          const berth_node& node) const {
  berth_kernel* kernel = nullptr;
  berth_error error = EmptyError();
  const berth_status_code code = def->create(source, device, &node, &kernel, &error);
  const auto context = [&node, this] {
    return "node '" + std::string(node.name) + "' (" + node.op + ") on " +
           (node.device[0] != '\0' ? std::string(node.device) : device_type);
  };
  if (code != BERTH_OK) return TakeError(code, &error, context());
  if (kernel == nullptr) {
    return Internal(context() + ": plugin '" + plugin + "' answered OK without a kernel");
  }
  return kernel;
}

struct KernelRegistry::Impl {
  mutable absl::Mutex mutex;
  // Rows that were ever registered; a deque never moves them.
  std::deque<KernelRow> rows ABSL_GUARDED_BY(mutex);
  // Rows in force, by op and then in the order in which they are tried.
  StringMap<std::vector<const KernelRow*>> by_op ABSL_GUARDED_BY(mutex);
  StringMap<bool> lists_core_ops ABSL_GUARDED_BY(mutex);
  StringMap<bool> is_host ABSL_GUARDED_BY(mutex);
  // What stands for the core on a device type; never erased.
  mutable StringMap<std::unique_ptr<KernelEntry>> core_entries ABSL_GUARDED_BY(mutex);

  mutable absl::Mutex memo_mutex;
  mutable StringMap<Answer> memo ABSL_GUARDED_BY(memo_mutex);

  RowList RowsFor(std::string_view op, std::string_view device_type) const {
    RowList list;
    absl::ReaderMutexLock lock(&mutex);
    const auto it = by_op.find(op);
    if (it == by_op.end()) return list;
    for (const KernelRow* row : it->second) {
      if (device_type.empty() || row->entry.device_type == device_type) {
        list.push_back(row);
      }
    }
    return list;
  }

  const KernelEntry* CoreEntry(std::string_view device_type) const {
    {
      absl::ReaderMutexLock lock(&mutex);
      const auto it = core_entries.find(device_type);
      if (it != core_entries.end()) return it->second.get();
    }
    absl::MutexLock lock(&mutex);
    std::unique_ptr<KernelEntry>& entry = core_entries[std::string(device_type)];
    if (entry == nullptr) {
      entry = std::make_unique<KernelEntry>();
      entry->device_type = device_type;
    }
    return entry.get();
  }

  bool ListsCoreOps(std::string_view device_type) const {
    absl::ReaderMutexLock lock(&mutex);
    const auto it = lists_core_ops.find(device_type);
    return it != lists_core_ops.end() && it->second;
  }

  // What the core would have to keep in the device's memory and cannot.
  bool NeedsHostMemory(const Node& node, std::string_view device_type) const {
    if (!KeepsAValue(node.op()) || node.attrs().GetType("dtype") != BERTH_STRING) {
      return false;
    }
    absl::ReaderMutexLock lock(&mutex);
    const auto it = is_host.find(device_type);
    return it != is_host.end() && !it->second;
  }

  // Asks supports(), or remembers what it said.
  Answer Ask(const KernelRow& row, const Node& node,
             std::span<const Shape> shapes) const {
    std::string key;
    const KernelRow* identity = &row;
    key.append(reinterpret_cast<const char*>(&identity), sizeof(identity));
    AppendNodeSignature(node, shapes, &key);
    {
      absl::MutexLock lock(&memo_mutex);
      const auto it = memo.find(key);
      if (it != memo.end()) return it->second;
    }
    NodeAbiView::Args args;
    args.node = &node;
    args.input_shapes = shapes;
    args.def = &row.def;
    const NodeAbiView view(args);
    char reason[kReasonSize] = "";
    Answer answer;
    answer.yes =
        row.def.supports(row.entry.source, &view.abi(), reason, sizeof(reason)) != 0;
    reason[sizeof(reason) - 1] = '\0';
    if (!answer.yes) {
      answer.reason = reason[0] != '\0' ? reason : "the plugin gave no reason";
    }
    absl::MutexLock lock(&memo_mutex);
    if (memo.size() >= kMaxAnswers) memo.clear();
    memo.emplace(std::move(key), answer);
    return answer;
  }
};

KernelRegistry::KernelRegistry() : impl_(std::make_unique<Impl>()) {}
KernelRegistry::~KernelRegistry() = default;

KernelRegistry* KernelRegistry::Global() {
  // Never destroyed: plugins outlive every static object.
  static auto* registry = new KernelRegistry();
  return registry;
}

Status KernelRegistry::RegisterPlugin(const berth_plugin* plugin,
                                      const TypeNames& type_names) {
  const berth_plugin table = ReadAbi(plugin);
  const std::string name = table.name != nullptr ? table.name : "";
  if (table.num_kernels > 0 && table.kernels == nullptr) {
    return InvalidArgument("plugin '" + name + "': num_kernels is " +
                           std::to_string(table.num_kernels) + " but kernels is NULL");
  }
  std::deque<KernelRow> read;
  std::string problems;
  size_t num_problems = 0;
  for (uint32_t i = 0; i < table.num_kernels; ++i) {
    KernelRow& row = read.emplace_back();
    const Status status = ReadKernelRow(table.kernels[i], *OpRegistry::Global(), &row);
    row.entry.plugin = name;
    const auto renamed = type_names.find(row.entry.device_type);
    if (renamed != type_names.end()) row.entry.device_type = renamed->second;
    if (status.ok()) continue;
    if (++num_problems <= kMaxReportedRows) {
      problems += "\n  row " + std::to_string(i) + ": " + std::string(status.message());
    }
  }
  if (num_problems > 0) {
    return InvalidArgument("plugin '" + name + "': " + std::to_string(num_problems) +
                           " of its " + std::to_string(table.num_kernels) +
                           " kernel rows are wrong, so none is used:" + problems +
                           (num_problems > kMaxReportedRows ? "\n  …" : ""));
  }
  absl::MutexLock lock(&impl_->mutex);
  for (KernelRow& from : read) {
    KernelRow& row = impl_->rows.emplace_back(std::move(from));
    row.entry.def = &row.def;
    row.entry.order = static_cast<int>(impl_->rows.size());
    std::vector<const KernelRow*>& list = impl_->by_op[row.op];
    const auto place = std::upper_bound(list.begin(), list.end(), &row,
                                        [](const KernelRow* a, const KernelRow* b) {
                                          return a->def.priority > b->def.priority;
                                        });
    list.insert(place, &row);
  }
  return OkStatus();
}

void KernelRegistry::UnregisterPlugin(std::string_view plugin_name) {
  absl::MutexLock lock(&impl_->mutex);
  for (auto& [op, list] : impl_->by_op) {
    std::erase_if(list, [plugin_name](const KernelRow* row) {
      return row->entry.plugin == plugin_name;
    });
  }
}

void KernelRegistry::SetCoreOpsListed(std::string_view device_type, bool listed) {
  absl::MutexLock lock(&impl_->mutex);
  impl_->lists_core_ops[std::string(device_type)] = listed;
}

void KernelRegistry::SetIsHost(std::string_view device_type, bool is_host) {
  absl::MutexLock lock(&impl_->mutex);
  impl_->is_host[std::string(device_type)] = is_host;
}

KernelMatch KernelRegistry::Find(const Node& node, std::string_view device_type,
                                 std::span<const Shape> input_shapes) const {
  KernelMatch match;
  const RowList rows = impl_->RowsFor(node.op(), device_type);
  const std::string type(device_type);
  if (impl_->NeedsHostMemory(node, device_type)) {
    match.code = RejectCode::kHostMemory;
    match.reason = "strings are kept in host memory, and " + type +
                   " devices have a memory of their own";
    return match;
  }
  if (rows.empty()) {
    if (IsCoreOp(node.op()) && !impl_->ListsCoreOps(device_type)) {
      match.entry = impl_->CoreEntry(device_type);
      return match;
    }
    const std::string others = DescribeRows(node.op());
    match.reason = type + " has no kernel for " + node.op() +
                   (others.empty() ? "; no device type has one" : "; there is " + others);
    return match;
  }
  const std::string_view label = node.attrs().GetString("_kernel");
  std::string type_mismatch;
  std::string refusal;
  bool label_fits = false;
  for (const KernelRow* row : rows) {
    if (row->label != label) continue;
    label_fits = true;
    std::string mismatch = TypeMismatch(node, *row);
    if (!mismatch.empty()) {
      if (type_mismatch.empty()) type_mismatch = std::move(mismatch);
      continue;
    }
    if (!row->is_conditional()) {
      match.entry = &row->entry;
      return match;
    }
    Answer answer = impl_->Ask(*row, node, input_shapes);
    if (answer.yes) {
      match.entry = &row->entry;
      return match;
    }
    if (refusal.empty()) refusal = std::move(answer.reason);
  }
  if (!refusal.empty()) {
    match.code = RejectCode::kAttribute;
    match.reason = type + " has " + node.op() + " but not this one: " + refusal;
  } else if (!type_mismatch.empty()) {
    match.code = RejectCode::kDType;
    match.reason = type_mismatch + "; " + type + " has " + node.op() + " for " +
                   DescribeRowList(rows);
  } else if (!label_fits) {
    match.code = RejectCode::kLabel;
    match.reason = "the node asks for kernel '" + std::string(label) +
                   "' (attribute _kernel); " + type + " has " + node.op() + " under ";
    for (size_t i = 0; i < rows.size(); ++i) {
      match.reason += i == 0 ? "'" : ", '";
      match.reason += rows[i]->label + "'";
    }
  }
  return match;
}

KernelRegistry::OpTraits KernelRegistry::TraitsOf(std::string_view op) const {
  OpTraits traits;
  traits.attrs.emplace_back("_kernel");
  if (KeepsAValue(op)) traits.attrs.emplace_back("dtype");
  for (const KernelRow* row : impl_->RowsFor(op, "")) {
    traits.is_conditional = traits.is_conditional || row->is_conditional();
    for (const KernelRow::Constraint& constraint : row->constraints) {
      traits.attrs.push_back(constraint.attr);
    }
    traits.attrs.insert(traits.attrs.end(), row->open_types.begin(),
                        row->open_types.end());
  }
  std::sort(traits.attrs.begin(), traits.attrs.end());
  traits.attrs.erase(std::unique(traits.attrs.begin(), traits.attrs.end()),
                     traits.attrs.end());
  return traits;
}

std::vector<const KernelEntry*> KernelRegistry::Rows(std::string_view op) const {
  std::vector<const KernelEntry*> entries;
  for (const KernelRow* row : impl_->RowsFor(op, "")) entries.push_back(&row->entry);
  std::sort(
      entries.begin(), entries.end(),
      [](const KernelEntry* a, const KernelEntry* b) { return a->order < b->order; });
  return entries;
}

std::vector<const KernelEntry*> KernelRegistry::AllRows() const {
  std::vector<const KernelEntry*> entries;
  absl::ReaderMutexLock lock(&impl_->mutex);
  for (const auto& [op, list] : impl_->by_op) {
    for (const KernelRow* row : list) entries.push_back(&row->entry);
  }
  std::sort(
      entries.begin(), entries.end(),
      [](const KernelEntry* a, const KernelEntry* b) { return a->order < b->order; });
  return entries;
}

std::string KernelRegistry::DescribeRows(std::string_view op) const {
  std::vector<std::pair<std::string, RowList>> by_type;  // in order of first appearance
  for (const KernelEntry* entry : Rows(op)) {
    const auto same = [entry](const auto& item) {
      return item.first == entry->device_type;
    };
    if (std::find_if(by_type.begin(), by_type.end(), same) == by_type.end()) {
      by_type.emplace_back(entry->device_type, impl_->RowsFor(op, entry->device_type));
    }
  }
  std::string text;
  for (const auto& [type, rows] : by_type) {
    text += (text.empty() ? "" : "; ") + type + ": " + DescribeRowList(rows);
  }
  return text;
}

}  // namespace berth
