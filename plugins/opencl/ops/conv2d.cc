// conv2d.cc — Conv2D in NHWC, any stride, dilation, padding and number of groups: a
// contraction that reads a padded input in place (ops/contract.h), no im2col matrix.
#include "plugins/opencl/ops/conv_base.h"
#include "plugins/opencl/ops/families.h"
#include "plugins/opencl/ops/host_values.h"

namespace berth::opencl {
namespace {

class Conv2DKernel : public ConvBase {
 public:
  using Prepared = ConvPlan;

  static Result<std::unique_ptr<Conv2DKernel>> Create(const NodeView& node,
                                                      berth_device* device) {
    auto kernel = std::make_unique<Conv2DKernel>();
    BERTH_SDK_RETURN_IF_ERROR(kernel->Init(node, device));
    return kernel;
  }

  Status Prepare(PrepareContext& context, ConvPlan* plan) const {
    BERTH_SDK_RETURN_IF_ERROR(CheckRank4(context.input(0), "input"));
    BERTH_SDK_RETURN_IF_ERROR(CheckRank4(context.input(1), "filter"));
    BERTH_CL_ASSIGN_OR_RETURN(
        const ConvShape s,
        MakeConvShape(attrs_, context.input(0).dims, context.input(1).dims));
    SetShape(&context.output(0), {s.batch, s.y.output, s.x.output, s.out_depth});
    plan->empty = s.filter_size() == 0;
    if (plan->empty || s.output_size() == 0) return {};
    Padded in;
    BERTH_SDK_RETURN_IF_ERROR(StageInput(s, &plan->a, &in));
    BERTH_SDK_RETURN_IF_ERROR(CheckReach(s, in));
    const int64_t taps = s.y.window * s.x.window * s.in_group();
    BERTH_CL_ASSIGN_OR_RETURN(const int64_t pitch,
                              StageColumns({taps, s.out_depth, s.groups}, plan));
    plan->groups = s.groups;
    plan->a_step = s.in_group();
    plan->c_step = s.out_group();
    const int64_t line = in.width * s.in_depth;
    Contraction c = OverTaps(s, {s.in_depth, s.in_group(), line}, pitch);
    c.m = static_cast<int32_t>(s.batch * s.y.output * s.x.output);
    c.n = static_cast<int32_t>(s.out_group());
    c.rows1 = static_cast<int32_t>(s.y.output);
    c.rows2 = static_cast<int32_t>(s.x.output);
    c.row_stride = Narrow(in.height * line, s.y.stride * line, s.x.stride * s.in_depth);
    c.c_row = static_cast<int32_t>(s.out_depth);
    return Finish(c, context, plan);
  }

  Status Compute(const ConvPlan& plan, ComputeContext& context) const {
    return Run(plan, context.input(0), context.input(1), context);
  }
};

}  // namespace

void RegisterConv2D(KernelTable& table) {
  for (const int32_t dtype : {BERTH_FLOAT, BERTH_DOUBLE}) {
    table.Op("Conv2D").Type("T", {dtype}).If(&SupportsWindows).Use<Conv2DKernel>();
  }
}

}  // namespace berth::opencl
