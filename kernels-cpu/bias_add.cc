// bias_add.cc — BiasAdd, BiasAddV1 and BiasAddGrad on the CPU, NHWC and NCHW, any rank.
#include "kernels-cpu/arithmetic.h"
#include "kernels-cpu/common.h"
#include "kernels-cpu/families.h"
#include "kernels-cpu/reduction.h"

namespace berth::cpu {
namespace {

// The tensor as [outer, channels, inner].
struct ChannelView {
  int64_t outer = 1;
  int64_t channels = 1;
  int64_t inner = 1;
};

ChannelView ViewOf(const berth_tensor& t, bool channels_first) {
  const int axis = channels_first && t.rank > 1 ? 1 : t.rank - 1;
  return {Product(t.dims, 0, axis), t.dims[axis], Product(t.dims, axis + 1, t.rank)};
}

template <typename T>
void AddRows(const T* x, const T* bias, T* out, int64_t rows, int64_t channels) {
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t c = 0; c < channels; ++c) out[c] = WrapAdd(x[c], bias[c]);
    x += channels;
    out += channels;
  }
}

class BiasAddKernel {
 public:
  explicit BiasAddKernel(const NodeView& node)
      : channels_first_(node.String("data_format", "NHWC") == "NCHW"),
        dtype_(node.input(0).dtype) {}
  static Result<std::unique_ptr<BiasAddKernel>> Create(const NodeView& node,
                                                       berth_device*) {
    return Make<BiasAddKernel>(node);
  }
  Status Compute(ComputeContext& context) const {
    switch (dtype_) {
      case kF32:
        return Run<float>(context);
      case kF64:
        return Run<double>(context);
      case kI32:
        return Run<int32_t>(context);
      default:
        return Run<int64_t>(context);
    }
  }

 private:
  template <typename T>
  Status Run(ComputeContext& context) const {
    const ChannelView v = ViewOf(context.input(0), channels_first_);
    const T* x = context.In<T>(0);
    const T* bias = context.In<T>(1);
    T* out = context.Out<T>(0);
    if (v.outer * v.channels * v.inner == 0) return {};
    if (v.inner == 1) {
      const int64_t row = v.channels * static_cast<int64_t>(sizeof(T));
      context.ParallelFor(v.outer, GrainFor(2 * row), [&](int64_t begin, int64_t end) {
        AddRows(x + begin * v.channels, bias, out + begin * v.channels, end - begin,
                v.channels);
      });
      return {};
    }
    const int64_t plane = v.inner * static_cast<int64_t>(sizeof(T));
    context.ParallelFor(v.outer * v.channels, GrainFor(2 * plane),
                        [&](int64_t begin, int64_t end) {
                          for (int64_t p = begin; p < end; ++p) {
                            const T b = bias[p % v.channels];
                            for (int64_t i = p * v.inner; i < (p + 1) * v.inner; ++i)
                              out[i] = WrapAdd(x[i], b);
                          }
                        });
    return {};
  }

  bool channels_first_;
  int32_t dtype_;
};

// The sum over all axes but the channels.
class BiasAddGradKernel {
 public:
  using Prepared = Reduction;
  explicit BiasAddGradKernel(const NodeView& node)
      : channels_first_(node.String("data_format", "NHWC") == "NCHW"),
        dtype_(node.input(0).dtype) {}
  static Result<std::unique_ptr<BiasAddGradKernel>> Create(const NodeView& node,
                                                           berth_device*) {
    return Make<BiasAddGradKernel>(node);
  }
  Status Prepare(PrepareContext& context, Reduction* plan) const {
    const berth_tensor& t = context.input(0);
    const int kept = channels_first_ && t.rank > 1 ? 1 : t.rank - 1;
    uint64_t axes = 0;
    for (int i = 0; i < t.rank; ++i) {
      if (i != kept) axes |= uint64_t{1} << i;
    }
    *plan = MakeReduction(t, axes, context.num_threads());
    context.set_scratch_size(plan->ScratchSize(sdk::DtypeSize(dtype_)));
    return {};
  }
  Status Compute(const Reduction& plan, ComputeContext& context) const {
    RunReduction(ReduceKind::kSum, dtype_, plan, context);
    return {};
  }

 private:
  bool channels_first_;
  int32_t dtype_;
};

}  // namespace

void RegisterBiasAdd(KernelTable& table) {
  const auto numbers = {kF32, kF64, kI32, kI64};
  table.Op("BiasAdd").Type("T", numbers).InPlace(0, 0).Use<BiasAddKernel>();
  table.Op("BiasAddV1").Type("T", numbers).InPlace(0, 0).Use<BiasAddKernel>();
  table.Op("BiasAddGrad").Type("T", numbers).Use<BiasAddGradKernel>();
}

}  // namespace berth::cpu
