#include "core/executor/plan.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "core/ops/op_schema.h"
#include "core/placer/placer.h"

namespace berth::executor {
namespace {

std::string TensorNameOf(const OutputRef& ref) {
  return ref.node->name() + ":" + std::to_string(ref.index);
}

// Finds what a node's kernel is, once for each class of nodes that have the same answer.
class KernelFinder {
 public:
  explicit KernelFinder(const KernelRegistry* registry)
      : registry_(registry), classes_(registry) {}

  const KernelMatch& Find(const Node& node, const Device& device) {
    const int node_class = classes_.ClassOf(node);
    auto& matches = by_device_[&device];
    if (matches.size() <= static_cast<size_t>(node_class)) {
      matches.resize(static_cast<size_t>(node_class) + 1);
    }
    std::unique_ptr<KernelMatch>& slot = matches[static_cast<size_t>(node_class)];
    if (slot == nullptr) {
      slot = std::make_unique<KernelMatch>(registry_->Find(node, device.type()));
    }
    return *slot;
  }

 private:
  const KernelRegistry* registry_;
  KernelClasses classes_;
  std::unordered_map<const Device*, std::vector<std::unique_ptr<KernelMatch>>> by_device_;
};

class PlanBuilder {
 public:
  PlanBuilder(const Environment& env, const Graph& graph, const Placement& placement,
              const ResolvedSignature& signature)
      : graph_(graph),
        placement_(placement),
        signature_(signature),
        finder_(env.registry),
        plan_(std::make_unique<Plan>()) {
    plan_->env = env;
  }

  Result<std::unique_ptr<Plan>> Build() {
    AddFeeds();
    BERTH_RETURN_IF_ERROR(Prune());
    BERTH_RETURN_IF_ERROR(CheckPlaced());
    BERTH_RETURN_IF_ERROR(CheckPlaceholders());
    plan_->nodes.reserve(order_.size());
    for (const Node* node : order_) BERTH_RETURN_IF_ERROR(AddNode(*node));
    BERTH_RETURN_IF_ERROR(AddFetches());
    return std::move(plan_);
  }

 private:
  enum Mark : int32_t { kNew = -1, kOpen = -2, kNeeded = -3 };

  // Feeds are the values 0 … num_feeds - 1.
  void AddFeeds() {
    marks_.assign(static_cast<size_t>(graph_.num_nodes()), kNew);
    for (const OutputRef& feed : signature_.feeds) {
      PlanValue value;
      value.dtype = BaseType(feed.node->output_type(feed.index));
      value.output = plan_->num_feeds;
      const int64_t key = (static_cast<int64_t>(feed.node->id()) << 20) + feed.index;
      feeds_.emplace(key, plan_->num_feeds++);
      plan_->values.push_back(value);
      plan_->feed_names.push_back(TensorNameOf(feed));
      const Shape* shape = feed.node->op() == "Placeholder" ||
                                   feed.node->op() == "PlaceholderV2" ||
                                   feed.node->op() == "PlaceholderWithDefault"
                               ? feed.node->attrs().GetShape("shape")
                               : nullptr;
      // Old graphs write "unknown" as a scalar for Placeholder.
      const bool unknown =
          shape == nullptr || (feed.node->op() == "Placeholder" && shape->rank() == 0 &&
                               graph_.producer_version() < 24);
      plan_->feed_shapes.push_back(unknown ? Shape::UnknownRank() : *shape);
    }
  }

  // The feed that replaces an output, or -1.
  int FeedOf(const OutputRef& ref) const {
    if (feeds_.empty()) return -1;
    const auto it = feeds_.find((static_cast<int64_t>(ref.node->id()) << 20) + ref.index);
    return it == feeds_.end() ? -1 : it->second;
  }

  // A fed node is not run: control edges from it lead nowhere.
  bool IsFed(const Node* node) const {
    if (feeds_.empty() || node->num_outputs() == 0) return false;
    for (int i = 0; i < node->num_outputs(); ++i) {
      const auto key = (static_cast<int64_t>(node->id()) << 20) + i;
      if (!feeds_.contains(key)) return false;
    }
    return true;
  }

  // Depth first from the fetches and targets, without recursion: order_ lists every node
  // that is needed behind all that it needs.
  Status Prune() {
    for (const OutputRef& fetch : signature_.fetches) {
      if (FeedOf(fetch) < 0) BERTH_RETURN_IF_ERROR(Visit(fetch.node));
    }
    for (Node* target : signature_.targets) {
      if (!IsFed(target)) BERTH_RETURN_IF_ERROR(Visit(target));
    }
    return OkStatus();
  }

  struct Pending {
    const Node* node;
    size_t next;  // data inputs first, then control inputs
  };

  Status Visit(const Node* root) {
    if (marks_[root->id()] != kNew) return OkStatus();
    std::vector<Pending> stack;
    BERTH_RETURN_IF_ERROR(Enter(root, &stack));
    while (!stack.empty()) {
      Pending& top = stack.back();
      const Node* node = top.node;
      const auto inputs = node->inputs();
      const auto controls = node->control_inputs();
      if (top.next == inputs.size() + controls.size()) {
        marks_[node->id()] = kNeeded;
        order_.push_back(node);
        stack.pop_back();
        continue;
      }
      const size_t i = top.next++;
      const Node* input =
          i < inputs.size() ? inputs[i].node : controls[i - inputs.size()];
      if (i < inputs.size() ? FeedOf(inputs[i]) >= 0 : IsFed(input)) continue;
      if (marks_[input->id()] == kOpen) {
        return InvalidArgument("node '" + node->name() +
                               "' is part of a cycle through '" + input->name() + "'");
      }
      if (marks_[input->id()] == kNew) BERTH_RETURN_IF_ERROR(Enter(input, &stack));
    }
    return OkStatus();
  }

  Status Enter(const Node* node, std::vector<Pending>* stack) {
    const CoreOp* core = FindCoreOpOf(*node);
    const bool is_core = core != nullptr || IsCoreOp(node->op());
    if (is_core && (core == nullptr || core->kind == CoreKind::kDataflow)) {
      const NodePlacement& placed = placement_.nodes[node->id()];
      // A plugin may bring a kernel of its own for an op of the core.
      const bool has_kernel = placed.device != nullptr &&
                              finder_.Find(*node, *placed.device).ok() &&
                              !finder_.Find(*node, *placed.device).entry->runs_in_core();
      if (!has_kernel) return NotWrittenYet(*node);
    }
    marks_[node->id()] = kOpen;
    stack->push_back({node, 0});
    return OkStatus();
  }

  const CoreOp* FindCoreOpOf(const Node& node) {
    if (&node.schema() != last_schema_) {
      last_schema_ = &node.schema();
      const auto [it, is_new] = core_ops_.try_emplace(last_schema_, nullptr);
      if (is_new) it->second = FindCoreOp(node.op());
      last_core_ = it->second;
    }
    return last_core_;
  }

  Status CheckPlaced() {
    std::vector<int> failed;
    for (const Node* node : order_) {
      if (placement_.nodes[node->id()].device == nullptr) failed.push_back(node->id());
    }
    if (failed.empty()) return OkStatus();
    Status status = PlacementErrors(graph_, placement_, failed);
    if (!status.ok()) return status;
    return Internal("node '" + graph_.node(failed[0])->name() + "' has no device");
  }

  Status CheckPlaceholders() {
    std::string message;
    for (const Node* node : order_) {
      const CoreOp* core = FindCoreOpOf(*node);
      if (core == nullptr || core->kind != CoreKind::kPlaceholder) continue;
      const Shape* shape = node->attrs().GetShape("shape");
      if (!message.empty()) message += "; ";
      message += "You must feed a value for placeholder tensor '" + node->name() +
                 "' with dtype " + std::string(DTypeName(node->output_type(0)));
      if (shape != nullptr && shape->has_rank()) {
        message += " and shape " + shape->ToString();
      }
    }
    return message.empty() ? OkStatus() : InvalidArgument(message);
  }

  int32_t ValueOf(const OutputRef& ref) const {
    const int feed = FeedOf(ref);
    if (feed >= 0) return feed;
    return plan_->nodes[static_cast<size_t>(marks_[ref.node->id()])].first_output +
           ref.index;
  }

  Status AddNode(const Node& node) {
    PlanNode added;
    added.node = &node;
    const Device* device = placement_.nodes[node.id()].device;
    if (device != last_device_) {
      last_device_ = device;
      last_index_ = plan_->env.devices->IndexOf(device);
      if (last_index_ < 0) {
        return Internal("node '" + node.name() + "' is placed on " + device->name() +
                        ", which is not a device of the session");
      }
    }
    added.device = last_index_;
    added.core = FindCoreOpOf(node);
    BERTH_RETURN_IF_ERROR(ChooseKernel(node, *device, &added));
    added.first_input = static_cast<int32_t>(plan_->inputs.size());
    added.num_inputs = node.num_inputs();
    for (const OutputRef& input : node.inputs()) {
      plan_->inputs.push_back(ValueOf(input));
    }
    added.first_control = static_cast<int32_t>(plan_->controls.size());
    for (const Node* control : node.control_inputs()) {
      if (IsFed(control)) continue;
      plan_->controls.push_back(marks_[control->id()]);
      ++added.num_controls;
    }
    marks_[node.id()] = static_cast<int32_t>(plan_->nodes.size());
    added.first_output = static_cast<int32_t>(plan_->values.size());
    added.num_outputs = node.num_outputs();
    for (int i = 0; i < node.num_outputs(); ++i) {
      PlanValue value;
      value.dtype = BaseType(node.output_type(i));
      value.node = marks_[node.id()];
      value.output = i;
      plan_->values.push_back(value);
    }
    BERTH_RETURN_IF_ERROR(ResolveVariables(node, added));
    plan_->nodes.push_back(added);
    return OkStatus();
  }

  // A plugin's kernel wins over the core's own code. Where a row depends on shapes the
  // choice waits for them: `entry` stays NULL.
  Status ChooseKernel(const Node& node, const Device& device, PlanNode* added) {
    const KernelMatch& match = finder_.Find(node, device);
    if (match.ok() && match.entry->runs_in_core()) return OkStatus();
    if (IsConditional(node)) {
      if (match.ok()) added->core = nullptr;
      return OkStatus();
    }
    if (match.ok()) {
      added->entry = match.entry;
      added->core = nullptr;
    } else if (added->core == nullptr) {
      return WithNode(Unimplemented("no kernel: " + match.reason), node,
                      &plan_->env.devices->at(added->device));
    }
    return OkStatus();
  }

  bool IsConditional(const Node& node) {
    const auto [it, is_new] = conditional_.try_emplace(&node.schema(), false);
    if (is_new) it->second = plan_->env.registry->TraitsOf(node.op()).is_conditional;
    return it->second;
  }

  // Which outputs stand for a variable.
  Status ResolveVariables(const Node& node, const PlanNode& added) {
    if (added.core != nullptr && added.core->kind == CoreKind::kVariable) {
      BERTH_ASSIGN_OR_RETURN(std::shared_ptr<Variable> variable,
                             plan_->env.resources->FindOrCreate(
                                 node, &plan_->env.devices->at(added.device)));
      const auto [it, is_new] = variables_.try_emplace(
          variable.get(), static_cast<int32_t>(plan_->variables.size()));
      if (is_new) plan_->variables.push_back(std::move(variable));
      plan_->values[static_cast<size_t>(added.first_output)].variable = it->second;
      return OkStatus();
    }
    const auto inputs = plan_->InputsOf(added);
    int32_t first_variable = -1;
    for (size_t i = 0; i < inputs.size(); ++i) {
      const int32_t variable = plan_->values[static_cast<size_t>(inputs[i])].variable;
      if (first_variable < 0) first_variable = variable;
      const DType wanted = node.input_type(static_cast<int>(i));
      if (variable < 0 && (IsRefType(wanted) || wanted == BERTH_RESOURCE)) {
        return WithNode(InvalidArgument("input " + std::to_string(i) +
                                        " must be a variable, but what comes in (a fed "
                                        "value?) is none"),
                        node, nullptr);
      }
    }
    for (int i = 0; i < node.num_outputs(); ++i) {
      const DType type = node.output_type(i);
      if (!IsRefType(type) && type != BERTH_RESOURCE) continue;
      // Output i of a forwarding op is input i; elsewhere a reference that comes out is
      // the first one that came in.
      const bool forwards =
          added.core != nullptr && added.core->kind == CoreKind::kForward;
      plan_->values[static_cast<size_t>(added.first_output + i)].variable =
          forwards ? plan_->values[static_cast<size_t>(inputs[static_cast<size_t>(i)])]
                         .variable
                   : first_variable;
    }
    return OkStatus();
  }

  Status AddFetches() {
    for (const OutputRef& fetch : signature_.fetches) {
      const DType type = BaseType(fetch.node->output_type(fetch.index));
      if (FeedOf(fetch) < 0 && (type == BERTH_RESOURCE || type == BERTH_VARIANT)) {
        return InvalidArgument("tensor " + TensorNameOf(fetch) + " has dtype " +
                               std::string(DTypeName(type)) +
                               ", which cannot be fetched; fetch what is read from it");
      }
      plan_->fetches.push_back(ValueOf(fetch));
      plan_->fetch_names.push_back(TensorNameOf(fetch));
      if (FeedOf(fetch) < 0) plan_->roots.push_back(marks_[fetch.node->id()]);
    }
    for (const Node* target : signature_.targets) {
      if (!IsFed(target)) plan_->roots.push_back(marks_[target->id()]);
    }
    return OkStatus();
  }

  const Graph& graph_;
  const Placement& placement_;
  const ResolvedSignature& signature_;
  KernelFinder finder_;
  std::unique_ptr<Plan> plan_;
  std::unordered_map<int64_t, int> feeds_;
  // By node id: a Mark, or the node's number in the plan.
  std::vector<int32_t> marks_;
  std::vector<const Node*> order_;
  std::unordered_map<const OpSchema*, const CoreOp*> core_ops_;
  std::unordered_map<const OpSchema*, bool> conditional_;
  const OpSchema* last_schema_ = nullptr;
  const CoreOp* last_core_ = nullptr;
  const Device* last_device_ = nullptr;
  int last_index_ = -1;
  std::unordered_map<const Variable*, int32_t> variables_;
};

}  // namespace

Result<std::unique_ptr<Plan>> MakePlan(const Environment& env, const Graph& graph,
                                       const Placement& placement,
                                       const ResolvedSignature& signature) {
  return PlanBuilder(env, graph, placement, signature).Build();
}

}  // namespace berth::executor
