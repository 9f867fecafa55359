#include "core/executor/emitter.h"

namespace berth::executor {

void Emitter::FindWriters() {
  for (const int32_t index : schedule_) {
    const PlanNode& node = plan_.nodes[index];
    if (node.core != nullptr && node.core->kind != CoreKind::kAssign &&
        node.core->kind != CoreKind::kUpdate) {
      continue;
    }
    const auto inputs = plan_.InputsOf(node);
    for (size_t i = 0; i < inputs.size(); ++i) {
      const DType type = node.node->input_type(static_cast<int>(i));
      const int32_t variable = plan_.values[inputs[i]].variable;
      if (variable >= 0 && (IsRefType(type) || type == BERTH_RESOURCE)) {
        variables_[variable].has_writer = true;
      }
    }
  }
}

void Emitter::NotePendingRead(int32_t view, const Origin& read) {
  if (read.site == kHostSite || StorageOf(view).space != kHostSpace) return;
  const auto it = variable_of_storage_.find(out_.views[view].storage);
  if (it == variable_of_storage_.end()) return;
  variables_[it->second].pending_reads.push_back(read);
}

int32_t Emitter::VariableView(int32_t variable) {
  VariableState& state = variables_[variable];
  if (state.view < 0) {
    const int32_t storage = AddRuntimeStorage(HomeOf(variable).space, false);
    variable_of_storage_.emplace(storage, variable);
    state.view = AddView(storage, plan_.variables[variable]->desc().dtype,
                         facts_.variable_shapes[variable]);
  }
  return state.view;
}

void Emitter::EnsureBound(int32_t variable) {
  VariableState& state = variables_[variable];
  if (state.is_bound || state.view < 0) return;
  state.is_bound = true;
  Item& item = AddItem(ItemKind::kBind, -1, HomeOf(variable).index, {}, {state.view});
  item.variable = variable;
  item.held = StorageOf(state.view).index;
}

int32_t Emitter::BoundView(int32_t value) {
  const int32_t variable = plan_.values[value].variable;
  const int32_t view = VariableView(variable);
  EnsureBound(variable);
  return view;
}

void Emitter::BeginWrite(int32_t variable, int32_t site) {
  VariableState& state = variables_[variable];
  for (const Origin& read : state.pending_reads) WaitFor(read, site);
  state.pending_reads.clear();
  state.read_view = -1;
  if (state.view < 0) return;
  const int64_t storage = out_.views[state.view].storage;
  for (Space space = 0; space < plan_.env.devices->num_spaces(); ++space) {
    copies_.erase((storage << 8) + space);
  }
}

Status Emitter::EmitRead(int32_t index, const PlanNode& node) {
  const int32_t variable = VariableOf(node);
  VariableState& state = variables_[variable];
  if (state.read_view < 0) {
    const int32_t storage = AddRuntimeStorage(HomeOf(variable).space, state.has_writer);
    state.read_view = AddView(storage, plan_.variables[variable]->desc().dtype,
                              facts_.values[node.first_output].shape);
    Item& item =
        AddItem(ItemKind::kRead, index, HomeOf(variable).index, {}, {state.read_view});
    item.variable = variable;
    item.held = out_.storages[storage].index;
  }
  home_[node.first_output] = state.read_view;
  return OkStatus();
}

Status Emitter::EmitWrite(int32_t index, const PlanNode& node) {
  const int32_t variable = VariableOf(node);
  DeviceContext& home = HomeOf(variable);
  const int32_t site = SiteOf(home);
  const int32_t value = ViewIn(plan_.InputsOf(node)[1], home.space, site);
  BeginWrite(variable, site);
  const int32_t view = VariableView(variable);
  const ItemKind kind =
      node.core->kind == CoreKind::kAssign ? ItemKind::kAssign : ItemKind::kUpdate;
  if (!home.on_host()) Enqueue(home);
  Item& item = AddItem(kind, index, home.index, {value}, {view});
  item.variable = variable;
  item.held = StorageOf(view).index;
  variables_[variable].is_bound = true;
  if (node.num_outputs > 0) home_[node.first_output] = view;
  return OkStatus();
}

bool Emitter::NoteWrites(const PlanNode& node, int32_t site) {
  bool locks = node.node->attrs().GetBool("use_locking", false);
  bool writes = false;
  const auto inputs = plan_.InputsOf(node);
  for (size_t i = 0; i < inputs.size(); ++i) {
    const DType type = node.node->input_type(static_cast<int>(i));
    if (!IsRefType(type) && type != BERTH_RESOURCE) continue;
    const int32_t variable = plan_.values[inputs[i]].variable;
    if (variable < 0) continue;
    writes = true;
    locks = locks || type == BERTH_RESOURCE;
    const Variable& v = *plan_.variables[variable];
    VariableView(variable);
    if (!v.desc().is_resource) EnsureBound(variable);
    BeginWrite(variable, site);
  }
  return writes && locks;
}

}  // namespace berth::executor
