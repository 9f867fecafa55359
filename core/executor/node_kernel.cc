#include "core/executor/node_kernel.h"

#include <algorithm>

#include "absl/container/inlined_vector.h"
#include "core/graph/shape_refiner.h"

namespace berth::executor {
namespace {

// Sizes that come from values may be anything: from here on, counts of elements and bytes
// do not overflow.
Status CheckSizes(const Node& node, const std::vector<Shape>& outputs) {
  constexpr auto kLargest = uint64_t{1} << 62;
  for (size_t i = 0; i < outputs.size(); ++i) {
    const Shape& shape = outputs[i];
    if (!shape.IsFullyDefined()) continue;
    const Result<int64_t> count =
        Shape::CheckedElements(shape.dims(), static_cast<size_t>(shape.rank()));
    const auto what = [&] {
      return "output " + std::to_string(i) + " of shape " + shape.ToString();
    };
    if (!count.ok()) return count.status().WithPrefix(what() + ": ");
    const DType dtype = BaseType(node.output_type(static_cast<int>(i)));
    const size_t element = dtype == BERTH_STRING ? sizeof(std::string)
                                                 : std::max(DTypeSize(dtype), size_t{1});
    if (static_cast<uint64_t>(*count) > kLargest / element) {
      return ResourceExhausted(what() + " and dtype " + std::string(DTypeName(dtype)) +
                               " takes more than 2^62 bytes");
    }
  }
  return OkStatus();
}

}  // namespace

Status WithNode(Status status, const Node& node, const DeviceContext* device) {
  if (status.ok()) return status;
  std::string message(status.message());
  message += " [node '" + node.name() + "' (" + node.op() + ")";
  if (device != nullptr) message += " on " + device->name();
  return Status(status.code(), message + "]");
}

Result<std::unique_ptr<NodeKernel>> NodeKernel::Create(const Node& node,
                                                       DeviceContext& device,
                                                       const KernelEntry& entry) {
  std::unique_ptr<NodeKernel> kernel(new NodeKernel(node, device, entry));
  const berth_kernel_def& def = *entry.def;
  NodeAbiView::Args args;
  args.node = &node;
  args.device = device.name();
  args.def = &def;
  const NodeAbiView view(args);
  Result<berth_kernel*> created = entry.Create(device.handle, view.abi());
  if (!created.ok()) return WithNode(created.status(), node, &device);
  kernel->kernel_ = *created;
  if (def.num_host_args + def.num_prepare_args > 0) {
    kernel->host_ = HostPositionsOf(node, &def);
  }
  if ((def.flags & BERTH_KERNEL_STATEFUL) != 0) {
    berth_error error = EmptyError();
    const berth_status_code code =
        def.create_state(kernel->kernel_, &kernel->state_, &error);
    if (code != BERTH_OK) {
      return WithNode(TakeError(code, &error, "create_state"), node, &device);
    }
  }
  return kernel;
}

NodeKernel::NodeKernel(DeviceContext& device, Group group)
    : node_(*group.node),
      device_(device),
      kernel_(group.kernel),
      host_(std::move(group.host)),
      group_def_(group.def),
      group_label_(std::move(group.label)),
      group_ops_(std::move(group.ops)) {
  def_ = &group_def_;
}

std::string NodeKernel::label() const {
  if (is_group()) return group_label_;
  return "node '" + node_.name() + "' (" + node_.op() + ")";
}

Status NodeKernel::Located(Status status) const {
  if (status.ok()) return status;
  return Status(status.code(), std::string(status.message()) + " [" + label() + " on " +
                                   device_.name() + "]");
}

NodeKernel::~NodeKernel() {
  if (state_ != nullptr && def_->destroy_state != nullptr) def_->destroy_state(state_);
  if (kernel_ != nullptr && def_->destroy != nullptr) def_->destroy(kernel_);
}

Result<NodeKernel*> KernelCache::Get(const Node& node, DeviceContext& device,
                                     const KernelEntry& entry) {
  absl::MutexLock lock(&mutex_);
  const auto id = static_cast<size_t>(node.id());
  if (by_node_.size() <= id) by_node_.resize(std::max(id + 1, by_node_.size() * 2));
  std::vector<Slot>& slots = by_node_[id];
  for (const Slot& slot : slots) {
    if (slot.entry == &entry && &slot.kernel->device() == &device) {
      return slot.kernel.get();
    }
  }
  BERTH_RETURN_IF_ERROR(devices_->Open(device));
  BERTH_ASSIGN_OR_RETURN(std::unique_ptr<NodeKernel> kernel,
                         NodeKernel::Create(node, device, entry));
  slots.push_back({&entry, std::move(kernel)});
  return slots.back().kernel.get();
}

PreparedKernel::~PreparedKernel() {
  if (prepared_ == nullptr) return;
  const berth_kernel_def& def = kernel_->def();
  if (def.release_prepared != nullptr) {
    def.release_prepared(kernel_->kernel(), prepared_);
  }
}

Status Prepare(const NodeKernel& kernel, std::span<const berth_tensor* const> inputs,
               int num_threads, std::vector<Shape>* shapes, PreparedKernel* prepared) {
  const berth_kernel_def& def = kernel.def();
  if (def.prepare == nullptr) return OkStatus();
  absl::InlinedVector<berth_shape, 3> storage(shapes->size());
  absl::InlinedVector<berth_shape*, 3> pointers(shapes->size());
  for (size_t i = 0; i < shapes->size(); ++i) {
    const Shape& shape = (*shapes)[i];
    if (shape.rank() > BERTH_MAX_RANK) {
      return kernel.Located(InvalidArgument("a kernel takes at most " +
                                            std::to_string(BERTH_MAX_RANK) +
                                            " dimensions, not " + shape.ToString()));
    }
    storage[i].rank = shape.rank();
    storage[i].reserved = 0;
    if (shape.rank() > 0) {
      std::copy(shape.dims(), shape.dims() + shape.rank(), storage[i].dims);
    }
    pointers[i] = &storage[i];
  }
  berth_prepare_args args = {};
  args.struct_size = sizeof(args);
  args.num_inputs = static_cast<uint32_t>(inputs.size());
  args.num_outputs = static_cast<uint32_t>(shapes->size());
  args.inputs = inputs.data();
  args.outputs = pointers.data();
  args.num_threads = num_threads;
  berth_error error = EmptyError();
  const berth_status_code code = def.prepare(kernel.kernel(), &args, &error);
  if (code != BERTH_OK) {
    return kernel.Located(TakeError(code, &error, ""));
  }
  prepared->kernel_ = &kernel;
  prepared->prepared_ = args.prepared;
  prepared->scratch_size = args.scratch_size;
  prepared->inplace_refused = args.inplace_refused;
  bool is_open = false;
  for (size_t i = 0; i < shapes->size(); ++i) {
    if ((*shapes)[i].IsFullyDefined()) continue;
    is_open = true;
    const int32_t rank = std::clamp(storage[i].rank, -1, BERTH_MAX_RANK);
    (*shapes)[i] = rank < 0 ? Shape::UnknownRank()
                            : Shape(storage[i].dims, static_cast<size_t>(rank));
  }
  return is_open ? kernel.Located(CheckSizes(kernel.node(), *shapes)) : OkStatus();
}

Status InferShapes(const Node& node, const InferArgs& args, std::vector<Shape>* outputs) {
  InferenceContext::Args infer;
  infer.input_shapes = args.shapes;
  infer.input_values = args.values;
  infer.input_handles = args.handles;
  outputs->clear();
  BERTH_RETURN_IF_ERROR(InferNodeShapes(node, infer, outputs));
  return CheckSizes(node, *outputs);
}

}  // namespace berth::executor
