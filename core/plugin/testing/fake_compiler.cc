#include "core/plugin/testing/fake_compiler.h"

#include <cstring>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "core/plugin/testing/fake_device.h"

namespace berth::testing {
namespace {

constexpr uint64_t kAlignment = 64;

// A value that a node of the group makes: an output of the group, or scratch memory.
struct Value {
  berth_tensor view = {};  // with sizes, without memory
  std::vector<int64_t> dims;
  int32_t group_output = -1;
  uint64_t scratch_offset = 0;
};

struct Call {
  const FakeComputeFn* fn = nullptr;  // NULL: the output is the input renamed
  std::vector<berth_group_edge> inputs;
  int32_t first_value = 0;
  int32_t num_outputs = 0;
};

// A compiled group: what its calls do, in order.
struct GroupKernel {
  const FakeHook* hook = nullptr;
  FakeShared* shared = nullptr;
  std::vector<Call> calls;
  std::vector<Value> values;
  uint64_t scratch_size = 0;
  FakeComputeFn run;

  void AddValue(const berth_value_info& info);
  Status Run(berth_compute_context* context) const;
};

void GroupKernel::AddValue(const berth_value_info& info) {
  Value& value = values.emplace_back();
  value.dims.assign(info.dims, info.dims + info.rank);
  value.view.dtype = info.dtype;
  value.view.rank = info.rank;
  value.view.byte_size = DTypeSize(info.dtype);
  for (const int64_t dim : value.dims) {
    value.view.byte_size *= static_cast<uint64_t>(dim);
  }
}

Status GroupKernel::Run(berth_compute_context* context) const {
  if (!hook->compiler().compute_failure.ok()) return hook->compiler().compute_failure;
  absl::InlinedVector<berth_tensor, 64> views;
  for (const Value& value : values) {
    berth_tensor& view = views.emplace_back(value.view);
    view.dims = value.dims.data();
    if (value.group_output >= 0) {
      view = *context->outputs[value.group_output];
      continue;
    }
    view.memory = context->scratch.memory;
    view.offset = context->scratch.offset + value.scratch_offset;
    if (context->scratch.host_data != nullptr) {
      view.host_data =
          static_cast<char*>(context->scratch.host_data) + value.scratch_offset;
    }
  }
  for (const Call& call : calls) {
    absl::InlinedVector<const berth_tensor*, 8> inputs;
    for (const berth_group_edge& edge : call.inputs) {
      inputs.push_back(edge.node < 0
                           ? context->inputs[edge.output]
                           : &views[calls[edge.node].first_value + edge.output]);
    }
    absl::InlinedVector<berth_tensor*, 4> outputs;
    for (int32_t i = 0; i < call.num_outputs; ++i) {
      outputs.push_back(&views[call.first_value + i]);
    }
    if (call.fn == nullptr) {
      std::memcpy(FakeData(*outputs[0]), FakeData(*inputs[0]), outputs[0]->byte_size);
      continue;
    }
    berth_compute_context inner = *context;
    inner.inputs = inputs.data();
    inner.outputs = outputs.data();
    inner.num_inputs = static_cast<uint32_t>(inputs.size());
    inner.num_outputs = static_cast<uint32_t>(outputs.size());
    BERTH_RETURN_IF_ERROR((*call.fn)(&inner));
  }
  return OkStatus();
}

const FakeHook& HookOf(berth_device* device) { return *FakeDevice::Of(device)->hook; }

berth_status_code Claim(berth_device* device, const berth_group* offer,
                        int32_t* out_claims, berth_error* error) {
  const auto claims = HookOf(device).compiler().claim(*offer);
  if (!claims.ok()) return FakeFill(claims.status(), error);
  std::copy(claims->begin(), claims->end(), out_claims);
  return BERTH_OK;
}

berth_status_code Compile(berth_device* device, const berth_group* group,
                          const berth_kernel_def** out_def, berth_kernel** out_kernel,
                          berth_error* error) {
  const FakeHook& hook = HookOf(device);
  if (hook.compiler().inspect) {
    const Status status = hook.compiler().inspect(*group);
    if (!status.ok()) return FakeFill(status, error);
  }
  auto kernel = std::make_unique<GroupKernel>();
  kernel->hook = &hook;
  kernel->shared = FakeDevice::Of(device)->shared;
  for (uint32_t n = 0; n < group->num_nodes; ++n) {
    const berth_node& node = *group->nodes[n];
    Call& call = kernel->calls.emplace_back();
    call.fn = hook.find_row()(node.op);
    call.inputs.assign(group->edges[n], group->edges[n] + node.num_inputs);
    call.first_value = static_cast<int32_t>(kernel->values.size());
    call.num_outputs = static_cast<int32_t>(node.num_outputs);
    for (uint32_t i = 0; i < node.num_outputs; ++i) kernel->AddValue(*node.outputs[i]);
  }
  for (uint32_t i = 0; i < group->num_outputs; ++i) {
    const berth_group_edge& edge = group->outputs[i];
    kernel->values[kernel->calls[edge.node].first_value + edge.output].group_output =
        static_cast<int32_t>(i);
  }
  for (Value& value : kernel->values) {
    if (value.group_output >= 0) continue;
    value.scratch_offset = kernel->scratch_size;
    kernel->scratch_size +=
        (value.view.byte_size + kAlignment - 1) / kAlignment * kAlignment;
  }
  kernel->run = [raw = kernel.get()](berth_compute_context* context) {
    return raw->Run(context);
  };
  *out_def = hook.def();
  *out_kernel = reinterpret_cast<berth_kernel*>(kernel.release());
  return BERTH_OK;
}

const GroupKernel& Of(const berth_kernel* kernel) {
  return *reinterpret_cast<const GroupKernel*>(kernel);
}

berth_status_code Prepare(const berth_kernel* kernel, berth_prepare_args* args,
                          berth_error*) {
  args->scratch_size = Of(kernel).scratch_size;
  return BERTH_OK;
}

berth_status_code Compute(const berth_kernel* kernel, const berth_prepared*,
                          berth_compute_context* context, berth_error* error) {
  Of(kernel).shared->Count([](FakeCounters* c) { ++c->computes; });
  return FakeRun(Of(kernel).run, context, error);
}

}  // namespace

FakeCompiler ClaimEverything() {
  FakeCompiler compiler;
  compiler.claim = [](const berth_group& offer) {
    return std::vector<int32_t>(offer.num_nodes, 0);
  };
  return compiler;
}

FakeHook::FakeHook(FakeCompiler compiler, FindRow find_row)
    : compiler_(std::move(compiler)), find_row_(std::move(find_row)) {
  def_.struct_size = sizeof(def_);
  def_.op = "group";
  def_.flags = compiler_.flags;
  def_.destroy = [](berth_kernel* kernel) {
    delete reinterpret_cast<GroupKernel*>(kernel);
  };
  def_.prepare = &Prepare;
  def_.compute = &Compute;
  api_.head = {sizeof(api_), BERTH_COMPILE_EXTENSION, nullptr};
  api_.claim = &Claim;
  api_.compile = &Compile;
}

}  // namespace berth::testing
