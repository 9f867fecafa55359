// The choice of devices: TensorFlow's two passes.

#include <algorithm>

#include "core/placer/placer_run.h"

namespace berth {
namespace {

// Its place follows from its only consumers': decided in the second pass.
bool IsGenerator(const Node& node) {
  return node.num_inputs() == 0 && node.num_outputs() == 1 &&
         !IsRefType(node.output_type(0));
}

// Looks at its input's shape alone, so it belongs beside it.
bool IsMetadataOp(std::string_view op) {
  return op == "Shape" || op == "Size" || op == "Rank";
}

constexpr int kNoConsumer = -1;
constexpr int kApart = -2;  // consumers on different devices, or one not placed

}  // namespace

void PlacerRun::Assign() {
  CountConsumers();
  std::vector<int> generators;
  for (const int id : order_) {
    if (nodes_[id].choice == Choice::kEarlier) continue;
    if (IsGenerator(node(id))) {
      generators.push_back(id);
      continue;
    }
    const int input = InputToFollow(id);
    AssignNode(id, input < 0 ? -1 : nodes_[input].device, Choice::kInput, input);
    if (nodes_[id].device >= 0) result_->log_order.push_back(id);
  }
  if (generators.empty()) return;
  std::vector<int> consumers;
  FindConsumers(&consumers);
  for (const int id : generators) {
    const int consumer = consumers[id];
    AssignNode(id, consumer < 0 ? -1 : nodes_[consumer].device, Choice::kConsumer,
               consumer);
    if (nodes_[id].device >= 0) result_->log_order.push_back(id);
  }
}

void PlacerRun::CountConsumers() {
  for (const int id : order_) {
    const auto see = [&](const Node* source) {
      if (source == nullptr) return;
      NodeState& state = nodes_[source->id()];
      state.consumer_edges = static_cast<uint8_t>(std::min(state.consumer_edges + 1, 2));
      state.consumer = id;
    };
    for (const OutputRef& input : node(id).inputs()) see(input.node);
    for (const Node* source : node(id).control_inputs()) see(source);
  }
}

// The input beside which a node is placed where it can be, or -1. A metadata op follows
// its input; so does an Identity that asks for nothing, between one edge in and at most
// one out, when the nodes at both ends ask for the same (no consumer asks for nothing):
// it saves a copy, of a variable's value, say.
int PlacerRun::InputToFollow(int id) const {
  const Node& follower = node(id);
  if (follower.num_inputs() == 0 || follower.inputs()[0].node == nullptr) return -1;
  const Node& input = *follower.inputs()[0].node;
  if (IsMetadataOp(follower.op())) return input.id();
  const NodeState& state = nodes_[id];
  if (follower.op() != "Identity" || !follower.requested_device().empty() ||
      !follower.control_inputs().empty() || state.consumer_edges > 1) {
    return -1;
  }
  const bool same_request =
      state.consumer < 0
          ? input.requested_device().empty()
          : input.requested_device() == node(state.consumer).requested_device();
  return same_request ? input.id() : -1;
}

// For every node: one of its consumers, when all are on that one's device.
void PlacerRun::FindConsumers(std::vector<int>* consumers) const {
  consumers->assign(nodes_.size(), kNoConsumer);
  const auto see = [&](const Node* source, int id) {
    if (source == nullptr) return;
    int& consumer = (*consumers)[source->id()];
    const int device = nodes_[id].device;
    if (device < 0) {
      consumer = kApart;
    } else if (consumer == kNoConsumer) {
      consumer = id;
    } else if (consumer >= 0 && nodes_[consumer].device != device) {
      consumer = kApart;
    }
  };
  for (const int id : order_) {
    for (const OutputRef& input : node(id).inputs()) see(input.node, id);
    for (const Node* source : node(id).control_inputs()) see(source, id);
  }
}

// Gives `id` its group's device; the first member to come decides, and takes `preferred`
// where the group can run there.
void PlacerRun::AssignNode(int id, int preferred, Choice choice, int with) {
  NodeState& state = nodes_[id];
  if (state.failed) return;
  const int root = groups_.Root(id);
  Group& group = groups_.at(root);
  state.choice = Choice::kGroup;
  if (group.device == Group::kNone) {
    const std::vector<int>& candidates = Candidates(root);
    group.anchor = id;
    state.choice = Choice::kBest;
    if (candidates.empty()) {
      group.device = Group::kImpossible;
    } else if (preferred >= 0 && std::find(candidates.begin(), candidates.end(),
                                           preferred) != candidates.end()) {
      group.device = preferred;
      state.choice = choice;
      state.with = with;
    } else {
      group.device = candidates[0];
    }
  }
  if (group.device >= 0) state.device = group.device;
}

const std::vector<int>& PlacerRun::Candidates(int root) {
  const Group& group = groups_.at(root);
  const std::vector<int>& fitting = specs_.Devices(group.requested, group.types);
  if (!fitting.empty() || group.requested == 0 || !options_.allow_soft_placement) {
    return fitting;
  }
  soft_candidates_ = SoftCandidates(root);
  return soft_candidates_;
}

std::vector<int> PlacerRun::SoftCandidates(int root) {
  const Group& group = groups_.at(root);
  const SpecTable::Id kept = specs_.Override(group.resource, group.assigned);
  std::vector<int> soft =
      specs_.Devices(specs_.Soften(group.requested, kept), group.types);
  if (soft.empty() && group.resource != 0) {
    soft = specs_.Devices(specs_.Soften(group.requested, group.assigned), group.types);
    if (!soft.empty()) {
      result_->warnings.push_back(
          "The variable or resource asked for on " + specs_.ToString(group.resource) +
          " moves to " + devices_.ShortName(soft[0]) +
          " with all that uses it: some of its users have no kernel there (group of '" +
          node(root).name() + "')");
    }
  }
  // Where the asked device exists but has no kernel, the CPU is the place to fall back
  // to; where it does not exist, the best device is.
  const bool exists = !specs_.Devices(group.requested, devices_.all_types()).empty();
  if (exists) {
    const int cpu = devices_.FindType("CPU");
    std::stable_partition(soft.begin(), soft.end(),
                          [&](int device) { return devices_.type_of(device) == cpu; });
  }
  return soft;
}

}  // namespace berth
