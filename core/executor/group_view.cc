#include "core/executor/group_view.h"

namespace berth::executor {
namespace {

// Whether input `i` of a node is read in host memory though its device has other memory.
bool IsHostInput(const Plan& plan, const ShapeFacts& facts, int32_t index, size_t i) {
  const PlanNode& node = plan.nodes[index];
  if (plan.DeviceOf(node).on_host()) return false;
  const NodeKernel* kernel = facts.nodes[index].kernel;
  if (kernel != nullptr) return kernel->is_host_input(static_cast<int>(i));
  return node.core->kind == CoreKind::kReshape && i > 0;  // the shape to come
}

bool IsHostOutput(const Plan& plan, const ShapeFacts& facts, int32_t index, int32_t i) {
  const NodeKernel* kernel = facts.nodes[index].kernel;
  return !plan.DeviceOf(plan.nodes[index]).on_host() && kernel != nullptr &&
         kernel->is_host_output(i);
}

}  // namespace

GroupView::GroupView(const Plan& plan, const ShapeFacts& facts,
                     std::span<const int32_t> nodes, std::span<const int32_t> num_uses)
    : nodes_(nodes.begin(), nodes.end()) {
  for (size_t i = 0; i < nodes_.size(); ++i) {
    position_of_.emplace(nodes_[i], static_cast<int32_t>(i));
    AddNode(plan, facts, nodes_[i]);
    AddEdges(plan, facts, i);
  }
  AddOutputs(plan, facts, num_uses);
  abi_.struct_size = sizeof(abi_);
  abi_.num_nodes = static_cast<uint32_t>(nodes_.size());
  abi_.num_inputs = static_cast<uint32_t>(inputs_.size());
  abi_.num_outputs = static_cast<uint32_t>(outputs_.size());
  abi_.nodes = node_pointers_.data();
  abi_.edges = edge_pointers_.data();
  abi_.inputs = input_pointers_.data();
  abi_.outputs = output_edges_.data();
}

void GroupView::AddNode(const Plan& plan, const ShapeFacts& facts, int32_t index) {
  const PlanNode& node = plan.nodes[index];
  std::vector<Shape>& inputs = shapes_.emplace_back();
  std::vector<const Tensor*> constants;
  for (const int32_t value : plan.InputsOf(node)) {
    inputs.push_back(facts.values[value].shape);
    constants.push_back(facts.values[value].known);
  }
  std::vector<Shape>& outputs = shapes_.emplace_back();
  for (int32_t i = 0; i < node.num_outputs; ++i) {
    outputs.push_back(facts.values[node.first_output + i].shape);
  }
  NodeAbiView::Args args;
  args.node = node.node;
  args.device = plan.DeviceOf(node).name();
  args.input_shapes = inputs;
  args.output_shapes = outputs;
  args.constants = constants;
  const NodeKernel* kernel = facts.nodes[index].kernel;
  args.def = kernel != nullptr ? &kernel->def() : nullptr;
  views_.push_back(std::make_unique<NodeAbiView>(args));
  node_pointers_.push_back(&views_.back()->abi());
}

void GroupView::AddEdges(const Plan& plan, const ShapeFacts& facts, size_t position) {
  const int32_t index = nodes_[position];
  const auto inputs = plan.InputsOf(plan.nodes[index]);
  std::vector<berth_group_edge>& edges = edges_.emplace_back();
  for (size_t i = 0; i < inputs.size(); ++i) {
    const PlanValue& value = plan.values[inputs[i]];
    const auto inner = position_of_.find(value.node);
    if (inner != position_of_.end()) {
      edges.push_back({inner->second, value.output});
      continue;
    }
    const bool is_host = IsHostInput(plan, facts, index, i);
    edges.push_back(
        {-1, InputFor(inputs[i], is_host, *node_pointers_[position]->inputs[i])});
  }
  edge_pointers_.push_back(edges.data());
}

// The number of the group's input for a value in one place; a new one the first time.
int32_t GroupView::InputFor(int32_t value, bool is_host, const berth_value_info& info) {
  const int64_t key = static_cast<int64_t>(value) * 2 + (is_host ? 1 : 0);
  const auto [it, is_new] =
      input_of_.try_emplace(key, static_cast<int32_t>(inputs_.size()));
  if (is_new) {
    inputs_.push_back(value);
    host_.inputs.push_back(is_host);
    berth_value_info& copy = input_infos_.emplace_back(info);
    copy.is_host = is_host ? 1 : 0;
    input_pointers_.push_back(&copy);
  }
  return it->second;
}

void GroupView::AddOutputs(const Plan& plan, const ShapeFacts& facts,
                           std::span<const int32_t> num_uses) {
  std::unordered_map<int32_t, int32_t> inner_uses;
  for (const int32_t node : nodes_) {
    for (const int32_t value : plan.InputsOf(plan.nodes[node])) ++inner_uses[value];
  }
  for (size_t i = 0; i < nodes_.size(); ++i) {
    const PlanNode& node = plan.nodes[nodes_[i]];
    for (int32_t k = 0; k < node.num_outputs; ++k) {
      const int32_t value = node.first_output + k;
      if (num_uses[value] == inner_uses[value]) continue;
      outputs_.push_back(value);
      output_edges_.push_back({static_cast<int32_t>(i), k});
      host_.outputs.push_back(IsHostOutput(plan, facts, nodes_[i], k));
    }
  }
}

}  // namespace berth::executor
