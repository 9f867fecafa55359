// pool.cc — MaxPool, AvgPool and their gradients in NHWC.
#include <algorithm>
#include <cstring>
#include <limits>

#include "plugins/opencl/geometry.h"
#include "plugins/opencl/ops/families.h"
#include "plugins/opencl/ops/host_values.h"
#include "plugins/opencl/ops/op_kernel.h"
#include "plugins/opencl/ops/windows.h"

namespace berth::opencl {
namespace {

// Layout of `Pool` in kernels/pool.cl.
struct PoolArgs {
  FastDiv depth;
  FastDiv width;
  FastDiv height;
  int32_t in_height = 0;
  int32_t in_width = 0;
  int32_t out_height = 0;
  int32_t out_width = 0;
  int32_t window_y = 0;
  int32_t window_x = 0;
  int32_t stride_y = 0;
  int32_t stride_x = 0;
  int32_t pad_y = 0;
  int32_t pad_x = 0;
};

struct PoolPlan {
  uint32_t num_elements = 0;
  PoolArgs args;
};

class PoolKernel {
 public:
  using Prepared = PoolPlan;

  static Result<std::unique_ptr<PoolKernel>> Create(const NodeView& node,
                                                    berth_device* device) {
    auto kernel = std::make_unique<PoolKernel>();
    kernel->attrs_ = WindowAttrs::Read(node);
    const std::string_view op(node.op());
    kernel->is_gradient_ = op == "MaxPoolGrad" || op == "AvgPoolGrad";
    kernel->is_max_ = op == "MaxPool" || op == "MaxPoolGrad";
    BERTH_CL_ASSIGN_OR_RETURN(
        kernel->function_,
        ContextOf(device)->Kernel("pool", TypeOptions(node.Type("T")), node.op()));
    return kernel;
  }

  Status Prepare(PrepareContext& context, PoolPlan* plan) const {
    std::vector<int64_t> input;
    if (is_gradient_ && !is_max_) {
      input = HostInts(context.input(0));
    } else {
      const berth_tensor& in = context.input(0);
      input.assign(in.dims, in.dims + in.rank);
    }
    if (input.size() != 4) {
      return sdk::InvalidArgument(
          "pooling takes a 4-dimensional input, not one of rank " +
          std::to_string(input.size()));
    }
    BERTH_CL_ASSIGN_OR_RETURN(const WindowAxis y,
                              attrs_.Axis(0, input[1], attrs_.window[0]));
    BERTH_CL_ASSIGN_OR_RETURN(const WindowAxis x,
                              attrs_.Axis(1, input[2], attrs_.window[1]));
    const std::vector<int64_t> output = {input[0], y.output, x.output, input[3]};
    if (is_gradient_) {
      BERTH_SDK_RETURN_IF_ERROR(CheckGradient(context.input(is_max_ ? 2 : 1), output));
    }
    const std::vector<int64_t>& result = is_gradient_ ? input : output;
    SetShape(&context.output(0), result);
    const int64_t n = result[0] * result[1] * result[2] * result[3];
    if (std::max(n, input[0] * input[1] * input[2] * input[3]) >
        std::numeric_limits<int32_t>::max()) {
      return sdk::InvalidArgument("pooling: a tensor of more than 2147483647 elements");
    }
    plan->num_elements = static_cast<uint32_t>(n);
    if (n > 0) plan->args = Arguments(result, y, x);
    return {};
  }

  Status Compute(const PoolPlan& plan, ComputeContext& context) const {
    if (plan.num_elements == 0) return {};
    Launch launch(context, *function_);
    if (!is_gradient_ || is_max_) launch.Tensor(context.input(0));
    if (is_gradient_) launch.Tensor(context.input(is_max_ ? 2 : 1));
    launch.Tensor(context.output(0)).Value(plan.num_elements).Value(plan.args);
    return launch.Run({plan.num_elements});
  }

 private:
  static Status CheckGradient(const berth_tensor& gradient,
                              const std::vector<int64_t>& output) {
    const bool fits =
        gradient.rank == 4 && std::equal(output.begin(), output.end(), gradient.dims);
    if (fits) return {};
    return sdk::InvalidArgument("Expected grad shape to be " +
                                sdk::ShapeString(output.data(), 4) + ", but got " +
                                sdk::ShapeString(gradient));
  }

  static PoolArgs Arguments(const std::vector<int64_t>& result, const WindowAxis& y,
                            const WindowAxis& x) {
    PoolArgs args;
    args.depth = MakeFastDiv(static_cast<uint32_t>(result[3]));
    args.width = MakeFastDiv(static_cast<uint32_t>(result[2]));
    args.height = MakeFastDiv(static_cast<uint32_t>(result[1]));
    args.in_height = static_cast<int32_t>(y.input);
    args.in_width = static_cast<int32_t>(x.input);
    args.out_height = static_cast<int32_t>(y.output);
    args.out_width = static_cast<int32_t>(x.output);
    args.window_y = static_cast<int32_t>(y.window);
    args.window_x = static_cast<int32_t>(x.window);
    args.stride_y = static_cast<int32_t>(y.stride);
    args.stride_x = static_cast<int32_t>(x.stride);
    args.pad_y = static_cast<int32_t>(y.pad);
    args.pad_x = static_cast<int32_t>(x.pad);
    return args;
  }

  WindowAttrs attrs_;
  bool is_gradient_ = false;
  bool is_max_ = false;
  const KernelRef* function_ = nullptr;
};

}  // namespace

void RegisterPool(KernelTable& table) {
  for (const int32_t dtype : {BERTH_FLOAT, BERTH_DOUBLE}) {
    for (const char* op : {"MaxPool", "MaxPoolGrad", "AvgPool"}) {
      table.Op(op).Type("T", {dtype}).If(&SupportsWindows).Use<PoolKernel>();
    }
    table.Op("AvgPoolGrad")
        .Type("T", {dtype})
        .If(&SupportsWindows)
        .PrepareArg("orig_input_shape")
        .Use<PoolKernel>();
  }
}

}  // namespace berth::opencl
