#include <algorithm>
#include <unordered_map>

#include "core/executor/program.h"
#include "core/ops/op_schema.h"

namespace berth::executor {
namespace {

constexpr int32_t kHostSite = -1;

// Where and when a storage's contents come to be.
struct Origin {
  int32_t site = kHostSite;  // an asynchronous device
  int64_t position = 0;      // in its stream
};

class Emitter {
 public:
  Emitter(const Plan& plan, const ShapeFacts& facts, std::span<const int32_t> schedule,
          Program* program)
      : plan_(plan), facts_(facts), schedule_(schedule), out_(*program) {}

  Status Run() {
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

 private:
  // Bits of needs_. What lies beyond is copied when it is first read.
  static constexpr Space kMaxEagerSpaces = 64;

  struct VariableState {
    int32_t view = -1;  // its own buffer, written in place
    bool is_bound = false;
    int32_t read_view = -1;  // what ReadVariableOp gave since the last write
    bool has_writer = false;
    // Device work that reads the buffer where it lies in host memory.
    std::vector<Origin> pending_reads;
  };

  // ---- Views and storages.

  int32_t AddStorage(const Storage& storage, const Origin& origin = {}) {
    out_.storages.push_back(storage);
    origins_.push_back(origin);
    return static_cast<int32_t>(out_.storages.size()) - 1;
  }

  int32_t AddView(int32_t storage, DType dtype, const Shape& shape) {
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

  // A view of `storage` with the sizes of another view.
  int32_t AddViewLike(int32_t storage, const View& like) {
    View view = like;
    view.storage = storage;
    if (view.runtime_dims) view.dims_at = out_.num_runtime_dims++;
    out_.views.push_back(view);
    return static_cast<int32_t>(out_.views.size()) - 1;
  }

  static uint64_t SizeOf(DType dtype, const Shape& shape) {
    const size_t element = dtype == BERTH_STRING ? sizeof(std::string) : DTypeSize(dtype);
    return static_cast<uint64_t>(shape.num_elements()) * element;
  }

  int32_t AddRuntimeStorage(Space space, bool releasable, const Origin& origin = {}) {
    Storage storage;
    storage.kind = Storage::kRuntime;
    storage.space = space;
    storage.index = out_.num_held++;
    storage.releasable = releasable;
    return AddStorage(storage, origin);
  }

  // Memory for an output: in the arena when its size is known, else taken at run time.
  int32_t AddOutput(int32_t value, Space space, bool at_run, const Origin& origin) {
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

  const Storage& StorageOf(int32_t view) const {
    return out_.storages[out_.views[view].storage];
  }

  // ---- Items.

  Item& AddItem(ItemKind kind, int32_t node, int32_t device,
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

  void Wait(int32_t device) {
    AddItem(ItemKind::kWait, -1, device, {}, {});
    waited_[device] = enqueued_[device];
    ++out_.num_waits;
  }

  // Makes what `origin` says visible to work at `site`.
  void WaitFor(const Origin& origin, int32_t site) {
    if (origin.site == kHostSite || origin.site == site) return;
    if (origin.position > waited_[origin.site]) Wait(origin.site);
  }

  int32_t SiteOf(const DeviceContext& device) const {
    return device.is_async ? device.index : kHostSite;
  }

  // The origin of what is put on the device now.
  Origin Enqueue(const DeviceContext& device) {
    if (!device.is_async) return {};
    return {device.index, ++enqueued_[device.index]};
  }

  // ---- Feeds, constants, needs.

  void AddFeeds() {
    for (int32_t i = 0; i < plan_.num_feeds; ++i) {
      Storage storage;
      storage.kind = Storage::kFeed;
      storage.index = i;
      storage.size = SizeOf(plan_.values[i].dtype, facts_.values[i].shape);
      home_[i] =
          AddView(AddStorage(storage), plan_.values[i].dtype, facts_.values[i].shape);
    }
  }

  // The space in which a node wants its input, or -1 when it does not look at it.
  Space WantedSpace(const PlanNode& node, const NodeFacts& facts, int32_t input) const {
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

  // By value: the spaces in which somebody reads it, as bits.
  void FindNeeds() {
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

  void FindNeedsOf(const CompiledGroup& group) {
    for (size_t i = 0; i < group.inputs.size(); ++i) {
      const NodeKernel& kernel = *group.kernel;
      Need(group.inputs[i], kernel.is_host_input(static_cast<int>(i))
                                ? kHostSpace
                                : kernel.device().space);
    }
  }

  void Need(int32_t value, Space space) {
    if (space >= 0 && space < kMaxEagerSpaces) needs_[value] |= uint64_t{1} << space;
  }

  void FindWriters() {
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

  int32_t ConstantView(int32_t value, Space space) {
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

  // The view of a value where it was made; constants lie in host memory.
  int32_t Home(int32_t value) {
    if (home_[value] < 0) home_[value] = ConstantView(value, kHostSpace);
    return home_[value];
  }

  // The view of a value in `space`, for work at `site`. Copies it there the first time.
  int32_t ViewIn(int32_t value, Space space, int32_t site) {
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

  // The copy in `space` of what `home` sees. One per storage and space.
  int32_t CopyOf(int32_t home, Space space) {
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

  int32_t EmitCopy(int32_t home, Space space) {
    const Space from = StorageOf(home).space;
    DeviceContext& device =
        *plan_.env.devices->OfSpace(space == kHostSpace ? from : space);
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

  // Device work that reads host memory of a variable holds up its next writer.
  void NotePendingRead(int32_t view, const Origin& read) {
    if (read.site == kHostSite || StorageOf(view).space != kHostSpace) return;
    const auto it = variable_of_storage_.find(out_.views[view].storage);
    if (it == variable_of_storage_.end()) return;
    variables_[it->second].pending_reads.push_back(read);
  }

  // Starts the copies that an input will need, so that one wait does for all of them.
  void Prefetch(int32_t value, Space space) {
    const int32_t variable = plan_.values[value].variable;
    if (plan_.values[value].dtype == BERTH_RESOURCE || home_[value] < 0) return;
    if (variable >= 0) EnsureBound(variable);
    if (StorageOf(home_[value]).space != space) CopyOf(home_[value], space);
  }

  // Copies a value to where it will be read, as soon as it is there.
  void CopyEagerly(int32_t value) {
    if (home_[value] < 0 || plan_.values[value].variable >= 0) return;
    const Space home = StorageOf(home_[value]).space;
    const Space end = std::min(plan_.env.devices->num_spaces(), kMaxEagerSpaces);
    for (Space space = 0; space < end; ++space) {
      if (space != home && (needs_[value] >> space & 1) != 0) CopyOf(home_[value], space);
    }
  }

  // ---- Variables.

  DeviceContext& HomeOf(int32_t variable) const {
    return *plan_.variables[variable]->home();
  }
  int32_t VariableOf(const PlanNode& node) const {
    return plan_.values[plan_.InputsOf(node)[0]].variable;
  }

  // The view of a variable's own buffer.
  int32_t VariableView(int32_t variable) {
    VariableState& state = variables_[variable];
    if (state.view < 0) {
      const int32_t storage = AddRuntimeStorage(HomeOf(variable).space, false);
      variable_of_storage_.emplace(storage, variable);
      state.view = AddView(storage, plan_.variables[variable]->desc().dtype,
                           facts_.variable_shapes[variable]);
    }
    return state.view;
  }

  void EnsureBound(int32_t variable) {
    VariableState& state = variables_[variable];
    if (state.is_bound || state.view < 0) return;
    state.is_bound = true;
    Item& item = AddItem(ItemKind::kBind, -1, HomeOf(variable).index, {}, {state.view});
    item.variable = variable;
    item.held = StorageOf(state.view).index;
  }

  // The view of the variable behind a reference or a handle, with its value in it.
  int32_t BoundView(int32_t value) {
    const int32_t variable = plan_.values[value].variable;
    const int32_t view = VariableView(variable);
    EnsureBound(variable);
    return view;
  }

  // What must be through before the variable is written, and what no longer holds.
  void BeginWrite(int32_t variable, int32_t site) {
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

  Status EmitRead(int32_t index, const PlanNode& node) {
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

  Status EmitWrite(int32_t index, const PlanNode& node) {
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

  // ---- Nodes.

  Status EmitNode(int32_t index) {
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

  void EmitVirtual(const PlanNode& node) {
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

  void EmitStaticReshape(const PlanNode& node) {
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

  // The variables that a kernel may write, taken note of; true when it wants their locks.
  bool NoteWrites(const PlanNode& node, int32_t site) {
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

  void EmitKernel(int32_t index, const PlanNode& node, const NodeFacts& facts) {
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

  // The view of a kernel's input where the kernel wants it.
  int32_t InputOf(const NodeKernel& kernel, int32_t value, size_t i) {
    const DeviceContext& device = kernel.device();
    const bool is_host = kernel.is_host_input(static_cast<int>(i));
    return ViewIn(value, is_host ? kHostSpace : device.space, SiteOf(device));
  }

  void EmitGroup(int32_t index, const CompiledGroup& group) {
    const NodeKernel& kernel = *group.kernel;
    DeviceContext& device = kernel.device();
    operands_.clear();
    for (size_t i = 0; i < group.inputs.size(); ++i) {
      operands_.push_back(InputOf(kernel, group.inputs[i], i));
    }
    const Origin origin = Enqueue(device);
    for (size_t i = 0; i < group.outputs.size(); ++i) {
      const bool is_host = kernel.is_host_output(static_cast<int>(i));
      operands_.push_back(AddOutput(group.outputs[i], is_host ? kHostSpace : device.space,
                                    false, origin));
    }
    AddCall(kernel.is_async() ? ItemKind::kAsyncKernel : ItemKind::kKernel, index, kernel,
            group.prepared, group.inputs.size());
    for (const int32_t value : group.outputs) CopyEagerly(value);
  }

  // The call of a kernel on operands_, of which the first are its inputs.
  Item& AddCall(ItemKind kind, int32_t index, const NodeKernel& kernel,
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

  Status EmitCore(int32_t index, const PlanNode& node) {
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
        return WithNode(Internal("the core has no step for this op"), *node.node,
                        nullptr);
    }
  }

  // Steps that read their inputs' views and make their outputs as nodes say.
  void EmitGeneric(int32_t index, const PlanNode& node) {
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
        home_[value] = AddView(out_.views[operands_[0]].storage,
                               plan_.values[value].dtype, facts_.values[value].shape);
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

  // ---- Fetches.

  void EmitFetches() {
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

  const Plan& plan_;
  const ShapeFacts& facts_;
  std::span<const int32_t> schedule_;
  Program& out_;
  std::vector<int32_t> home_;    // by value: view, or -1
  std::vector<uint64_t> needs_;  // by value: spaces as bits
  std::vector<Origin> origins_;  // by storage
  std::vector<VariableState> variables_;
  std::vector<int64_t> enqueued_;  // by device
  std::vector<int64_t> waited_;    // by device
  std::unordered_map<const Tensor*, int32_t> constants_;
  std::unordered_map<int64_t, int32_t> constant_views_;   // (constant, space)
  std::unordered_map<int64_t, int32_t> copies_;           // (storage, space)
  std::unordered_map<int64_t, int32_t> reshaped_copies_;  // (view, space)
  std::unordered_map<int32_t, int32_t> variable_of_storage_;
  std::vector<int32_t> operands_;
};

}  // namespace

Status EmitProgram(const Plan& plan, const ShapeFacts& facts,
                   std::span<const int32_t> schedule, Program* program) {
  return Emitter(plan, facts, schedule, program).Run();
}

}  // namespace berth::executor
