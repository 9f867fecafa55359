#include "core/executor/evaluate.h"

#include "absl/container/inlined_vector.h"
#include "core/plugin/compute_context.h"
#include "core/plugin/step.h"
#include "core/registry/node_abi.h"

namespace berth::executor {
namespace {

struct Outputs {
  std::vector<Tensor> tensors;
  absl::InlinedVector<berth_tensor, 2> views;
};

// SHAPE_AT_RUN kernels ask for their outputs here.
Status AllocateOutput(HostComputeContext& self, uint32_t index, const Shape& shape) {
  auto& outputs = *static_cast<Outputs*>(self.owner);
  BERTH_ASSIGN_OR_RETURN(outputs.tensors[index],
                         Tensor::Allocate(outputs.views[index].dtype, shape));
  outputs.views[index] = TensorView(outputs.tensors[index]);
  return OkStatus();
}

}  // namespace

Result<std::vector<Tensor>> EvaluateOnHost(const NodeKernel& kernel,
                                           std::span<const Tensor* const> inputs,
                                           std::vector<Shape> shapes, ThreadPool* pool) {
  absl::InlinedVector<berth_tensor, 4> input_views;
  for (const Tensor* input : inputs) input_views.push_back(TensorView(*input));
  absl::InlinedVector<const berth_tensor*, 4> input_pointers;
  for (const berth_tensor& view : input_views) input_pointers.push_back(&view);

  PreparedKernel prepared;
  BERTH_RETURN_IF_ERROR(Prepare(kernel, {input_pointers.data(), input_pointers.size()},
                                pool->num_threads(), &shapes, &prepared));
  Outputs outputs;
  outputs.tensors.resize(shapes.size());
  outputs.views.resize(shapes.size());
  absl::InlinedVector<berth_tensor*, 2> output_pointers;
  for (size_t i = 0; i < shapes.size(); ++i) {
    const DType dtype = BaseType(kernel.node().output_type(static_cast<int>(i)));
    outputs.views[i].dtype = dtype;
    if (!kernel.shape_at_run()) {
      BERTH_ASSIGN_OR_RETURN(outputs.tensors[i], Tensor::Allocate(dtype, shapes[i]));
      outputs.views[i] = TensorView(outputs.tensors[i]);
    }
    output_pointers.push_back(&outputs.views[i]);
  }
  Tensor scratch;
  HostComputeContext context;
  berth_step step(pool);
  if (prepared.scratch_size > 0) {
    BERTH_ASSIGN_OR_RETURN(
        scratch, Tensor::Allocate(BERTH_UINT8,
                                  Shape{static_cast<int64_t>(prepared.scratch_size)}));
    context.abi.scratch = TensorView(scratch);
  }
  context.abi.struct_size = sizeof(context.abi);
  context.abi.host = kernel.device().device->host();
  context.abi.step = &step;
  context.abi.device = kernel.device().handle;
  context.abi.num_inputs = static_cast<uint32_t>(input_pointers.size());
  context.abi.num_outputs = static_cast<uint32_t>(output_pointers.size());
  context.abi.inputs = input_pointers.data();
  context.abi.outputs = output_pointers.data();
  context.abi.state = kernel.state();
  context.allocate_output = &AllocateOutput;
  context.owner = &outputs;
  berth_error error = EmptyError();
  const berth_status_code code =
      kernel.def().compute(kernel.kernel(), prepared.get(), &context.abi, &error);
  if (code != BERTH_OK) {
    return WithNode(TakeError(code, &error, ""), kernel.node(), &kernel.device());
  }
  return std::move(outputs.tensors);
}

}  // namespace berth::executor
