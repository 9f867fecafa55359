// conv2d.cc — Conv2D, Conv2DBackpropInput and Conv2DBackpropFilter on the CPU, NHWC with
// dilations, explicit padding and groups. f32 goes to oneDNN, the rest to plain loops.
#include "kernels-cpu/common.h"
#include "kernels-cpu/conv_onednn.h"
#include "kernels-cpu/conv_plain.h"
#include "kernels-cpu/families.h"

namespace berth::cpu {
namespace {

using Kind = OneDnnConv::Kind;

std::string SupportsConv(const NodeView& node) {
  if (node.String("data_format", "NHWC") != "NHWC") {
    return "data_format " + std::string(node.String("data_format")) +
           ": this kernel convolves NHWC";
  }
  return SpatialOnly(node);
}

struct ConvPlan {
  ConvGeometry geometry;
  bool onednn = false;
  OneDnnConv conv;
};

// What the three kernels share. Inputs 0 and 1 of the node are handed to the loops in the
// order that their kind wants.
template <Kind kKind>
class ConvKernel {
 public:
  using Prepared = ConvPlan;
  explicit ConvKernel(const NodeView& node)
      : attrs_(node), dtype_(node.output(0).dtype) {}
  static Result<std::unique_ptr<ConvKernel>> Create(const NodeView& node, berth_device*) {
    return Make<ConvKernel>(node);
  }

  Status Prepare(PrepareContext& context, ConvPlan* plan) const {
    BERTH_SDK_RETURN_IF_ERROR(Geometry(context, &plan->geometry));
    if (dtype_ != kF32 || plan->geometry.empty()) return {};
    plan->onednn = plan->conv.Make(kKind, plan->geometry, context.num_threads());
    if (plan->onednn) context.set_scratch_size(plan->conv.scratch_size());
    return {};
  }

  Status Compute(const ConvPlan& plan, ComputeContext& context) const {
    const ConvGeometry& g = plan.geometry;
    const berth_tensor& result = context.output(0);
    const void* a = context.input(kKind == Kind::kInputGrad ? 2 : 0).host_data;
    const void* b = context.input(kKind == Kind::kFilterGrad ? 2 : 1).host_data;
    if (g.empty()) {
      // No pixel or no filter: sums of nothing.
      if (result.byte_size > 0) std::memset(result.host_data, 0, result.byte_size);
      return {};
    }
    if (plan.onednn) {
      return plan.conv.Run(static_cast<const float*>(a), static_cast<const float*>(b),
                           static_cast<float*>(result.host_data), context.scratch(),
                           context);
    }
    const int64_t items =
        kKind == Kind::kFilterGrad ? g.height.kernel * g.width.kernel : g.batch;
    context.ParallelFor(items, 1, [&](int64_t begin, int64_t end) {
      if (kKind == Kind::kForward) {
        PlainConv(dtype_, g, a, b, result.host_data, begin, end);
      } else if (kKind == Kind::kInputGrad) {
        PlainConvInputGrad(dtype_, g, b, a, result.host_data, begin, end);
      } else {
        PlainConvFilterGrad(dtype_, g, a, b, result.host_data, begin, end);
      }
    });
    return {};
  }

 private:
  Status Geometry(PrepareContext& context, ConvGeometry* g) const {
    if (kKind == Kind::kForward) {
      for (const int i : {0, 1}) {
        if (context.input(i).rank == 4) continue;
        return InvalidArgument(
            std::string("convolution ") + (i == 0 ? "input" : "filter") +
            " must be 4-dimensional: " + ShapeString(context.input(i)));
      }
      return MakeConvGeometry(attrs_, context.input(0).dims, context.input(1).dims, g);
    }
    // Of the input or the filter only the sizes are known.
    std::vector<int64_t> sizes =
        IndexVector(context.input(kKind == Kind::kInputGrad ? 0 : 1));
    const berth_tensor& other = context.input(kKind == Kind::kInputGrad ? 1 : 0);
    const berth_tensor& gradient = context.input(2);
    if (other.rank != 4 || gradient.rank != 4) {
      return InvalidArgument("a convolution's gradient takes tensors of rank 4, not " +
                             ShapeString(other) + " and " + ShapeString(gradient));
    }
    if (kKind == Kind::kInputGrad && sizes.size() == 2) {
      // Height and width alone: batch and channels follow from the others.
      sizes = {gradient.dims[0], sizes[0], sizes[1], other.dims[2]};
    }
    if (sizes.size() != 4) {
      return InvalidArgument("sizes of a 4-D tensor have 4 elements, not " +
                             std::to_string(sizes.size()));
    }
    const bool input = kKind == Kind::kInputGrad;
    BERTH_SDK_RETURN_IF_ERROR(MakeConvGeometry(attrs_, input ? sizes.data() : other.dims,
                                               input ? other.dims : sizes.data(), g));
    const int64_t expected[4] = {g->batch, g->height.out, g->width.out, g->out_channels};
    if (!std::equal(expected, expected + 4, gradient.dims)) {
      return InvalidArgument(
          std::string("out_backprop has shape ") + ShapeString(gradient) +
          ", but the convolution's output is " + sdk::ShapeString(expected, 4));
    }
    return {};
  }

  WindowAttrs attrs_;
  int32_t dtype_;
};

}  // namespace

void RegisterConv2D(KernelTable& table) {
  table.Op("Conv2D")
      .Type("T", {kF32, kF64, kI32})
      .If(SupportsConv)
      .Use<ConvKernel<Kind::kForward>>();
  table.Op("Conv2DBackpropInput")
      .Type("T", {kF32, kF64, kI32})
      .PrepareArg("input_sizes")
      .If(SupportsConv)
      .Use<ConvKernel<Kind::kInputGrad>>();
  table.Op("Conv2DBackpropFilter")
      .Type("T", {kF32, kF64})
      .PrepareArg("filter_sizes")
      .If(SupportsConv)
      .Use<ConvKernel<Kind::kFilterGrad>>();
}

}  // namespace berth::cpu
