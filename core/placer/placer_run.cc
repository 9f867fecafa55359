#include "core/placer/placer_run.h"

#include <algorithm>
#include <array>

#include "core/base/dtype.h"
#include "core/ops/op_schema.h"

namespace berth {
namespace {

constexpr std::string_view kClassPrefix = "loc:@";

bool IsRefOrResource(DType dtype) { return IsRefType(dtype) || dtype == BERTH_RESOURCE; }

// A variable, queue or other source of a reference: what it asks for binds its users.
bool IsResourceSource(const Node& node) {
  return node.num_inputs() == 0 && node.num_outputs() == 1 &&
         IsRefOrResource(node.output_type(0));
}

// "TensorSliceDataset", "BatchDatasetV2": makes a dataset as its only output.
bool IsDatasetOp(const Node& node) {
  if (node.num_outputs() != 1 || node.output_type(0) != BERTH_VARIANT) return false;
  std::string_view op = node.op();
  const size_t version = op.rfind('V');
  if (version != std::string_view::npos && version + 1 < op.size() &&
      op.find_first_not_of("0123456789", version + 1) == std::string_view::npos) {
    op = op.substr(0, version);
  }
  return op.ends_with("Dataset");
}

// The element type of a tensor list, or BERTH_INVALID_DTYPE.
DType ListElementType(const Node& node) {
  const std::string_view op = node.op();
  if (!op.starts_with("TensorList") && op != "EmptyTensorList") {
    return BERTH_INVALID_DTYPE;
  }
  return node.attrs().GetType("element_dtype");
}

bool LivesOnHost(DType dtype) {
  return BaseType(dtype) == BERTH_STRING || BaseType(dtype) == BERTH_RESOURCE;
}

}  // namespace

bool IsExemptFromTies(std::string_view op) {
  static constexpr std::array kExempt = std::to_array<std::string_view>(
      {"PartitionedCall", "StatefulPartitionedCall", "If", "StatelessIf", "While",
       "StatelessWhile", "Case", "StatelessCase", "RemoteCall", "BatchFunction",
       "MapDefun", "ReduceDataset", "GeneratorDataset"});
  if (std::find(kExempt.begin(), kExempt.end(), op) != kExempt.end()) return true;
  // Datasets that call functions: their captured inputs belong to the function.
  static constexpr std::array kCalling = std::to_array<std::string_view>(
      {"MapDataset", "FlatMapDataset", "InterleaveDataset", "FilterDataset",
       "MapAndBatchDataset", "GroupByWindowDataset", "GroupByReducerDataset",
       "ScanDataset", "TakeWhileDataset"});
  const auto calls = [op](std::string_view name) { return op.find(name) != op.npos; };
  return std::any_of(kCalling.begin(), kCalling.end(), calls);
}

PlacerRun::PlacerRun(std::span<const Device* const> devices,
                     const KernelRegistry* kernels, const PlacerOptions& options,
                     const Graph& graph, const PlaceArgs& args, Placement* result)
    : devices_(devices),
      kernels_(kernels),
      options_(options),
      graph_(graph),
      args_(args),
      result_(result),
      specs_(&devices_, &options_.aliases),
      support_(kernels, &devices_, &args_.shape_of),
      groups_(&specs_, options.allow_soft_placement) {}

void PlacerRun::Run() {
  CollectNodes();
  for (const int id : order_) ReadNode(id);
  TieReferences();
  LimitVariants();
  TieClasses();
  ApplyDefaultDevice();
  KeepMinorDevicesForAskers();
  FixEarlierNodes();
  Assign();
  ListMembers();
  for (const int id : order_) Explain(id);
  LimitFallback();
  FindCutEdges();
  WarnOfFallback();
  WarnOfIdleDevices();
}

void PlacerRun::Fail(int id, Status error) {
  nodes_[id].failed = true;
  NodePlacement& placed = result_->nodes[id];
  if (placed.error.ok()) placed.error = std::move(error);
}

void PlacerRun::CollectNodes() {
  const int num_nodes = graph_.num_nodes();
  nodes_.resize(num_nodes);
  result_->nodes.resize(num_nodes);
  groups_.Reset(num_nodes, devices_.all_types());
  order_.reserve(args_.nodes.empty() ? num_nodes : args_.nodes.size());
  if (args_.nodes.empty()) {
    for (int id = 0; id < num_nodes; ++id) order_.push_back(id);
  } else {
    order_.assign(args_.nodes.begin(), args_.nodes.end());
    std::sort(order_.begin(), order_.end());
    order_.erase(std::unique(order_.begin(), order_.end()), order_.end());
  }
  for (const int id : order_) nodes_[id].taken = true;
  if (args_.earlier == nullptr) return;
  const auto& earlier = args_.earlier->nodes;
  for (size_t id = 0; id < earlier.size() && id < nodes_.size(); ++id) {
    const int device =
        earlier[id].device == nullptr ? -1 : devices_.IndexOf(earlier[id].device);
    if (device < 0) continue;
    result_->nodes[id] = earlier[id];
    result_->nodes[id].reason = PlaceReason::kAlreadyPlaced;
    nodes_[id].choice = Choice::kEarlier;
    nodes_[id].device = device;
  }
}

void PlacerRun::ReadNode(int id) {
  NodeState& state = nodes_[id];
  Group& group = groups_.at(id);
  state.support = support_.Of(node(id));
  group.types = state.support->types;
  const Result<SpecTable::Id> request = specs_.Parse(node(id).requested_device());
  if (request.ok()) state.request = *request;
  if (state.choice == Choice::kEarlier) {
    group.types |= uint64_t{1} << devices_.type_of(state.device);
    group.assigned = group.requested = specs_.Intern(devices_.name(state.device));
    return;
  }
  if (!request.ok()) {
    Fail(id, request.status().WithPrefix("Node " + DescribeNode(node(id)) + ": "));
  } else if (group.types == 0) {
    Fail(id, UnknownKernelError(id));
  }
  // A node that runs nowhere has its error; it must not spoil its group.
  if (group.types == 0) group.types = devices_.all_types();
  group.requested = state.request;
  if (IsResourceSource(node(id))) group.resource = state.request;
}

void PlacerRun::TieReferences() {
  std::vector<std::pair<int, int>> back_edges;
  for (const int id : order_) {
    const Node& target = node(id);
    for (int i = 0; i < target.num_inputs(); ++i) {
      const Node* source = target.inputs()[i].node;
      if (source == nullptr || !nodes_[source->id()].taken) continue;
      const DType type = target.input_type(i);
      const bool datasets =
          type == BERTH_VARIANT && IsDatasetOp(*source) && IsDatasetOp(target);
      if (!datasets && (!IsRefOrResource(type) || IsExemptFromTies(target.op())))
        continue;
      if (source->id() > id) {
        back_edges.emplace_back(source->id(), id);  // of a loop: they come last
      } else {
        TieEdge(source->id(), id);
      }
    }
  }
  for (const auto& [source, target] : back_edges) TieEdge(source, target);
}

void PlacerRun::TieEdge(int source, int target) {
  NodeState& state = nodes_[target];
  const SpecTable::Id asked_for = groups_.root(target).requested;
  const Groups::Edge edge = groups_.Follow(source, target);
  if (edge == Groups::Edge::kAssignedConflict ||
      edge == Groups::Edge::kResourceConflict) {
    if (state.choice != Choice::kEarlier) Fail(target, EdgeError(source, target, edge));
    return;
  }
  if (edge == Groups::Edge::kOverridden) {
    state.overridden = true;
    result_->warnings.push_back(
        "'" + node(target).name() + "' asked for " + specs_.ToString(asked_for) +
        " but takes a reference or resource of '" + node(source).name() +
        "', which is asked for on " + specs_.ToString(groups_.root(source).requested) +
        ": it goes there");
  }
  if (state.reference < 0) state.reference = source;
  const Groups::Outcome outcome = groups_.Join(source, target);
  if (outcome != Groups::Outcome::kJoined) {
    Fail(target, ClassError(target, source, outcome));
  }
}

// A variant that holds strings or resources is host memory: its users run on the CPU
// where they can. The element type is that of the nearest tensor list op behind it.
void PlacerRun::LimitVariants() {
  const int cpu = devices_.FindType("CPU");
  if (cpu < 0) return;
  std::vector<int8_t> element(nodes_.size(), 0);  // 0 unknown, 1 device, 2 host
  for (const int id : order_) {
    const Node& user = node(id);
    const auto is_variant = [](DType type) { return type == BERTH_VARIANT; };
    const bool takes =
        std::any_of(user.input_types().begin(), user.input_types().end(), is_variant);
    const DType own = ListElementType(user);
    if (own != BERTH_INVALID_DTYPE && own != BERTH_VARIANT) {
      element[id] = LivesOnHost(own) ? 2 : 1;
    } else if (takes) {
      for (int i = 0; i < user.num_inputs() && element[id] == 0; ++i) {
        const Node* source = user.inputs()[i].node;
        if (source != nullptr && is_variant(user.input_type(i))) {
          element[id] = element[source->id()];
        }
      }
    }
    Group& group = groups_.root(id);
    if (takes && element[id] == 2 && (group.types >> cpu & 1) != 0) {
      group.types = uint64_t{1} << cpu;
    }
  }
}

void PlacerRun::TieClasses() {
  // A name that no "_class" mentions has one member: only the others need the map.
  for (const int id : order_) {
    const AttrValue* value = node(id).attrs().Find("_class");
    const ListAttr* list = value == nullptr ? nullptr : value->list();
    if (list == nullptr) continue;
    for (const std::string& entry : list->s) {
      std::string_view name = entry;
      if (!name.starts_with(kClassPrefix)) continue;
      class_first_.emplace(name.substr(kClassPrefix.size()), -1);
    }
  }
  if (class_first_.empty()) return;
  for (const int id : order_) {
    const AttrValue* value = node(id).attrs().Find("_class");
    const ListAttr* list = value == nullptr ? nullptr : value->list();
    for (size_t i = 0; list != nullptr && i < list->s.size(); ++i) {
      std::string_view name = list->s[i];
      if (name.starts_with(kClassPrefix))
        TieToClass(id, name.substr(kClassPrefix.size()));
    }
    TieToClass(id, node(id).name());
  }
}

void PlacerRun::TieToClass(int id, std::string_view name) {
  const auto found = class_first_.find(name);
  if (found == class_first_.end()) return;
  if (found->second < 0) {
    found->second = id;
    return;
  }
  const Groups::Outcome outcome = groups_.Join(id, found->second);
  if (outcome == Groups::Outcome::kJoined) return;
  const Status error = ClassError(id, found->second, outcome);
  if (options_.allow_soft_placement) {
    result_->warnings.push_back("Ignoring the request to colocate '" + node(id).name() +
                                "' with '" + std::string(name) +
                                "': " + std::string(error.message()));
  } else if (nodes_[id].choice != Choice::kEarlier) {
    Fail(id, error);
  }
}

void PlacerRun::ApplyDefaultDevice() {
  if (options_.default_device.empty()) return;
  const Result<SpecTable::Id> request = specs_.Parse(options_.default_device);
  if (!request.ok()) {
    result_->warnings.push_back("The default device is ignored: " +
                                std::string(request.status().message()));
    return;
  }
  default_request_ = *request;
  // Type and index are one: a request for "/device:CPU:*" takes no index from "/gpu:1".
  const SpecTable::Id place_only = specs_.Soften(default_request_, 0);
  for (const int id : order_) {
    if (groups_.Root(id) != id) continue;
    Group& group = groups_.at(id);
    const DeviceSpec& asked = specs_.spec(group.requested);
    const bool has_device = asked.type.has_value() || asked.index.has_value();
    group.requested =
        specs_.Override(has_device ? place_only : default_request_, group.requested);
  }
}

// Device types below the CPU's priority take only what asks for them, or runs nowhere
// else.
void PlacerRun::KeepMinorDevicesForAskers() {
  const int cpu = devices_.FindType("CPU");
  if (cpu < 0) return;
  const uint64_t major = DeviceTable::BetterThan(cpu + 1);
  if ((devices_.all_types() & ~major) == 0) return;
  for (const int id : order_) {
    Group& group = groups_.at(id);
    if (groups_.Root(id) != id || (group.types & major) == 0) continue;
    const std::optional<std::string>& asked = specs_.spec(group.requested).type;
    const int type = asked ? devices_.FindType(*asked) : -1;
    if (type < 0 || (major >> type & 1) != 0) group.types &= major;
  }
}

void PlacerRun::FixEarlierNodes() {
  for (const int id : order_) {
    if (nodes_[id].choice != Choice::kEarlier) continue;
    Group& group = groups_.root(id);
    if (group.device != Group::kNone) continue;
    group.device = nodes_[id].device;
    group.anchor = id;
  }
}

}  // namespace berth
