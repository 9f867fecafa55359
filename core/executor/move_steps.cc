// Steps that move, rename or wait.
#include <cstring>

#include "absl/container/inlined_vector.h"
#include "core/executor/frame.h"
#include "core/executor/shape_pass.h"
#include "core/executor/steps.h"

namespace berth::executor {
namespace {

Status DeviceError(berth_status_code code, berth_error* error,
                   const DeviceContext& device) {
  const Status status = TakeError(code, error, "");
  return Status(status.code(),
                "device " + device.name() + ": " + std::string(status.message()));
}

berth_copy_args CopyArgs(const berth_tensor& from, const berth_tensor& to, bool from_host,
                         bool to_host) {
  berth_copy_args args = {};
  args.struct_size = sizeof(args);
  args.size = to.byte_size;
  args.direction = from_host ? BERTH_COPY_HOST_TO_DEVICE
                   : to_host ? BERTH_COPY_DEVICE_TO_HOST
                             : BERTH_COPY_DEVICE_TO_DEVICE;
  if (from_host) {
    args.source_host = from.host_data;
  } else {
    args.source = from.memory;
    args.source_offset = from.offset;
  }
  if (to_host) {
    args.target_host = to.host_data;
  } else {
    args.target = to.memory;
    args.target_offset = to.offset;
  }
  return args;
}

// " [node 'a' (MatMul) to node 'b' (Relu) were under way]": work that was put on the
// device between the last wait and `wait`, in which a failure may have come up.
std::string NodesBefore(Frame& frame, const Item& wait) {
  const std::vector<Item>& items = frame.shaped().program.items;
  const Item* first = nullptr;
  const Item* last = nullptr;
  for (const Item* item = &wait; item-- != items.data();) {
    if (item->kind == ItemKind::kWait && item->device == wait.device) break;
    if (item->kernel == nullptr || item->device != wait.device) continue;
    first = item;
    if (last == nullptr) last = item;
  }
  if (first == nullptr) return "";
  if (first == last) return " [" + first->kernel->label() + " was under way]";
  return " [" + first->kernel->label() + " to " + last->kernel->label() +
         " were under way]";
}

void OnReady(void* arg, berth_status_code, const char*) {
  static_cast<Waiter*>(arg)->Set();
}
void OnCancel(void* arg) { static_cast<Waiter*>(arg)->Set(); }

// Waits for the event or for cancellation of the step, whichever comes first.
Status AwaitEvent(Frame& frame, FrameStream& stream) {
  const berth_device_api& api = stream.device->api();
  berth_error error = EmptyError();
  if (api.on_ready != nullptr && api.query_event(stream.event) == 0) {
    frame.waiter().Reset();
    const uint64_t token = frame.step().AddCancelCallback(&OnCancel, &frame.waiter());
    if (api.on_ready(stream.event, &OnReady, &frame.waiter()) == BERTH_OK) {
      frame.waiter().Wait();
    }
    frame.step().RemoveCancelCallback(token);
    if (frame.step().is_cancelled() && api.query_event(stream.event) == 0) {
      frame.MarkUnsettled();
      return frame.step().reason();
    }
  }
  const berth_status_code code = api.wait_event(stream.event, &error);
  return code == BERTH_OK ? OkStatus() : DeviceError(code, &error, *stream.device);
}

}  // namespace

Status CopyTensor(Frame& frame, int32_t device, const berth_tensor& from,
                  const berth_tensor& to, bool from_host, bool to_host) {
  if (to.byte_size == 0) return OkStatus();
  if (from_host && to_host) {
    CopyHost(to.dtype, from.host_data, to.host_data, to.byte_size);
    return OkStatus();
  }
  FrameStream& stream = *frame.stream(device);
  const berth_copy_args args = CopyArgs(from, to, from_host, to_host);
  berth_error error = EmptyError();
  const berth_status_code code = stream.device->api().copy(stream.stream, &args, &error);
  return code == BERTH_OK ? OkStatus() : DeviceError(code, &error, *stream.device);
}

Status Synchronize(Frame& frame, int32_t device) {
  FrameStream& stream = *frame.stream(device);
  berth_error error = EmptyError();
  const berth_status_code code =
      stream.device->api().synchronize_stream(stream.stream, &error);
  return code == BERTH_OK ? OkStatus() : DeviceError(code, &error, *stream.device);
}

Result<BufferRef> CopyToDevice(DeviceSet& devices, Space space, const Tensor& tensor) {
  DeviceContext& device = *devices.OfSpace(space);
  BERTH_RETURN_IF_ERROR(devices.Open(device));
  BERTH_ASSIGN_OR_RETURN(BufferRef buffer,
                         device.allocator->Allocate(tensor.byte_size(), "constants"));
  if (tensor.byte_size() == 0) return buffer;
  berth_tensor to = {};
  to.memory = buffer->memory();
  to.offset = buffer->offset();
  to.byte_size = tensor.byte_size();
  const berth_copy_args args = CopyArgs(TensorView(tensor), to, true, false);
  const berth_device_api& api = device.api();
  berth_stream* stream = nullptr;
  berth_error error = EmptyError();
  berth_status_code code = api.create_stream(device.handle, &stream, &error);
  if (code == BERTH_OK) {
    code = api.copy(stream, &args, &error);
    if (code == BERTH_OK) code = api.synchronize_stream(stream, &error);
    api.destroy_stream(stream);
  }
  if (code != BERTH_OK) return DeviceError(code, &error, device);
  return buffer;
}

Status RunRelease(Frame& frame, const Item& item) {
  BufferRef& held = frame.held(item.held);
  // Work that is still in a stream may use it until the run is over: a device's memory,
  // and host memory that a copy reads.
  if (frame.shaped().has_async) frame.Retire(std::move(held));
  held = BufferRef();
  return OkStatus();
}

Status RunRebind(Frame& frame, const Item& item) {
  const Program& program = frame.shaped().program;
  const berth_tensor& from = frame.slot(program.InputsOf(item)[0]);
  berth_tensor& to = frame.slot(program.OutputsOf(item)[0]);
  to.host_data = from.host_data;
  to.memory = from.memory;
  to.offset = from.offset;
  return OkStatus();
}

Status RunReshape(Frame& frame, const Item& item) {
  const Program& program = frame.shaped().program;
  const auto inputs = program.InputsOf(item);
  const int32_t output = program.OutputsOf(item)[0];
  if (item.node < 0) {
    // The sizes of one view over the memory of another.
    BERTH_RETURN_IF_ERROR(frame.SetDims(output, frame.ShapeOf(inputs[1])));
    return RunRebind(frame, item);
  }
  const Node& node = *frame.plan().nodes[item.node].node;
  std::vector<Shape> shapes;
  std::vector<Tensor> values(inputs.size());
  std::vector<const Tensor*> pointers(inputs.size(), nullptr);
  for (size_t i = 0; i < inputs.size(); ++i) {
    shapes.push_back(frame.ShapeOf(inputs[i]));
    if (i == 0) continue;
    values[i] = frame.HostTensor(inputs[i]);
    pointers[i] = &values[i];
  }
  std::vector<Shape> outputs;
  Status status = InferShapes(node, {shapes, pointers}, &outputs);
  if (!status.ok()) return WithNode(std::move(status), node, nullptr);
  const int64_t count = shapes[0].num_elements();
  if (!outputs[0].IsFullyDefined() ||
      (node.op() != "Bitcast" && outputs[0].num_elements() != count)) {
    return ReshapeError(node, shapes[0], outputs[0]);
  }
  if (frame.view(output).runtime_dims) {
    BERTH_RETURN_IF_ERROR(frame.SetDims(output, outputs[0]));
  }
  return RunRebind(frame, item);
}

Status RunShapeOf(Frame& frame, const Item& item) {
  const Program& program = frame.shaped().program;
  const auto inputs = program.InputsOf(item);
  const auto outputs = program.OutputsOf(item);
  const Node& node = *frame.plan().nodes[item.node].node;
  for (size_t i = 0; i < outputs.size(); ++i) {
    const Shape shape = frame.ShapeOf(inputs[i]);
    const View& view = frame.view(outputs[i]);
    const bool scalar = node.op() == "Size" || node.op() == "Rank";
    BERTH_ASSIGN_OR_RETURN(
        Tensor values,
        Tensor::Allocate(view.dtype, scalar ? Shape() : Shape{shape.rank()}));
    BERTH_RETURN_IF_ERROR(FillShapeOf(node, shape, &values));
    const Storage& storage = program.storages[program.Root(view.storage)];
    if (storage.kind == Storage::kRuntime) {
      if (view.runtime_dims) {
        BERTH_RETURN_IF_ERROR(frame.SetDims(outputs[i], values.shape()));
      }
      frame.held(storage.index) = values.buffer();
      frame.SetSlot(outputs[i], values.buffer(), 0);
    } else {
      CopyHost(view.dtype, values.raw(), frame.slot(outputs[i]).host_data,
               values.byte_size());
    }
  }
  return OkStatus();
}

Status RunCopy(Frame& frame, const Item& item) {
  const Program& program = frame.shaped().program;
  const int32_t from = program.InputsOf(item)[0];
  const int32_t to = program.OutputsOf(item)[0];
  const auto is_host = [&](int32_t view) {
    return program.storages[program.views[view].storage].space == kHostSpace;
  };
  return CopyTensor(frame, item.device, frame.slot(from), frame.slot(to), is_host(from),
                    is_host(to));
}

Status RunRuntimeCopy(Frame& frame, const Item& item) {
  const Program& program = frame.shaped().program;
  const int32_t from = program.InputsOf(item)[0];
  const int32_t to = program.OutputsOf(item)[0];
  BERTH_RETURN_IF_ERROR(frame.SetDims(to, frame.ShapeOf(from)));
  const View& view = frame.view(to);
  const Storage& storage = program.storages[view.storage];
  BERTH_ASSIGN_OR_RETURN(
      frame.held(storage.index),
      frame.Allocate(storage.space, view.dtype, frame.slot(from).byte_size, item.node));
  frame.SetSlot(to, frame.held(storage.index), 0);
  return RunCopy(frame, item);
}

Status RunWait(Frame& frame, const Item& item) {
  FrameStream& stream = *frame.stream(item.device);
  const berth_device_api& api = stream.device->api();
  berth_error error = EmptyError();
  berth_status_code code = api.record_event(stream.stream, stream.event, &error);
  if (code == BERTH_OK && api.flush != nullptr) {
    code = api.flush(stream.stream, &error);
  }
  if (code != BERTH_OK) return DeviceError(code, &error, *stream.device);
  const Status status = AwaitEvent(frame, stream);
  if (status.ok() || frame.step().is_cancelled()) return status;
  return Status(status.code(), std::string(status.message()) + NodesBefore(frame, item));
}

}  // namespace berth::executor
