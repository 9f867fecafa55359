// reduce.cc — Sum, Mean, Max, Min, Prod over any axes, L2Loss, BiasAddGrad, ArgMax,
// ArgMin.
#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

#include "plugins/opencl/geometry.h"
#include "plugins/opencl/ops/families.h"
#include "plugins/opencl/ops/host_values.h"
#include "plugins/opencl/ops/op_kernel.h"

namespace berth::opencl {
namespace {

// Layouts of `Axes` and `Tasks` in kernels/reduce.cl.
constexpr int kAxesRank = 8;
struct Axes {
  uint32_t rank = 0;
  std::array<FastDiv, kAxesRank> size = {};
  std::array<int32_t, kAxesRank> stride = {};
};
struct Tasks {
  uint32_t outputs = 0;
  uint32_t chunks = 1;
  uint32_t reduced = 0;
  uint32_t run = 0;
  int32_t chunks_first = 0;
};

Axes ToAxes(Walk walk) {
  Axes axes;
  walk.num_operands = 1;
  walk.Collapse();
  axes.rank = static_cast<uint32_t>(walk.rank);
  for (int i = 0; i < walk.rank; ++i) {
    axes.size[i] = MakeFastDiv(static_cast<uint32_t>(walk.size[i]));
    axes.stride[i] = static_cast<int32_t>(walk.stride[0][i]);
  }
  return axes;
}

// One launch of a reduction.
struct Stage {
  Tasks tasks;
  Axes kept;
  Axes reduced;
};

struct ReducePlan {
  bool wide = false;  // vectors of neighbouring outputs
  Stage first;
  Stage second;  // over the chunks' results, when there is more than one
  double divisor = 1;
};

// Sorted out of an axes argument: which dimensions go. INVALID_ARGUMENT for an axis that
// is out of range or comes twice.
Result<std::vector<bool>> ReducedDims(const berth_tensor& input,
                                      const std::vector<int64_t>& axes) {
  std::vector<bool> reduced(static_cast<size_t>(input.rank), false);
  for (const int64_t axis : axes) {
    const int64_t at = axis < 0 ? axis + input.rank : axis;
    if (at < 0 || at >= input.rank) {
      return sdk::InvalidArgument("Invalid reduction dimension (" + std::to_string(axis) +
                                  " for input with " + std::to_string(input.rank) +
                                  " dimension(s)");
    }
    if (reduced[static_cast<size_t>(at)]) {
      return sdk::InvalidArgument(
          "Invalid reduction arguments: Axes contains duplicate "
          "dimension: " +
          std::to_string(at));
    }
    reduced[static_cast<size_t>(at)] = true;
  }
  return reduced;
}

class Reducer {
 public:
  Status Init(Context* context, int32_t dtype, const char* map, const char* combine) {
    dtype_ = dtype;
    const PhysicalDevice& device = context->facts();
    is_cpu_ = device.is_cpu();
    wanted_tasks_ = int64_t{device.compute_units} * (is_cpu_ ? 64 : 2048);
    lanes_ = VectorLanes(device, dtype);
    for (const bool wide : {false, true}) {
      const std::string options =
          TypeOptions(dtype) + " -DV=" + std::to_string(wide ? lanes_ : 1);
      BERTH_CL_ASSIGN_OR_RETURN(first_[wide], context->Kernel("reduce", options, map));
      BERTH_CL_ASSIGN_OR_RETURN(second_[wide],
                                context->Kernel("reduce", options, combine));
    }
    return {};
  }

  // Plans the reduction of `input` over the marked dimensions. Returns the scratch bytes.
  Result<uint64_t> Plan(const berth_tensor& input, const std::vector<bool>& gone,
                        ReducePlan* plan) const {
    const std::vector<int64_t> strides = DenseStrides(input.dims, input.rank);
    if (sdk::NumElements(input) > std::numeric_limits<int32_t>::max()) {
      return sdk::InvalidArgument("a reduction of more than 2147483647 elements");
    }
    const int last = input.rank - 1;
    const bool last_goes = last >= 0 && gone[static_cast<size_t>(last)];
    plan->wide = lanes_ > 1 && last >= 0 && !last_goes && input.dims[last] % lanes_ == 0;
    const int64_t lanes = plan->wide ? lanes_ : 1;
    Walk kept;
    Walk reduced;
    for (int d = 0; d < input.rank; ++d) {
      const bool in_vectors = plan->wide && d == last;
      Walk& walk = gone[static_cast<size_t>(d)] ? reduced : kept;
      walk.Push(in_vectors ? input.dims[d] / lanes : input.dims[d],
                {in_vectors ? lanes : strides[d]});
    }
    Stage& first = plan->first;
    const int64_t outputs = kept.num_elements();
    const int64_t size = reduced.num_elements();
    first.kept = ToAxes(kept);
    first.reduced = ToAxes(reduced);
    first.tasks.outputs = static_cast<uint32_t>(outputs);
    first.tasks.reduced = static_cast<uint32_t>(size);
    if (outputs == 0) return uint64_t{0};
    const int64_t chunks =
        std::clamp<int64_t>(wanted_tasks_ / outputs, 1, std::max<int64_t>(size / 16, 1));
    if (chunks == 1) return uint64_t{0};
    first.tasks.chunks = static_cast<uint32_t>(chunks);
    if (is_cpu_) {
      first.tasks.run = static_cast<uint32_t>((size + chunks - 1) / chunks);
    } else {
      // Neighbouring work-items should read neighbouring elements.
      first.tasks.chunks_first = last_goes ? 1 : 0;
    }
    Walk partial_kept;
    partial_kept.Push(outputs, {chunks * lanes});
    Walk partial_reduced;
    partial_reduced.Push(chunks, {lanes});
    plan->second.kept = ToAxes(partial_kept);
    plan->second.reduced = ToAxes(partial_reduced);
    plan->second.tasks.outputs = first.tasks.outputs;
    plan->second.tasks.reduced = first.tasks.chunks;
    return static_cast<uint64_t>(outputs * chunks * lanes) * sdk::DtypeSize(dtype_);
  }

  Status Run(const ComputeContext& context, const ReducePlan& plan,
             const berth_tensor& input, const berth_tensor& output) const {
    if (plan.first.tasks.outputs == 0) return {};
    const KernelRef& map = *first_[plan.wide];
    if (plan.first.tasks.chunks == 1) {
      return Launch1(context, map, input, output, plan.first, plan.divisor);
    }
    berth_tensor partial = context.scratch_view();
    partial.dtype = dtype_;
    BERTH_SDK_RETURN_IF_ERROR(Launch1(context, map, input, partial, plan.first, 1));
    return Launch1(context, *second_[plan.wide], partial, output, plan.second,
                   plan.divisor);
  }

 private:
  Status Launch1(const ComputeContext& context, const KernelRef& kernel,
                 const berth_tensor& from, const berth_tensor& to, const Stage& stage,
                 double divisor) const {
    Launch launch(context, kernel);
    launch.Tensor(from).Tensor(to).Value(stage.tasks).Value(stage.kept);
    launch.Value(stage.reduced);
    if (dtype_ == BERTH_DOUBLE) {
      launch.Value<cl_double>(divisor);
    } else {
      launch.Value<cl_float>(static_cast<float>(divisor));
    }
    return launch.Run({size_t{stage.tasks.outputs} * stage.tasks.chunks}, 64);
  }

  int32_t dtype_ = BERTH_FLOAT;
  bool is_cpu_ = false;
  int64_t wanted_tasks_ = 1;
  int64_t lanes_ = 1;
  // By width: single outputs, vectors of them.
  std::array<const KernelRef*, 2> first_ = {};
  std::array<const KernelRef*, 2> second_ = {};
};

class ReduceKernel {
 public:
  using Prepared = ReducePlan;

  static Result<std::unique_ptr<ReduceKernel>> Create(const NodeView& node,
                                                      berth_device* device) {
    auto kernel = std::make_unique<ReduceKernel>();
    kernel->keep_dims_ = node.Bool("keep_dims");
    kernel->is_mean_ = std::strcmp(node.op(), "Mean") == 0;
    const char* function = kernel->is_mean_ ? "Sum" : node.op();
    BERTH_SDK_RETURN_IF_ERROR(
        kernel->reducer_.Init(ContextOf(device), node.Type("T"), function, function));
    return kernel;
  }

  Status Prepare(PrepareContext& context, ReducePlan* plan) const {
    const berth_tensor& input = context.input(0);
    BERTH_CL_ASSIGN_OR_RETURN(const std::vector<bool> gone,
                              ReducedDims(input, HostInts(context.input(1))));
    std::vector<int64_t> dims;
    for (int d = 0; d < input.rank; ++d) {
      const bool goes = gone[static_cast<size_t>(d)];
      if (!goes || keep_dims_) dims.push_back(goes ? 1 : input.dims[d]);
    }
    SetShape(&context.output(0), dims);
    BERTH_CL_ASSIGN_OR_RETURN(const uint64_t scratch, reducer_.Plan(input, gone, plan));
    if (is_mean_) plan->divisor = plan->first.tasks.reduced;
    context.set_scratch_size(scratch);
    return {};
  }

  Status Compute(const ReducePlan& plan, ComputeContext& context) const {
    return reducer_.Run(context, plan, context.input(0), context.output(0));
  }

 private:
  bool keep_dims_ = false;
  bool is_mean_ = false;
  Reducer reducer_;
};

// Reductions whose axes the op fixes: L2Loss (all) and BiasAddGrad (all but one).
class FixedReduceKernel {
 public:
  using Prepared = ReducePlan;

  static Result<std::unique_ptr<FixedReduceKernel>> Create(const NodeView& node,
                                                           berth_device* device) {
    auto kernel = std::make_unique<FixedReduceKernel>();
    kernel->is_l2_ = std::strcmp(node.op(), "L2Loss") == 0;
    kernel->channels_first_ = node.String("data_format", "NHWC") == "NCHW";
    BERTH_SDK_RETURN_IF_ERROR(
        kernel->reducer_.Init(ContextOf(device), node.Type("T"),
                              kernel->is_l2_ ? "SumOfSquares" : "Sum", "Sum"));
    return kernel;
  }

  Status Prepare(PrepareContext& context, ReducePlan* plan) const {
    const berth_tensor& input = context.input(0);
    std::vector<bool> gone(static_cast<size_t>(input.rank), true);
    if (is_l2_) {
      plan->divisor = 2;
      SetShape(&context.output(0), {});
    } else {
      if (input.rank < 2) {
        return sdk::InvalidArgument("Input tensor must be at least 2D: " +
                                    sdk::ShapeString(input));
      }
      const int axis = channels_first_ ? 1 : input.rank - 1;
      gone[static_cast<size_t>(axis)] = false;
      SetShape(&context.output(0), {input.dims[axis]});
    }
    BERTH_CL_ASSIGN_OR_RETURN(const uint64_t scratch, reducer_.Plan(input, gone, plan));
    context.set_scratch_size(scratch);
    return {};
  }

  Status Compute(const ReducePlan& plan, ComputeContext& context) const {
    return reducer_.Run(context, plan, context.input(0), context.output(0));
  }

 private:
  bool is_l2_ = false;
  bool channels_first_ = false;
  Reducer reducer_;
};

class ArgKernel {
 public:
  struct Prepared {
    uint32_t outputs = 0;
    uint32_t reduced = 0;
    int32_t stride = 0;
    Axes kept;
  };

  static Result<std::unique_ptr<ArgKernel>> Create(const NodeView& node,
                                                   berth_device* device) {
    auto kernel = std::make_unique<ArgKernel>();
    const std::string options =
        TypeOptions(node.Type("T")) + " -DV=1 -DR=" + ClTypeName(node.output(0).dtype);
    BERTH_CL_ASSIGN_OR_RETURN(kernel->function_,
                              ContextOf(device)->Kernel("reduce", options, node.op()));
    return kernel;
  }

  Status Prepare(PrepareContext& context, Prepared* p) const {
    const berth_tensor& input = context.input(0);
    const std::vector<int64_t> axes = HostInts(context.input(1));
    int64_t axis = axes.empty() ? 0 : axes[0];
    if (axis < 0) axis += input.rank;
    if (axes.size() != 1 || axis < 0 || axis >= input.rank) {
      return sdk::InvalidArgument("Expected dimension in the range [" +
                                  std::to_string(-input.rank) + ", " +
                                  std::to_string(input.rank) + "), but got " +
                                  std::to_string(axes.empty() ? 0 : axes[0]));
    }
    const std::vector<int64_t> strides = DenseStrides(input.dims, input.rank);
    std::vector<int64_t> dims;
    Walk kept;
    for (int d = 0; d < input.rank; ++d) {
      if (d == axis) continue;
      dims.push_back(input.dims[d]);
      kept.Push(input.dims[d], {strides[d]});
    }
    SetShape(&context.output(0), dims);
    p->outputs = static_cast<uint32_t>(kept.num_elements());
    p->reduced = static_cast<uint32_t>(input.dims[axis]);
    p->stride = static_cast<int32_t>(strides[static_cast<size_t>(axis)]);
    if (p->reduced == 0 && p->outputs > 0) {
      return sdk::InvalidArgument("Reduction axis " + std::to_string(axis) +
                                  " is empty in shape " + sdk::ShapeString(input));
    }
    p->kept = ToAxes(kept);
    return {};
  }

  Status Compute(const Prepared& p, ComputeContext& context) const {
    if (p.outputs == 0) return {};
    Launch launch(context, *function_);
    launch.Tensor(context.input(0)).Tensor(context.output(0));
    launch.Value(p.outputs).Value(p.reduced).Value(p.stride).Value(p.kept);
    return launch.Run({p.outputs}, 64);
  }

 private:
  const KernelRef* function_ = nullptr;
};

}  // namespace

void RegisterReduce(KernelTable& table) {
  for (const char* op : {"Sum", "Mean", "Max", "Min", "Prod"}) {
    table.Op(op)
        .Type("T", {BERTH_FLOAT})
        .PrepareArg("reduction_indices")
        .Use<ReduceKernel>();
    table.Op(op)
        .Type("T", {BERTH_DOUBLE})
        .If(&SupportsDouble)
        .PrepareArg("reduction_indices")
        .Use<ReduceKernel>();
  }
  for (const char* op : {"L2Loss", "BiasAddGrad"}) {
    table.Op(op).Type("T", {BERTH_FLOAT}).Use<FixedReduceKernel>();
    table.Op(op).Type("T", {BERTH_DOUBLE}).If(&SupportsDouble).Use<FixedReduceKernel>();
  }
  for (const char* op : {"ArgMax", "ArgMin"}) {
    table.Op(op)
        .Type("T", {BERTH_FLOAT, BERTH_INT64})
        .Type("output_type", {BERTH_INT32, BERTH_INT64})
        .PrepareArg("dimension")
        .Use<ArgKernel>();
    table.Op(op)
        .Type("T", {BERTH_DOUBLE})
        .Type("output_type", {BERTH_INT32, BERTH_INT64})
        .If(&SupportsDouble)
        .PrepareArg("dimension")
        .Use<ArgKernel>();
  }
}

}  // namespace berth::opencl
