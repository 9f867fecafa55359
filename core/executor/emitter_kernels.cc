#include "core/executor/emitter.h"

namespace berth::executor {

void Emitter::EmitKernel(int32_t index, const PlanNode& node, const NodeFacts& facts) {
  const NodeKernel& kernel = *facts.kernel;
  DeviceContext& device = kernel.device();
  const int32_t site = SiteOf(device);
  const auto inputs = plan_.InputsOf(node);
  operands_.clear();
  for (size_t i = 0; i < inputs.size(); ++i) {
    const DType type = node.node->input_type(static_cast<int>(i));
    const bool is_variable = IsRefType(type) || type == BERTH_RESOURCE;
    operands_.push_back(is_variable ? -1 : InputOf(kernel, inputs[i], i));
  }
  const bool locks = NoteWrites(node, site);
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (operands_[i] < 0) {
      operands_[i] = variables_[plan_.values[inputs[i]].variable].view;
    }
  }
  const Origin origin = Enqueue(device);
  const bool at_run = facts.mode == NodeMode::kRuntime;
  for (int32_t i = 0; i < node.num_outputs; ++i) {
    const int32_t value = node.first_output + i;
    const int32_t variable = plan_.values[value].variable;
    if (variable >= 0) {
      home_[value] = variables_[variable].view;
      operands_.push_back(home_[value]);
      continue;
    }
    const Space space = kernel.is_host_output(i) ? kHostSpace : device.space;
    operands_.push_back(AddOutput(value, space, at_run, origin));
  }
  const ItemKind kind = locks               ? ItemKind::kLockedKernel
                        : at_run            ? ItemKind::kRuntimeKernel
                        : kernel.is_async() ? ItemKind::kAsyncKernel
                                            : ItemKind::kKernel;
  const PreparedKernel unprepared;  // what is known now does not count at run time
  Item& item =
      AddCall(kind, index, kernel, at_run ? unprepared : facts.prepared, inputs.size());
  item.at_run = at_run;
}

int32_t Emitter::InputOf(const NodeKernel& kernel, int32_t value, size_t i) {
  const DeviceContext& device = kernel.device();
  const bool is_host = kernel.is_host_input(static_cast<int>(i));
  return ViewIn(value, is_host ? kHostSpace : device.space, SiteOf(device));
}

void Emitter::EmitGroup(int32_t index, const CompiledGroup& group) {
  const NodeKernel& kernel = *group.kernel;
  DeviceContext& device = kernel.device();
  operands_.clear();
  for (size_t i = 0; i < group.inputs.size(); ++i) {
    operands_.push_back(InputOf(kernel, group.inputs[i], i));
  }
  const Origin origin = Enqueue(device);
  for (size_t i = 0; i < group.outputs.size(); ++i) {
    const bool is_host = kernel.is_host_output(static_cast<int>(i));
    operands_.push_back(
        AddOutput(group.outputs[i], is_host ? kHostSpace : device.space, false, origin));
  }
  AddCall(kernel.is_async() ? ItemKind::kAsyncKernel : ItemKind::kKernel, index, kernel,
          group.prepared, group.inputs.size());
  for (const int32_t value : group.outputs) CopyEagerly(value);
}

Item& Emitter::AddCall(ItemKind kind, int32_t index, const NodeKernel& kernel,
                       const PreparedKernel& prepared, size_t num_inputs) {
  Item item;
  item.kind = kind;
  item.node = index;
  item.device = kernel.device().index;
  item.kernel = &kernel;
  item.prepared = prepared.get();
  item.inplace_refused = prepared.inplace_refused;
  item.num_inputs = static_cast<uint32_t>(num_inputs);
  item.num_outputs = static_cast<uint32_t>(operands_.size() - num_inputs);
  item.first_operand = static_cast<uint32_t>(out_.operands.size());
  out_.operands.insert(out_.operands.end(), operands_.begin(), operands_.end());
  if (prepared.scratch_size > 0) {
    Storage scratch;
    scratch.space = kernel.device().space;
    scratch.size = prepared.scratch_size;
    item.scratch = AddView(AddStorage(scratch), BERTH_UINT8,
                           Shape{static_cast<int64_t>(scratch.size)});
  }
  out_.items.push_back(item);
  return out_.items.back();
}

}  // namespace berth::executor
