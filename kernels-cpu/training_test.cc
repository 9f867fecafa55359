// Tests of softmax.cc, batch_norm.cc, bias_add.cc and optimizer.cc.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "kernels-cpu/testing/kernel_harness.h"

namespace berth::cpu {
namespace {

using testing::HostTensor;
using testing::KernelRun;

TEST(SoftmaxTest, LargeLogitsDoNotOverflow) {
  KernelRun run("Softmax");
  run.Type("T", BERTH_FLOAT)
      .In(HostTensor::Of<float>({2, 2}, {1000, 1000, -1000, 0}))
      .Out(BERTH_FLOAT, {2, 2});
  ASSERT_TRUE(run.Run().ok());
  EXPECT_EQ(run.output(0).values<float>(), (std::vector<float>{0.5F, 0.5F, 0, 1}));
}

TEST(CrossEntropyTest, SparseLossAndGradientOfEqualLogits) {
  KernelRun run("SparseSoftmaxCrossEntropyWithLogits");
  run.Type("T", BERTH_DOUBLE)
      .Type("Tlabels", BERTH_INT64)
      .In(HostTensor::Of<double>({1, 4}, {3, 3, 3, 3}))
      .In(HostTensor::Of<int64_t>({1}, {2}))
      .Out(BERTH_DOUBLE, {1})
      .Out(BERTH_DOUBLE, {1, 4});
  ASSERT_TRUE(run.Run().ok());
  EXPECT_NEAR(*run.output(0).data<double>(), std::log(4.0), 1e-12);
  const std::vector<double> gradient = run.output(1).values<double>();
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(gradient[i], i == 2 ? -0.75 : 0.25, 1e-12);
  }
}

TEST(CrossEntropyTest, ALabelOutOfRangeIsInvalid) {
  for (const int64_t label : {5, -1}) {
    KernelRun run("SparseSoftmaxCrossEntropyWithLogits");
    run.Type("T", BERTH_FLOAT)
        .Type("Tlabels", BERTH_INT64)
        .In(HostTensor(BERTH_FLOAT, {1, 5}))
        .In(HostTensor::Of<int64_t>({1}, {label}))
        .Out(BERTH_FLOAT, {1})
        .Out(BERTH_FLOAT, {1, 5});
    EXPECT_EQ(run.Run().code(), BERTH_INVALID_ARGUMENT);
  }
}

TEST(BiasAddTest, GradientOfATallTensorIsTheSumOfItsRows) {
  const int64_t rows = 20'000;
  HostTensor dy(BERTH_FLOAT, {rows, 3});
  for (int64_t i = 0; i < dy.size(); ++i) dy.data<float>()[i] = static_cast<float>(i % 3);
  KernelRun run("BiasAddGrad");
  run.Type("T", BERTH_FLOAT).String("data_format", "NHWC").In(dy).Out(BERTH_FLOAT, {3});
  ASSERT_TRUE(run.Run().ok());
  EXPECT_EQ(run.output(0).values<float>(), (std::vector<float>{0, 20'000, 40'000}));
}

// Inputs of a batch norm with two channels whose first one holds 0, 2 and 4.
KernelRun& BatchNorm(KernelRun& run, bool training, bool channels_first) {
  const HostTensor x = channels_first
                           ? HostTensor::Of<float>({1, 2, 1, 3}, {0, 2, 4, 5, 5, 5})
                           : HostTensor::Of<float>({1, 1, 3, 2}, {0, 5, 2, 5, 4, 5});
  return run.Type("T", BERTH_FLOAT)
      .Type("U", BERTH_FLOAT)
      .Bool("is_training", training)
      .Float("epsilon", 0.0F)
      .Float("exponential_avg_factor", 1.0F)
      .String("data_format", channels_first ? "NCHW" : "NHWC")
      .In(x)
      .In(HostTensor::Of<float>({2}, {3, 1}))
      .In(HostTensor::Of<float>({2}, {10, 0}))
      .In(HostTensor::Of<float>({2}, {1, 4}))
      .In(HostTensor::Of<float>({2}, {4, 0.25F}))
      .Out(BERTH_FLOAT, x.dims())
      .Out(BERTH_FLOAT, {2})
      .Out(BERTH_FLOAT, {2})
      .Out(BERTH_FLOAT, {2})
      .Out(BERTH_FLOAT, {2})
      .Out(BERTH_FLOAT, {0});
}

TEST(BatchNormTest, InferenceUsesTheGivenMoments) {
  for (const bool channels_first : {false, true}) {
    KernelRun run("FusedBatchNormV3");
    BatchNorm(run, false, channels_first);
    ASSERT_TRUE(run.Run().ok());
    // (x - 1) * 3 / 2 + 10 and (5 - 4) * 1 / 0.5.
    const std::vector<float> want = channels_first
                                        ? std::vector<float>{8.5F, 11.5F, 14.5F, 2, 2, 2}
                                        : std::vector<float>{8.5F, 2, 11.5F, 2, 14.5F, 2};
    EXPECT_EQ(run.output(0).values<float>(), want);
  }
}

TEST(BatchNormTest, TrainingComputesMoments) {
  for (const bool channels_first : {false, true}) {
    KernelRun run("FusedBatchNormV3");
    BatchNorm(run, true, channels_first);
    ASSERT_TRUE(run.Run().ok());
    EXPECT_EQ(run.output(1).values<float>(), (std::vector<float>{2, 5}));
    // Of a sample: 8 / (3 - 1).
    EXPECT_EQ(run.output(2).values<float>(), (std::vector<float>{4, 0}));
    EXPECT_NEAR(run.output(0).data<float>()[0], 10 - 3 * 2 / std::sqrt(8.0 / 3), 1e-5);
  }
}

TEST(BatchNormTest, GradientAgreesWithFiniteDifferences) {
  const std::vector<int64_t> dims = {2, 3, 3, 2};
  const HostTensor x = HostTensor::Random(BERTH_FLOAT, dims, 1);
  const HostTensor dy = HostTensor::Random(BERTH_FLOAT, dims, 2);
  const double epsilon = 0.01;
  // The loss sum(dy * y) with scale 1, in f64; dims hold 18 values a channel.
  const auto loss = [&](int64_t at, double delta) {
    double total = 0;
    for (int64_t c = 0; c < 2; ++c) {
      std::vector<double> v;
      for (int64_t i = c; i < x.size(); i += 2) {
        v.push_back(double{x.data<float>()[i]} + (i == at ? delta : 0.0));
      }
      double mean = 0;
      double variance = 0;
      for (const double e : v) mean += e / 18;
      for (const double e : v) variance += (e - mean) * (e - mean) / 18;
      for (size_t i = 0; i < v.size(); ++i) {
        total += double{dy.data<float>()[static_cast<int64_t>(i) * 2 + c]} *
                 (v[i] - mean) / std::sqrt(variance + epsilon);
      }
    }
    return total;
  };
  HostTensor mean(BERTH_FLOAT, {2});
  HostTensor variance(BERTH_FLOAT, {2});
  for (int64_t c = 0; c < 2; ++c) {
    double sum = 0;
    double squares = 0;
    for (int64_t i = c; i < x.size(); i += 2) {
      sum += double{x.data<float>()[i]};
      squares += double{x.data<float>()[i]} * double{x.data<float>()[i]};
    }
    mean.data<float>()[c] = static_cast<float>(sum / 18);
    variance.data<float>()[c] = static_cast<float>(squares / 18 - sum / 18 * sum / 18);
  }
  KernelRun run("FusedBatchNormGradV3");
  run.Type("T", BERTH_FLOAT)
      .Type("U", BERTH_FLOAT)
      .Bool("is_training", true)
      .Float("epsilon", static_cast<float>(epsilon))
      .String("data_format", "NHWC")
      .In(dy)
      .In(x)
      .In(HostTensor::Of<float>({2}, {1, 1}))
      .In(mean)
      .In(variance)
      .In(HostTensor(BERTH_FLOAT, {0}))
      .Out(BERTH_FLOAT, dims)
      .Out(BERTH_FLOAT, {2})
      .Out(BERTH_FLOAT, {2})
      .Out(BERTH_FLOAT, {0})
      .Out(BERTH_FLOAT, {0});
  ASSERT_TRUE(run.Run().ok());
  for (int64_t i = 0; i < x.size(); ++i) {
    const double want = (loss(i, 1e-4) - loss(i, -1e-4)) / 2e-4;
    EXPECT_NEAR(run.output(0).data<float>()[i], want, 1e-4);
  }
}

TEST(BatchNormTest, InferenceGradientDoesNotLookAtTheImages) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  KernelRun run("FusedBatchNormGradV3");
  run.Type("T", BERTH_FLOAT)
      .Type("U", BERTH_FLOAT)
      .Bool("is_training", false)
      .Float("epsilon", 0.25F)
      .String("data_format", "NHWC")
      .In(HostTensor::Of<float>({1, 1, 2, 1}, {3, -5}))
      .In(HostTensor::Of<float>({1, 1, 2, 1}, {kNan, 7}))
      .In(HostTensor::Of<float>({1}, {2}))
      .In(HostTensor::Of<float>({1}, {0}))
      .In(HostTensor::Of<float>({1}, {3.75F}))
      .In(HostTensor(BERTH_FLOAT, {0}))
      .Out(BERTH_FLOAT, {1, 1, 2, 1})
      .Out(BERTH_FLOAT, {1})
      .Out(BERTH_FLOAT, {1})
      .Out(BERTH_FLOAT, {0})
      .Out(BERTH_FLOAT, {0});
  ASSERT_TRUE(run.Run().ok());
  // scale / sqrt(variance + epsilon) is 1.
  EXPECT_EQ(run.output(0).values<float>(), (std::vector<float>{3, -5}));
}

TEST(OptimizerTest, MomentumIntegratesTheGradient) {
  const HostTensor variable = HostTensor::Of<float>({2}, {1, 2});
  const HostTensor accumulated = HostTensor::Of<float>({2}, {0.5F, -1});
  KernelRun run("ResourceApplyMomentum");
  run.Type("T", BERTH_FLOAT)
      .Bool("use_nesterov", false)
      .In(variable)
      .In(accumulated)
      .In(HostTensor::Of<float>({}, {0.5F}))
      .In(HostTensor::Of<float>({2}, {4, 8}))
      .In(HostTensor::Of<float>({}, {0.5F}));
  ASSERT_TRUE(run.Run().ok());
  EXPECT_EQ(accumulated.values<float>(), (std::vector<float>{4.25F, 7.5F}));
  EXPECT_EQ(variable.values<float>(), (std::vector<float>{-1.125F, -1.75F}));
}

TEST(OptimizerTest, GradientsOfAnotherShapeAreInvalid) {
  KernelRun run("ApplyGradientDescent");
  run.Type("T", BERTH_FLOAT)
      .In(HostTensor(BERTH_FLOAT, {2}))
      .In(HostTensor(BERTH_FLOAT, {}))
      .In(HostTensor(BERTH_FLOAT, {3}))
      .OutInPlace(0);
  EXPECT_EQ(run.Run().code(), BERTH_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace berth::cpu
