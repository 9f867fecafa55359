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

// Work-items that are vectors: fewer make a group.
constexpr size_t kPoolGroup = 64;

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
  uint32_t num_items = 0;
  const KernelRef* function = nullptr;
  PoolArgs args;
  bool zero = false;  // no window: a gradient is all zeros
};

// One OpenCL function for V channels a work-item and for one.
struct Widths {
  const KernelRef* wide = nullptr;
  const KernelRef* narrow = nullptr;
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
    Context* context = ContextOf(device);
    const int32_t dtype = node.Type("T");
    kernel->lanes_ = VectorLanes(context->facts(), dtype);
    BERTH_CL_ASSIGN_OR_RETURN(kernel->function_,
                              MakeWidths(context, dtype, kernel->lanes_, node.op()));
    if (op == "MaxPoolGrad") {
      BERTH_CL_ASSIGN_OR_RETURN(
          kernel->cells_, MakeWidths(context, dtype, kernel->lanes_, "MaxPoolGradCells"));
    }
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
    if (n == 0) return {};
    plan->zero = is_gradient_ && y.output * x.output == 0;
    if (plan->zero) return {};
    const bool cells = cells_.narrow != nullptr && FillsACell(y) && FillsACell(x);
    const std::vector<int64_t>& walked = cells ? output : result;
    const Widths& widths = cells ? cells_ : function_;
    const bool wide = input[3] % lanes_ == 0;
    const int64_t lanes = wide ? lanes_ : 1;
    plan->function = wide ? widths.wide : widths.narrow;
    plan->args = Arguments(walked, y, x);
    plan->args.depth = MakeFastDiv(static_cast<uint32_t>(input[3] / lanes));
    plan->num_items =
        static_cast<uint32_t>(walked[0] * walked[1] * walked[2] * walked[3] / lanes);
    return {};
  }

  Status Compute(const PoolPlan& plan, ComputeContext& context) const {
    if (plan.zero) {
      const unsigned char zero = 0;
      return FillTensor(context, context.output(0), &zero, sizeof(zero));
    }
    if (plan.num_items == 0) return {};
    Launch launch(context, *plan.function);
    if (!is_gradient_ || is_max_) launch.Tensor(context.input(0));
    if (is_gradient_) launch.Tensor(context.input(is_max_ ? 2 : 1));
    launch.Tensor(context.output(0)).Value(plan.num_items).Value(plan.args);
    return launch.Run({plan.num_items}, kPoolGroup);
  }

 private:
  static Result<Widths> MakeWidths(Context* context, int32_t dtype, int64_t lanes,
                                   const char* function) {
    Widths widths;
    const std::string options =
        TypeOptions(dtype) + (dtype == BERTH_DOUBLE ? " -DI=long" : " -DI=int");
    BERTH_CL_ASSIGN_OR_RETURN(widths.narrow,
                              context->Kernel("pool", options + " -DV=1", function));
    widths.wide = widths.narrow;
    if (lanes == 1) return widths;
    BERTH_CL_ASSIGN_OR_RETURN(
        widths.wide,
        context->Kernel("pool", options + " -DV=" + std::to_string(lanes), function));
    return widths;
  }

  // True where windows do not overlap and each begins on the input: then each has a cell
  // of its own and no other window wants an element of it.
  static bool FillsACell(const WindowAxis& axis) {
    return axis.stride >= axis.window && axis.pad < axis.window &&
           (axis.output - 1) * axis.stride - axis.pad < axis.input;
  }

  static Status CheckGradient(const berth_tensor& gradient,
                              const std::vector<int64_t>& output) {
    const bool fits =
        gradient.rank == 4 && std::equal(output.begin(), output.end(), gradient.dims);
    if (fits) return {};
    return sdk::InvalidArgument("Expected grad shape to be " +
                                sdk::ShapeString(output.data(), 4) + ", but got " +
                                sdk::ShapeString(gradient));
  }

  static PoolArgs Arguments(const std::vector<int64_t>& walked, const WindowAxis& y,
                            const WindowAxis& x) {
    PoolArgs args;
    args.width = MakeFastDiv(static_cast<uint32_t>(walked[2]));
    args.height = MakeFastDiv(static_cast<uint32_t>(walked[1]));
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
  int64_t lanes_ = 1;
  Widths function_;
  Widths cells_;  // of MaxPoolGrad
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
