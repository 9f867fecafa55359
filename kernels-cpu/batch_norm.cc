// batch_norm.cc — FusedBatchNorm, FusedBatchNormV2, FusedBatchNormV3 and their gradients
// on the CPU, f32, channels last or first, training and inference.
#include <cmath>
#include <limits>

#include "kernels-cpu/common.h"
#include "kernels-cpu/families.h"

namespace berth::cpu {
namespace {

// The tensor as [outer, channels, inner]: inner is 1 with channels last.
struct NormPlan {
  int64_t outer = 0;
  int64_t channels = 0;
  int64_t inner = 1;
  int64_t parts = 1;  // pieces that the sums are cut into

  // Elements of one channel.
  int64_t count() const { return outer * inner; }
  // Two sums a channel and part, and four numbers a channel to work with.
  uint64_t scratch_size() const {
    return static_cast<uint64_t>((2 * parts + 4) * channels) * sizeof(double);
  }
};

Status MakeNormPlan(const berth_tensor& x, bool channels_first, int num_threads,
                    NormPlan* plan) {
  if (x.rank != 4 && x.rank != 5) {
    return InvalidArgument("input must be 4 or 5-dimensional" + ShapeString(x));
  }
  const int axis = channels_first ? 1 : x.rank - 1;
  plan->outer = Product(x.dims, 0, axis);
  plan->channels = x.dims[axis];
  plan->inner = Product(x.dims, axis + 1, x.rank);
  const int64_t size = plan->outer * plan->channels * plan->inner;
  plan->parts =
      std::clamp<int64_t>(std::min<int64_t>(size / 32768, int64_t{4} * num_threads), 1,
                          std::max<int64_t>(1, plan->outer));
  return {};
}

Status CheckChannels(PrepareContext& context, const NormPlan& plan, int first, int last,
                     bool may_be_empty) {
  static constexpr const char* kNames[] = {"x", "scale", "offset", "mean", "variance"};
  for (int i = first; i <= last; ++i) {
    const berth_tensor& t = context.input(i);
    const int64_t n = NumElements(t);
    if (n == plan.channels || (may_be_empty && i >= 3 && n == 0)) continue;
    return InvalidArgument(std::string(kNames[i]) +
                           " must have the same number of elements as the channels of x, "
                           "got " +
                           std::to_string(n) + " and " + std::to_string(plan.channels));
  }
  return {};
}

// Calls row(channel or 0, first element, count) for every contiguous piece of outer
// positions [begin, end): with channels last a piece is one position's channels.
template <typename Row>
void ForRows(const NormPlan& p, int64_t begin, int64_t end, const Row& row) {
  if (p.inner == 1) {
    for (int64_t o = begin; o < end; ++o) row(0, o * p.channels, p.channels);
    return;
  }
  for (int64_t i = begin * p.channels; i < end * p.channels; ++i) {
    row(i % p.channels, i * p.inner, p.inner);
  }
}

// For each channel, the sums of two functions of the elements: sums[c] and
// sums[channels + c]. term(element, channel, &a, &b) adds to both.
template <typename Term>
void ChannelSums(const NormPlan& p, const ComputeContext& context, double* partial,
                 double* sums, const Term& term) {
  const int64_t width = 2 * p.channels;
  context.ParallelFor(p.parts, 1, [&](int64_t begin, int64_t end) {
    for (int64_t part = begin; part < end; ++part) {
      double* a = partial + part * width;
      double* b = a + p.channels;
      std::fill(a, a + width, 0.0);
      ForRows(p, p.outer * part / p.parts, p.outer * (part + 1) / p.parts,
              [&](int64_t channel, int64_t first, int64_t count) {
                if (p.inner == 1) {
                  for (int64_t i = 0; i < count; ++i) term(first + i, i, a[i], b[i]);
                } else {
                  for (int64_t i = 0; i < count; ++i) {
                    term(first + i, channel, a[channel], b[channel]);
                  }
                }
              });
    }
  });
  std::copy(partial, partial + width, sums);
  for (int64_t part = 1; part < p.parts; ++part) {
    for (int64_t i = 0; i < width; ++i) sums[i] += partial[part * width + i];
  }
}

// Calls cell(element, channel) for all elements, split over the pool.
template <typename Cell>
void ForCells(const NormPlan& p, const ComputeContext& context, int64_t bytes,
              const Cell& cell) {
  const int64_t row = p.channels * p.inner * bytes;
  context.ParallelFor(p.outer, GrainFor(row), [&](int64_t begin, int64_t end) {
    ForRows(p, begin, end, [&](int64_t channel, int64_t first, int64_t count) {
      if (p.inner == 1) {
        for (int64_t i = 0; i < count; ++i) cell(first + i, i);
      } else {
        for (int64_t i = 0; i < count; ++i) cell(first + i, channel);
      }
    });
  });
}

class BatchNormKernel {
 public:
  using Prepared = NormPlan;
  explicit BatchNormKernel(const NodeView& node)
      : training_(node.Bool("is_training", true)),
        channels_first_(node.String("data_format", "NHWC").substr(0, 2) == "NC"),
        epsilon_(node.Float("epsilon", 0.0001F)),
        factor_(node.Float("exponential_avg_factor", 1.0F)) {}
  static Result<std::unique_ptr<BatchNormKernel>> Create(const NodeView& node,
                                                         berth_device*) {
    return Make<BatchNormKernel>(node);
  }

  Status Prepare(PrepareContext& context, NormPlan* plan) const {
    BERTH_SDK_RETURN_IF_ERROR(
        MakeNormPlan(context.input(0), channels_first_, context.num_threads(), plan));
    // Training with a factor of 1 does not look at the old mean and variance.
    BERTH_SDK_RETURN_IF_ERROR(
        CheckChannels(context, *plan, 1, 4, training_ && factor_ == 1.0F));
    context.set_scratch_size(plan->scratch_size());
    return {};
  }

  Status Compute(const NormPlan& p, ComputeContext& context) const {
    const float* x = context.In<float>(0);
    const float* scale = context.In<float>(1);
    const float* offset = context.In<float>(2);
    float* y = context.Out<float>(0);
    double* scratch = static_cast<double*>(context.scratch());
    // Mean and the factor (scale over standard deviation), for the last pass.
    float* mean = reinterpret_cast<float*>(scratch + (2 * p.parts + 2) * p.channels);
    float* factor = mean + p.channels;
    if (training_) {
      Train(p, context, scratch, mean, factor);
    } else {
      const float* variance = context.In<float>(4);
      std::copy(context.In<float>(3), context.In<float>(3) + p.channels, mean);
      for (int64_t c = 0; c < p.channels; ++c) {
        factor[c] = scale[c] / std::sqrt(variance[c] + epsilon_);
      }
      Infer(p, context);
    }
    if (p.count() == 0) NothingSeen(p, context);
    ForCells(p, context, 8, [&](int64_t i, int64_t c) {
      y[i] = (x[i] - mean[c]) * factor[c] + offset[c];
    });
    return {};
  }

 private:
  // Without a single element there is no mean and no variance, in either mode.
  static void NothingSeen(const NormPlan& p, const ComputeContext& context) {
    for (const int out : {1, 2}) {
      float* to = context.Out<float>(out);
      std::fill(to, to + p.channels, std::numeric_limits<float>::quiet_NaN());
    }
  }

  // The other outputs repeat mean and variance.
  static void Infer(const NormPlan& p, const ComputeContext& context) {
    for (const int out : {1, 3}) {
      std::copy(context.In<float>(3), context.In<float>(3) + p.channels,
                context.Out<float>(out));
    }
    for (const int out : {2, 4}) {
      std::copy(context.In<float>(4), context.In<float>(4) + p.channels,
                context.Out<float>(out));
    }
  }

  void Train(const NormPlan& p, const ComputeContext& context, double* scratch,
             float* mean, float* factor) const {
    const float* x = context.In<float>(0);
    const float* scale = context.In<float>(1);
    double* sums = scratch + 2 * p.parts * p.channels;
    const double n = static_cast<double>(p.count());
    ChannelSums(p, context, scratch, sums,
                [&](int64_t i, int64_t, double& a, double&) { a += x[i]; });
    for (int64_t c = 0; c < p.channels; ++c) mean[c] = static_cast<float>(sums[c] / n);
    ChannelSums(p, context, scratch, sums, [&](int64_t i, int64_t c, double&, double& b) {
      const double d = static_cast<double>(x[i]) - mean[c];
      b += d * d;
    });
    const double* squares = sums + p.channels;
    for (int64_t c = 0; c < p.channels; ++c) {
      const double variance = squares[c] / n;
      factor[c] = static_cast<float>(scale[c] / std::sqrt(variance + epsilon_));
      // The population's variance is estimated with one degree of freedom less.
      const double sample = squares[c] / std::max(n - 1.0, 1.0);
      context.Out<float>(1)[c] = Mix(context, 3, c, mean[c]);
      context.Out<float>(2)[c] = Mix(context, 4, c, static_cast<float>(sample));
      context.Out<float>(3)[c] = mean[c];
      context.Out<float>(4)[c] = static_cast<float>(variance);
    }
  }

  // The running average after this batch.
  float Mix(const ComputeContext& context, int input, int64_t c, float fresh) const {
    if (factor_ == 1.0F) return fresh;
    return (1.0F - factor_) * context.In<float>(input)[c] + factor_ * fresh;
  }

  bool training_;
  bool channels_first_;
  float epsilon_;
  float factor_;
};

// Inputs: dy, x, scale, mean, variance. Outputs: dx, dscale, doffset and two that are
// empty.
class BatchNormGradKernel {
 public:
  using Prepared = NormPlan;
  explicit BatchNormGradKernel(const NodeView& node)
      : training_(node.Bool("is_training", true)),
        channels_first_(node.String("data_format", "NHWC").substr(0, 2) == "NC"),
        epsilon_(node.Float("epsilon", 0.0001F)) {}
  static Result<std::unique_ptr<BatchNormGradKernel>> Create(const NodeView& node,
                                                             berth_device*) {
    return Make<BatchNormGradKernel>(node);
  }

  Status Prepare(PrepareContext& context, NormPlan* plan) const {
    BERTH_SDK_RETURN_IF_ERROR(
        MakeNormPlan(context.input(1), channels_first_, context.num_threads(), plan));
    if (!sdk::SameShape(context.input(0), context.input(1))) {
      return InvalidArgument("x and y_backprop must have same shape, got x shape " +
                             ShapeString(context.input(1)) + " and y_backprop shape " +
                             ShapeString(context.input(0)));
    }
    BERTH_SDK_RETURN_IF_ERROR(CheckChannels(context, *plan, 2, 4, false));
    context.set_scratch_size(plan->scratch_size());
    return {};
  }

  Status Compute(const NormPlan& p, ComputeContext& context) const {
    const float* dy = context.In<float>(0);
    const float* x = context.In<float>(1);
    const float* scale = context.In<float>(2);
    const float* mean = context.In<float>(3);
    const float* variance = context.In<float>(4);
    double* scratch = static_cast<double*>(context.scratch());
    double* sums = scratch + 2 * p.parts * p.channels;
    ChannelSums(p, context, scratch, sums,
                [&](int64_t i, int64_t c, double& a, double& b) {
                  a += dy[i];
                  b += static_cast<double>(dy[i]) * (x[i] - mean[c]);
                });
    // dx = factor * (dy - shift - (x - mean) * slope)
    float* factor = reinterpret_cast<float*>(sums + 2 * p.channels);
    float* shift = factor + p.channels;
    float* slope = shift + p.channels;
    const double n = static_cast<double>(std::max<int64_t>(1, p.count()));
    for (int64_t c = 0; c < p.channels; ++c) {
      const double spread = static_cast<double>(variance[c]) + epsilon_;
      const double inverse = 1.0 / std::sqrt(spread);
      context.Out<float>(1)[c] = static_cast<float>(sums[p.channels + c] * inverse);
      context.Out<float>(2)[c] = static_cast<float>(sums[c]);
      factor[c] = static_cast<float>(scale[c] * inverse);
      shift[c] = static_cast<float>(sums[c] / n);
      slope[c] = static_cast<float>(sums[p.channels + c] / n / spread);
    }
    float* dx = context.Out<float>(0);
    if (!training_) {
      // The statistics are given: x does not matter, and a NaN in it changes nothing.
      ForCells(p, context, 8, [&](int64_t i, int64_t c) { dx[i] = factor[c] * dy[i]; });
      return {};
    }
    ForCells(p, context, 12, [&](int64_t i, int64_t c) {
      dx[i] = factor[c] * (dy[i] - shift[c] - (x[i] - mean[c]) * slope[c]);
    });
    return {};
  }

 private:
  bool training_;
  bool channels_first_;
  float epsilon_;
};

}  // namespace

void RegisterBatchNorm(KernelTable& table) {
  table.Op("FusedBatchNorm").Type("T", {kF32}).Use<BatchNormKernel>();
  table.Op("FusedBatchNormGrad").Type("T", {kF32}).Use<BatchNormGradKernel>();
  for (const char* op : {"FusedBatchNormV2", "FusedBatchNormV3"}) {
    table.Op(op).Type("T", {kF32}).Type("U", {kF32}).Use<BatchNormKernel>();
  }
  for (const char* op : {"FusedBatchNormGradV2", "FusedBatchNormGradV3"}) {
    table.Op(op).Type("T", {kF32}).Type("U", {kF32}).Use<BatchNormGradKernel>();
  }
}

}  // namespace berth::cpu
