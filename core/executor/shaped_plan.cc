#include "core/executor/shaped_plan.h"

#include <algorithm>

#include "core/executor/groups.h"
#include "core/executor/schedule.h"
#include "core/executor/steps.h"

namespace berth::executor {
namespace {

// Memory that steps took at run time goes back after its last reader, not at the end.
void InsertReleases(Program* program) {
  std::vector<int32_t> last_use(program->storages.size(), -1);
  const auto is_releasable = [program](int32_t storage) {
    const Storage& s = program->storages[storage];
    return s.kind == Storage::kRuntime && s.releasable;
  };
  bool any = false;
  const auto count = static_cast<int32_t>(program->items.size());
  for (int32_t i = 0; i < count; ++i) {
    const Item& item = program->items[i];
    const uint32_t num_operands = item.num_inputs + item.num_outputs;
    for (uint32_t k = 0; k < num_operands; ++k) {
      const int32_t storage =
          program->views[program->operands[item.first_operand + k]].storage;
      if (!is_releasable(storage)) continue;
      last_use[storage] = i;
      any = true;
    }
  }
  if (!any) return;
  for (const FetchSource& fetch : program->fetches) {
    last_use[program->views[fetch.view].storage] = -1;
  }
  std::vector<std::vector<int32_t>> released(program->items.size());
  for (size_t storage = 0; storage < last_use.size(); ++storage) {
    if (last_use[storage] >= 0) {
      released[last_use[storage]].push_back(program->storages[storage].index);
    }
  }
  std::vector<Item> items;
  items.reserve(program->items.size() * 5 / 4);
  for (int32_t i = 0; i < count; ++i) {
    items.push_back(program->items[i]);
    for (const int32_t held : released[i]) {
      Item& item = items.emplace_back();
      item.kind = ItemKind::kRelease;
      item.held = held;
    }
  }
  program->items = std::move(items);
}

Status CopyConstants(ShapedPlan* shaped) {
  DeviceSet& devices = *shaped->plan->env.devices;
  for (const Program::DeviceConstant& constant : shaped->program.device_constants) {
    const Tensor& tensor = *shaped->program.constants[constant.constant];
    BERTH_ASSIGN_OR_RETURN(BufferRef buffer,
                           CopyToDevice(devices, constant.space, tensor));
    shaped->device_constants.push_back(std::move(buffer));
  }
  return OkStatus();
}

std::vector<ArenaLimits> LimitsOf(DeviceSet& devices) {
  std::vector<ArenaLimits> limits(1);
  for (Space space = 1; space < devices.num_spaces(); ++space) {
    const DeviceDesc& desc = devices.OfSpace(space)->device->desc();
    limits.push_back(
        {std::max<uint64_t>(desc.base_alignment, 1), desc.largest_allocation});
  }
  return limits;
}

// Opens every device that has a part in the program and notes which need a stream.
Status OpenDevices(ShapedPlan* shaped) {
  DeviceSet& devices = *shaped->plan->env.devices;
  std::vector<bool> used(static_cast<size_t>(devices.size()), false);
  for (const Item& item : shaped->program.items) {
    if (item.device >= 0) used[item.device] = true;
    shaped->has_async =
        shaped->has_async || (item.kernel != nullptr && item.kernel->is_async());
  }
  for (const Storage& storage : shaped->program.storages) {
    if (storage.space != kHostSpace) used[devices.OfSpace(storage.space)->index] = true;
  }
  for (int32_t i = 0; i < devices.size(); ++i) {
    if (!used[i]) continue;
    DeviceContext& device = devices.at(i);
    BERTH_RETURN_IF_ERROR(devices.Open(device));
    if (device.is_async || !device.on_host()) shaped->stream_devices.push_back(i);
    shaped->has_async = shaped->has_async || device.is_async;
  }
  return OkStatus();
}

void MakeSteps(ShapedPlan* shaped) {
  shaped->steps.reserve(shaped->program.items.size());
  for (const Item& item : shaped->program.items) {
    Step step;
    if (item.kind == ItemKind::kKernel) {
      step.compute = item.kernel->def().compute;
      step.kernel = item.kernel->kernel();
      step.prepared = item.prepared;
    } else {
      step.compute = StepOf(item.kind);
      step.kernel = reinterpret_cast<const berth_kernel*>(&item);
    }
    shaped->num_kernels += item.kernel != nullptr ? 1 : 0;
    shaped->steps.push_back(step);
  }
}

void FindPatches(ShapedPlan* shaped) {
  const Program& program = shaped->program;
  for (size_t i = 0; i < program.views.size(); ++i) {
    const Storage& storage = program.storages[program.Root(program.views[i].storage)];
    const auto view = static_cast<int32_t>(i);
    if (storage.kind == Storage::kFeed) {
      shaped->feed_views.emplace_back(storage.index, view);
    } else if (storage.kind == Storage::kFetch) {
      shaped->fetch_views.emplace_back(storage.index, view);
    }
  }
  for (const int32_t fetch : shaped->plan->fetches) {
    shaped->fetch_shapes.push_back(shaped->facts.values[fetch].shape);
  }
}

}  // namespace

bool ShapedPlan::FitsVariables() const {
  for (size_t i = 0; i < plan->variables.size(); ++i) {
    const Shape& planned = facts.variable_shapes[i];
    if (!planned.IsFullyDefined()) continue;
    const Tensor value = plan->variables[i]->value();
    if (value.is_valid() && !(value.shape() == planned)) return false;
  }
  return true;
}

std::string ShapedPlan::NameOfView(int32_t view) const {
  const int32_t storage = program.Root(program.views[view].storage);
  const Storage& s = program.storages[storage];
  if (s.kind == Storage::kFeed) return plan->feed_names[s.index];
  for (const Item& item : program.items) {
    const auto outputs = program.OutputsOf(item);
    for (size_t i = 0; i < outputs.size(); ++i) {
      if (program.Root(program.views[outputs[i]].storage) != storage) continue;
      if (item.variable >= 0) return plan->variables[item.variable]->name();
      if (item.kernel != nullptr && item.kernel->is_group()) {
        const int32_t group = facts.nodes[item.node].group;
        const PlanValue& value = plan->values[facts.groups[group].outputs[i]];
        return plan->nodes[value.node].node->name() + ":" + std::to_string(value.output);
      }
      if (item.node >= 0) {
        return plan->nodes[item.node].node->name() + ":" + std::to_string(i);
      }
    }
  }
  return "constant";
}

Result<std::shared_ptr<const ShapedPlan>> MakeShapedPlan(
    std::shared_ptr<const Plan> plan, std::span<const Shape> feed_shapes) {
  auto shaped = std::make_shared<ShapedPlan>();
  shaped->plan = std::move(plan);
  shaped->feed_shapes.assign(feed_shapes.begin(), feed_shapes.end());
  BERTH_RETURN_IF_ERROR(RunShapePass(*shaped->plan, feed_shapes, &shaped->facts));
  BERTH_RETURN_IF_ERROR(FormGroups(*shaped->plan, &shaped->facts));
  const std::vector<int32_t> schedule = MakeSchedule(*shaped->plan, shaped->facts);
  BERTH_RETURN_IF_ERROR(
      EmitProgram(*shaped->plan, shaped->facts, schedule, &shaped->program));
  InsertReleases(&shaped->program);
  BERTH_RETURN_IF_ERROR(PlanMemory(*shaped->plan, LimitsOf(*shaped->plan->env.devices),
                                   &shaped->program, &shaped->block_sizes));
  BERTH_RETURN_IF_ERROR(OpenDevices(shaped.get()));
  BERTH_RETURN_IF_ERROR(CopyConstants(shaped.get()));
  MakeSteps(shaped.get());
  FindPatches(shaped.get());
  return std::shared_ptr<const ShapedPlan>(std::move(shaped));
}

}  // namespace berth::executor
