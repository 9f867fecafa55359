#include "core/executor/emitter.h"

#include <algorithm>

#include "core/ops/op_schema.h"

namespace berth::executor {

Status Emitter::Run() {
  home_.assign(plan_.values.size(), -1);
  needs_.assign(plan_.values.size(), 0);
  variables_.resize(plan_.variables.size());
  enqueued_.assign(static_cast<size_t>(plan_.env.devices->size()), 0);
  waited_.assign(static_cast<size_t>(plan_.env.devices->size()), 0);
  out_.items.reserve(schedule_.size() + schedule_.size() / 8);
  out_.views.reserve(plan_.values.size());
  out_.storages.reserve(plan_.values.size());
  AddFeeds();
  FindNeeds();
  FindWriters();
  for (const int32_t node : schedule_) BERTH_RETURN_IF_ERROR(EmitNode(node));
  EmitFetches();
  for (size_t device = 0; device < enqueued_.size(); ++device) {
    if (enqueued_[device] > waited_[device]) Wait(static_cast<int32_t>(device));
  }
  return OkStatus();
}

void Emitter::AddFeeds() {
  for (int32_t i = 0; i < plan_.num_feeds; ++i) {
    Storage storage;
    storage.kind = Storage::kFeed;
    storage.index = i;
    storage.size = SizeOf(plan_.values[i].dtype, facts_.values[i].shape);
    home_[i] =
        AddView(AddStorage(storage), plan_.values[i].dtype, facts_.values[i].shape);
  }
}

Space Emitter::WantedSpace(const PlanNode& node, const NodeFacts& facts,
                           int32_t input) const {
  if (facts.kernel != nullptr) {
    return facts.kernel->is_host_input(input) ? kHostSpace : plan_.DeviceOf(node).space;
  }
  switch (node.core->kind) {
    case CoreKind::kAssign:
    case CoreKind::kUpdate:
      return input == 1 ? HomeOf(VariableOf(node)).space : -1;
    case CoreKind::kHost:
      return kHostSpace;
    case CoreKind::kReshape:
      return input == 0 ? -1 : kHostSpace;
    default:
      return -1;
  }
}

void Emitter::FindNeeds() {
  for (const int32_t fetch : plan_.fetches) needs_[fetch] |= 1;
  for (size_t k = schedule_.size(); k-- > 0;) {
    const PlanNode& node = plan_.nodes[schedule_[k]];
    const NodeFacts& facts = facts_.nodes[schedule_[k]];
    if (facts.group >= 0) {
      FindNeedsOf(facts_.groups[facts.group]);
      continue;
    }
    if (facts.mode == NodeMode::kFolded) continue;
    const auto inputs = plan_.InputsOf(node);
    if (facts.mode == NodeMode::kVirtual) {
      const bool is_forward =
          node.core != nullptr && node.core->kind == CoreKind::kForward;
      for (size_t i = 0; i < inputs.size() && (is_forward || i == 0); ++i) {
        needs_[inputs[i]] |= needs_[node.first_output + static_cast<int32_t>(i)];
      }
      continue;
    }
    for (size_t i = 0; i < inputs.size(); ++i) {
      Need(inputs[i], WantedSpace(node, facts, static_cast<int32_t>(i)));
    }
  }
}

void Emitter::FindNeedsOf(const CompiledGroup& group) {
  for (size_t i = 0; i < group.inputs.size(); ++i) {
    const NodeKernel& kernel = *group.kernel;
    Need(group.inputs[i],
         kernel.is_host_input(static_cast<int>(i)) ? kHostSpace : kernel.device().space);
  }
}

Status Emitter::EmitNode(int32_t index) {
  const PlanNode& node = plan_.nodes[index];
  const NodeFacts& facts = facts_.nodes[index];
  if (facts.group >= 0) {
    EmitGroup(index, facts_.groups[facts.group]);
    return OkStatus();
  }
  switch (facts.mode) {
    case NodeMode::kFolded:
      return OkStatus();
    case NodeMode::kVirtual:
      EmitVirtual(node);
      break;
    case NodeMode::kStatic:
    case NodeMode::kRuntime:
      EmitKernel(index, node, facts);
      break;
    case NodeMode::kCore:
      BERTH_RETURN_IF_ERROR(EmitCore(index, node));
      break;
  }
  for (int32_t i = 0; i < node.num_outputs; ++i) CopyEagerly(node.first_output + i);
  return OkStatus();
}

void Emitter::EmitVirtual(const PlanNode& node) {
  const auto inputs = plan_.InputsOf(node);
  if (node.core->kind == CoreKind::kVariable) {
    const int32_t variable = plan_.values[node.first_output].variable;
    if (!plan_.variables[variable]->desc().is_resource) {
      home_[node.first_output] = VariableView(variable);
    }
  } else if (node.core->kind == CoreKind::kForward) {
    for (size_t i = 0; i < inputs.size(); ++i) {
      const int32_t output = node.first_output + static_cast<int32_t>(i);
      const PlanValue& input = plan_.values[inputs[i]];
      if (input.dtype == BERTH_RESOURCE) continue;
      // A read through a reference: the value must be there now.
      if (input.variable >= 0 && plan_.values[output].variable < 0) {
        EnsureBound(input.variable);
      }
      if (facts_.values[output].known == nullptr) home_[output] = Home(inputs[i]);
    }
  } else if (node.core->kind == CoreKind::kReshape &&
             facts_.values[node.first_output].known == nullptr) {
    EmitStaticReshape(node);
  }
}

void Emitter::EmitStaticReshape(const PlanNode& node) {
  const int32_t input = plan_.InputsOf(node)[0];
  if (plan_.values[input].variable >= 0) EnsureBound(plan_.values[input].variable);
  const int32_t source = Home(input);
  const int32_t output = node.first_output;
  const int32_t view = AddView(out_.views[source].storage, plan_.values[output].dtype,
                               facts_.values[output].shape);
  home_[output] = view;
  if (StorageOf(source).kind == Storage::kRuntime) {
    AddItem(ItemKind::kRebind, -1, -1, {source}, {view});
  }
}

Status Emitter::EmitCore(int32_t index, const PlanNode& node) {
  switch (node.core->kind) {
    case CoreKind::kRead:
      return EmitRead(index, node);
    case CoreKind::kAssign:
    case CoreKind::kUpdate:
      return EmitWrite(index, node);
    case CoreKind::kIsInit: {
      const int32_t view = AddOutput(node.first_output, kHostSpace, false, {});
      AddItem(ItemKind::kIsInit, index, -1, {}, {view}).variable = VariableOf(node);
      return OkStatus();
    }
    case CoreKind::kDestroy: {
      const int32_t variable = VariableOf(node);
      BeginWrite(variable, kHostSite);
      AddItem(ItemKind::kDestroy, index, -1, {}, {}).variable = variable;
      return OkStatus();
    }
    case CoreKind::kReshape:
    case CoreKind::kShapeOf:
    case CoreKind::kHost:
      EmitGeneric(index, node);
      return OkStatus();
    default:
      return WithNode(Internal("the core has no step for this op"), *node.node, nullptr);
  }
}

void Emitter::EmitGeneric(int32_t index, const PlanNode& node) {
  const CoreKind kind = node.core->kind;
  const auto inputs = plan_.InputsOf(node);
  operands_.clear();
  for (size_t i = 0; kind == CoreKind::kHost && i < inputs.size(); ++i) {
    Prefetch(inputs[i], kHostSpace);
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    const bool anywhere =
        kind == CoreKind::kShapeOf || (kind == CoreKind::kReshape && i == 0);
    if (anywhere && plan_.values[inputs[i]].variable >= 0) {
      operands_.push_back(BoundView(inputs[i]));
      continue;
    }
    operands_.push_back(anywhere ? Home(inputs[i])
                                 : ViewIn(inputs[i], kHostSpace, kHostSite));
  }
  for (int32_t i = 0; i < node.num_outputs; ++i) {
    const int32_t value = node.first_output + i;
    if (kind == CoreKind::kReshape) {
      home_[value] = AddView(out_.views[operands_[0]].storage, plan_.values[value].dtype,
                             facts_.values[value].shape);
      operands_.push_back(home_[value]);
    } else {
      operands_.push_back(
          AddOutput(value, kHostSpace, kind == CoreKind::kHost, Origin{}));
    }
  }
  Item& item = AddItem(kind == CoreKind::kReshape   ? ItemKind::kReshape
                       : kind == CoreKind::kShapeOf ? ItemKind::kShapeOf
                                                    : ItemKind::kHostOp,
                       index, -1, {}, {});
  item.num_inputs = static_cast<uint32_t>(inputs.size());
  item.num_outputs = static_cast<uint32_t>(node.num_outputs);
  out_.operands.insert(out_.operands.end(), operands_.begin(), operands_.end());
}

void Emitter::EmitFetches() {
  for (const int32_t value : plan_.fetches) Prefetch(value, kHostSpace);
  for (size_t i = 0; i < plan_.fetches.size(); ++i) {
    const int32_t value = plan_.fetches[i];
    FetchSource source;
    source.view = ViewIn(value, kHostSpace, kHostSite);
    const View& view = out_.views[source.view];
    Storage& storage = out_.storages[view.storage];
    switch (storage.kind) {
      case Storage::kFeed:
        source.kind = FetchSource::kFeed;
        source.feed = storage.index;
        break;
      case Storage::kArena:
        // The producer writes the caller's tensor, whatever its shape there.
        storage.kind = Storage::kFetch;
        storage.index = static_cast<int32_t>(i);
        break;
      case Storage::kFetch:
      case Storage::kConst:
        source.kind = FetchSource::kCopy;
        break;
      case Storage::kRuntime: {
        const bool is_variable = variable_of_storage_.contains(view.storage);
        source.kind = is_variable ? FetchSource::kCopy : FetchSource::kTakeHeld;
        source.held = storage.index;
        break;
      }
    }
    out_.fetches.push_back(source);
  }
}

Status EmitProgram(const Plan& plan, const ShapeFacts& facts,
                   std::span<const int32_t> schedule, Program* program) {
  return Emitter(plan, facts, schedule, program).Run();
}

}  // namespace berth::executor
