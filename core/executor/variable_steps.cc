// Steps that read and write variables.
#include <algorithm>
#include <complex>
#include <functional>
#include <type_traits>

#include "absl/container/inlined_vector.h"
#include "core/base/half.h"
#include "core/executor/frame.h"
#include "core/executor/shape_pass.h"
#include "core/executor/steps.h"
#include "core/executor/variable.h"

namespace berth::executor {
namespace {

Variable& VariableOf(Frame& frame, int32_t index) {
  return *frame.plan().variables[index];
}

// In TensorFlow's words for an update of what is not there.
Status Missing(const Variable& variable) {
  return NotFound("Resource " + variable.desc().container + "/" + variable.name() +
                  " does not exist; run its initializer first");
}

// All variables that this run reads and that have no value, in one error.
Status Uninitialized(Frame& frame, const Variable& first) {
  std::vector<const Variable*> missing = {&first};
  for (const Item& item : frame.shaped().program.items) {
    if (item.kind != ItemKind::kBind && item.kind != ItemKind::kRead) continue;
    const Variable& variable = VariableOf(frame, item.variable);
    if (variable.IsInitialized()) continue;
    if (std::find(missing.begin(), missing.end(), &variable) == missing.end()) {
      missing.push_back(&variable);
    }
  }
  return UninitializedError(missing);
}

// Lays the variable's view over its value. The sizes must be those that were planned.
Status PutValue(Frame& frame, const Variable& variable, int32_t view,
                const Tensor& value) {
  const View& planned = frame.view(view);
  if (planned.runtime_dims) {
    BERTH_RETURN_IF_ERROR(frame.SetDims(view, value.shape()));
  } else if (!(frame.ShapeOf(view) == value.shape())) {
    frame.MarkStale();
    return FailedPrecondition("variable '" + variable.name() + "' has shape " +
                              value.shape().ToString() + " now, but the run was " +
                              "planned for " + frame.ShapeOf(view).ToString() +
                              "; run again");
  }
  frame.SetSlot(view, value.buffer(), value.offset());
  return OkStatus();
}

// Replaces what the frame holds; the old buffer stays until the run is over.
void Hold(Frame& frame, int32_t held, const BufferRef& buffer) {
  BufferRef& slot = frame.held(held);
  if (slot.get() == buffer.get()) return;
  frame.Retire(std::move(slot));
  slot = buffer;
}

// A copy of the value in fresh memory of the variable's home.
Result<Tensor> CopyOfValue(Frame& frame, const Variable& variable, const Tensor& value) {
  const DeviceContext& home = *variable.home();
  BERTH_ASSIGN_OR_RETURN(
      BufferRef buffer, frame.Allocate(home.space, value.dtype(), value.byte_size(), -1));
  Tensor copy(value.dtype(), value.shape(), std::move(buffer));
  BERTH_RETURN_IF_ERROR(CopyTensor(frame, home.index, TensorView(value), TensorView(copy),
                                   home.on_host(), home.on_host()));
  return copy;
}

// The value for writing. A reference variable's own; a resource variable's own if nobody
// else holds it, else a copy that becomes the value. REQUIRES: the update lock is held
// for a resource variable.
Result<Tensor> WritableValue(Frame& frame, Variable& variable) {
  if (!variable.desc().is_resource) {
    Tensor value = variable.value();
    if (!value.is_valid()) return Uninitialized(frame, variable);
    return value;
  }
  Tensor value = variable.ValueIfUnshared();
  if (value.is_valid()) return value;
  value = variable.value();
  if (!value.is_valid()) return Missing(variable);
  BERTH_ASSIGN_OR_RETURN(Tensor copy, CopyOfValue(frame, variable, value));
  variable.Set(copy);
  return copy;
}

// Locks several mutexes in address order, so that runs cannot wait for each other.
class OrderedLocks {
 public:
  void Add(absl::Mutex* mutex) {
    if (std::find(mutexes_.begin(), mutexes_.end(), mutex) == mutexes_.end()) {
      mutexes_.push_back(mutex);
    }
  }
  void Lock() ABSL_NO_THREAD_SAFETY_ANALYSIS {
    std::sort(mutexes_.begin(), mutexes_.end(), std::less<>());
    for (absl::Mutex* mutex : mutexes_) mutex->Lock();
    is_locked_ = true;
  }
  ~OrderedLocks() ABSL_NO_THREAD_SAFETY_ANALYSIS {
    if (!is_locked_) return;
    for (absl::Mutex* mutex : mutexes_) mutex->Unlock();
  }

 private:
  absl::InlinedVector<absl::Mutex*, 4> mutexes_;
  bool is_locked_ = false;
};

template <typename T>
void AddTo(T* target, const T* value, int64_t count, bool subtract) {
  // Integers wrap around, as TensorFlow's do.
  using Wide = typename std::conditional_t<std::is_integral_v<T>, std::make_unsigned<T>,
                                           std::type_identity<T>>::type;
  for (int64_t i = 0; i < count; ++i) {
    const auto a = static_cast<Wide>(target[i]);
    const auto b = static_cast<Wide>(value[i]);
    target[i] = static_cast<T>(subtract ? a - b : a + b);
  }
}

// Half and bfloat16 are added as floats and rounded, as TensorFlow does.
template <float (*kToFloat)(uint16_t), uint16_t (*kFromFloat)(float)>
void AddToBits(uint16_t* target, const uint16_t* value, int64_t count, bool subtract) {
  for (int64_t i = 0; i < count; ++i) {
    const float a = kToFloat(target[i]);
    const float b = kToFloat(value[i]);
    target[i] = kFromFloat(subtract ? a - b : a + b);
  }
}

Status AddValues(DType dtype, void* target, const void* value, int64_t count,
                 bool subtract) {
  const auto add = [&]<typename T>(T*) {
    AddTo(static_cast<T*>(target), static_cast<const T*>(value), count, subtract);
    return OkStatus();
  };
  switch (dtype) {
    case BERTH_FLOAT:
      return add(static_cast<float*>(nullptr));
    case BERTH_DOUBLE:
      return add(static_cast<double*>(nullptr));
    case BERTH_INT8:
      return add(static_cast<int8_t*>(nullptr));
    case BERTH_INT16:
      return add(static_cast<int16_t*>(nullptr));
    case BERTH_INT32:
      return add(static_cast<int32_t*>(nullptr));
    case BERTH_INT64:
      return add(static_cast<int64_t*>(nullptr));
    case BERTH_UINT8:
      return add(static_cast<uint8_t*>(nullptr));
    case BERTH_UINT16:
      return add(static_cast<uint16_t*>(nullptr));
    case BERTH_UINT32:
      return add(static_cast<uint32_t*>(nullptr));
    case BERTH_UINT64:
      return add(static_cast<uint64_t*>(nullptr));
    case BERTH_COMPLEX64:
      return add(static_cast<std::complex<float>*>(nullptr));
    case BERTH_COMPLEX128:
      return add(static_cast<std::complex<double>*>(nullptr));
    case BERTH_HALF:
      AddToBits<HalfToFloat, FloatToHalf>(static_cast<uint16_t*>(target),
                                          static_cast<const uint16_t*>(value), count,
                                          subtract);
      return OkStatus();
    case BERTH_BFLOAT16:
      AddToBits<BFloat16ToFloat, FloatToBFloat16>(static_cast<uint16_t*>(target),
                                                  static_cast<const uint16_t*>(value),
                                                  count, subtract);
      return OkStatus();
    default:
      return Unimplemented("adding to a variable of dtype " +
                           std::string(DTypeName(dtype)) +
                           " needs a kernel of the device's plugin");
  }
}

// A variable in a device's memory: brought to the host, changed, and taken back.
Status UpdateOnDevice(Frame& frame, const Item& item, const berth_tensor& target,
                      const berth_tensor& value, bool subtract) {
  BERTH_ASSIGN_OR_RETURN(
      Tensor current,
      Tensor::Allocate(target.dtype, Shape{static_cast<int64_t>(
                                         target.byte_size / DTypeSize(target.dtype))}));
  BERTH_ASSIGN_OR_RETURN(Tensor change,
                         Tensor::Allocate(current.dtype(), current.shape()));
  const berth_tensor current_view = TensorView(current);
  BERTH_RETURN_IF_ERROR(
      CopyTensor(frame, item.device, target, current_view, false, true));
  BERTH_RETURN_IF_ERROR(
      CopyTensor(frame, item.device, value, TensorView(change), false, true));
  BERTH_RETURN_IF_ERROR(Synchronize(frame, item.device));
  BERTH_RETURN_IF_ERROR(AddValues(current.dtype(), current.raw(), change.raw(),
                                  current.num_elements(), subtract));
  BERTH_RETURN_IF_ERROR(
      CopyTensor(frame, item.device, current_view, target, true, false));
  return Synchronize(frame, item.device);
}

Status InNode(Frame& frame, const Item& item, Status status) {
  if (status.ok() || item.node < 0) return status;
  const PlanNode& node = frame.plan().nodes[item.node];
  return WithNode(std::move(status), *node.node, &frame.plan().DeviceOf(node));
}

}  // namespace

Status RunBind(Frame& frame, const Item& item) {
  const Variable& variable = VariableOf(frame, item.variable);
  const Tensor value = variable.value();
  if (!value.is_valid()) return Uninitialized(frame, variable);
  Hold(frame, item.held, value.buffer());
  return PutValue(frame, variable, frame.shaped().program.OutputsOf(item)[0], value);
}

Status RunRead(Frame& frame, const Item& item) {
  Variable& variable = VariableOf(frame, item.variable);
  Tensor value;
  {
    // An update that is under way ends first; a later one copies.
    absl::MutexLock lock(&variable.update_mutex());
    value = variable.value();
    Hold(frame, item.held, value.buffer());
  }
  if (!value.is_valid()) return InNode(frame, item, Uninitialized(frame, variable));
  return InNode(
      frame, item,
      PutValue(frame, variable, frame.shaped().program.OutputsOf(item)[0], value));
}

Status RunAssign(Frame& frame, const Item& item) {
  Variable& variable = VariableOf(frame, item.variable);
  const DeviceContext& home = *variable.home();
  const Program& program = frame.shaped().program;
  const int32_t source = program.InputsOf(item)[0];
  const int32_t view = program.OutputsOf(item)[0];
  const berth_tensor& from = frame.slot(source);
  const Shape shape = frame.ShapeOf(source);
  const Variable::Desc& desc = variable.desc();
  const PlanNode& node = frame.plan().nodes[item.node];
  absl::MutexLock lock(&variable.update_mutex());
  Tensor value = variable.value();
  const Shape& expected = value.is_valid() ? value.shape() : desc.shape;
  if (ValidatesShape(*node.node) && !expected.IsCompatibleWith(shape)) {
    return InNode(frame, item,
                  InvalidArgument("Assign requires shapes of both tensors to match. lhs "
                                  "shape= " +
                                  expected.ToString() + " rhs shape= " +
                                  shape.ToString() + ", variable '" + desc.name + "'"));
  }
  if (desc.is_resource && value.is_valid() && !(value.shape() == shape) &&
      node.node->attrs().GetBool("validate_shape", false)) {
    return InNode(frame, item,
                  InvalidArgument("Trying to assign to variable '" + desc.name +
                                  "' with tensor with wrong shape. Expected " +
                                  value.shape().ToString() + " got " + shape.ToString()));
  }
  // Readers of a resource variable keep what they have read: a new buffer each time.
  const bool in_place = !desc.is_resource && value.is_valid() && value.shape() == shape;
  if (!in_place) {
    BERTH_ASSIGN_OR_RETURN(BufferRef buffer, frame.Allocate(home.space, desc.dtype,
                                                            from.byte_size, item.node));
    value = Tensor(desc.dtype, shape, std::move(buffer));
  }
  berth_tensor to = TensorView(value);
  to.byte_size = from.byte_size;
  BERTH_RETURN_IF_ERROR(
      InNode(frame, item,
             CopyTensor(frame, home.index, from, to, home.on_host(), home.on_host())));
  if (!in_place) variable.Set(value);
  if (desc.is_resource) {
    // Only asynchronous work keeps the buffer until the run is over.
    if (home.is_async) frame.Retire(value.buffer());
    return OkStatus();
  }
  Hold(frame, item.held, value.buffer());
  return InNode(frame, item, PutValue(frame, variable, view, value));
}

Status RunUpdate(Frame& frame, const Item& item) {
  Variable& variable = VariableOf(frame, item.variable);
  const Program& program = frame.shaped().program;
  const int32_t source = program.InputsOf(item)[0];
  const int32_t view = program.OutputsOf(item)[0];
  const Node& node = *frame.plan().nodes[item.node].node;
  const bool subtract = node.op() == "AssignSub" || node.op() == "AssignSubVariableOp";
  absl::MutexLock lock(&variable.update_mutex());
  Result<Tensor> value = WritableValue(frame, variable);
  if (!value.ok()) return InNode(frame, item, value.status());
  if (!(value->shape() == frame.ShapeOf(source))) {
    return InNode(frame, item,
                  InvalidArgument("variable '" + variable.name() + "' has shape " +
                                  value->shape().ToString() + ", the value to be " +
                                  (subtract ? "subtracted " : "added ") +
                                  frame.ShapeOf(source).ToString()));
  }
  if (!variable.desc().is_resource) {
    Hold(frame, item.held, value->buffer());
    BERTH_RETURN_IF_ERROR(InNode(frame, item, PutValue(frame, variable, view, *value)));
  }
  const berth_tensor target = TensorView(*value);
  const berth_tensor& change = frame.slot(source);
  return InNode(frame, item,
                variable.home()->on_host()
                    ? AddValues(value->dtype(), target.host_data, change.host_data,
                                value->num_elements(), subtract)
                    : UpdateOnDevice(frame, item, target, change, subtract));
}

Status RunIsInit(Frame& frame, const Item& item) {
  const int32_t view = frame.shaped().program.OutputsOf(item)[0];
  *static_cast<bool*>(frame.slot(view).host_data) =
      VariableOf(frame, item.variable).IsInitialized();
  return OkStatus();
}

Status RunDestroy(Frame& frame, const Item& item) {
  Variable& variable = VariableOf(frame, item.variable);
  const Node& node = *frame.plan().nodes[item.node].node;
  if (!node.attrs().GetBool("ignore_lookup_error", true) && !variable.IsInitialized()) {
    return InNode(frame, item, Missing(variable));
  }
  variable.Clear();
  return OkStatus();
}

Status RunLockedKernel(Frame& frame, const Item& item) {
  const Program& program = frame.shaped().program;
  const Plan& plan = frame.plan();
  const PlanNode& node = plan.nodes[item.node];
  const auto values = plan.InputsOf(node);
  const auto views = program.InputsOf(item);
  OrderedLocks locks;
  for (size_t i = 0; i < values.size(); ++i) {
    const DType type = node.node->input_type(static_cast<int>(i));
    if (!IsRefType(type) && type != BERTH_RESOURCE) continue;
    locks.Add(&VariableOf(frame, plan.values[values[i]].variable).update_mutex());
  }
  locks.Lock();
  // Keeps the buffers through compute, whatever happens to the variables.
  absl::InlinedVector<Tensor, 3> kept;
  for (size_t i = 0; i < values.size(); ++i) {
    const DType type = node.node->input_type(static_cast<int>(i));
    if (type != BERTH_RESOURCE) continue;
    Variable& variable = VariableOf(frame, plan.values[values[i]].variable);
    Result<Tensor> value = WritableValue(frame, variable);
    if (!value.ok()) return InNode(frame, item, value.status());
    // A run that is given up leaves the kernel at work on it.
    if (variable.home()->is_async || item.kernel->is_async()) {
      frame.Retire(value->buffer());
    }
    BERTH_RETURN_IF_ERROR(
        InNode(frame, item, PutValue(frame, variable, views[i], *value)));
    kept.push_back(*std::move(value));
  }
  if (item.at_run) return RunRuntimeKernel(frame, item);
  if (item.kernel->is_async()) return RunAsyncKernel(frame, item);
  berth_error error = EmptyError();
  const berth_status_code code = item.kernel->def().compute(
      item.kernel->kernel(), item.prepared, &frame.context(&item).abi, &error);
  if (code == BERTH_OK) return OkStatus();
  return InNode(frame, item, TakeError(code, &error, ""));
}

}  // namespace berth::executor
