#include "core/executor/shape_pass.h"

#include <algorithm>
#include <limits>

#include "absl/container/inlined_vector.h"
#include "core/executor/evaluate.h"
#include "core/ops/op_schema.h"

namespace berth::executor {
namespace {

// What is folded at most, and what is computed at most without folding: shape arithmetic.
constexpr uint64_t kLargestFolded = uint64_t{1} << 20;
constexpr int64_t kLargestShapeValue = 1024;

bool IsShapeType(DType dtype) {
  return dtype == BERTH_INT32 || dtype == BERTH_INT64 || dtype == BERTH_BOOL;
}

class ShapePass {
 public:
  ShapePass(const Plan& plan, std::vector<bool>* flexible, ShapeFacts* facts)
      : plan_(plan), facts_(*facts), flexible_(*flexible) {}

  // A variable turned out to be flexible: the pass is to be run again.
  bool restarts() const { return restarts_; }

  Status Run(std::span<const Shape> feed_shapes) {
    facts_.nodes.resize(plan_.nodes.size());
    facts_.values.resize(plan_.values.size());
    for (size_t i = 0; i < feed_shapes.size(); ++i) {
      facts_.values[i].shape = feed_shapes[i];
    }
    FindVariableShapes();
    for (size_t i = 0; i < plan_.nodes.size(); ++i) {
      const PlanNode& node = plan_.nodes[i];
      NodeFacts& facts = facts_.nodes[i];
      facts.has_effects = HasEffects(node);
      GatherInputs(node);
      const Status status =
          node.core != nullptr ? Core(node, &facts) : Kernel(node, &facts);
      if (!status.ok()) return status;
    }
    return OkStatus();
  }

 private:
  // What is known of the variables: the declared shape, unless the value has another one
  // or this plan may change it.
  void FindVariableShapes() {
    for (size_t i = 0; i < plan_.variables.size(); ++i) {
      const executor::Variable& variable = *plan_.variables[i];
      berth::Shape shape = variable.desc().shape;
      const Tensor value = variable.value();
      if (flexible_[i] || (value.is_valid() && !(value.shape() == shape))) {
        shape = berth::Shape::UnknownRank();
      }
      handles_of_.push_back({shape, variable.desc().dtype});
      facts_.variable_shapes.push_back(std::move(shape));
    }
  }

  bool IsInert(int32_t node) const {
    const NodeFacts& facts = facts_.nodes[node];
    return !facts.has_effects &&
           (facts.mode == NodeMode::kFolded || facts.mode == NodeMode::kVirtual);
  }

  bool HasEffects(const PlanNode& node) const {
    for (const int32_t control : plan_.ControlsOf(node)) {
      if (!IsInert(control)) return true;
    }
    for (const int32_t input : plan_.InputsOf(node)) {
      const int32_t producer = plan_.values[input].node;
      if (producer >= 0 && facts_.nodes[producer].has_effects) return true;
    }
    return false;
  }

  void GatherInputs(const PlanNode& node) {
    shapes_.clear();
    values_.clear();
    handles_.clear();
    all_known_ = true;
    for (const int32_t input : plan_.InputsOf(node)) {
      const ValueFacts& value = facts_.values[input];
      shapes_.push_back(value.shape);
      values_.push_back(value.known);
      all_known_ = all_known_ && value.known != nullptr;
      const PlanValue& planned = plan_.values[input];
      if (planned.dtype == BERTH_RESOURCE && planned.variable >= 0) {
        handles_.resize(shapes_.size() - 1, nullptr);
        handles_.push_back(&handles_of_[planned.variable]);
      }
    }
  }

  Status Infer(const PlanNode& node) {
    return WithNode(InferShapes(*node.node, {shapes_, values_, handles_}, &outputs_),
                    *node.node, nullptr);
  }

  ValueFacts& Output(const PlanNode& node, int i) {
    return facts_.values[node.first_output + i];
  }

  void SetOutputs(const PlanNode& node) {
    for (int i = 0; i < node.num_outputs; ++i) {
      Output(node, i).shape = std::move(outputs_[static_cast<size_t>(i)]);
    }
  }

  const Tensor* Keep(Tensor tensor) {
    return &facts_.constants.emplace_back(std::move(tensor));
  }

  Status Core(const PlanNode& node, NodeFacts* facts) {
    facts->mode = NodeMode::kCore;
    switch (node.core->kind) {
      case CoreKind::kConst:
        return Constant(node, facts);
      case CoreKind::kForward:
        return Forward(node, facts);
      case CoreKind::kReshape:
        return Reshape(node, facts);
      case CoreKind::kShapeOf:
        return ShapeOf(node, facts);
      case CoreKind::kNoOp:
        facts->mode = NodeMode::kVirtual;
        return OkStatus();
      case CoreKind::kVariable:
        facts->mode = NodeMode::kVirtual;
        return Variable(node);
      case CoreKind::kRead:
        Output(node, 0).shape = VariableShapeOf(node);
        return OkStatus();
      case CoreKind::kAssign:
      case CoreKind::kUpdate:
        return Write(node);
      case CoreKind::kIsInit:
        Output(node, 0).shape = berth::Shape();
        return OkStatus();
      case CoreKind::kHost:
        BERTH_RETURN_IF_ERROR(Infer(node));
        SetOutputs(node);
        return OkStatus();
      case CoreKind::kDestroy:
      case CoreKind::kPlaceholder:
      case CoreKind::kDataflow:
        return OkStatus();
    }
    return OkStatus();
  }

  Status Constant(const PlanNode& node, NodeFacts* facts) {
    const Tensor* value = node.node->attrs().GetTensor("value");
    if (value == nullptr) {
      return WithNode(InvalidArgument("a constant without a value"), *node.node, nullptr);
    }
    facts->mode = NodeMode::kFolded;
    Output(node, 0) = {value->shape(), value};
    return OkStatus();
  }

  Status Forward(const PlanNode& node, NodeFacts* facts) {
    facts->mode = NodeMode::kVirtual;
    const auto inputs = plan_.InputsOf(node);
    // A default is no constant: another run may feed something else in its place.
    const bool hide = node.core->name == "PlaceholderWithDefault";
    for (int i = 0; i < node.num_outputs; ++i) {
      Output(node, i) = facts_.values[inputs[static_cast<size_t>(i)]];
      if (hide) Output(node, i).known = nullptr;
    }
    if (hide) {
      const berth::Shape* asked = node.node->attrs().GetShape("shape");
      if (asked != nullptr && !asked->IsCompatibleWith(Output(node, 0).shape)) {
        return WithNode(
            InvalidArgument("the default has shape " + Output(node, 0).shape.ToString() +
                            ", which does not fit " + asked->ToString()),
            *node.node, nullptr);
      }
    }
    return OkStatus();
  }

  Status Reshape(const PlanNode& node, NodeFacts* facts) {
    BERTH_RETURN_IF_ERROR(Infer(node));
    SetOutputs(node);
    ValueFacts& output = Output(node, 0);
    if (!output.shape.IsFullyDefined() || !shapes_[0].IsFullyDefined()) return OkStatus();
    // A shape that was deduced may not be the one that comes.
    if (node.core->name == "Reshape" && values_[1] == nullptr) return OkStatus();
    if (node.core->name != "Bitcast" &&
        output.shape.num_elements() != shapes_[0].num_elements()) {
      return ReshapeError(*node.node, shapes_[0], output.shape);
    }
    facts->mode = NodeMode::kVirtual;
    if (values_[0] != nullptr) {
      const Tensor& in = *values_[0];
      output.known = Keep(Tensor(plan_.values[node.first_output].dtype, output.shape,
                                 in.buffer(), in.offset()));
      if (!facts->has_effects) facts->mode = NodeMode::kFolded;
    }
    return OkStatus();
  }

  Status ShapeOf(const PlanNode& node, NodeFacts* facts) {
    if (node.core->name == "VariableShape") shapes_[0] = VariableShapeOf(node);
    const bool all_defined = std::all_of(
        shapes_.begin(), shapes_.end(), [](const auto& s) { return s.IsFullyDefined(); });
    if (!all_defined) {
      for (int i = 0; i < node.num_outputs; ++i) {
        const berth::Shape& in = shapes_[static_cast<size_t>(i)];
        const bool scalar = node.core->name == "Size" || node.core->name == "Rank";
        Output(node, i).shape = scalar ? berth::Shape()
                                : in.has_rank()
                                    ? berth::Shape{in.rank()}
                                    : berth::Shape(berth::Shape::UnknownDims(1));
      }
      return OkStatus();
    }
    for (int i = 0; i < node.num_outputs; ++i) {
      const berth::Shape& in = shapes_[static_cast<size_t>(i)];
      const bool scalar = node.core->name == "Size" || node.core->name == "Rank";
      BERTH_ASSIGN_OR_RETURN(
          Tensor out,
          Tensor::Allocate(plan_.values[node.first_output + i].dtype,
                           scalar ? berth::Shape() : berth::Shape{in.rank()}));
      BERTH_RETURN_IF_ERROR(FillShapeOf(*node.node, in, &out));
      Output(node, i) = {out.shape(), Keep(out)};
    }
    facts->mode = facts->has_effects ? NodeMode::kVirtual : NodeMode::kFolded;
    return OkStatus();
  }

  Status Variable(const PlanNode& node) {
    const int32_t variable = plan_.values[node.first_output].variable;
    Output(node, 0).shape = plan_.variables[variable]->desc().is_resource
                                ? berth::Shape()
                                : facts_.variable_shapes[variable];
    return OkStatus();
  }

  berth::Shape VariableShapeOf(const PlanNode& node) const {
    const int32_t variable = plan_.values[plan_.InputsOf(node)[0]].variable;
    return variable < 0 ? berth::Shape::UnknownRank() : facts_.variable_shapes[variable];
  }

  Status Write(const PlanNode& node) {
    const int32_t variable = plan_.values[plan_.InputsOf(node)[0]].variable;
    const berth::Shape& value = shapes_[1];
    const berth::Shape& expected = facts_.variable_shapes[variable];
    const bool is_assign = node.core->kind == CoreKind::kAssign;
    const bool validates = !is_assign || ValidatesShape(*node.node);
    // What is planned for a shape must not see another one in the same run.
    if (is_assign && !(value == expected) && expected.has_rank() && !validates) {
      flexible_[variable] = true;
      restarts_ = true;
    }
    if (validates && !expected.IsCompatibleWith(value)) {
      return WithNode(
          InvalidArgument("Assign requires shapes of both tensors to match. lhs shape= " +
                          expected.ToString() + " rhs shape= " + value.ToString() +
                          ", variable '" + plan_.variables[variable]->name() + "'"),
          *node.node, nullptr);
    }
    if (node.num_outputs > 0) {
      Output(node, 0).shape = facts_.variable_shapes[variable].IsFullyDefined()
                                  ? facts_.variable_shapes[variable]
                                  : berth::Shape::UnknownRank();
    }
    return OkStatus();
  }

  // ---- Kernels.

  Status Kernel(const PlanNode& node, NodeFacts* facts) {
    BERTH_RETURN_IF_ERROR(Infer(node));
    if (all_known_ && TryEvaluate(node, facts)) return OkStatus();
    BERTH_ASSIGN_OR_RETURN(facts->kernel, KernelOf(node));
    facts->mode = NodeMode::kRuntime;
    if (IsStatic(node, *facts->kernel)) {
      BERTH_RETURN_IF_ERROR(PrepareStatic(node, facts));
      const bool complete =
          std::all_of(outputs_.begin(), outputs_.end(),
                      [](const auto& shape) { return shape.IsFullyDefined(); });
      if (complete) facts->mode = NodeMode::kStatic;
    }
    SetOutputs(node);
    return OkStatus();
  }

  Result<NodeKernel*> KernelOf(const PlanNode& node) {
    const KernelEntry* entry = node.entry;
    DeviceContext& device = plan_.DeviceOf(node);
    if (entry == nullptr) {
      const KernelMatch match =
          plan_.env.registry->Find(*node.node, device.device->type(), shapes_);
      if (!match.ok() || match.entry->runs_in_core()) {
        return WithNode(Unimplemented("no kernel: " + match.reason), *node.node, &device);
      }
      entry = match.entry;
    }
    return plan_.env.kernels->Get(*node.node, device, *entry);
  }

  // Everything that prepare and the memory plan need is known.
  bool IsStatic(const PlanNode& node, const NodeKernel& kernel) const {
    if (kernel.shape_at_run()) return false;
    const auto inputs = plan_.InputsOf(node);
    for (size_t i = 0; i < inputs.size(); ++i) {
      const PlanValue& value = plan_.values[inputs[i]];
      if (value.dtype == BERTH_STRING) return false;
      const berth::Shape& shape = value.dtype == BERTH_RESOURCE && value.variable >= 0
                                      ? facts_.variable_shapes[value.variable]
                                      : shapes_[i];
      if (!shape.IsFullyDefined()) return false;
      if (kernel.is_prepare_input(static_cast<int>(i)) && values_[i] == nullptr) {
        return false;
      }
    }
    for (int i = 0; i < node.num_outputs; ++i) {
      if (plan_.values[node.first_output + i].dtype == BERTH_STRING) return false;
    }
    return true;
  }

  Status PrepareStatic(const PlanNode& node, NodeFacts* facts) {
    const auto inputs = plan_.InputsOf(node);
    absl::InlinedVector<berth_tensor, 4> views(inputs.size());
    absl::InlinedVector<const berth_tensor*, 4> pointers(inputs.size());
    for (size_t i = 0; i < inputs.size(); ++i) {
      const PlanValue& value = plan_.values[inputs[i]];
      const bool is_handle = value.dtype == BERTH_RESOURCE && value.variable >= 0;
      const berth::Shape& shape =
          is_handle ? facts_.variable_shapes[value.variable] : shapes_[i];
      berth_tensor& view = views[i];
      view = {};
      view.dtype =
          is_handle ? plan_.variables[value.variable]->desc().dtype : value.dtype;
      view.rank = shape.rank();
      view.dims = shape.dims();
      view.byte_size =
          static_cast<uint64_t>(shape.num_elements()) * DTypeSize(view.dtype);
      if (facts->kernel->is_prepare_input(static_cast<int>(i))) {
        view.host_data = values_[i]->raw();
      }
      pointers[i] = &view;
    }
    return Prepare(*facts->kernel, {pointers.data(), pointers.size()},
                   plan_.env.pool->num_threads(), &outputs_, &facts->prepared);
  }

  // Computes the outputs now when that is allowed and cheap. A kernel that fails here
  // runs with the others and fails there.
  bool TryEvaluate(const PlanNode& node, NodeFacts* facts) {
    const OpSchema& schema = node.node->schema();
    if (schema.is_stateful || node.num_inputs == 0 || node.num_outputs == 0) return false;
    if (plan_.env.optimize ? facts->has_effects : false) return false;
    uint64_t bytes = 0;
    bool small_integers = true;
    for (int i = 0; i < node.num_outputs; ++i) {
      const DType dtype = plan_.values[node.first_output + i].dtype;
      const berth::Shape& shape = outputs_[static_cast<size_t>(i)];
      if (DTypeSize(dtype) == 0 || !shape.IsFullyDefined()) return false;
      if (IsRefType(node.node->output_type(i))) return false;
      const int64_t count = shape.num_elements();
      bytes += static_cast<uint64_t>(count) * DTypeSize(dtype);
      small_integers =
          small_integers && IsShapeType(dtype) && count <= kLargestShapeValue;
    }
    if (plan_.env.optimize ? bytes > kLargestFolded : !small_integers) return false;
    for (const Tensor* value : values_) {
      if (DTypeSize(value->dtype()) == 0) return false;
    }
    NodeKernel* kernel = HostKernelOf(node);
    if (kernel == nullptr || kernel->is_async()) return false;
    Result<std::vector<Tensor>> result =
        EvaluateOnHost(*kernel, values_, outputs_, plan_.env.pool);
    if (!result.ok()) return false;
    for (int i = 0; i < node.num_outputs; ++i) {
      Tensor& tensor = (*result)[static_cast<size_t>(i)];
      Output(node, i).shape = tensor.shape();
      Output(node, i).known = Keep(std::move(tensor));
    }
    if (!plan_.env.optimize) {
      // The value is known, but the node runs like any other.
      for (int i = 0; i < node.num_outputs; ++i) {
        outputs_[static_cast<size_t>(i)] = Output(node, i).shape;
      }
      return false;
    }
    facts->mode = NodeMode::kFolded;
    return true;
  }

  NodeKernel* HostKernelOf(const PlanNode& node) {
    DeviceContext* device = &plan_.DeviceOf(node);
    const KernelEntry* entry = node.entry;
    if (!device->on_host() || device->is_async || entry == nullptr) {
      if (!device->on_host() || device->is_async) device = plan_.env.devices->host();
      if (device == nullptr || device->is_async) return nullptr;
      const KernelMatch match =
          plan_.env.registry->Find(*node.node, device->device->type(), shapes_);
      if (!match.ok() || match.entry->runs_in_core()) return nullptr;
      entry = match.entry;
    }
    Result<NodeKernel*> kernel = plan_.env.kernels->Get(*node.node, *device, *entry);
    return kernel.ok() ? *kernel : nullptr;
  }

  const Plan& plan_;
  ShapeFacts& facts_;
  std::vector<HandleShape> handles_of_;  // by variable
  std::vector<bool>& flexible_;          // by variable: its shape may change
  // Of the node at hand.
  std::vector<berth::Shape> shapes_;
  std::vector<const Tensor*> values_;
  std::vector<const HandleShape*> handles_;
  std::vector<berth::Shape> outputs_;
  bool all_known_ = false;
  bool restarts_ = false;
};

}  // namespace

Status RunShapePass(const Plan& plan, std::span<const Shape> feed_shapes,
                    ShapeFacts* facts) {
  std::vector<bool> flexible(plan.variables.size(), false);
  for (;;) {
    ShapeFacts attempt;
    ShapePass pass(plan, &flexible, &attempt);
    const Status status = pass.Run(feed_shapes);
    if (pass.restarts()) continue;
    *facts = std::move(attempt);
    return status;
  }
}

bool ValidatesShape(const Node& node) {
  return node.op() == "Assign" && node.attrs().GetBool("validate_shape", true);
}

Status ReshapeError(const Node& node, const Shape& from, const Shape& to) {
  const std::string wanted =
      to.IsFullyDefined() ? std::to_string(to.num_elements()) : to.ToString();
  return WithNode(InvalidArgument("Input to reshape is a tensor with " +
                                  std::to_string(from.num_elements()) +
                                  " values, but the requested shape has " + wanted),
                  node, nullptr);
}

Status FillShapeOf(const Node& node, const Shape& shape, Tensor* out) {
  absl::InlinedVector<int64_t, 8> sizes;
  if (node.op() == "Rank") {
    sizes.push_back(shape.rank());
  } else if (node.op() == "Size") {
    sizes.push_back(shape.num_elements());
  } else {
    sizes.assign(shape.dims(), shape.dims() + shape.rank());
  }
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (out->dtype() == BERTH_INT64) {
      out->mutable_data<int64_t>()[i] = sizes[i];
      continue;
    }
    if (sizes[i] > std::numeric_limits<int32_t>::max()) {
      return WithNode(InvalidArgument("the size " + std::to_string(sizes[i]) +
                                      " does not fit int32; ask for out_type int64"),
                      node, nullptr);
    }
    out->mutable_data<int32_t>()[i] = static_cast<int32_t>(sizes[i]);
  }
  return OkStatus();
}

}  // namespace berth::executor
