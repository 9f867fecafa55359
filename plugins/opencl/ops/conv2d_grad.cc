// conv2d_grad.cc — the two gradients of Conv2D, for all that Conv2D takes.
#include <algorithm>

#include "plugins/opencl/ops/conv_base.h"
#include "plugins/opencl/ops/families.h"
#include "plugins/opencl/ops/host_values.h"

namespace berth::opencl {
namespace {

// The gradient of the filter: rows are taps, the depth runs over all output positions.
class Conv2DBackpropFilterKernel : public ConvBase {
 public:
  using Prepared = ConvPlan;

  static Result<std::unique_ptr<Conv2DBackpropFilterKernel>> Create(
      const NodeView& node, berth_device* device) {
    auto kernel = std::make_unique<Conv2DBackpropFilterKernel>();
    BERTH_SDK_RETURN_IF_ERROR(kernel->Init(node, device));
    return kernel;
  }

  Status Prepare(PrepareContext& context, ConvPlan* plan) const {
    const berth_tensor& gradient = context.input(2);
    BERTH_SDK_RETURN_IF_ERROR(CheckRank4(context.input(0), "input"));
    BERTH_SDK_RETURN_IF_ERROR(CheckRank4(gradient, "out_backprop"));
    const std::vector<int64_t> filter = HostInts(context.input(1));
    if (filter.size() != 4) {
      return sdk::InvalidArgument(
          "Conv2DBackpropFilter: filter_sizes must have 4 entries");
    }
    BERTH_CL_ASSIGN_OR_RETURN(
        const ConvShape s, MakeConvShape(attrs_, context.input(0).dims, filter.data()));
    if (gradient.dims[0] != s.batch || gradient.dims[1] != s.y.output ||
        gradient.dims[2] != s.x.output || gradient.dims[3] != s.out_depth) {
      return sdk::InvalidArgument(
          "Conv2DBackpropFilter: the gradient " + sdk::ShapeString(gradient) +
          " does not fit the input " + sdk::ShapeString(context.input(0)));
    }
    SetShape(&context.output(0), filter);
    plan->empty = s.output_size() == 0;
    if (plan->empty || s.filter_size() == 0) return {};
    Padded in;
    BERTH_SDK_RETURN_IF_ERROR(StageInput(s, &plan->a, &in));
    BERTH_SDK_RETURN_IF_ERROR(CheckReach(s, in));
    BERTH_CL_ASSIGN_OR_RETURN(
        const int64_t pitch,
        StageColumns({s.batch * s.y.output * s.x.output, s.out_depth, s.groups}, plan));
    plan->groups = s.groups;
    plan->a_step = s.in_group();
    plan->c_step = s.out_group();
    const int64_t line = in.width * s.in_depth;
    Contraction c;
    c.m = static_cast<int32_t>(s.y.window * s.x.window * s.in_group());
    c.n = static_cast<int32_t>(s.out_group());
    c.rows1 = static_cast<int32_t>(s.x.window);
    c.rows2 = static_cast<int32_t>(s.in_group());
    c.row_stride = Narrow(s.y.dilation * line, s.x.dilation * s.in_depth, 1);
    c.k = Narrow(s.batch, s.y.output, s.x.output);
    c.k_stride = Narrow(in.height * line, s.y.stride * line, s.x.stride * s.in_depth);
    c.b_stride = static_cast<int32_t>(pitch);
    c.c_row = static_cast<int32_t>(s.out_depth);
    return Finish(c, context, plan);
  }

  Status Compute(const ConvPlan& plan, ComputeContext& context) const {
    return Run(plan, context.input(0), context.input(2), context);
  }
};

// The gradient of the input: the gradient of the output, spread out by the stride, is
// convolved with the filter turned round.
class Conv2DBackpropInputKernel : public ConvBase {
 public:
  using Prepared = ConvPlan;

  static Result<std::unique_ptr<Conv2DBackpropInputKernel>> Create(const NodeView& node,
                                                                   berth_device* device) {
    auto kernel = std::make_unique<Conv2DBackpropInputKernel>();
    BERTH_SDK_RETURN_IF_ERROR(kernel->Init(node, device));
    return kernel;
  }

  Status Prepare(PrepareContext& context, ConvPlan* plan) const {
    const berth_tensor& filter = context.input(1);
    const berth_tensor& gradient = context.input(2);
    BERTH_SDK_RETURN_IF_ERROR(CheckRank4(filter, "filter"));
    BERTH_SDK_RETURN_IF_ERROR(CheckRank4(gradient, "out_backprop"));
    std::vector<int64_t> input = HostInts(context.input(0));
    if (input.size() == 2) {
      input = {gradient.dims[0], input[0], input[1], filter.dims[2]};
    }
    if (input.size() != 4) {
      return sdk::InvalidArgument("Conv2DBackpropInput: input_sizes must have 4 entries");
    }
    BERTH_CL_ASSIGN_OR_RETURN(const ConvShape s,
                              MakeConvShape(attrs_, input.data(), filter.dims));
    if (gradient.dims[0] != s.batch || gradient.dims[1] != s.y.output ||
        gradient.dims[2] != s.x.output || gradient.dims[3] != s.out_depth) {
      return sdk::InvalidArgument(
          "Conv2DBackpropInput: the gradient " + sdk::ShapeString(gradient) +
          " does not fit the input " + sdk::ShapeString(input.data(), 4));
    }
    SetShape(&context.output(0), input);
    plan->empty = s.output_size() == 0 || s.filter_size() == 0;
    if (plan->empty || s.input_size() == 0) return {};
    Padded spread;
    spread.height = s.y.input + (s.y.window - 1) * s.y.dilation;
    spread.width = s.x.input + (s.x.window - 1) * s.x.dilation;
    BERTH_SDK_RETURN_IF_ERROR(CheckReach(s, spread));
    BERTH_SDK_RETURN_IF_ERROR(StageGradient(s, spread, &plan->a));
    BERTH_CL_ASSIGN_OR_RETURN(const int64_t pitch, StageFilter(s, plan));
    plan->groups = s.groups;
    plan->a_step = s.out_group();
    plan->c_step = s.in_group();
    const int64_t line = spread.width * s.out_depth;
    Contraction c = OverTaps(s, {s.out_depth, s.out_group(), line}, pitch);
    c.m = static_cast<int32_t>(s.batch * s.y.input * s.x.input);
    c.n = static_cast<int32_t>(s.in_group());
    c.rows1 = static_cast<int32_t>(s.y.input);
    c.rows2 = static_cast<int32_t>(s.x.input);
    c.row_stride = Narrow(spread.height * line, line, s.out_depth);
    c.c_row = static_cast<int32_t>(s.in_depth);
    return Finish(c, context, plan);
  }

  Status Compute(const ConvPlan& plan, ComputeContext& context) const {
    return Run(plan, context.input(2), context.input(1), context);
  }

 private:
  // Where output positions land in the spread gradient; those outside of it touch padding
  // only and are left out.
  struct Landing {
    int64_t first = 0;  // position
    int64_t count = 0;
    int64_t at = 0;  // where the first lands
  };
  static Landing Land(const WindowAxis& axis, int64_t extent) {
    const int64_t shift = (axis.window - 1) * axis.dilation - axis.pad;
    Landing landing;
    if (shift < 0) landing.first = (-shift + axis.stride - 1) / axis.stride;
    landing.at = landing.first * axis.stride + shift;
    const int64_t room = (extent - 1 - landing.at) / axis.stride + 1;
    landing.count = std::clamp<int64_t>(room, 0, axis.output - landing.first);
    if (landing.at >= extent) landing.count = 0;
    return landing;
  }

  Status StageGradient(const ConvShape& s, const Padded& spread, Staged* staged) const {
    const Landing y = Land(s.y, spread.height);
    const Landing x = Land(s.x, spread.width);
    const int64_t depth = s.out_depth;
    if (y.at == 0 && x.at == 0 && s.y.stride == 1 && s.x.stride == 1 &&
        spread.height == s.y.output && spread.width == s.x.output) {
      return {};
    }
    Walk walk;
    walk.Push(s.batch,
              {s.y.output * s.x.output * depth, spread.height * spread.width * depth});
    walk.Push(y.count, {s.x.output * depth, s.y.stride * spread.width * depth});
    walk.Push(x.count, {depth, s.x.stride * depth});
    walk.Push(depth, {1, 1});
    const int64_t from = (y.first * s.x.output + x.first) * depth;
    const int64_t to = (y.at * spread.width + x.at) * depth;
    return Stage(walk, from, to, s.batch * spread.height * spread.width * depth, staged);
  }

  // [ky][kx][ci][co] becomes, for each group, [last - ky][last - kx][co][ci].
  Result<int64_t> StageFilter(const ConvShape& s, ConvPlan* plan) const {
    const int64_t pitch = std::max<int64_t>(s.in_group(), contractor_.min_columns());
    const int64_t taps = s.y.window * s.x.window;
    const int64_t from_tap = s.in_group() * s.out_depth;
    plan->b_step = taps * s.out_group() * pitch;
    Walk walk;
    walk.Push(s.groups, {s.out_group(), plan->b_step});
    walk.Push(taps, {-from_tap, s.out_group() * pitch});
    walk.Push(s.out_group(), {1, pitch});
    walk.Push(s.in_group(), {s.out_depth, 1});
    BERTH_SDK_RETURN_IF_ERROR(
        Stage(walk, (taps - 1) * from_tap, 0, s.groups * plan->b_step, &plan->b));
    plan->b.zero = false;
    return pitch;
  }
};

}  // namespace

void RegisterConv2DGrad(KernelTable& table) {
  for (const int32_t dtype : {BERTH_FLOAT, BERTH_DOUBLE}) {
    table.Op("Conv2DBackpropFilter")
        .Type("T", {dtype})
        .If(&SupportsWindows)
        .PrepareArg("filter_sizes")
        .Use<Conv2DBackpropFilterKernel>();
    table.Op("Conv2DBackpropInput")
        .Type("T", {dtype})
        .If(&SupportsWindows)
        .PrepareArg("input_sizes")
        .Use<Conv2DBackpropInputKernel>();
  }
}

}  // namespace berth::opencl
