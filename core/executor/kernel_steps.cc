#include "core/executor/kernel_steps.h"

#include <algorithm>
#include <cstring>

#include "core/executor/core_op.h"
#include "core/executor/frame.h"
#include "core/executor/steps.h"

namespace berth::executor {
namespace {

// Sets of shapes that are kept for one kernel of a frame.
constexpr size_t kEntriesKept = 8;

Status InNode(Frame& frame, const Item& item, Status status) {
  if (item.kernel != nullptr) return item.kernel->Located(std::move(status));
  const PlanNode& node = frame.plan().nodes[item.node];
  return WithNode(std::move(status), *node.node, &frame.plan().DeviceOf(node));
}

RuntimeKernelState& StateOf(Frame& frame, const Item& item) {
  std::unique_ptr<RuntimeKernelState>& state = frame.runtime_state(&item);
  if (state == nullptr) state = std::make_unique<RuntimeKernelState>();
  return *state;
}

// ---- Calls.

struct AsyncArg {
  AsyncCall* call;
  Waiter* waiter;
};

void Done(void* arg, berth_status_code code, const char* message) {
  const auto* async = static_cast<AsyncArg*>(arg);
  AsyncCall* call = async->call;
  async->waiter->Set();
  delete async;
  absl::MutexLock lock(&call->mutex);
  call->code = code;
  call->message = message != nullptr ? message : "";
  call->is_done = true;
}

void OnCancel(void* arg) { static_cast<Waiter*>(arg)->Set(); }

Status ComputeAsync(Frame& frame, const Item& item, const berth_prepared* prepared) {
  AsyncCall& call = StateOf(frame, item).call;
  {
    absl::MutexLock lock(&call.mutex);
    call.is_done = false;
    call.code = BERTH_OK;
  }
  frame.waiter().Reset();
  const uint64_t token = frame.step().AddCancelCallback(&OnCancel, &frame.waiter());
  item.kernel->def().compute_async(item.kernel->kernel(), prepared,
                                   &frame.context(&item).abi, &Done,
                                   new AsyncArg{&call, &frame.waiter()});
  frame.waiter().Wait();
  frame.step().RemoveCancelCallback(token);
  if (frame.step().is_cancelled()) {
    absl::MutexLock lock(&call.mutex);
    if (!call.is_done) {
      frame.MarkUnsettled();
      return frame.step().reason();
    }
  }
  call.Await();
  absl::MutexLock lock(&call.mutex);
  if (call.code == BERTH_OK) return OkStatus();
  return InNode(frame, item, Status(static_cast<Code>(call.code), call.message));
}

Status Compute(Frame& frame, const Item& item, const berth_prepared* prepared) {
  if (item.kernel->is_async()) return ComputeAsync(frame, item, prepared);
  berth_error error = EmptyError();
  const berth_status_code code = item.kernel->def().compute(
      item.kernel->kernel(), prepared, &frame.context(&item).abi, &error);
  if (code == BERTH_OK) return OkStatus();
  return InNode(frame, item, TakeError(code, &error, ""));
}

// ---- Kernels whose shapes come at run time.

// Strings cross the ABI as {pointer, size}.
void ViewStrings(Frame& frame, const Item& item, RuntimeKernelState* state) {
  const auto views = frame.shaped().program.InputsOf(item);
  state->inputs.resize(views.size());
  state->strings.resize(views.size());
  state->string_views.resize(views.size());
  for (size_t i = 0; i < views.size(); ++i) {
    const berth_tensor& slot = frame.slot(views[i]);
    state->inputs[i] = &slot;
    if (slot.dtype != BERTH_STRING) continue;
    const auto* strings = static_cast<const std::string*>(slot.host_data);
    const int64_t count = frame.ShapeOf(views[i]).num_elements();
    state->strings[i].clear();
    for (int64_t k = 0; k < count; ++k) {
      state->strings[i].push_back({strings[k].data(), strings[k].size()});
    }
    state->string_views[i] = slot;
    state->string_views[i].host_data = state->strings[i].data();
    state->string_views[i].byte_size = state->strings[i].size() * sizeof(berth_string);
    state->inputs[i] = &state->string_views[i];
  }
}

void MakeKey(const Item& item, RuntimeKernelState* state) {
  state->key.clear();
  for (size_t i = 0; i < state->inputs.size(); ++i) {
    const berth_tensor& input = *state->inputs[i];
    state->key.push_back(input.rank);
    state->key.insert(state->key.end(), input.dims, input.dims + input.rank);
    const int index = static_cast<int>(i);
    if (item.kernel->is_prepare_input(index) || item.kernel->is_host_input(index)) {
      // Small host values decide shapes; large ones do not.
      constexpr uint64_t kLargestValue = 4096;
      if (input.dtype == BERTH_STRING || input.byte_size > kLargestValue) continue;
      const size_t words = (input.byte_size + 7) / 8;
      const size_t start = state->key.size();
      state->key.resize(start + words, 0);
      if (input.byte_size > 0 && input.host_data != nullptr &&
          (item.kernel->is_prepare_input(index) || input.dtype == BERTH_INT32 ||
           input.dtype == BERTH_INT64)) {
        std::memcpy(&state->key[start], input.host_data, input.byte_size);
      }
    }
  }
}

// Shapes by the op's shape function, then by the kernel.
Status PrepareEntry(Frame& frame, const Item& item, RuntimeKernelState* state,
                    RuntimeKernelState::Entry* entry) {
  const auto views = frame.shaped().program.InputsOf(item);
  const Node& node = *frame.plan().nodes[item.node].node;
  std::vector<Shape> shapes;
  std::vector<Tensor> values(views.size());
  std::vector<const Tensor*> pointers(views.size(), nullptr);
  for (size_t i = 0; i < views.size(); ++i) {
    const bool is_handle = node.input_type(static_cast<int>(i)) == BERTH_RESOURCE;
    shapes.push_back(is_handle ? Shape() : frame.ShapeOf(views[i]));
    const berth_tensor& input = *state->inputs[i];
    const bool is_value = input.dtype == BERTH_INT32 || input.dtype == BERTH_INT64 ||
                          item.kernel->is_prepare_input(static_cast<int>(i));
    if (!is_handle && is_value && input.dtype != BERTH_STRING &&
        item.kernel->is_host_input(static_cast<int>(i))) {
      values[i] = frame.HostTensor(views[i]);
      pointers[i] = &values[i];
    }
  }
  BERTH_RETURN_IF_ERROR(
      InNode(frame, item, InferShapes(node, {shapes, pointers}, &entry->shapes)));
  return Prepare(*item.kernel, state->inputs, frame.plan().env.pool->num_threads(),
                 &entry->shapes, &entry->prepared);
}

Result<RuntimeKernelState::Entry*> FindEntry(Frame& frame, const Item& item,
                                             RuntimeKernelState* state) {
  MakeKey(item, state);
  auto& entries = state->entries;
  for (size_t i = 0; i < entries.size(); ++i) {
    if (entries[i].key != state->key) continue;
    if (i > 0) std::rotate(entries.begin(), entries.begin() + i, entries.begin() + i + 1);
    return entries.data();
  }
  RuntimeKernelState::Entry entry;
  entry.key = state->key;
  BERTH_RETURN_IF_ERROR(PrepareEntry(frame, item, state, &entry));
  if (entries.size() == kEntriesKept) entries.pop_back();
  entries.insert(entries.begin(), std::move(entry));
  return entries.data();
}

// Memory for output `index` of an item, and the view over it.
Status GiveOutput(Frame& frame, const Item& item, size_t index, const Shape& shape) {
  const Program& program = frame.shaped().program;
  const int32_t view = program.OutputsOf(item)[index];
  const Storage& storage = program.storages[program.Root(frame.view(view).storage)];
  if (storage.kind != Storage::kRuntime) return OkStatus();
  const PlanNode& node = frame.plan().nodes[item.node];
  // A reference that comes out is the one that came in.
  if (frame.plan().values[node.first_output + static_cast<int32_t>(index)].variable >=
      0) {
    return OkStatus();
  }
  if (!shape.IsFullyDefined()) {
    return InNode(frame, item,
                  Internal("the kernel left the shape of output " +
                           std::to_string(index) + " open: " + shape.ToString()));
  }
  if (frame.view(view).runtime_dims) {
    BERTH_RETURN_IF_ERROR(frame.SetDims(view, shape));
  } else if (!(frame.ShapeOf(view) == shape)) {
    return InNode(
        frame, item,
        Internal("output " + std::to_string(index) + " has shape " + shape.ToString() +
                 ", but " + frame.ShapeOf(view).ToString() + " was inferred"));
  }
  Result<BufferRef> buffer = frame.Allocate(storage.space, frame.view(view).dtype,
                                            frame.slot(view).byte_size, item.node);
  if (!buffer.ok()) return InNode(frame, item, buffer.status());
  frame.held(storage.index) = *std::move(buffer);
  frame.SetSlot(view, frame.held(storage.index), 0);
  return OkStatus();
}

Status AllocateOutput(HostComputeContext& self, uint32_t index, const Shape& shape) {
  Frame& frame = *static_cast<Frame*>(self.owner);
  const Item& item = frame.item_of(self);
  BERTH_RETURN_IF_ERROR(GiveOutput(frame, item, index, shape));
  if (self.string_outputs != nullptr && self.abi.outputs[index]->dtype == BERTH_STRING) {
    self.string_outputs[index] = {
        static_cast<std::string*>(self.abi.outputs[index]->host_data),
        shape.num_elements()};
  }
  return OkStatus();
}

void SetStringOutputs(Frame& frame, const Item& item, RuntimeKernelState* state) {
  const auto outputs = frame.shaped().program.OutputsOf(item);
  HostComputeContext& context = frame.context(&item);
  state->string_outputs.assign(outputs.size(), {});
  bool any = false;
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (frame.view(outputs[i]).dtype != BERTH_STRING) continue;
    any = true;
    auto* data = static_cast<std::string*>(frame.slot(outputs[i]).host_data);
    if (!item.kernel->shape_at_run()) {
      state->string_outputs[i] = {data, frame.ShapeOf(outputs[i]).num_elements()};
    }
  }
  context.string_outputs = any ? state->string_outputs.data() : nullptr;
}

}  // namespace

Status RunAsyncKernel(Frame& frame, const Item& item) {
  return Compute(frame, item, item.prepared);
}

Status RunRuntimeKernel(Frame& frame, const Item& item) {
  RuntimeKernelState& state = StateOf(frame, item);
  HostComputeContext& context = frame.context(&item);
  ViewStrings(frame, item, &state);
  context.abi.inputs = state.inputs.data();
  BERTH_ASSIGN_OR_RETURN(RuntimeKernelState::Entry * entry,
                         FindEntry(frame, item, &state));
  if (item.kernel->shape_at_run()) {
    context.allocate_output = &AllocateOutput;
  } else {
    for (size_t i = 0; i < entry->shapes.size(); ++i) {
      BERTH_RETURN_IF_ERROR(GiveOutput(frame, item, i, entry->shapes[i]));
    }
  }
  SetStringOutputs(frame, item, &state);
  BufferRef scratch;
  context.abi.scratch = {};
  if (entry->prepared.scratch_size > 0) {
    const Space space = item.kernel->device().space;
    Result<BufferRef> buffer =
        frame.Allocate(space, BERTH_UINT8, entry->prepared.scratch_size, item.node);
    if (!buffer.ok()) return InNode(frame, item, buffer.status());
    scratch = *std::move(buffer);
    context.abi.scratch.host_data = scratch->host_data();
    context.abi.scratch.memory = scratch->memory();
    context.abi.scratch.offset = scratch->offset();
    context.abi.scratch.byte_size = entry->prepared.scratch_size;
    context.abi.scratch.dtype = BERTH_UINT8;
  }
  const Status status = Compute(frame, item, entry->prepared.get());
  if (item.kernel->device().is_async || item.kernel->is_async()) {
    frame.Retire(std::move(scratch));
  }
  return status;
}

Status RunHostOp(Frame& frame, const Item& item) {
  const Program& program = frame.shaped().program;
  const PlanNode& node = frame.plan().nodes[item.node];
  HostOpContext context;
  context.node = node.node;
  for (const int32_t view : program.InputsOf(item)) {
    context.inputs.push_back(frame.HostTensor(view));
  }
  const auto outputs = program.OutputsOf(item);
  context.outputs.resize(outputs.size());
  BERTH_RETURN_IF_ERROR(InNode(frame, item, node.core->compute(context)));
  for (size_t i = 0; i < outputs.size(); ++i) {
    const Tensor& tensor = context.outputs[i];
    const int32_t view = outputs[i];
    if (frame.view(view).runtime_dims) {
      BERTH_RETURN_IF_ERROR(InNode(frame, item, frame.SetDims(view, tensor.shape())));
    } else if (!(frame.ShapeOf(view) == tensor.shape())) {
      return InNode(frame, item,
                    InvalidArgument("output " + std::to_string(i) + " has shape " +
                                    tensor.shape().ToString() + ", but " +
                                    frame.ShapeOf(view).ToString() + " was expected"));
    }
    frame.held(program.storages[frame.view(view).storage].index) = tensor.buffer();
    frame.SetSlot(view, tensor.buffer(), tensor.offset());
  }
  return OkStatus();
}

}  // namespace berth::executor
