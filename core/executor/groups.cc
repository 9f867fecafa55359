#include "core/executor/groups.h"

#include <berth/compile.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include "core/base/logging.h"
#include "core/executor/group_view.h"
#include "core/executor/shape_pass.h"
#include "core/executor/units.h"
#include "core/ops/op_schema.h"
#include "core/registry/abi_read.h"

namespace berth::executor {
namespace {

constexpr size_t kMostNodesNamed = 20;
constexpr size_t kMostOpsNamed = 8;
constexpr char kRemedy[] =
    "; with optimizer_options.opt_level L0 in the session's ConfigProto every node runs "
    "on "
    "its own";

// "group of 2 nodes: 'a' (Conv2D), 'b' (Relu)".
std::string LabelOf(const Plan& plan, const std::vector<int32_t>& nodes) {
  std::string label = "group of " + std::to_string(nodes.size()) +
                      (nodes.size() == 1 ? " node: " : " nodes: ");
  for (size_t i = 0; i < std::min(nodes.size(), kMostNodesNamed); ++i) {
    const Node& node = *plan.nodes[nodes[i]].node;
    label += (i > 0 ? ", '" : "'") + node.name() + "' (" + node.op() + ")";
  }
  if (nodes.size() > kMostNodesNamed) {
    label += " and " + std::to_string(nodes.size() - kMostNodesNamed) + " more";
  }
  return label;
}

std::string OpsOf(const Plan& plan, const std::vector<int32_t>& nodes) {
  std::string ops;
  for (size_t i = 0; i < std::min(nodes.size(), kMostOpsNamed); ++i) {
    ops += (i > 0 ? "+" : "") + plan.nodes[nodes[i]].node->op();
  }
  return nodes.size() > kMostOpsNamed ? ops + "+..." : ops;
}

class GroupFormer {
 public:
  GroupFormer(const Plan& plan, ShapeFacts* facts) : plan_(plan), facts_(*facts) {}

  Status Run() {
    if (!FindCompilers()) return OkStatus();
    needed_ = NeededNodes(plan_, facts_);
    CountUses();
    for (const std::vector<int32_t>& nodes : FindOffers()) {
      BERTH_RETURN_IF_ERROR(Offer(nodes));
    }
    RefuseCycles();
    for (std::vector<int32_t>& claim : claims_) {
      if (!claim.empty()) BERTH_RETURN_IF_ERROR(Compile(std::move(claim)));
    }
    return OkStatus();
  }

 private:
  // By device of the set; all zero where the plugin compiles nothing.
  bool FindCompilers() {
    DeviceSet& devices = *plan_.env.devices;
    bool any = false;
    for (int i = 0; i < devices.size(); ++i) {
      compilers_.push_back(ReadExtension<berth_compile_api>(
          devices.at(i).api().extensions, BERTH_COMPILE_EXTENSION));
      any = any || CanCompile(i);
    }
    return any;
  }
  bool CanCompile(int32_t device) const {
    return compilers_[device].claim != nullptr && compilers_[device].compile != nullptr;
  }

  void CountUses() {
    num_uses_.assign(plan_.values.size(), 0);
    for (size_t i = 0; i < plan_.nodes.size(); ++i) {
      if (!needed_[i] || facts_.nodes[i].mode == NodeMode::kFolded) continue;
      for (const int32_t value : plan_.InputsOf(plan_.nodes[i])) ++num_uses_[value];
    }
    for (const int32_t value : plan_.fetches) ++num_uses_[value];
  }

  // ---- Offers.

  // What crosses into a group is plain tensors of known shapes: no strings, no variables
  // that the node would write or pass on.
  bool HasPlainTensors(const PlanNode& node) const {
    const auto is_plain = [](DType type) {
      return !IsRefType(type) && type != BERTH_RESOURCE && type != BERTH_VARIANT &&
             type != BERTH_STRING;
    };
    const auto inputs = node.node->input_types();
    const auto outputs = node.node->output_types();
    return std::all_of(inputs.begin(), inputs.end(), is_plain) &&
           std::all_of(outputs.begin(), outputs.end(), is_plain);
  }

  bool IsCandidate(int32_t index) const {
    const PlanNode& node = plan_.nodes[index];
    const NodeFacts& facts = facts_.nodes[index];
    if (!needed_[index] || !CanCompile(node.device) || !HasPlainTensors(node)) {
      return false;
    }
    if (facts.mode == NodeMode::kStatic) {
      constexpr uint32_t kOwnWays = BERTH_KERNEL_ASYNC | BERTH_KERNEL_STATEFUL;
      return !node.node->schema().is_stateful &&
             (facts.kernel->def().flags & kOwnWays) == 0;
    }
    return facts.mode == NodeMode::kVirtual && node.core != nullptr &&
           (node.core->kind == CoreKind::kForward ||
            node.core->kind == CoreKind::kReshape) &&
           node.num_outputs == 1 && facts_.values[node.first_output].known == nullptr &&
           facts_.values[node.first_output].shape.IsFullyDefined();
  }

  int32_t Find(int32_t node) {
    while (parent_[node] != node) node = parent_[node] = parent_[parent_[node]];
    return node;
  }

  // The connected sets of candidates on one device, with at least one kernel each.
  std::vector<std::vector<int32_t>> FindOffers() {
    const auto size = static_cast<int32_t>(plan_.nodes.size());
    parent_.resize(plan_.nodes.size());
    std::iota(parent_.begin(), parent_.end(), 0);
    std::vector<bool> candidate(plan_.nodes.size());
    for (int32_t i = 0; i < size; ++i) {
      candidate[i] = IsCandidate(i);
      if (!candidate[i]) continue;
      for (const int32_t value : plan_.InputsOf(plan_.nodes[i])) {
        const int32_t producer = plan_.values[value].node;
        if (producer >= 0 && candidate[producer] &&
            plan_.nodes[producer].device == plan_.nodes[i].device) {
          parent_[Find(i)] = Find(producer);
        }
      }
    }
    std::map<int32_t, std::vector<int32_t>> by_root;
    for (int32_t i = 0; i < size; ++i) {
      if (candidate[i]) by_root[Find(i)].push_back(i);
    }
    std::vector<std::vector<int32_t>> offers;
    for (auto& [root, nodes] : by_root) {
      const bool has_kernel = std::any_of(nodes.begin(), nodes.end(), [this](int32_t i) {
        return facts_.nodes[i].mode == NodeMode::kStatic;
      });
      if (has_kernel) offers.push_back(std::move(nodes));
    }
    return offers;
  }

  // Asks the plugin and sorts its answer into claims_.
  Status Offer(const std::vector<int32_t>& nodes) {
    DeviceContext& device = plan_.DeviceOf(plan_.nodes[nodes[0]]);
    BERTH_RETURN_IF_ERROR(plan_.env.devices->Open(device));
    const berth_compile_api& compiler = compilers_[device.index];
    const GroupView view(plan_, facts_, nodes, num_uses_);
    std::vector<int32_t> answer(nodes.size(), -1);
    berth_error error = EmptyError();
    const berth_status_code code =
        compiler.claim(device.handle, &view.abi(), answer.data(), &error);
    if (code != BERTH_OK) return Failed(TakeError(code, &error, "claim"), nodes);
    std::map<int32_t, std::vector<int32_t>> by_number;
    for (size_t i = 0; i < nodes.size(); ++i) {
      if (answer[i] < -1) {
        return Failed(Internal("claim answered " + std::to_string(answer[i]) +
                               " for node '" + plan_.nodes[nodes[i]].node->name() +
                               "'; -1 leaves a node alone, numbers from 0 on claim it"),
                      nodes);
      }
      if (answer[i] >= 0) by_number[answer[i]].push_back(nodes[i]);
    }
    for (auto& [number, claim] : by_number) claims_.push_back(std::move(claim));
    return OkStatus();
  }

  Status Failed(const Status& status, const std::vector<int32_t>& nodes) const {
    const DeviceContext& device = plan_.DeviceOf(plan_.nodes[nodes[0]]);
    return Status(status.code(), std::string(status.message()) + " [" +
                                     LabelOf(plan_, nodes) + " on " + device.name() +
                                     "]" + kRemedy);
  }

  // ---- Claims.

  // All claims together are fine as a rule; if not, each is tried with those before it.
  void RefuseCycles() {
    std::vector<int32_t> group_of(plan_.nodes.size(), -1);
    const auto set = [&](size_t claim, int32_t number) {
      for (const int32_t node : claims_[claim]) group_of[node] = number;
    };
    for (size_t i = 0; i < claims_.size(); ++i) set(i, static_cast<int32_t>(i));
    if (OrderUnits(plan_, facts_, needed_, group_of)) return;
    for (size_t i = 0; i < claims_.size(); ++i) set(i, -1);
    for (size_t i = 0; i < claims_.size(); ++i) {
      set(i, static_cast<int32_t>(i));
      if (OrderUnits(plan_, facts_, needed_, group_of)) continue;
      set(i, -1);
      Log(LogLevel::kWarning,
          "a plugin's claim is refused, its nodes run on their own: some other node "
          "needs "
          "what the group makes and the group needs what that node makes [" +
              LabelOf(plan_, claims_[i]) + " on " +
              plan_.DeviceOf(plan_.nodes[claims_[i][0]]).name() + "]");
      claims_[i].clear();
    }
  }

  Status Compile(std::vector<int32_t> nodes) {
    DeviceContext& device = plan_.DeviceOf(plan_.nodes[nodes[0]]);
    const berth_compile_api& compiler = compilers_[device.index];
    const GroupView view(plan_, facts_, nodes, num_uses_);
    const berth_kernel_def* def = nullptr;
    NodeKernel::Group made;
    berth_error error = EmptyError();
    const berth_status_code code =
        compiler.compile(device.handle, &view.abi(), &def, &made.kernel, &error);
    if (code != BERTH_OK) return Failed(TakeError(code, &error, "compile"), nodes);
    made.node = plan_.nodes[nodes.back()].node;
    made.def = ReadAbi(def);
    made.host = view.host();
    made.label = LabelOf(plan_, nodes);
    made.ops = OpsOf(plan_, nodes);
    CompiledGroup group;
    group.nodes = std::move(nodes);
    group.inputs = view.inputs();
    group.outputs = view.outputs();
    group.kernel = std::make_unique<NodeKernel>(device, std::move(made));
    if (const char* why = WhyNotRun(group.kernel->def())) {
      return Failed(Internal("compile gave " + std::string(why)), group.nodes);
    }
    BERTH_RETURN_IF_ERROR(PrepareGroup(&group));
    for (const int32_t node : group.nodes) {
      facts_.nodes[node].group = static_cast<int32_t>(facts_.groups.size());
      facts_.nodes[node].prepared = PreparedKernel();
    }
    facts_.groups.push_back(std::move(group));
    return OkStatus();
  }

  // NULL, or what is wrong with a compiled group's row.
  static const char* WhyNotRun(const berth_kernel_def& def) {
    if ((def.flags & BERTH_KERNEL_SHAPE_AT_RUN) != 0) {
      return "a row flagged SHAPE_AT_RUN, but a group's shapes are known";
    }
    if ((def.flags & BERTH_KERNEL_STATEFUL) != 0) {
      return "a row flagged STATEFUL, but a group has no state";
    }
    if ((def.flags & BERTH_KERNEL_ASYNC) != 0) {
      return def.compute_async == nullptr ? "an ASYNC row without compute_async"
                                          : nullptr;
    }
    return def.compute == nullptr ? "a row without compute" : nullptr;
  }

  Status PrepareGroup(CompiledGroup* group) const {
    std::vector<berth_tensor> views(group->inputs.size());
    std::vector<const berth_tensor*> pointers;
    for (size_t i = 0; i < views.size(); ++i) {
      const Shape& shape = facts_.values[group->inputs[i]].shape;
      views[i].dtype = plan_.values[group->inputs[i]].dtype;
      views[i].rank = shape.rank();
      views[i].dims = shape.dims();
      views[i].byte_size =
          static_cast<uint64_t>(shape.num_elements()) * DTypeSize(views[i].dtype);
      pointers.push_back(&views[i]);
    }
    std::vector<Shape> outputs;
    for (const int32_t value : group->outputs) {
      outputs.push_back(facts_.values[value].shape);
    }
    return Prepare(*group->kernel, pointers, plan_.env.pool->num_threads(), &outputs,
                   &group->prepared);
  }

  const Plan& plan_;
  ShapeFacts& facts_;
  std::vector<berth_compile_api> compilers_;  // by device
  std::vector<bool> needed_;                  // by node
  std::vector<int32_t> num_uses_;             // by value
  std::vector<int32_t> parent_;               // of the union-find, by node
  std::vector<std::vector<int32_t>> claims_;  // empty = refused
};

}  // namespace

Status FormGroups(const Plan& plan, ShapeFacts* facts) {
  return plan.env.optimize ? GroupFormer(plan, facts).Run() : OkStatus();
}

}  // namespace berth::executor
