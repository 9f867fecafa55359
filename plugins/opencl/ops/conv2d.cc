// conv2d.cc — Conv2D and its two gradients in NHWC, any stride, dilation and padding. All
// three are contractions that read a padded input in place (ops/contract.h): no im2col
// matrix is made.
#include <algorithm>
#include <limits>

#include "plugins/opencl/ops/contract.h"
#include "plugins/opencl/ops/families.h"
#include "plugins/opencl/ops/host_values.h"
#include "plugins/opencl/ops/op_kernel.h"
#include "plugins/opencl/ops/strided_copy.h"
#include "plugins/opencl/ops/windows.h"

namespace berth::opencl {
namespace {

// Everything about one convolution's shapes.
struct ConvShape {
  int64_t batch = 0;
  int64_t in_depth = 0;
  int64_t out_depth = 0;
  WindowAxis y;
  WindowAxis x;

  int64_t input_size() const { return batch * y.input * x.input * in_depth; }
  int64_t output_size() const { return batch * y.output * x.output * out_depth; }
  int64_t filter_size() const { return y.window * x.window * in_depth * out_depth; }
};

// A tensor brought into form in scratch memory: zeros, then a strided copy; or used as it
// is (`in_place`).
struct Staged {
  bool in_place = true;
  bool zero = false;
  CopyPlan copy;
  uint64_t at = 0;     // offset in the scratch memory
  uint64_t bytes = 0;  // there
};

// What the three kernels prepare.
struct ConvPlan {
  bool empty = false;  // nothing to sum: the output, if any, is zero
  Staged a;            // gives the rows
  Staged b;            // gives the vectors
  ContractPlan contract;
  uint64_t slices_at = 0;
};

Result<ConvShape> MakeShape(const WindowAttrs& attrs, const int64_t* input,
                            const int64_t* filter) {
  ConvShape shape;
  shape.batch = input[0];
  shape.in_depth = input[3];
  shape.out_depth = filter[3];
  if (filter[2] != input[3]) {
    return sdk::InvalidArgument("Conv2D: the input has " + std::to_string(input[3]) +
                                " channels, the filter takes " +
                                std::to_string(filter[2]));
  }
  BERTH_CL_ASSIGN_OR_RETURN(shape.y, attrs.Axis(0, input[1], filter[0]));
  BERTH_CL_ASSIGN_OR_RETURN(shape.x, attrs.Axis(1, input[2], filter[1]));
  return shape;
}

// Common to the three: how tensors are staged, and the run.
class ConvBase {
 public:
  Status Init(const NodeView& node, berth_device* device) {
    attrs_ = WindowAttrs::Read(node);
    const int32_t dtype = node.Type("T");
    element_size_ = sdk::DtypeSize(dtype);
    Context* context = ContextOf(device);
    BERTH_CL_ASSIGN_OR_RETURN(contractor_, Contractor::Create(context, dtype));
    BERTH_CL_ASSIGN_OR_RETURN(copier_, StridedCopier::Create(context, element_size_));
    return {};
  }

 protected:
  // Padded copies of an input [batch, height, width, depth] as the window walks it.
  struct Padded {
    int64_t height = 0;
    int64_t width = 0;
  };

  // Stages the input so that every window lies inside. Sets the padded size.
  Status StageInput(const ConvShape& s, Staged* staged, Padded* padded) const {
    const auto needed = [](const WindowAxis& axis) {
      return (axis.output - 1) * axis.stride + axis.reach();
    };
    padded->height = s.y.input;
    padded->width = s.x.input;
    const bool inside = s.y.pad == 0 && s.x.pad == 0 && needed(s.y) <= s.y.input &&
                        needed(s.x) <= s.x.input;
    if (inside) return {};
    padded->height = needed(s.y);
    padded->width = needed(s.x);
    // What lies behind the last window is left out.
    const int64_t height =
        std::max<int64_t>(0, std::min(s.y.input, padded->height - s.y.pad));
    const int64_t width =
        std::max<int64_t>(0, std::min(s.x.input, padded->width - s.x.pad));
    Walk walk;
    const int64_t depth = s.in_depth;
    walk.Push(s.batch,
              {s.y.input * s.x.input * depth, padded->height * padded->width * depth});
    walk.Push(height, {s.x.input * depth, padded->width * depth});
    walk.Push(width, {depth, depth});
    walk.Push(depth, {1, 1});
    const int64_t to = (s.y.pad * padded->width + s.x.pad) * depth;
    return Stage(walk, 0, to, s.batch * padded->height * padded->width * depth, staged);
  }

  // Stages a copy along `walk`, zeros elsewhere.
  Status Stage(const Walk& walk, int64_t from, int64_t to, int64_t elements,
               Staged* staged) const {
    staged->in_place = false;
    staged->zero = true;
    staged->bytes = static_cast<uint64_t>(elements) * element_size_;
    BERTH_CL_ASSIGN_OR_RETURN(
        staged->copy,
        copier_.Plan(walk, static_cast<uint64_t>(from), static_cast<uint64_t>(to)));
    return {};
  }

  // Stages rows of `columns` elements with at least the pitch that vectors need. Returns
  // the pitch.
  Result<int64_t> StageRows(int64_t rows, int64_t columns, Staged* staged) const {
    const int64_t pitch = std::max<int64_t>(columns, contractor_.min_columns());
    if (pitch == columns) return columns;
    Walk walk;
    walk.Push(rows, {columns, pitch});
    walk.Push(columns, {1, 1});
    BERTH_SDK_RETURN_IF_ERROR(Stage(walk, 0, 0, rows * pitch, staged));
    staged->zero = false;  // The columns behind are computed but never stored.
    return pitch;
  }

  // Lays out the scratch memory and plans the contraction.
  Status Finish(const Contraction& contraction, PrepareContext& context,
                ConvPlan* plan) const {
    uint64_t used = 0;
    for (Staged* staged : {&plan->a, &plan->b}) {
      staged->at = used;
      used += Aligned(staged->bytes);
    }
    plan->contract = contractor_.Plan(contraction);
    plan->slices_at = used;
    context.set_scratch_size(used + plan->contract.scratch_bytes);
    return {};
  }

  Status CheckReach(const ConvShape& s, const Padded& padded) const {
    constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
    const int64_t depth = std::max(s.in_depth, s.out_depth);
    if (s.batch * padded.height * padded.width * depth > kMost ||
        s.output_size() > kMost || s.filter_size() > kMost) {
      return sdk::InvalidArgument(
          "Conv2D: a tensor of more than 2147483647 elements, padding included");
    }
    return {};
  }

  Status Run(const ConvPlan& plan, const berth_tensor& a, const berth_tensor& b,
             ComputeContext& context) const {
    const berth_tensor& out = context.output(0);
    if (out.byte_size == 0) return {};
    const unsigned char zero = 0;
    if (plan.empty) return FillTensor(context, out, &zero, sizeof(zero));
    const berth_tensor& scratch = context.scratch_view();
    BERTH_SDK_RETURN_IF_ERROR(Bring(plan.a, a, context));
    BERTH_SDK_RETURN_IF_ERROR(Bring(plan.b, b, context));
    const auto operand = [&](const Staged& staged, const berth_tensor& tensor) {
      return staged.in_place ? Operand{&tensor, 0} : Operand{&scratch, staged.at};
    };
    return contractor_.Run(context, plan.contract, operand(plan.a, a), operand(plan.b, b),
                           {&out, 0}, {&scratch, plan.slices_at});
  }

  static std::array<int32_t, 3> Narrow(int64_t a, int64_t b, int64_t c) {
    return {static_cast<int32_t>(a), static_cast<int32_t>(b), static_cast<int32_t>(c)};
  }

  WindowAttrs attrs_;
  size_t element_size_ = 4;
  Contractor contractor_;
  StridedCopier copier_;

 private:
  Status Bring(const Staged& staged, const berth_tensor& tensor,
               ComputeContext& context) const {
    if (staged.in_place) return {};
    berth_tensor part = context.scratch_view();
    part.offset += staged.at;
    part.byte_size = staged.bytes;
    const unsigned char zero = 0;
    if (staged.zero) {
      BERTH_SDK_RETURN_IF_ERROR(FillTensor(context, part, &zero, sizeof(zero)));
    }
    return copier_.Run(context, staged.copy, tensor, 0, part, 0);
  }
};

Status CheckRank4(const berth_tensor& tensor, const char* what) {
  if (tensor.rank == 4) return {};
  return sdk::InvalidArgument(std::string(what) +
                              " must be 4-dimensional: " + sdk::ShapeString(tensor));
}

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
    BERTH_CL_ASSIGN_OR_RETURN(const ConvShape s, MakeShape(attrs_, context.input(0).dims,
                                                           context.input(1).dims));
    SetShape(&context.output(0), {s.batch, s.y.output, s.x.output, s.out_depth});
    plan->empty = s.filter_size() == 0;
    if (plan->empty || s.output_size() == 0) return {};
    Padded in;
    BERTH_SDK_RETURN_IF_ERROR(StageInput(s, &plan->a, &in));
    BERTH_SDK_RETURN_IF_ERROR(CheckReach(s, in));
    const int64_t taps = s.y.window * s.x.window * s.in_depth;
    BERTH_CL_ASSIGN_OR_RETURN(const int64_t pitch,
                              StageRows(taps, s.out_depth, &plan->b));
    const int64_t line = in.width * s.in_depth;
    Contraction c;
    c.m = static_cast<int32_t>(s.batch * s.y.output * s.x.output);
    c.n = static_cast<int32_t>(s.out_depth);
    c.rows1 = static_cast<int32_t>(s.y.output);
    c.rows2 = static_cast<int32_t>(s.x.output);
    c.row_stride = Narrow(in.height * line, s.y.stride * line, s.x.stride * s.in_depth);
    // Neighbouring taps of a line are neighbours in memory unless the window has holes.
    if (s.x.dilation == 1) {
      c.k = Narrow(s.y.window, 1, s.x.window * s.in_depth);
    } else {
      c.k = Narrow(s.y.window, s.x.window, s.in_depth);
    }
    c.k_stride = Narrow(s.y.dilation * line, s.x.dilation * s.in_depth, 1);
    c.b_stride = static_cast<int32_t>(pitch);
    c.c_row = c.n;
    return Finish(c, context, plan);
  }

  Status Compute(const ConvPlan& plan, ComputeContext& context) const {
    return Run(plan, context.input(0), context.input(1), context);
  }
};

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
    BERTH_CL_ASSIGN_OR_RETURN(const ConvShape s,
                              MakeShape(attrs_, context.input(0).dims, filter.data()));
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
        StageRows(s.batch * s.y.output * s.x.output, s.out_depth, &plan->b));
    const int64_t line = in.width * s.in_depth;
    Contraction c;
    c.m = static_cast<int32_t>(s.y.window * s.x.window * s.in_depth);
    c.n = static_cast<int32_t>(s.out_depth);
    c.rows1 = static_cast<int32_t>(s.x.window);
    c.rows2 = static_cast<int32_t>(s.in_depth);
    c.row_stride = Narrow(s.y.dilation * line, s.x.dilation * s.in_depth, 1);
    c.k = Narrow(s.batch, s.y.output, s.x.output);
    c.k_stride = Narrow(in.height * line, s.y.stride * line, s.x.stride * s.in_depth);
    c.b_stride = static_cast<int32_t>(pitch);
    c.c_row = c.n;
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
                              MakeShape(attrs_, input.data(), filter.dims));
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
    BERTH_CL_ASSIGN_OR_RETURN(const int64_t pitch, StageFilter(s, &plan->b));
    const int64_t line = spread.width * s.out_depth;
    Contraction c;
    c.m = static_cast<int32_t>(s.batch * s.y.input * s.x.input);
    c.n = static_cast<int32_t>(s.in_depth);
    c.rows1 = static_cast<int32_t>(s.y.input);
    c.rows2 = static_cast<int32_t>(s.x.input);
    c.row_stride = Narrow(spread.height * line, line, s.out_depth);
    if (s.x.dilation == 1) {
      c.k = Narrow(s.y.window, 1, s.x.window * s.out_depth);
    } else {
      c.k = Narrow(s.y.window, s.x.window, s.out_depth);
    }
    c.k_stride = Narrow(s.y.dilation * line, s.x.dilation * s.out_depth, 1);
    c.b_stride = static_cast<int32_t>(pitch);
    c.c_row = c.n;
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

  // [ky][kx][ci][co] becomes [last - ky][last - kx][co][ci].
  Result<int64_t> StageFilter(const ConvShape& s, Staged* staged) const {
    const int64_t pitch = std::max<int64_t>(s.in_depth, contractor_.min_columns());
    const int64_t taps = s.y.window * s.x.window;
    const int64_t from_tap = s.in_depth * s.out_depth;
    Walk walk;
    walk.Push(taps, {-from_tap, s.out_depth * pitch});
    walk.Push(s.out_depth, {1, pitch});
    walk.Push(s.in_depth, {s.out_depth, 1});
    BERTH_SDK_RETURN_IF_ERROR(
        Stage(walk, (taps - 1) * from_tap, 0, taps * s.out_depth * pitch, staged));
    staged->zero = false;
    return pitch;
  }
};

// Groups (a filter that takes a part of the channels) are refused where shapes show them.
std::string SupportsConv(const NodeView& node, int input, int filter) {
  std::string why = SupportsWindows(node);
  if (!why.empty()) return why;
  const berth_value_info& x = node.input(input);
  const berth_value_info& w = node.input(filter);
  if (x.rank == 4 && w.rank == 4 && x.dims[3] > 0 && w.dims[2] > 0 &&
      x.dims[3] != w.dims[2]) {
    return "grouped convolution (" + std::to_string(x.dims[3]) + " channels, filter of " +
           std::to_string(w.dims[2]) + ")";
  }
  return {};
}
std::string SupportsForward(const NodeView& node) { return SupportsConv(node, 0, 1); }

}  // namespace

void RegisterConv2D(KernelTable& table) {
  for (const int32_t dtype : {BERTH_FLOAT, BERTH_DOUBLE}) {
    table.Op("Conv2D").Type("T", {dtype}).If(&SupportsForward).Use<Conv2DKernel>();
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
