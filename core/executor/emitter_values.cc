#include <algorithm>

#include "core/executor/emitter.h"

namespace berth::executor {

int32_t Emitter::AddStorage(const Storage& storage, const Origin& origin) {
  out_.storages.push_back(storage);
  origins_.push_back(origin);
  return static_cast<int32_t>(out_.storages.size()) - 1;
}

int32_t Emitter::AddView(int32_t storage, DType dtype, const Shape& shape) {
  View view;
  view.storage = storage;
  view.dtype = dtype;
  if (shape.IsFullyDefined()) {
    view.rank = shape.rank();
    view.dims_at = static_cast<int64_t>(out_.dims.size());
    out_.dims.insert(out_.dims.end(), shape.dims(), shape.dims() + shape.rank());
    view.byte_size = SizeOf(dtype, shape);
  } else {
    view.rank = std::max(shape.rank(), 0);
    view.runtime_dims = true;
    view.dims_at = out_.num_runtime_dims++;
  }
  out_.views.push_back(view);
  return static_cast<int32_t>(out_.views.size()) - 1;
}

int32_t Emitter::AddViewLike(int32_t storage, const View& like) {
  View view = like;
  view.storage = storage;
  if (view.runtime_dims) view.dims_at = out_.num_runtime_dims++;
  out_.views.push_back(view);
  return static_cast<int32_t>(out_.views.size()) - 1;
}

int32_t Emitter::AddRuntimeStorage(Space space, bool releasable, const Origin& origin) {
  Storage storage;
  storage.kind = Storage::kRuntime;
  storage.space = space;
  storage.index = out_.num_held++;
  storage.releasable = releasable;
  return AddStorage(storage, origin);
}

int32_t Emitter::AddOutput(int32_t value, Space space, bool at_run,
                           const Origin& origin) {
  const DType dtype = plan_.values[value].dtype;
  const Shape& shape = facts_.values[value].shape;
  int32_t storage = -1;
  if (at_run || dtype == BERTH_STRING || !shape.IsFullyDefined()) {
    storage = AddRuntimeStorage(space, true, origin);
  } else {
    Storage arena;
    arena.space = space;
    arena.size = SizeOf(dtype, shape);
    storage = AddStorage(arena, origin);
  }
  home_[value] = AddView(storage, dtype, shape);
  return home_[value];
}

Item& Emitter::AddItem(ItemKind kind, int32_t node, int32_t device,
                       std::initializer_list<int32_t> inputs,
                       std::initializer_list<int32_t> outputs) {
  Item item;
  item.kind = kind;
  item.node = node;
  item.device = device;
  item.first_operand = static_cast<uint32_t>(out_.operands.size());
  item.num_inputs = static_cast<uint32_t>(inputs.size());
  item.num_outputs = static_cast<uint32_t>(outputs.size());
  out_.operands.insert(out_.operands.end(), inputs);
  out_.operands.insert(out_.operands.end(), outputs);
  out_.items.push_back(item);
  return out_.items.back();
}

void Emitter::Wait(int32_t device) {
  AddItem(ItemKind::kWait, -1, device, {}, {});
  waited_[device] = enqueued_[device];
  ++out_.num_waits;
}

void Emitter::WaitFor(const Origin& origin, int32_t site) {
  if (origin.site == kHostSite || origin.site == site) return;
  if (origin.position > waited_[origin.site]) Wait(origin.site);
}

Origin Emitter::Enqueue(const DeviceContext& device) {
  if (!device.is_async) return {};
  return {device.index, ++enqueued_[device.index]};
}

int32_t Emitter::ConstantView(int32_t value, Space space) {
  const Tensor* tensor = facts_.values[value].known;
  auto [it, is_new] = constants_.try_emplace(tensor, -1);
  if (is_new) {
    it->second = static_cast<int32_t>(out_.constants.size());
    out_.constants.push_back(tensor);
  }
  const int32_t constant = it->second;
  const int64_t key = (static_cast<int64_t>(constant) << 8) + space;
  auto [view, is_first] = constant_views_.try_emplace(key, -1);
  if (is_first) {
    Storage storage;
    storage.kind = Storage::kConst;
    storage.space = space;
    storage.size = tensor->byte_size();
    storage.index = constant;
    if (space != kHostSpace) {
      storage.index = static_cast<int32_t>(out_.device_constants.size());
      out_.device_constants.push_back({constant, space});
    }
    view->second = AddView(AddStorage(storage), plan_.values[value].dtype,
                           facts_.values[value].shape);
  }
  return view->second;
}

int32_t Emitter::Home(int32_t value) {
  if (home_[value] < 0) home_[value] = ConstantView(value, kHostSpace);
  return home_[value];
}

int32_t Emitter::ViewIn(int32_t value, Space space, int32_t site) {
  const int32_t variable = plan_.values[value].variable;
  if (variable >= 0) EnsureBound(variable);
  if (home_[value] < 0) return ConstantView(value, space);
  const int32_t home = home_[value];
  int32_t view = home;
  if (StorageOf(home).space != space) view = CopyOf(home, space);
  WaitFor(origins_[out_.views[view].storage], site);
  // The kernel that reads it is put on the stream next.
  if (site != kHostSite) NotePendingRead(view, {site, enqueued_[site] + 1});
  return view;
}

int32_t Emitter::CopyOf(int32_t home, Space space) {
  const int32_t source = out_.views[home].storage;
  if (out_.storages[source].space != kHostSpace && space != kHostSpace) {
    return CopyOf(CopyOf(home, kHostSpace), space);
  }
  const auto key = (static_cast<int64_t>(source) << 8) + space;
  const auto [it, is_new] = copies_.try_emplace(key, -1);
  if (is_new) it->second = EmitCopy(home, space);
  const int32_t copy = it->second;
  if (out_.views[copy].dims_at == out_.views[home].dims_at &&
      out_.views[copy].runtime_dims == out_.views[home].runtime_dims) {
    return copy;
  }
  // Another shape of the same data.
  const auto view_key = (static_cast<int64_t>(home) << 8) + space;
  const auto [view, is_first] = reshaped_copies_.try_emplace(view_key, -1);
  if (is_first) {
    const int32_t storage = out_.views[copy].storage;
    if (out_.views[home].runtime_dims) {
      view->second = AddViewLike(storage, out_.views[home]);
      AddItem(ItemKind::kReshape, -1, -1, {copy, home}, {view->second});
    } else {
      view->second = AddViewLike(storage, out_.views[home]);
      if (out_.storages[storage].kind == Storage::kRuntime) {
        AddItem(ItemKind::kRebind, -1, -1, {copy}, {view->second});
      }
    }
  }
  return view->second;
}

int32_t Emitter::EmitCopy(int32_t home, Space space) {
  const Space from = StorageOf(home).space;
  DeviceContext& device = *plan_.env.devices->OfSpace(space == kHostSpace ? from : space);
  WaitFor(origins_[out_.views[home].storage], SiteOf(device));
  const bool at_run =
      StorageOf(home).kind == Storage::kRuntime && out_.views[home].runtime_dims;
  const Origin origin = Enqueue(device);
  int32_t storage = -1;
  if (at_run) {
    storage = AddRuntimeStorage(space, true, origin);
  } else {
    Storage arena;
    arena.space = space;
    arena.size = out_.views[home].byte_size;
    storage = AddStorage(arena, origin);
  }
  int32_t copy = -1;
  if (at_run) {
    copy = AddViewLike(storage, out_.views[home]);
  } else {
    // Shares the sizes of the source: the mark of an exact copy.
    View view = out_.views[home];
    view.storage = storage;
    out_.views.push_back(view);
    copy = static_cast<int32_t>(out_.views.size()) - 1;
  }
  AddItem(at_run ? ItemKind::kRuntimeCopy : ItemKind::kCopy, -1, device.index, {home},
          {copy});
  ++out_.num_copies;
  NotePendingRead(home, origin);
  return copy;
}

void Emitter::Prefetch(int32_t value, Space space) {
  const int32_t variable = plan_.values[value].variable;
  if (plan_.values[value].dtype == BERTH_RESOURCE || home_[value] < 0) return;
  if (variable >= 0) EnsureBound(variable);
  if (StorageOf(home_[value]).space != space) CopyOf(home_[value], space);
}

void Emitter::CopyEagerly(int32_t value) {
  if (home_[value] < 0 || plan_.values[value].variable >= 0) return;
  const Space home = StorageOf(home_[value]).space;
  const Space end = std::min(plan_.env.devices->num_spaces(), kMaxEagerSpaces);
  for (Space space = 0; space < end; ++space) {
    if (space != home && (needs_[value] >> space & 1) != 0) CopyOf(home_[value], space);
  }
}

}  // namespace berth::executor
