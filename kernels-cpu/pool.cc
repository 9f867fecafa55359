// pool.cc — MaxPool, MaxPoolV2, AvgPool and their gradients on the CPU, over height and
// width, NHWC. A NaN in a window is its maximum; an average divides by the cells that lie
// inside the image.
#include "kernels-cpu/arithmetic.h"
#include "kernels-cpu/common.h"
#include "kernels-cpu/families.h"
#include "kernels-cpu/pool_loops.h"

namespace berth::cpu {
namespace {

std::string SupportsPool(const NodeView& node) {
  if (node.String("data_format", "NHWC") != "NHWC") {
    return "data_format " + std::string(node.String("data_format")) +
           ": this kernel pools NHWC";
  }
  return SpatialOnly(node);
}

// Windows over channels: they lie side by side, and height and width are left alone.
std::string SupportsDepthPool(const NodeView& node) {
  const std::vector<int64_t> size = node.Ints("ksize");
  const std::vector<int64_t> stride = node.Ints("strides");
  if (node.String("data_format", "NHWC") != "NHWC" || size.size() != 4 ||
      stride.size() != 4 || size[3] < 1 || size[3] != stride[3]) {
    return "windows over channels must be NHWC and lie side by side";
  }
  for (size_t axis = 0; axis < 3; ++axis) {
    if (size[axis] != 1 || stride[axis] != 1) {
      return "windows over channels and over other axes at once";
    }
  }
  return {};
}

PoolGeometry MakeGeometry(const WindowAttrs& attrs, const int64_t* dims) {
  return {dims[0], dims[3], attrs.Axis(1, dims[1], attrs.kernel_size(1)),
          attrs.Axis(2, dims[2], attrs.kernel_size(2))};
}

// Pieces of forward pooling are output rows; those of gradients are images, because
// windows overlap.
template <typename Body>
void ForRows(const PoolGeometry& g, const ComputeContext& context, const Body& body) {
  const int64_t work = g.width.out * g.channels * g.height.kernel * g.width.kernel;
  context.ParallelFor(g.batch * g.height.out, GrainForFlops(work / 4), body);
}
template <typename Body>
void ForImages(const PoolGeometry& g, const ComputeContext& context, const Body& body) {
  const int64_t work = g.out_image() * g.height.kernel * g.width.kernel;
  context.ParallelFor(g.batch, GrainForFlops(work / 4), body);
}

// Forward pooling; kMax chooses which.
template <bool kMax>
class PoolKernel {
 public:
  using Prepared = PoolGeometry;
  explicit PoolKernel(const NodeView& node) : attrs_(node), dtype_(node.input(0).dtype) {}
  static Result<std::unique_ptr<PoolKernel>> Create(const NodeView& node, berth_device*) {
    return Make<PoolKernel>(node);
  }
  Status Prepare(PrepareContext& context, PoolGeometry* g) const {
    *g = MakeGeometry(attrs_, context.input(0).dims);
    return {};
  }
  Status Compute(const PoolGeometry& g, ComputeContext& context) const {
    switch (dtype_) {
      case kF32:
        return Run<float>(g, context);
      case kF64:
        return Run<double>(g, context);
      case kI32:
        return Run<int32_t>(g, context);
      case kI64:
        return Run<int64_t>(g, context);
      case kI16:
        return Run<int16_t>(g, context);
      case kI8:
        return Run<int8_t>(g, context);
      case kU16:
        return Run<uint16_t>(g, context);
      default:
        return Run<uint8_t>(g, context);
    }
  }

 private:
  template <typename T>
  Status Run(const PoolGeometry& g, ComputeContext& context) const {
    const T* x = context.In<T>(0);
    T* y = context.Out<T>(0);
    if (g.out_image() <= 0) return {};
    ForRows(g, context, [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) {
        if constexpr (kMax) {
          MaxPoolRow(g, x, y, row);
        } else if constexpr (std::is_floating_point_v<T>) {
          AvgPoolRow(g, x, y, row);
        }
      }
    });
    return {};
  }

  WindowAttrs attrs_;
  int32_t dtype_;
};

// The maximum of neighbouring channels.
class DepthPoolKernel {
 public:
  explicit DepthPoolKernel(const NodeView& node)
      : size_(node.Ints("ksize")[3]), dtype_(node.input(0).dtype) {}
  static Result<std::unique_ptr<DepthPoolKernel>> Create(const NodeView& node,
                                                         berth_device*) {
    return Make<DepthPoolKernel>(node);
  }
  Status Prepare(PrepareContext& context) const {
    const berth_tensor& x = context.input(0);
    if (x.rank == 4 && x.dims[3] % size_ == 0) return {};
    return InvalidArgument("windows of " + std::to_string(size_) +
                           " channels must evenly divide the input's: " + ShapeString(x));
  }
  Status Compute(ComputeContext& context) const {
    if (dtype_ == kF32) {
      Run<float>(context);
    } else {
      Run<double>(context);
    }
    return {};
  }

 private:
  template <typename T>
  void Run(ComputeContext& context) const {
    const T* x = context.In<T>(0);
    T* y = context.Out<T>(0);
    context.ParallelFor(NumElements(context.output(0)), GrainForFlops(2 * size_),
                        [&](int64_t begin, int64_t end) {
                          for (int64_t i = begin; i < end; ++i) {
                            const T* window = x + i * size_;
                            T best = window[0];
                            for (int64_t k = 1; k < size_; ++k) {
                              const T v = window[k];
                              best = v > best || v != v ? v : best;
                            }
                            y[i] = best;
                          }
                        });
  }

  int64_t size_;
  int32_t dtype_;
};

// Inputs: the forward input, the forward output, the gradient of the output.
class MaxPoolGradKernel {
 public:
  using Prepared = PoolGeometry;
  explicit MaxPoolGradKernel(const NodeView& node)
      : attrs_(node), dtype_(node.input(0).dtype) {}
  static Result<std::unique_ptr<MaxPoolGradKernel>> Create(const NodeView& node,
                                                           berth_device*) {
    return Make<MaxPoolGradKernel>(node);
  }
  Status Prepare(PrepareContext& context, PoolGeometry* g) const {
    *g = MakeGeometry(attrs_, context.input(0).dims);
    const int64_t expected[4] = {g->batch, g->height.out, g->width.out, g->channels};
    for (const int i : {1, 2}) {
      const berth_tensor& t = context.input(i);
      if (t.rank != 4 || !std::equal(expected, expected + 4, t.dims)) {
        return InvalidArgument(std::string("MaxPoolGrad: ") +
                               (i == 1 ? "orig_output" : "grad") + " has shape " +
                               ShapeString(t) + ", expected " +
                               sdk::ShapeString(expected, 4) + " for an input of shape " +
                               ShapeString(context.input(0)));
      }
    }
    return {};
  }
  Status Compute(const PoolGeometry& g, ComputeContext& context) const {
    if (dtype_ == kF32) {
      Run<float>(g, context);
    } else {
      Run<double>(g, context);
    }
    return {};
  }

 private:
  template <typename T>
  static void Run(const PoolGeometry& g, ComputeContext& context) {
    const T* x = context.In<T>(0);
    const T* y = context.In<T>(1);
    const T* dy = context.In<T>(2);
    T* dx = context.Out<T>(0);
    ForImages(g, context, [&](int64_t begin, int64_t end) {
      for (int64_t n = begin; n < end; ++n) {
        MaxPoolGradImage(g, x + n * g.in_image(), y + n * g.out_image(),
                         dy + n * g.out_image(), dx + n * g.in_image());
      }
    });
  }

  WindowAttrs attrs_;
  int32_t dtype_;
};

// Inputs: the forward input's shape, the gradient of the output.
class AvgPoolGradKernel {
 public:
  using Prepared = PoolGeometry;
  explicit AvgPoolGradKernel(const NodeView& node)
      : attrs_(node), dtype_(node.output(0).dtype) {}
  static Result<std::unique_ptr<AvgPoolGradKernel>> Create(const NodeView& node,
                                                           berth_device*) {
    return Make<AvgPoolGradKernel>(node);
  }
  Status Prepare(PrepareContext& context, PoolGeometry* g) const {
    const std::vector<int64_t> dims = IndexVector(context.input(0));
    if (dims.size() != 4) {
      return InvalidArgument("orig_input_shape must have 4 elements, not " +
                             std::to_string(dims.size()));
    }
    *g = MakeGeometry(attrs_, dims.data());
    const int64_t expected[4] = {g->batch, g->height.out, g->width.out, g->channels};
    const berth_tensor& dy = context.input(1);
    if (dy.rank != 4 || !std::equal(expected, expected + 4, dy.dims)) {
      return InvalidArgument("grad has shape " + ShapeString(dy) + ", expected " +
                             sdk::ShapeString(expected, 4));
    }
    return {};
  }
  Status Compute(const PoolGeometry& g, ComputeContext& context) const {
    if (dtype_ == kF32) {
      Run<float>(g, context);
    } else {
      Run<double>(g, context);
    }
    return {};
  }

 private:
  template <typename T>
  static void Run(const PoolGeometry& g, ComputeContext& context) {
    const T* dy = context.In<T>(1);
    T* dx = context.Out<T>(0);
    ForImages(g, context, [&](int64_t begin, int64_t end) {
      for (int64_t n = begin; n < end; ++n) {
        AvgPoolGradImage(g, dy + n * g.out_image(), dx + n * g.in_image());
      }
    });
  }

  WindowAttrs attrs_;
  int32_t dtype_;
};

}  // namespace

void RegisterPool(KernelTable& table) {
  table.Op("MaxPool")
      .Type("T", {kF32, kF64, kI32, kI64, kI16, kI8, kU8, kU16})
      .If(SupportsPool)
      .Use<PoolKernel<true>>();
  table.Op("MaxPool")
      .Type("T", {kF32, kF64})
      .If(SupportsDepthPool)
      .Use<DepthPoolKernel>();
  table.Op("AvgPool").Type("T", {kF32, kF64}).If(SupportsPool).Use<PoolKernel<false>>();
  table.Op("MaxPoolGrad")
      .Type("T", {kF32, kF64})
      .If(SupportsPool)
      .Use<MaxPoolGradKernel>();
  table.Op("AvgPoolGrad")
      .Type("T", {kF32, kF64})
      .PrepareArg("orig_input_shape")
      .If(SupportsPool)
      .Use<AvgPoolGradKernel>();
}

}  // namespace berth::cpu
