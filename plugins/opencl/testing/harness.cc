#include "plugins/opencl/testing/harness.h"

#include <algorithm>
#include <deque>

namespace berth::opencl::testing {
namespace {

constexpr char kGuard = 0x5a;

// A node and all that it points to.
class Node {
 public:
  explicit Node(const OpCall& call) : call_(call) {
    node_.struct_size = sizeof(node_);
    node_.name = call.name.c_str();
    node_.op = call.op.c_str();
    node_.device = "/job:localhost/replica:0/task:0/device:OPENCL:0";
    for (const auto& [name, value] : call.attrs) AddAttr(name, value);
    for (size_t i = 0; i < call.inputs.size(); ++i) {
      const bool named = i < call.arg_names.size();
      berth_value_info info = {};
      info.struct_size = sizeof(info);
      info.arg_name = named ? call.arg_names[i].c_str() : "";
      info.dtype = call.inputs[i].dtype;
      info.rank = static_cast<int32_t>(call.inputs[i].dims.size());
      info.dims = call.inputs[i].dims.data();
      inputs_.push_back(info);
    }
    for (const int32_t dtype : call.output_dtypes) {
      berth_value_info info = {};
      info.struct_size = sizeof(info);
      info.arg_name = "";
      info.dtype = dtype;
      info.rank = -1;
      outputs_.push_back(info);
    }
    for (berth_attr& attr : attrs_) attr_pointers_.push_back(&attr);
    for (berth_value_info& info : inputs_) input_pointers_.push_back(&info);
    for (berth_value_info& info : outputs_) output_pointers_.push_back(&info);
    node_.num_attrs = static_cast<uint32_t>(attr_pointers_.size());
    node_.num_inputs = static_cast<uint32_t>(input_pointers_.size());
    node_.num_outputs = static_cast<uint32_t>(output_pointers_.size());
    node_.attrs = attr_pointers_.data();
    node_.inputs = input_pointers_.data();
    node_.outputs = output_pointers_.data();
  }

  const berth_node& abi() const { return node_; }

 private:
  void AddAttr(const std::string& name, const AttrValue& value) {
    berth_attr attr = {};
    attr.struct_size = sizeof(attr);
    attr.name = name.c_str();
    if (const auto* i = std::get_if<int64_t>(&value)) {
      attr.kind = BERTH_ATTR_INT;
      attr.i = *i;
    } else if (const auto* f = std::get_if<float>(&value)) {
      attr.kind = BERTH_ATTR_FLOAT;
      attr.f = *f;
    } else if (const auto* b = std::get_if<bool>(&value)) {
      attr.kind = BERTH_ATTR_BOOL;
      attr.i = *b ? 1 : 0;
    } else if (const auto* s = std::get_if<std::string>(&value)) {
      attr.kind = BERTH_ATTR_STRING;
      attr.s = {s->data(), s->size()};
    } else if (const auto* t = std::get_if<TypeAttr>(&value)) {
      attr.kind = BERTH_ATTR_TYPE;
      attr.i = t->dtype;
    } else {
      const auto& ints = std::get<std::vector<int64_t>>(value);
      attr.kind = BERTH_ATTR_LIST_INT;
      attr.ints = ints.data();
      attr.count = static_cast<uint32_t>(ints.size());
    }
    attrs_.push_back(attr);
  }

  const OpCall& call_;
  berth_node node_ = {};
  std::deque<berth_attr> attrs_;
  std::deque<berth_value_info> inputs_;
  std::deque<berth_value_info> outputs_;
  std::vector<const berth_attr*> attr_pointers_;
  std::vector<const berth_value_info*> input_pointers_;
  std::vector<const berth_value_info*> output_pointers_;
};

bool Listed(const char* const* names, uint32_t count, const std::string& name) {
  return std::any_of(names, names + count, [&](const char* n) { return name == n; });
}

// Device memory for one tensor: [guard | data | guard].
class Slot {
 public:
  Slot(const Harness& harness, const HostTensor& tensor) : harness_(harness) {
    const berth_device_info* const* infos = nullptr;
    uint32_t count = 0;
    harness.api()->enumerate(harness.plugin()->context, &count, &infos, nullptr);
    guard_ = infos[0]->base_alignment;
    size_ = tensor.bytes.size();
    view.dims = tensor.dims.data();
    view.rank = static_cast<int32_t>(tensor.dims.size());
    view.dtype = tensor.dtype;
    view.byte_size = size_;
    view.offset = guard_;
    std::vector<char> all(size_ + 2 * guard_, kGuard);
    std::copy(tensor.bytes.begin(), tensor.bytes.end(),
              all.begin() + static_cast<std::ptrdiff_t>(guard_));
    berth_error error = EmptyError();
    status = Harness::Take(harness.api()->allocate(harness.device(), BERTH_MEMORY_DEVICE,
                                                   all.size(), &view.memory, &error),
                           &error);
    if (!status.ok()) return;
    status = Copy(BERTH_COPY_HOST_TO_DEVICE, &all);
  }
  ~Slot() { harness_.api()->free(harness_.device(), view.memory); }
  Slot(const Slot&) = delete;
  Slot& operator=(const Slot&) = delete;

  // The data, once the guards were found as they were.
  Status Read(std::vector<char>* data) {
    std::vector<char> all(size_ + 2 * guard_);
    BERTH_SDK_RETURN_IF_ERROR(Copy(BERTH_COPY_DEVICE_TO_HOST, &all));
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(guard_);
    const auto end = begin + static_cast<std::ptrdiff_t>(size_);
    const auto is_guard = [](char c) { return c == kGuard; };
    if (!std::all_of(all.begin(), begin, is_guard) ||
        !std::all_of(end, all.end(), is_guard)) {
      return sdk::Internal("the kernel wrote outside its tensor");
    }
    data->assign(begin, end);
    return {};
  }

  berth_tensor view = {};
  Status status;

 private:
  Status Copy(berth_copy_direction direction, std::vector<char>* host) {
    berth_copy_args args = {};
    args.struct_size = sizeof(args);
    args.direction = direction;
    args.size = host->size();
    args.source_host = host->data();
    args.target_host = host->data();
    args.source = view.memory;
    args.target = view.memory;
    berth_error error = EmptyError();
    const berth_device_api* api = harness_.api();
    Status copied = Harness::Take(api->copy(harness_.stream(), &args, &error), &error);
    if (!copied.ok()) return copied;
    error = EmptyError();
    return Harness::Take(api->synchronize_stream(harness_.stream(), &error), &error);
  }

  const Harness& harness_;
  uint64_t guard_ = 0;
  uint64_t size_ = 0;
};

// One run of a kernel: create, prepare, compute, synchronize, and the way back.
class Execution {
 public:
  Execution(const Harness& harness, const berth_kernel_def* row, const OpCall& call)
      : harness_(harness), row_(row), call_(call) {}
  ~Execution() {
    if (prepared_ != nullptr) row_->release_prepared(kernel_, prepared_);
    if (kernel_ != nullptr) row_->destroy(kernel_);
  }
  Execution(const Execution&) = delete;
  Execution& operator=(const Execution&) = delete;

  Status Run(const berth_node& node, OpResult* result) {
    berth_error error = EmptyError();
    BERTH_SDK_RETURN_IF_ERROR(Harness::Take(
        row_->create(row_, harness_.device(), &node, &kernel_, &error), &error));
    BERTH_SDK_RETURN_IF_ERROR(MakeInputs());
    BERTH_SDK_RETURN_IF_ERROR(Prepare());
    BERTH_SDK_RETURN_IF_ERROR(MakeOutputs(result));
    BERTH_SDK_RETURN_IF_ERROR(Compute());
    for (size_t i = 0; i < outputs_.size(); ++i) {
      BERTH_SDK_RETURN_IF_ERROR(outputs_[i].Read(&result->outputs[i].bytes));
    }
    result->inputs = call_.inputs;
    for (const int i : call_.written) {
      BERTH_SDK_RETURN_IF_ERROR(
          inputs_[slot_of_input_[i]].Read(&result->inputs[static_cast<size_t>(i)].bytes));
    }
    return {};
  }

 private:
  Status MakeInputs() {
    for (size_t i = 0; i < call_.inputs.size(); ++i) {
      const HostTensor& tensor = call_.inputs[i];
      const std::string arg = i < call_.arg_names.size() ? call_.arg_names[i] : "";
      slot_of_input_.push_back(inputs_.size());
      if (Listed(row_->host_args, row_->num_host_args, arg)) {
        berth_tensor view = {};
        view.dims = tensor.dims.data();
        view.rank = static_cast<int32_t>(tensor.dims.size());
        view.dtype = tensor.dtype;
        view.byte_size = tensor.bytes.size();
        view.host_data = const_cast<char*>(tensor.bytes.data());
        views_.push_back(view);
      } else {
        Slot& slot = inputs_.emplace_back(harness_, tensor);
        BERTH_SDK_RETURN_IF_ERROR(slot.status);
        views_.push_back(slot.view);
      }
    }
    for (const berth_tensor& view : views_) view_pointers_.push_back(&view);
    return {};
  }

  Status Prepare() {
    shapes_.resize(call_.output_dtypes.size());
    for (size_t i = 0; i < shapes_.size(); ++i) {
      shapes_[i].rank = -1;
      if (i >= call_.output_dims.size()) continue;
      shapes_[i].rank = static_cast<int32_t>(call_.output_dims[i].size());
      std::copy(call_.output_dims[i].begin(), call_.output_dims[i].end(),
                shapes_[i].dims);
    }
    std::vector<berth_shape*> pointers;
    for (berth_shape& shape : shapes_) pointers.push_back(&shape);
    berth_prepare_args args = {};
    args.struct_size = sizeof(args);
    args.num_inputs = static_cast<uint32_t>(views_.size());
    args.num_outputs = static_cast<uint32_t>(shapes_.size());
    args.inputs = view_pointers_.data();
    args.outputs = pointers.data();
    args.num_threads = 1;
    berth_error error = EmptyError();
    if (row_->prepare != nullptr) {
      BERTH_SDK_RETURN_IF_ERROR(
          Harness::Take(row_->prepare(kernel_, &args, &error), &error));
    }
    prepared_ = args.prepared;
    if (args.scratch_size > 0) {
      HostTensor scratch({static_cast<int64_t>(args.scratch_size)},
                         std::vector<uint8_t>(args.scratch_size, 0xcd));
      scratch_ = std::make_unique<Slot>(harness_, scratch);
      BERTH_SDK_RETURN_IF_ERROR(scratch_->status);
    }
    return {};
  }

  Status MakeOutputs(OpResult* result) {
    for (size_t i = 0; i < shapes_.size(); ++i) {
      if (shapes_[i].rank < 0) {
        return sdk::Internal("prepare leaves the shape of output " + std::to_string(i) +
                             " open");
      }
      HostTensor& tensor = result->outputs.emplace_back();
      tensor.dtype = call_.output_dtypes[i];
      tensor.dims.assign(shapes_[i].dims, shapes_[i].dims + shapes_[i].rank);
      // Not zero: a kernel must write all of its output.
      tensor.bytes.assign(
          static_cast<size_t>(tensor.num_elements()) * sdk::DtypeSize(tensor.dtype),
          static_cast<char>(0xa5));
      Slot& slot = outputs_.emplace_back(harness_, tensor);
      BERTH_SDK_RETURN_IF_ERROR(slot.status);
    }
    return {};
  }

  Status Compute() {
    std::vector<berth_tensor*> pointers;
    for (Slot& slot : outputs_) pointers.push_back(&slot.view);
    berth_compute_context context = {};
    context.struct_size = sizeof(context);
    context.host = TestHost::Get()->table();
    context.device = harness_.device();
    context.stream = harness_.stream();
    context.num_inputs = static_cast<uint32_t>(views_.size());
    context.num_outputs = static_cast<uint32_t>(outputs_.size());
    context.inputs = view_pointers_.data();
    context.outputs = pointers.data();
    if (scratch_ != nullptr) context.scratch = scratch_->view;
    berth_error error = EmptyError();
    BERTH_SDK_RETURN_IF_ERROR(
        Harness::Take(row_->compute(kernel_, prepared_, &context, &error), &error));
    error = EmptyError();
    return Harness::Take(harness_.api()->synchronize_stream(harness_.stream(), &error),
                         &error);
  }

  const Harness& harness_;
  const berth_kernel_def* row_;
  const OpCall& call_;
  berth_kernel* kernel_ = nullptr;
  berth_prepared* prepared_ = nullptr;
  std::deque<Slot> inputs_;
  std::deque<Slot> outputs_;
  std::unique_ptr<Slot> scratch_;
  std::vector<size_t> slot_of_input_;
  std::deque<berth_tensor> views_;
  std::vector<const berth_tensor*> view_pointers_;
  std::deque<berth_shape> shapes_;
};

}  // namespace

int64_t HostTensor::num_elements() const {
  int64_t n = 1;
  for (const int64_t dim : dims) n *= dim;
  return n;
}

berth_error EmptyError() {
  berth_error error = {};
  error.struct_size = sizeof(error);
  return error;
}

Status Harness::Take(berth_status_code code, berth_error* error) {
  Status status(code, error->message != nullptr ? error->message : "");
  if (error->release != nullptr) error->release(error);
  *error = EmptyError();
  return status;
}

Result<std::unique_ptr<Harness>> Harness::Open(uint32_t index) {
  std::unique_ptr<Harness> harness(new Harness());
  std::string why;
  harness->plugin_ = TestHost::Get()->LoadPlugin(&why);
  if (harness->plugin_ == nullptr)
    return sdk::Internal("the plugin does not load: " + why);
  berth_open_args args = {};
  args.struct_size = sizeof(args);
  args.device_list_index = index;
  berth_error error = EmptyError();
  const berth_device_api* api = harness->api();
  BERTH_SDK_RETURN_IF_ERROR(Take(
      api->open(harness->plugin_->context, &args, &harness->device_, &error), &error));
  BERTH_SDK_RETURN_IF_ERROR(
      Take(api->create_stream(harness->device_, &harness->stream_, &error), &error));
  return harness;
}

Harness::~Harness() {
  if (stream_ != nullptr) api()->destroy_stream(stream_);
  if (device_ != nullptr) api()->close(device_);
}

const berth_kernel_def* Harness::FindRow(const berth_node& node, std::string* why) const {
  *why = "no row for the op";
  for (uint32_t k = 0; k < plugin_->num_kernels; ++k) {
    const berth_kernel_def* row = plugin_->kernels[k];
    if (std::strcmp(row->op, node.op) != 0) continue;
    bool fits = true;
    for (uint32_t c = 0; c < row->num_constraints; ++c) {
      const berth_type_constraint* constraint = row->constraints[c];
      for (uint32_t a = 0; a < node.num_attrs; ++a) {
        if (std::strcmp(node.attrs[a]->name, constraint->attr) != 0) continue;
        fits = fits &&
               std::find(constraint->dtypes, constraint->dtypes + constraint->num_dtypes,
                         node.attrs[a]->i) != constraint->dtypes + constraint->num_dtypes;
      }
    }
    if (!fits) {
      if (*why == "no row for the op") *why = "no row for the dtype";
      continue;
    }
    std::vector<char> reason(512, '\0');
    if (row->supports == nullptr ||
        row->supports(row, &node, reason.data(), reason.size()) != 0) {
      return row;
    }
    *why = reason.data();
  }
  return nullptr;
}

std::string Harness::WhyRefused(const OpCall& call) const {
  const Node node(call);
  std::string why;
  return FindRow(node.abi(), &why) != nullptr ? "" : why;
}

OpResult Harness::Run(const OpCall& call) {
  OpResult result;
  const Node node(call);
  std::string why;
  const berth_kernel_def* row = FindRow(node.abi(), &why);
  if (row == nullptr) {
    result.status = sdk::Unimplemented(call.op + ": " + why);
    return result;
  }
  Execution execution(*this, row, call);
  result.status = execution.Run(node.abi(), &result);
  return result;
}

}  // namespace berth::opencl::testing
