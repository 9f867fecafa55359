#include <algorithm>
#include <map>
#include <memory>

#include "berth/proto/op_def.pb.h"
#include "core/formats/attr_wire.h"
#include "core/formats/graphdef.h"
#include "core/formats/graphdef_link.h"
#include "core/formats/graphdef_reader.h"
#include "core/formats/problems.h"
#include "core/formats/wire.h"
#include "core/ops/op_schema.h"
#include "core/registry/device_name.h"

namespace berth {
namespace {

using formats::Link;
using formats::RawGraph;
using formats::RawNode;

constexpr std::string_view kColocationPrefix = "loc:@";

std::string Quoted(std::string_view text) { return "'" + std::string(text) + "'"; }

std::string Who(const RawNode& node) {
  return "node " + Quoted(node.name) + " (op " + Quoted(node.op) + ")";
}

Status CheckVersions(const RawGraph& raw) {
  const std::string ours = std::to_string(kGraphDefVersion);
  if (raw.min_consumer > kGraphDefVersion) {
    return InvalidArgument("the graph needs a reader of GraphDef version " +
                           std::to_string(raw.min_consumer) + " or later (producer " +
                           std::to_string(raw.producer) + "); this one reads up to " +
                           ours + ": export it for an older TensorFlow");
  }
  if (raw.producer < 0 || raw.min_consumer < 0) {
    return InvalidArgument("the graph has a negative version (producer " +
                           std::to_string(raw.producer) + ", min_consumer " +
                           std::to_string(raw.min_consumer) + ")");
  }
  const auto& bad = raw.bad_consumers;
  if (std::find(bad.begin(), bad.end(), kGraphDefVersion) != bad.end()) {
    return InvalidArgument("the graph (producer " + std::to_string(raw.producer) +
                           ") forbids readers of GraphDef version " + ours +
                           ", which this one is");
  }
  return OkStatus();
}

// The schemas of the file's ops. The same few ops come again and again.
class OpTable {
 public:
  explicit OpTable(const OpRegistry& registry) : registry_(registry) {}

  Status Init(const RawGraph& raw) {
    for (const RawNode& node : raw.nodes) {
      if (last_ == ops_.end() || last_->first != node.op) last_ = ops_.find(node.op);
      if (last_ == ops_.end()) {
        last_ = ops_.emplace(node.op, registry_.Find(node.op)).first;
      }
      if (last_->second == nullptr) unknown_[node.op].push_back(node.name);
    }
    return unknown_.empty() ? OkStatus() : UnknownOps(raw);
  }

  const OpSchema& Find(std::string_view op) {
    if (last_ == ops_.end() || last_->first != op) last_ = ops_.find(op);
    return *last_->second;
  }

 private:
  // "'Foo' (nodes 'a', 'b' and 7 more; did you mean 'FooV2'?)".
  std::string Describe(std::string_view op, const std::vector<std::string_view>& nodes) {
    constexpr size_t kShown = 3;
    std::string text = Quoted(op) + (nodes.size() == 1 ? " (node " : " (nodes ");
    for (size_t i = 0; i < std::min(nodes.size(), kShown); ++i) {
      text += (i == 0 ? "" : ", ") + Quoted(nodes[i]);
    }
    if (nodes.size() > kShown) {
      text += " and " + std::to_string(nodes.size() - kShown) + " more";
    }
    const std::vector<std::string> similar = registry_.Similar(op);
    if (!similar.empty()) text += "; did you mean " + Quoted(similar.front()) + "?";
    return text + ")";
  }

  Status UnknownOps(const RawGraph& raw) {
    formats::Problems problems;
    for (const auto& [op, nodes] : unknown_) problems.Add(Describe(op, nodes));
    std::string text = problems.Summary(std::to_string(unknown_.size()) +
                                        (unknown_.size() == 1 ? " op is" : " ops are") +
                                        " not registered");
    text += ". The graph was written for GraphDef version " +
            std::to_string(raw.producer) + " (min_consumer " +
            std::to_string(raw.min_consumer) + "), and this reader is version " +
            std::to_string(kGraphDefVersion) +
            ". If a plugin brings the op, load the plugin before the graph";
    if (!raw.library.empty()) {
      text += "; functions of the graph's library cannot be called";
    }
    return NotFound(text);
  }

  using Ops = std::map<std::string_view, const OpSchema*>;
  const OpRegistry& registry_;
  Ops ops_;
  Ops::iterator last_ = ops_.end();
  std::map<std::string_view, std::vector<std::string_view>> unknown_;
};

// The defaults of attributes that the producer's ops have: see
// ImportOptions::producer_op_list.
class ProducerOps {
 public:
  Status Init(std::string_view bytes) {
    if (bytes.size() >= formats::kMaxMessageBytes ||
        !list_.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
      return DataLoss("the producer's op list is no OpList");
    }
    for (const tf::OpDef& op : list_.op()) ops_[op.name()] = &op;
    return OkStatus();
  }

  // True when `value` is the default that the producer's op gives the attribute.
  bool IsDefault(std::string_view op, std::string_view attr,
                 const AttrValue& value) const {
    const auto it = ops_.find(op);
    if (it == ops_.end()) return false;
    for (const tf::OpDef::AttrDef& def : it->second->attr()) {
      if (def.name() != attr || !def.has_default_value()) continue;
      const Result<AttrValue> wanted =
          formats::DecodeAttrValue(def.default_value().SerializeAsString());
      return wanted.ok() && value.Equals(*wanted);
    }
    return false;
  }

 private:
  tf::OpList list_;
  std::map<std::string_view, const tf::OpDef*> ops_;
};

class Importer {
 public:
  Importer(const RawGraph& raw, const ImportOptions& options, Graph* graph)
      : raw_(raw),
        options_(options),
        graph_(graph),
        names_(raw),
        ops_(graph->ops()),
        prefix_(options.prefix.empty() ? "" : options.prefix + "/") {}

  // Leaves nodes behind on failure; the caller takes them back.
  Status Run() {
    BERTH_RETURN_IF_ERROR(CheckNames());
    BERTH_RETURN_IF_ERROR(ops_.Init(raw_));
    BERTH_RETURN_IF_ERROR(producer_ops_.Init(options_.producer_op_list));
    if (!options_.device_scope.empty()) {
      BERTH_ASSIGN_OR_RETURN(scope_, DeviceSpec::Parse(options_.device_scope));
    }
    const formats::LinkOptions link_options{&options_.input_map, prefix_.empty(), graph_};
    BERTH_ASSIGN_OR_RETURN(linked_, formats::LinkGraph(raw_, names_, link_options));
    created_.assign(raw_.nodes.size(), nullptr);
    for (const int32_t index : linked_.order) BERTH_RETURN_IF_ERROR(AddNode(index));
    for (const BackEdge& edge : back_edges_) {
      BERTH_RETURN_IF_ERROR(
          graph_->AddBackEdge(created_[edge.merge], edge.input,
                              {created_[edge.source.node], edge.source.index}));
    }
    return OkStatus();
  }

 private:
  struct BackEdge {
    int32_t merge;
    int input;
    Link source;
  };

  Status CheckNames() {
    formats::Problems problems;
    for (const std::string_view name : names_.duplicates()) {
      problems.Add("two nodes are called " + Quoted(name));
    }
    if (graph_->num_nodes() > 0) {
      for (const RawNode& node : raw_.nodes) {
        if (graph_->FindNode(prefix_ + std::string(node.name)) != nullptr) {
          problems.Add("the graph has a node " +
                       Quoted(prefix_ + std::string(node.name)) + " already");
        }
      }
    }
    if (problems.empty()) return OkStatus();
    return InvalidArgument(problems.Summary("node names must be unique"));
  }

  Status AddNode(int32_t index) {
    const RawNode& raw = raw_.nodes[index];
    NodeSpec spec;
    spec.name.reserve(prefix_.size() + raw.name.size());
    spec.name = prefix_;
    spec.name += raw.name;
    spec.op = raw.op;
    BERTH_RETURN_IF_ERROR(SetDevice(raw, &spec));
    BERTH_RETURN_IF_ERROR(SetAttrs(raw, &spec));
    SetInputs(index, &spec);
    BERTH_ASSIGN_OR_RETURN(created_[index], graph_->AddNode(std::move(spec)));
    return OkStatus();
  }

  Status SetDevice(const RawNode& raw, NodeSpec* spec) {
    const std::string_view asked = options_.clear_devices ? "" : raw.device;
    if (options_.device_scope.empty()) {
      spec->device = asked;
      return OkStatus();
    }
    auto it = devices_.find(asked);
    if (it == devices_.end()) {
      Result<DeviceSpec> own = DeviceSpec::Parse(asked);
      if (!own.ok()) return own.status().WithPrefix(Who(raw) + ": ");
      it = devices_.emplace(asked, scope_.MergedWith(*own).ToString()).first;
    }
    spec->device = it->second;
    return OkStatus();
  }

  Status SetAttrs(const RawNode& raw, NodeSpec* spec) {
    const OpSchema& schema = ops_.Find(raw.op);
    spec->attrs.Reserve(
        std::max<size_t>(raw.attrs_end - raw.attrs_begin, schema.attrs.size()));
    for (uint32_t i = raw.attrs_begin; i < raw.attrs_end; ++i) {
      const RawGraph::Attr& attr = raw_.attrs[i];
      Result<AttrValue> value =
          formats::DecodeAttrValue(attr.value.bytes, attr.value.offset);
      if (!value.ok()) {
        return value.status().WithPrefix(Who(raw) + ", attribute " + Quoted(attr.name) +
                                         ": ");
      }
      if (attr.name == "_class") {
        BERTH_RETURN_IF_ERROR(CheckColocation(raw, &*value));
      } else if (!options_.producer_op_list.empty() && attr.name[0] != '_' &&
                 schema.FindAttr(attr.name) == nullptr &&
                 producer_ops_.IsDefault(raw.op, attr.name, *value)) {
        continue;
      }
      spec->attrs.Set(attr.name, *std::move(value));
    }
    return OkStatus();
  }

  // "loc:@other" must name a node, and is renamed with it.
  Status CheckColocation(const RawNode& raw, AttrValue* value) {
    const ListAttr* list = value->list();
    if (list == nullptr) return OkStatus();
    for (const std::string& entry : list->s) {
      if (!entry.starts_with(kColocationPrefix)) continue;
      const std::string_view partner =
          std::string_view(entry).substr(kColocationPrefix.size());
      if (names_.Find(partner) >= 0) continue;
      if (prefix_.empty() && graph_->FindNode(partner) != nullptr) continue;
      return InvalidArgument(Who(raw) + " is to be colocated with " + Quoted(partner) +
                             ", but there is no node of that name");
    }
    if (!prefix_.empty()) {
      ListAttr renamed = *list;
      for (std::string& entry : renamed.s) {
        if (entry.starts_with(kColocationPrefix)) {
          entry.insert(kColocationPrefix.size(), prefix_);
        }
      }
      *value = AttrValue::OfList(std::move(renamed));
    }
    return OkStatus();
  }

  void SetInputs(int32_t index, NodeSpec* spec) {
    const RawNode& raw = raw_.nodes[index];
    spec->inputs.reserve(raw.inputs_end - raw.inputs_begin);
    for (uint32_t i = raw.inputs_begin; i < raw.inputs_end; ++i) {
      const Link& link = linked_.links[i];
      Node* producer = link.node < 0 ? link.external : created_[link.node];
      if (link.index == Link::kControl) {
        spec->control_inputs.push_back(producer);
        continue;
      }
      if (producer == nullptr) {  // comes later: the order says that this closes a loop
        back_edges_.push_back({index, static_cast<int>(spec->inputs.size()), link});
      }
      spec->inputs.push_back({producer, producer == nullptr ? 0 : link.index});
    }
  }

  const RawGraph& raw_;
  const ImportOptions& options_;
  Graph* graph_;
  formats::NameIndex names_;
  OpTable ops_;
  ProducerOps producer_ops_;
  std::string prefix_;
  DeviceSpec scope_;
  std::map<std::string_view, std::string> devices_;
  formats::LinkedGraph linked_;
  std::vector<Node*> created_;
  std::vector<BackEdge> back_edges_;
};

}  // namespace

Status ImportGraphDef(std::string_view bytes, const ImportOptions& options,
                      Graph* graph) {
  BERTH_ASSIGN_OR_RETURN(const RawGraph raw, formats::ReadGraphDef(bytes));
  BERTH_RETURN_IF_ERROR(CheckVersions(raw));
  const int nodes_before = graph->num_nodes();
  const int producer_before = graph->producer_version();
  const int consumer_before = graph->min_consumer_version();
  // Joined graphs are as old as the older part, and need what either part needs. It is
  // set first: which ops have been removed depends on it.
  graph->set_producer_version(nodes_before == 0 || producer_before == 0
                                  ? raw.producer
                                  : std::min(producer_before, raw.producer));
  graph->set_min_consumer_version(std::max(consumer_before, raw.min_consumer));
  Status status = Importer(raw, options, graph).Run();
  if (!status.ok()) {
    graph->TruncateTo(nodes_before);
    graph->set_producer_version(producer_before);
    graph->set_min_consumer_version(consumer_before);
    return status;
  }
  for (const std::string_view piece : raw.library) graph->AppendFunctionLibrary(piece);
  return OkStatus();
}

}  // namespace berth
