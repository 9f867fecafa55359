// FusedBatchNorm and its gradients, all versions: NHWC and NCHW, training and inference.
// Statistics and parameters are float whatever the dtype of the images.
#include <cmath>
#include <limits>

#include "conformance/reference/evaluation.h"
#include "conformance/reference/families.h"

namespace berth::conformance {
namespace {

constexpr Real kNaN = std::numeric_limits<Real>::quiet_NaN();
constexpr Real kUnitRoundoff = 0x1p-24L;

struct Channels {
  size_t count = 0;        // of channels
  int64_t length = 0;      // elements of one channel
  std::vector<size_t> of;  // the channel of every element
};

Result<Channels> ChannelsOf(const OpCall& call, const HostTensor& x) {
  if (x.rank() != 4 && x.rank() != 5) {
    return InvalidArgument("images must have 4 or 5 axes, got " + x.ShapeString());
  }
  const bool first = call.String("data_format", "NHWC").starts_with("NC");
  const auto axis = static_cast<size_t>(first ? 1 : x.rank() - 1);
  Channels channels;
  channels.count = static_cast<size_t>(x.dims[axis]);
  channels.length = x.dims[axis] == 0 ? 0 : x.num_elements() / x.dims[axis];
  ForEachElement(x.dims, [&](const std::vector<int64_t>& at, int64_t) {
    channels.of.push_back(static_cast<size_t>(at[axis]));
  });
  return channels;
}

Status ExpectChannels(const OpCall& call, const Channels& channels, int first, int last) {
  for (int i = first; i <= last; ++i) {
    if (call.input(i).rank() == 1 &&
        call.input(i).num_elements() == static_cast<int64_t>(channels.count)) {
      continue;
    }
    return InvalidArgument("input " + std::to_string(i) + " must have one value for " +
                           std::to_string(channels.count) + " channels, got " +
                           call.input(i).ShapeString());
  }
  return OkStatus();
}

// Mean and variance (of the batch itself) by channel, with what their bounds need.
struct Statistics {
  std::vector<Real> mean;
  std::vector<Real> mean_size;  // of |x|
  std::vector<Real> variance;
  std::vector<Real> variance_slack;  // the square of the mean's error
};

Statistics StatisticsOf(const std::vector<Real>& x, const Channels& channels) {
  const auto n = static_cast<Real>(channels.length);
  Statistics s;
  s.mean.resize(channels.count);
  s.mean_size.resize(channels.count);
  s.variance.resize(channels.count);
  for (size_t i = 0; i < x.size(); ++i) {
    s.mean[channels.of[i]] += x[i] / n;
    s.mean_size[channels.of[i]] += std::fabs(x[i]) / n;
  }
  for (size_t i = 0; i < x.size(); ++i) {
    const Real d = x[i] - s.mean[channels.of[i]];
    s.variance[channels.of[i]] += d * d / n;
  }
  for (size_t c = 0; c < channels.count; ++c) {
    if (channels.length == 0) s.mean[c] = s.variance[c] = kNaN;
    const Real error = (n + 1) * kUnitRoundoff * s.mean_size[c];
    s.variance_slack.push_back(error * error);
  }
  return s;
}

Output FloatVector(std::vector<Real> values, std::vector<Real> magnitudes,
                   int64_t roundings) {
  const auto n = static_cast<int64_t>(values.size());
  return SumOutput(BERTH_FLOAT, {n}, std::move(values), std::move(magnitudes), roundings);
}

Output AnyValue() {
  Output output;
  output.tensor.dtype = BERTH_FLOAT;
  output.any_value = true;
  return output;
}

// The running averages after this batch: factor 1 forgets the old ones.
void AddRunningStatistics(const OpCall& call, const Channels& channels,
                          const Statistics& s, Outputs* outputs) {
  const Real factor = call.Float("exponential_avg_factor", 1.0F);
  const auto n = static_cast<Real>(channels.length);
  const Real unbiased = channels.length > 1 ? n / (n - 1) : 1;
  std::vector<Real> mean;
  std::vector<Real> mean_size;
  std::vector<Real> variance;
  std::vector<Real> slack;
  const std::vector<Real> old_mean = Reals(call.input(3));
  const std::vector<Real> old_variance = Reals(call.input(4));
  for (size_t c = 0; c < channels.count; ++c) {
    const Real kept_mean = factor == 1 ? 0 : (1 - factor) * old_mean[c];
    const Real kept_variance = factor == 1 ? 0 : (1 - factor) * old_variance[c];
    mean.push_back(kept_mean + factor * s.mean[c]);
    mean_size.push_back(std::fabs(kept_mean) + factor * s.mean_size[c]);
    variance.push_back(kept_variance + factor * unbiased * s.variance[c]);
    slack.push_back(factor * unbiased * s.variance_slack[c]);
  }
  outputs->outputs.push_back(
      FloatVector(std::move(mean), std::move(mean_size), channels.length + 4));
  std::vector<Real> magnitudes = variance;
  outputs->outputs.push_back(
      FloatVector(std::move(variance), std::move(magnitudes), channels.length + 7));
  outputs->outputs.back().slack = std::move(slack);
}

// y = (x - mean) / sqrt(variance + epsilon) * scale + offset, in that order or with the
// factors of x and of 1 computed first.
Output Normalized(const OpCall& call, const Channels& channels, const Statistics& s,
                  int64_t roundings) {
  const HostTensor& input = call.input(0);
  const std::vector<Real> x = Reals(input);
  const std::vector<Real> scale = Reals(call.input(1));
  const std::vector<Real> offset = Reals(call.input(2));
  const Real epsilon = call.Float("epsilon", 0.0001F);
  Output y = SumOutput(input.dtype, input.dims, {}, {}, roundings);
  for (size_t i = 0; i < x.size(); ++i) {
    const size_t c = channels.of[i];
    const Real spread = s.variance[c] + epsilon;
    const Real factor = scale[c] / std::sqrt(spread);
    const Real part = (x[i] - s.mean[c]) * factor;
    y.values.push_back(part + offset[c]);
    y.magnitudes.push_back(std::fabs(factor) * (std::fabs(x[i]) + s.mean_size[c]) +
                           std::fabs(part) + std::fabs(offset[c]));
    y.slack.push_back(std::fabs(part) * s.variance_slack[c] / spread / 2);
  }
  return y;
}

Result<Outputs> EvaluateBatchNorm(const OpCall& call) {
  BERTH_RETURN_IF_ERROR(ExpectInputs(call, 5));
  const HostTensor& x = call.input(0);
  BERTH_ASSIGN_OR_RETURN(const Channels channels, ChannelsOf(call, x));
  const bool training = call.Bool("is_training", true);
  const bool needs_old = !training || call.Float("exponential_avg_factor", 1.0F) != 1;
  BERTH_RETURN_IF_ERROR(ExpectChannels(call, channels, 1, needs_old ? 4 : 2));
  Outputs outputs;
  if (training) {
    const Statistics s = StatisticsOf(Reals(x), channels);
    outputs.outputs.push_back(Normalized(call, channels, s, channels.length + 12));
    AddRunningStatistics(call, channels, s, &outputs);
  } else {
    Statistics s;
    s.mean = Reals(call.input(3));
    s.variance = Reals(call.input(4));
    for (const Real mean : s.mean) s.mean_size.push_back(std::fabs(mean));
    s.variance_slack.assign(channels.count, 0);
    outputs.outputs.push_back(Normalized(call, channels, s, 8));
    outputs.outputs.push_back(Exact(call.input(3)));
    outputs.outputs.push_back(Exact(call.input(4)));
    if (channels.length == 0) {
      for (size_t i = 1; i <= 2; ++i) {
        outputs.outputs[i] = FloatVector(std::vector<Real>(channels.count, kNaN), {}, 0);
      }
    }
  }
  const size_t all = call.op == "FusedBatchNormV3" ? 6 : 5;
  while (outputs.outputs.size() < all) outputs.outputs.push_back(AnyValue());
  return outputs;
}

// By channel: the sums of dy and of dy (x - mean), and of their absolute values.
struct GradientSums {
  std::vector<Real> dy;
  std::vector<Real> dy_size;
  std::vector<Real> dot;
  std::vector<Real> dot_size;
};

GradientSums SumsOf(const std::vector<Real>& dy, const std::vector<Real>& x,
                    const std::vector<Real>& mean, const Channels& channels) {
  GradientSums sums;
  for (auto* sum : {&sums.dy, &sums.dy_size, &sums.dot, &sums.dot_size}) {
    sum->resize(channels.count);
  }
  for (size_t i = 0; i < dy.size(); ++i) {
    const size_t c = channels.of[i];
    const Real term = dy[i] * (x[i] - mean[c]);
    sums.dy[c] += dy[i];
    sums.dy_size[c] += std::fabs(dy[i]);
    sums.dot[c] += term;
    sums.dot_size[c] += std::fabs(term);
  }
  return sums;
}

// dx = scale / sqrt(spread) * (dy - mean of dy - (x - mean) * mean of dy (x - mean) /
// spread) in training; only the first term in inference.
Output InputGradient(const OpCall& call, const Channels& channels,
                     const GradientSums& sums) {
  const HostTensor& input = call.input(1);
  const std::vector<Real> dy = Reals(call.input(0));
  const std::vector<Real> x = Reals(input);
  const std::vector<Real> scale = Reals(call.input(2));
  const std::vector<Real> mean = Reals(call.input(3));
  const std::vector<Real> variance = Reals(call.input(4));
  const Real epsilon = call.Float("epsilon", 0.0001F);
  const Real share = call.Bool("is_training", true) && channels.length != 0
                         ? 1 / static_cast<Real>(channels.length)
                         : 0;
  Output dx = SumOutput(input.dtype, input.dims, {}, {}, channels.length + 12);
  for (size_t i = 0; i < x.size(); ++i) {
    const size_t c = channels.of[i];
    const Real spread = variance[c] + epsilon;
    const Real factor = scale[c] / std::sqrt(spread);
    const Real d = x[i] - mean[c];
    if (share == 0) {
      dx.values.push_back(factor * dy[i]);
      dx.magnitudes.push_back(std::fabs(factor * dy[i]));
      continue;
    }
    dx.values.push_back(factor *
                        (dy[i] - sums.dy[c] * share - d * sums.dot[c] * share / spread));
    dx.magnitudes.push_back(std::fabs(factor) *
                            (std::fabs(dy[i]) + sums.dy_size[c] * share +
                             std::fabs(d) * sums.dot_size[c] * share / spread));
  }
  return dx;
}

// Inputs: dy, x, scale, mean, variance and, in V3, one more reserve space.
Result<Outputs> EvaluateBatchNormGrad(const OpCall& call) {
  BERTH_RETURN_IF_ERROR(ExpectAtLeast(call, 5));
  const HostTensor& x = call.input(1);
  if (call.input(0).dims != x.dims) {
    return InvalidArgument("dy and x must have one shape");
  }
  BERTH_ASSIGN_OR_RETURN(const Channels channels, ChannelsOf(call, x));
  BERTH_RETURN_IF_ERROR(ExpectChannels(call, channels, 2, 4));
  GradientSums sums =
      SumsOf(Reals(call.input(0)), Reals(x), Reals(call.input(3)), channels);
  Outputs outputs = Single(InputGradient(call, channels, sums));
  const std::vector<Real> variance = Reals(call.input(4));
  const Real epsilon = call.Float("epsilon", 0.0001F);
  for (size_t c = 0; c < channels.count; ++c) {
    const Real inverse = 1 / std::sqrt(variance[c] + epsilon);
    sums.dot[c] *= inverse;
    sums.dot_size[c] *= inverse;
  }
  outputs.outputs.push_back(
      FloatVector(std::move(sums.dot), std::move(sums.dot_size), channels.length + 8));
  outputs.outputs.push_back(
      FloatVector(std::move(sums.dy), std::move(sums.dy_size), channels.length));
  outputs.outputs.push_back(AnyValue());
  outputs.outputs.push_back(AnyValue());
  return outputs;
}

}  // namespace

void RegisterBatchNorm(ReferenceTable& table) {
  for (const char* op : {"FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3"}) {
    table.Add(op, EvaluateBatchNorm);
  }
  for (const char* op :
       {"FusedBatchNormGrad", "FusedBatchNormGradV2", "FusedBatchNormGradV3"}) {
    table.Add(op, EvaluateBatchNormGrad);
  }
}

}  // namespace berth::conformance
