#include "kernels-cpu/testing/kernel_harness.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <random>
#include <thread>

#include "kernels-cpu/kernels.h"

namespace berth::cpu::testing {
namespace {

// The host's parallel_for on fresh threads, so that a race shows.
void ParallelFor(berth_host_context* context, berth_step*, int64_t total, int64_t grain,
                 berth_range_fn fn, void* arg) {
  const int64_t threads = *reinterpret_cast<int*>(context);
  const int64_t pieces =
      std::min(total / std::max<int64_t>(grain, 1), int64_t{4} * threads);
  if (total <= 0) return;
  if (pieces <= 1 || threads == 1) {
    fn(arg, 0, total);
    return;
  }
  const int64_t piece = (total + pieces - 1) / pieces;
  std::atomic<int64_t> next{0};
  const auto work = [&] {
    for (;;) {
      const int64_t begin = next.fetch_add(piece);
      if (begin >= total) return;
      fn(arg, begin, std::min(begin + piece, total));
    }
  };
  std::vector<std::thread> helpers;
  for (int64_t i = 1; i < threads; ++i) helpers.emplace_back(work);
  work();
  for (std::thread& helper : helpers) helper.join();
}

int32_t NumThreads(berth_host_context* context, berth_step*) {
  return *reinterpret_cast<int*>(context);
}

int32_t IsCancelled(berth_host_context*, berth_step*) { return 0; }

// The test said beforehand what a SHAPE_AT_RUN kernel will ask for: it has that already.
berth_status_code AllocateOutput(berth_compute_context* context, uint32_t index,
                                 const berth_shape* shape, berth_error* error) {
  const berth_tensor& out = *context->outputs[index];
  if (shape->rank == out.rank &&
      std::equal(shape->dims, shape->dims + shape->rank, out.dims)) {
    return BERTH_OK;
  }
  if (error != nullptr) error->message = "the kernel asks for another shape";
  return BERTH_INTERNAL;
}

sdk::Status Take(berth_status_code code, berth_error* error) {
  if (code == BERTH_OK) return {};
  sdk::Status status(code, error->message != nullptr ? error->message : "");
  if (error->release != nullptr) error->release(error);
  return status;
}

berth_error EmptyError() {
  berth_error error = {};
  error.struct_size = sizeof(error);
  return error;
}

}  // namespace

HostTensor::HostTensor(int32_t dtype, std::vector<int64_t> dims)
    : dtype_(dtype), dims_(std::move(dims)) {
  const size_t bytes = static_cast<size_t>(size()) * sdk::DtypeSize(dtype_);
  const size_t padded = std::max<size_t>(64, (bytes + 63) / 64 * 64);
  data_ = std::shared_ptr<void>(std::aligned_alloc(64, padded), &std::free);
  std::memset(data_.get(), 0x5c, padded);
}

HostTensor HostTensor::Random(int32_t dtype, std::vector<int64_t> dims, uint32_t seed) {
  HostTensor tensor(dtype, std::move(dims));
  std::mt19937 engine(seed);
  for (int64_t i = 0; i < tensor.size(); ++i) {
    const double x = static_cast<double>(engine()) / 2147483648.0 - 1.0;
    if (dtype == BERTH_DOUBLE) {
      tensor.data<double>()[i] = x;
    } else {
      tensor.data<float>()[i] = static_cast<float>(x);
    }
  }
  return tensor;
}

int64_t HostTensor::size() const {
  int64_t n = 1;
  for (const int64_t d : dims_) n *= d;
  return n;
}

berth_tensor HostTensor::view() const {
  berth_tensor view = {};
  view.host_data = size() > 0 ? data_.get() : nullptr;
  view.byte_size = static_cast<uint64_t>(size()) * sdk::DtypeSize(dtype_);
  view.dims = dims_.data();
  view.rank = static_cast<int32_t>(dims_.size());
  view.dtype = dtype_;
  return view;
}

// The structs of the C ABI and what they point at.
struct KernelRun::Abi {
  std::deque<berth_attr> attrs;
  std::deque<std::string> strings;
  std::deque<std::vector<int64_t>> ints;
  std::vector<const berth_attr*> attr_pointers;
  std::deque<berth_value_info> infos;
  std::vector<const berth_value_info*> inputs;
  std::vector<const berth_value_info*> outputs;
  berth_node node = {};
  const berth_kernel_def* def = nullptr;
  berth_kernel* kernel = nullptr;
  berth_state* state = nullptr;
  berth_prepared* prepared = nullptr;
  bool is_prepared = false;
  uint64_t scratch_size = 0;

  berth_attr& Attr(const char* name, berth_attr_kind kind) {
    berth_attr& attr = attrs.emplace_back();
    attr = {};
    attr.struct_size = sizeof(attr);
    attr.name = name;
    attr.kind = kind;
    return attr;
  }
};

KernelRun::KernelRun(std::string op, int num_threads)
    : op_(std::move(op)), num_threads_(num_threads), abi_(std::make_unique<Abi>()) {}

KernelRun::~KernelRun() {
  if (abi_->prepared != nullptr) {
    abi_->def->release_prepared(abi_->kernel, abi_->prepared);
  }
  if (abi_->state != nullptr) abi_->def->destroy_state(abi_->state);
  if (abi_->kernel != nullptr) abi_->def->destroy(abi_->kernel);
}

KernelRun& KernelRun::Type(const char* name, int32_t dtype) {
  abi_->Attr(name, BERTH_ATTR_TYPE).i = dtype;
  return *this;
}
KernelRun& KernelRun::Int(const char* name, int64_t value) {
  abi_->Attr(name, BERTH_ATTR_INT).i = value;
  return *this;
}
KernelRun& KernelRun::Bool(const char* name, bool value) {
  abi_->Attr(name, BERTH_ATTR_BOOL).i = value ? 1 : 0;
  return *this;
}
KernelRun& KernelRun::Float(const char* name, float value) {
  abi_->Attr(name, BERTH_ATTR_FLOAT).f = value;
  return *this;
}
KernelRun& KernelRun::String(const char* name, const char* value) {
  const std::string& kept = abi_->strings.emplace_back(value);
  abi_->Attr(name, BERTH_ATTR_STRING).s = {kept.data(), kept.size()};
  return *this;
}
KernelRun& KernelRun::Ints(const char* name, std::vector<int64_t> values) {
  const std::vector<int64_t>& kept = abi_->ints.emplace_back(std::move(values));
  berth_attr& attr = abi_->Attr(name, BERTH_ATTR_LIST_INT);
  attr.ints = kept.data();
  attr.count = static_cast<uint32_t>(kept.size());
  return *this;
}
KernelRun& KernelRun::In(HostTensor tensor, const char* name) {
  inputs_.push_back(std::move(tensor));
  input_names_.emplace_back(name);
  return *this;
}
KernelRun& KernelRun::Out(int32_t dtype, std::vector<int64_t> dims) {
  outputs_.emplace_back(dtype, std::move(dims));
  return *this;
}
KernelRun& KernelRun::OutInPlace(int input) {
  outputs_.push_back(inputs_[static_cast<size_t>(input)]);
  return *this;
}

namespace {

bool Accepts(const berth_type_constraint& constraint, const berth_node& node) {
  for (uint32_t i = 0; i < node.num_attrs; ++i) {
    if (std::strcmp(node.attrs[i]->name, constraint.attr) != 0) continue;
    return std::find(constraint.dtypes, constraint.dtypes + constraint.num_dtypes,
                     static_cast<int32_t>(node.attrs[i]->i)) !=
           constraint.dtypes + constraint.num_dtypes;
  }
  return true;  // a test may leave out what does not matter to it
}

}  // namespace

sdk::Status KernelRun::Find() {
  if (abi_->def != nullptr) return {};
  std::sort(abi_->attrs.begin(), abi_->attrs.end(),
            [](const berth_attr& a, const berth_attr& b) {
              return std::strcmp(a.name, b.name) < 0;
            });
  for (const berth_attr& attr : abi_->attrs) abi_->attr_pointers.push_back(&attr);
  const auto describe = [&](const berth_tensor& t, const char* name) {
    berth_value_info& info = abi_->infos.emplace_back();
    info = {};
    info.struct_size = sizeof(info);
    info.arg_name = name;
    info.dtype = t.dtype;
    info.rank = -1;
    return &info;
  };
  for (size_t i = 0; i < inputs_.size(); ++i) {
    abi_->inputs.push_back(describe(inputs_[i].view(), input_names_[i].c_str()));
  }
  for (const HostTensor& t : outputs_) abi_->outputs.push_back(describe(t.view(), "y"));
  berth_node& node = abi_->node;
  node.struct_size = sizeof(node);
  node.name = "test";
  node.op = op_.c_str();
  node.device = "/device:CPU:0";
  node.num_attrs = static_cast<uint32_t>(abi_->attr_pointers.size());
  node.num_inputs = static_cast<uint32_t>(abi_->inputs.size());
  node.num_outputs = static_cast<uint32_t>(abi_->outputs.size());
  node.attrs = abi_->attr_pointers.data();
  node.inputs = abi_->inputs.data();
  node.outputs = abi_->outputs.data();
  const berth_kernel_def* const* defs = nullptr;
  uint32_t count = 0;
  berth_cpu_kernels(&defs, &count);
  std::string reasons = "no kernel for " + op_;
  for (uint32_t i = 0; i < count; ++i) {
    const berth_kernel_def* def = defs[i];
    if (op_ != def->op) continue;
    bool fits = true;
    for (uint32_t c = 0; c < def->num_constraints; ++c) {
      fits = fits && Accepts(*def->constraints[c], node);
    }
    char reason[256] = "dtype";
    if (fits && (def->flags & BERTH_KERNEL_CONDITIONAL) != 0) {
      fits = def->supports(def, &node, reason, sizeof(reason)) != 0;
    }
    if (fits) {
      abi_->def = def;
      return {};
    }
    reasons += std::string("; ") + reason;
  }
  return sdk::Unimplemented(reasons);
}

sdk::Status KernelRun::Create() {
  if (abi_->kernel != nullptr) return {};
  BERTH_SDK_RETURN_IF_ERROR(Find());
  berth_error error = EmptyError();
  BERTH_SDK_RETURN_IF_ERROR(Take(
      abi_->def->create(abi_->def, nullptr, &abi_->node, &abi_->kernel, &error), &error));
  if ((abi_->def->flags & BERTH_KERNEL_STATEFUL) == 0) return {};
  return Take(abi_->def->create_state(abi_->kernel, &abi_->state, &error), &error);
}

sdk::Status KernelRun::Prepare() {
  if (abi_->is_prepared || abi_->def->prepare == nullptr) return {};
  std::vector<berth_tensor> views;
  std::vector<const berth_tensor*> inputs;
  for (const HostTensor& t : inputs_) views.push_back(t.view());
  for (size_t i = 0; i < views.size(); ++i) {
    bool seen = false;
    for (uint32_t k = 0; k < abi_->def->num_prepare_args; ++k) {
      seen = seen || input_names_[i] == abi_->def->prepare_args[k];
    }
    if (!seen) views[i].host_data = nullptr;
    inputs.push_back(&views[i]);
  }
  std::vector<berth_shape> shapes(outputs_.size());
  std::vector<berth_shape*> outputs;
  for (size_t i = 0; i < shapes.size(); ++i) {
    shapes[i] = {};
    shapes[i].rank = static_cast<int32_t>(outputs_[i].dims().size());
    std::copy(outputs_[i].dims().begin(), outputs_[i].dims().end(), shapes[i].dims);
    outputs.push_back(&shapes[i]);
  }
  berth_prepare_args args = {};
  args.struct_size = sizeof(args);
  args.num_inputs = static_cast<uint32_t>(inputs.size());
  args.num_outputs = static_cast<uint32_t>(outputs.size());
  args.inputs = inputs.data();
  args.outputs = outputs.data();
  args.num_threads = num_threads_;
  berth_error error = EmptyError();
  BERTH_SDK_RETURN_IF_ERROR(
      Take(abi_->def->prepare(abi_->kernel, &args, &error), &error));
  abi_->prepared = args.prepared;
  abi_->scratch_size = args.scratch_size;
  abi_->is_prepared = true;
  return {};
}

sdk::Status KernelRun::Run() {
  BERTH_SDK_RETURN_IF_ERROR(Create());
  BERTH_SDK_RETURN_IF_ERROR(Prepare());
  berth_host host = {};
  host.struct_size = sizeof(host);
  host.abi_version = BERTH_ABI_CURRENT;
  host.context = reinterpret_cast<berth_host_context*>(&num_threads_);
  host.parallel_for = &ParallelFor;
  host.num_threads = &NumThreads;
  host.is_cancelled = &IsCancelled;
  host.allocate_output = &AllocateOutput;
  std::vector<berth_tensor> views;
  for (const HostTensor& t : inputs_) views.push_back(t.view());
  for (const HostTensor& t : outputs_) views.push_back(t.view());
  std::vector<const berth_tensor*> inputs;
  std::vector<berth_tensor*> outputs;
  for (size_t i = 0; i < views.size(); ++i) {
    if (i < inputs_.size()) {
      inputs.push_back(&views[i]);
    } else {
      outputs.push_back(&views[i]);
    }
  }
  const HostTensor scratch(BERTH_UINT8, {static_cast<int64_t>(abi_->scratch_size)});
  berth_compute_context context = {};
  context.struct_size = sizeof(context);
  context.host = &host;
  context.num_inputs = static_cast<uint32_t>(inputs.size());
  context.num_outputs = static_cast<uint32_t>(outputs.size());
  context.inputs = inputs.data();
  context.outputs = outputs.data();
  context.scratch = scratch.view();
  context.state = abi_->state;
  berth_error error = EmptyError();
  return Take(abi_->def->compute(abi_->kernel, abi_->prepared, &context, &error), &error);
}

}  // namespace berth::cpu::testing
