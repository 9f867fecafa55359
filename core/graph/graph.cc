#include "core/graph/graph.h"

#include <absl/container/flat_hash_set.h>
#include <absl/container/node_hash_set.h>
#include <absl/strings/string_view.h>

#include <algorithm>
#include <charconv>
#include <cstddef>

#include "core/ops/op_schema.h"

namespace berth {
namespace {

// A name with its hash, which is computed once.
struct NameKey {
  explicit NameKey(std::string_view text)
      : name(text),
        hash(static_cast<uint32_t>(absl::Hash<absl::string_view>()(
            absl::string_view(text.data(), text.size())))) {}
  std::string_view name;
  uint32_t hash;
};

// A node in the set of names: 8 bytes, so that the set of a million names stays in the
// cache as far as it can, and with the hash, so that it grows without reading the names.
struct NameEntry {
  uint32_t hash;
  int32_t id;
};
struct NameHash {
  using is_transparent = void;
  static size_t Spread(uint32_t hash) { return hash * uint64_t{0x9E3779B97F4A7C15}; }
  size_t operator()(const NameEntry& entry) const { return Spread(entry.hash); }
  size_t operator()(const NameKey& key) const { return Spread(key.hash); }
};
struct NameEq {
  using is_transparent = void;
  bool operator()(const NameEntry& a, const NameEntry& b) const { return a.id == b.id; }
  bool operator()(const NameEntry& a, const NameKey& b) const {
    return a.hash == b.hash && graph->node(a.id)->name() == b.name;
  }
  bool operator()(const NameKey& a, const NameEntry& b) const { return (*this)(b, a); }
  const Graph* graph;
};

std::string Who(const NodeSpec& spec) {
  return "node '" + spec.name + "' (op '" + spec.op + "'): ";
}

// "'w:0' (op 'VariableV2')".
std::string Source(const OutputRef& ref) {
  return "'" + ref.node->name() + ":" + std::to_string(ref.index) + "' (op '" +
         ref.node->op() + "')";
}

bool IsMerge(std::string_view op) { return op == "Merge" || op == "RefMerge"; }

// Name of the argument that flattened input `index` belongs to.
std::string InputArgName(const OpSchema& schema, const AttrMap& attrs, int index) {
  for (const ArgSchema& arg : schema.inputs) {
    const Result<int> length = ArgLength(arg, attrs);
    if (!length.ok() || index < *length) return "'" + arg.name + "'";
    index -= *length;
  }
  return "";
}

// Why `actual` cannot feed an argument of type `wanted`; empty when it can.
std::string TypeMismatch(DType wanted, DType actual) {
  if (wanted == actual || wanted == BaseType(actual)) return {};
  if (BaseType(wanted) == BaseType(actual)) {
    return "is " + std::string(DTypeName(actual)) +
           ", no reference: only a variable's own output (VariableV2, TemporaryVariable, "
           "Ref ops) can be updated in place";
  }
  return "is " + std::string(DTypeName(actual)) +
         "; insert a Cast or change the type attribute";
}

std::string SignatureText(const std::vector<ArgSchema>& args) {
  std::string out;
  for (const ArgSchema& arg : args) {
    if (!out.empty()) out += ", ";
    out += arg.name + ": ";
    if (!arg.number_attr.empty()) out += arg.number_attr + "*";
    if (!arg.type_list_attr.empty()) {
      out += "list " + arg.type_list_attr;
    } else if (!arg.type_attr.empty()) {
      out += arg.type_attr;
    } else {
      out += DTypeName(arg.dtype);
    }
  }
  return "(" + out + ")";
}

// Keeps the first of equal entries. Few inputs are the rule; NoOp groups have thousands.
void RemoveDuplicates(std::vector<Node*>* nodes) {
  constexpr size_t kFew = 16;
  size_t kept = 0;
  if (nodes->size() <= kFew) {
    for (Node* node : *nodes) {
      const auto end = nodes->begin() + static_cast<std::ptrdiff_t>(kept);
      if (std::find(nodes->begin(), end, node) == end) (*nodes)[kept++] = node;
    }
  } else {
    absl::flat_hash_set<Node*> seen;
    seen.reserve(nodes->size());
    for (Node* node : *nodes) {
      if (seen.insert(node).second) (*nodes)[kept++] = node;
    }
  }
  nodes->resize(kept);
}

}  // namespace

const std::string& Node::op() const { return schema_->name; }

struct Graph::Names {
  explicit Names(const Graph* graph) : nodes(0, NameHash(), NameEq{graph}) {}

  // nullptr when there is none.
  const NameEntry* Find(const NameKey& key) const {
    const auto it = nodes.find(key);
    return it == nodes.end() ? nullptr : &*it;
  }

  absl::flat_hash_set<NameEntry, NameHash, NameEq> nodes;
  // Device strings: a graph has few, and each is kept once.
  absl::node_hash_set<std::string> devices;
  const std::string* last_device = nullptr;

  const std::string* Device(std::string device) {
    if (last_device == nullptr || *last_device != device) {
      last_device = &*devices.insert(std::move(device)).first;
    }
    return last_device;
  }
};

// Hands out the nodes' small arrays; all memory goes with the graph.
class Graph::Arena {
 public:
  template <typename T>
  T* Copy(std::span<const T> values) {
    if (values.empty()) return nullptr;
    T* out = static_cast<T*>(Take(values.size_bytes()));
    std::copy(values.begin(), values.end(), out);
    return out;
  }

 private:
  void* Take(size_t size) {
    size = (size + kAlign - 1) & ~(kAlign - 1);
    if (size > left_) {
      const size_t block = std::max(size, kBlock);
      blocks_.push_back(std::make_unique_for_overwrite<std::byte[]>(block));
      next_ = blocks_.back().get();
      left_ = block;
    }
    void* out = next_;
    next_ += size;
    left_ -= size;
    return out;
  }

  static constexpr size_t kAlign = 8;
  static constexpr size_t kBlock = 64 << 10;
  std::vector<std::unique_ptr<std::byte[]>> blocks_;
  std::byte* next_ = nullptr;
  size_t left_ = 0;
};

// A spec on its way to a node.
struct Graph::Draft {
  NodeSpec& spec;
  NameKey key;
  const OpSchema* schema;
  const std::vector<DType>& types;  // the inputs' and then the outputs'
  int num_inputs;
};

Graph::Graph(const OpRegistry* ops)
    : ops_(ops),
      names_(std::make_unique<Names>(this)),
      arena_(std::make_unique<Arena>()) {}

Graph::~Graph() = default;

Node* Graph::FindNode(std::string_view name) {
  const NameEntry* entry = names_->Find(NameKey(name));
  return entry == nullptr ? nullptr : node(entry->id);
}

const Node* Graph::FindNode(std::string_view name) const {
  const NameEntry* entry = names_->Find(NameKey(name));
  return entry == nullptr ? nullptr : node(entry->id);
}

Status Graph::CheckName(const NodeSpec& spec, const Node* taken_by) const {
  if (!IsValidNodeName(spec.name)) {
    return InvalidArgument(
        Who(spec) +
        "the name is not valid: it must begin with a letter, a digit or '.', "
        "followed by letters, digits and any of _ > . / \\ -");
  }
  if (taken_by != nullptr) {
    return InvalidArgument(Who(spec) +
                           "the name is taken by another node of this graph (op '" +
                           taken_by->op() + "'); node names are unique");
  }
  return OkStatus();
}

Status Graph::CheckInputs(const Draft& draft) const {
  const NodeSpec& spec = draft.spec;
  const int actual = static_cast<int>(spec.inputs.size());
  if (actual != draft.num_inputs) {
    return InvalidArgument(Who(spec) + "got " + std::to_string(actual) +
                           " inputs, but needs " + std::to_string(draft.num_inputs) +
                           ": " + SignatureText(draft.schema->inputs));
  }
  for (int i = 0; i < actual; ++i) {
    const OutputRef& ref = spec.inputs[i];
    if (ref.node == nullptr) {
      if (IsMerge(draft.schema->name)) continue;
      return InvalidArgument(Who(spec) + "input " + std::to_string(i) + " " +
                             InputArgName(*draft.schema, spec.attrs, i) +
                             " is missing; only a Merge may get an input later");
    }
    if (ref.node->id() >= num_nodes_ || node(ref.node->id()) != ref.node) {
      return InvalidArgument(Who(spec) + "input " + std::to_string(i) +
                             " is a node of another graph");
    }
    if (ref.index < 0 || ref.index >= ref.node->num_outputs()) {
      return InvalidArgument(Who(spec) + "input " + std::to_string(i) + " is output " +
                             std::to_string(ref.index) + " of '" + ref.node->name() +
                             "' (op '" + ref.node->op() + "'), which has " +
                             std::to_string(ref.node->num_outputs()) +
                             (ref.node->num_outputs() == 1 ? " output" : " outputs"));
    }
    const DType wanted = draft.types[i];
    const std::string mismatch = TypeMismatch(wanted, ref.node->output_type(ref.index));
    if (!mismatch.empty()) {
      return InvalidArgument(Who(spec) + "input " + std::to_string(i) + " " +
                             InputArgName(*draft.schema, spec.attrs, i) + " must be " +
                             std::string(DTypeName(wanted)) + ", but " + Source(ref) +
                             " " + mismatch);
    }
  }
  for (const Node* control : spec.control_inputs) {
    if (control == nullptr || control->id() >= num_nodes_ ||
        node(control->id()) != control) {
      return InvalidArgument(Who(spec) + "a control input is no node of this graph");
    }
  }
  return OkStatus();
}

Result<Node*> Graph::AddNode(NodeSpec spec) {
  const OpSchema* schema = ops_->Find(spec.op);
  if (schema == nullptr) {
    std::string hint;
    for (const std::string& name : ops_->Similar(spec.op)) {
      hint += (hint.empty() ? "; did you mean '" : ", '") + name + "'";
    }
    return NotFound(
        Who(spec) + "there is no op of this name" +
        (hint.empty() ? "; a plugin that brings it must be loaded first" : hint + "?"));
  }
  if (schema->deprecated_since > 0 && producer_version_ >= schema->deprecated_since) {
    return Unimplemented(Who(spec) + "the op was removed in GraphDef version " +
                         std::to_string(schema->deprecated_since) +
                         " and the graph has " + std::to_string(producer_version_) +
                         "; " + schema->deprecation);
  }
  const NameKey key(spec.name);
  const NameEntry* taken = names_->Find(key);
  BERTH_RETURN_IF_ERROR(CheckName(spec, taken == nullptr ? nullptr : node(taken->id)));
  if (Status status = CompleteAttrs(*schema, &spec.attrs); !status.ok()) {
    return status.WithPrefix(Who(spec));
  }
  // Reused, so that a long chain of additions allocates nothing here.
  static thread_local std::vector<DType> types;
  static thread_local std::vector<DType> output_types;
  Status status = ResolveArgTypes(schema->inputs, spec.attrs, &types);
  if (status.ok()) status = ResolveArgTypes(schema->outputs, spec.attrs, &output_types);
  if (!status.ok()) return status.WithPrefix(Who(spec));
  const int num_inputs = static_cast<int>(types.size());
  types.insert(types.end(), output_types.begin(), output_types.end());
  const Draft draft{spec, key, schema, types, num_inputs};
  BERTH_RETURN_IF_ERROR(CheckInputs(draft));
  RemoveDuplicates(&spec.control_inputs);
  return Commit(draft);
}

Node* Graph::Commit(const Draft& draft) {
  if ((num_nodes_ >> kChunkBits) == static_cast<int>(chunks_.size())) {
    chunks_.push_back(std::make_unique<Node[]>(kChunkSize));
  }
  NodeSpec& spec = draft.spec;
  Node* added = node(num_nodes_);
  added->id_ = num_nodes_;
  added->schema_ = draft.schema;
  added->requested_device_ = names_->Device(std::move(spec.device));
  added->name_ = std::move(spec.name);
  added->attrs_ = std::move(spec.attrs);
  added->num_inputs_ = draft.num_inputs;
  added->num_outputs_ = static_cast<int>(draft.types.size()) - draft.num_inputs;
  added->num_control_inputs_ = static_cast<int>(spec.control_inputs.size());
  added->inputs_ = arena_->Copy<OutputRef>(spec.inputs);
  added->control_inputs_ = arena_->Copy<Node*>(spec.control_inputs);
  added->types_ = arena_->Copy<DType>(draft.types);
  names_->nodes.insert({draft.key.hash, added->id_});
  ++num_nodes_;
  return added;
}

Status Graph::AddBackEdge(Node* merge, int index, OutputRef source) {
  const std::string who =
      "back edge into node '" + merge->name() + "' (op '" + merge->op() + "'): ";
  if (!IsMerge(merge->op()) || index < 0 || index >= merge->num_inputs() ||
      merge->inputs_[index].node != nullptr) {
    return InvalidArgument(who +
                           "only an open input of a Merge can be completed; input " +
                           std::to_string(index) + " is none");
  }
  if (source.node == nullptr || source.node->id() >= num_nodes_ ||
      node(source.node->id()) != source.node || source.index < 0 ||
      source.index >= source.node->num_outputs()) {
    return InvalidArgument(who + "the source is no output of this graph");
  }
  if (source.node->op() != "NextIteration" && source.node->op() != "RefNextIteration") {
    return InvalidArgument(who + Source(source) +
                           " would close a cycle; only a NextIteration may");
  }
  const std::string mismatch =
      TypeMismatch(merge->input_type(index), source.node->output_type(source.index));
  if (!mismatch.empty()) {
    return InvalidArgument(who + "input " + std::to_string(index) + " must be " +
                           std::string(DTypeName(merge->input_type(index))) + ", but " +
                           Source(source) + " " + mismatch);
  }
  merge->inputs_[index] = source;
  return OkStatus();
}

void Graph::SetRequestedDevice(Node* node, std::string device) {
  node->requested_device_ = names_->Device(std::move(device));
}

void Graph::TruncateTo(int num_nodes) {
  while (num_nodes_ > num_nodes) {
    Node* last = node(num_nodes_ - 1);
    names_->nodes.erase(NameKey(last->name_));
    --num_nodes_;
    *last = Node();
  }
  chunks_.resize(static_cast<size_t>((num_nodes_ + kChunkSize - 1) >> kChunkBits));
}

Result<TensorName> ParseTensorName(std::string_view text) {
  const std::string quoted = "'" + std::string(text) + "'";
  TensorName out;
  if (text.starts_with('^')) {
    out.node = text.substr(1);
    out.index = -1;
  } else {
    const size_t colon = text.rfind(':');
    out.node = text.substr(0, colon);
    if (colon != std::string_view::npos) {
      const std::string_view digits = text.substr(colon + 1);
      const auto [end, error] =
          std::from_chars(digits.data(), digits.data() + digits.size(), out.index);
      if (digits.empty() || error != std::errc() || out.index < 0 ||
          end != digits.data() + digits.size() || digits[0] == '-') {
        return InvalidArgument(quoted +
                               " names no tensor: after ':' comes an output's number, as "
                               "in 'logits:0'");
      }
    }
  }
  if (!IsValidNodeName(out.node)) {
    return InvalidArgument(quoted + " names no tensor: '" + std::string(out.node) +
                           "' is no valid node name");
  }
  return out;
}

bool IsValidNodeName(std::string_view name) {
  const auto is_alnum = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  };
  if (name.empty() || !(is_alnum(name[0]) || name[0] == '.')) return false;
  return std::all_of(name.begin() + 1, name.end(), [&](char c) {
    return is_alnum(c) || c == '_' || c == '>' || c == '.' || c == '/' || c == '\\' ||
           c == '-';
  });
}

}  // namespace berth
