#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "kernels-cpu/testing/kernel_harness.h"

namespace berth::cpu {
namespace {

using testing::HostTensor;
using testing::KernelRun;

KernelRun& Pool(KernelRun& run, int32_t dtype, int64_t size, int64_t stride,
                const char* padding) {
  return run.Type("T", dtype)
      .String("data_format", "NHWC")
      .String("padding", padding)
      .Ints("ksize", {1, size, size, 1})
      .Ints("strides", {1, stride, stride, 1});
}

TEST(PoolTest, ANanAnywhereInTheWindowIsTheMaximum) {
  for (const int64_t depth : {1, 3, 4, 8, 33}) {
    for (int64_t place = 0; place < 4; ++place) {
      HostTensor x(BERTH_FLOAT, {1, 2, 2, depth});
      for (int64_t i = 0; i < x.size(); ++i) {
        x.data<float>()[i] =
            i / depth == place ? std::numeric_limits<float>::quiet_NaN() : 1.0F;
      }
      KernelRun run("MaxPool");
      Pool(run, BERTH_FLOAT, 2, 2, "VALID").In(x).Out(BERTH_FLOAT, {1, 1, 1, depth});
      ASSERT_TRUE(run.Run().ok());
      for (const float y : run.output(0).values<float>()) {
        EXPECT_TRUE(std::isnan(y)) << depth << " " << place;
      }
    }
  }
}

TEST(PoolTest, AveragesDivideByCellsInsideTheImage) {
  KernelRun run("AvgPool");
  Pool(run, BERTH_FLOAT, 3, 2, "SAME")
      .In(HostTensor::Of<float>({1, 4, 4, 1}, std::vector<float>(16, 2.5F)))
      .Out(BERTH_FLOAT, {1, 2, 2, 1});
  ASSERT_TRUE(run.Run().ok());
  EXPECT_EQ(run.output(0).values<float>(), std::vector<float>(4, 2.5F));
}

TEST(PoolTest, TheFirstMaximumOfAWindowTakesTheGradient) {
  KernelRun run("MaxPoolGrad");
  Pool(run, BERTH_FLOAT, 2, 2, "VALID")
      .In(HostTensor::Of<float>({1, 2, 4, 1}, {5, 5, 1, 2, 5, 5, 3, 3}))
      .In(HostTensor::Of<float>({1, 1, 2, 1}, {5, 3}))
      .In(HostTensor::Of<float>({1, 1, 2, 1}, {7, 9}))
      .Out(BERTH_FLOAT, {1, 2, 4, 1});
  ASSERT_TRUE(run.Run().ok());
  EXPECT_EQ(run.output(0).values<float>(), (std::vector<float>{7, 0, 0, 0, 0, 0, 9, 0}));
}

TEST(PoolTest, OverlappingWindowsAddTheirGradients) {
  // The middle cell is the maximum of all four 2x2 windows of a 3x3 image.
  KernelRun run("MaxPoolGrad");
  Pool(run, BERTH_FLOAT, 2, 1, "VALID")
      .In(HostTensor::Of<float>({1, 3, 3, 1}, {0, 0, 0, 0, 1, 0, 0, 0, 0}))
      .In(HostTensor::Of<float>({1, 2, 2, 1}, {1, 1, 1, 1}))
      .In(HostTensor::Of<float>({1, 2, 2, 1}, {1, 2, 3, 4}))
      .Out(BERTH_FLOAT, {1, 3, 3, 1});
  ASSERT_TRUE(run.Run().ok());
  EXPECT_EQ(run.output(0).values<float>(),
            (std::vector<float>{0, 0, 0, 0, 10, 0, 0, 0, 0}));
}

TEST(PoolTest, AnOddSizedImageLeavesItsEdgeWithoutGradient) {
  KernelRun run("MaxPoolGrad");
  Pool(run, BERTH_DOUBLE, 2, 2, "VALID")
      .In(HostTensor::Of<double>({1, 3, 3, 1}, {1, 2, 9, 3, 4, 9, 9, 9, 9}))
      .In(HostTensor::Of<double>({1, 1, 1, 1}, {4}))
      .In(HostTensor::Of<double>({1, 1, 1, 1}, {6}))
      .Out(BERTH_DOUBLE, {1, 3, 3, 1});
  ASSERT_TRUE(run.Run().ok());
  EXPECT_EQ(run.output(0).values<double>(),
            (std::vector<double>{0, 0, 0, 0, 6, 0, 0, 0, 0}));
}

KernelRun& OverChannels(KernelRun& run, std::vector<int64_t> size) {
  return run.Type("T", BERTH_FLOAT)
      .String("padding", "VALID")
      .Ints("ksize", size)
      .Ints("strides", size)
      .In(HostTensor::Of<float>({1, 1, 2, 4}, {1, 2, 8, 3, 5, 4, 7, 9}))
      .Out(BERTH_FLOAT, {1, 1, 2, 2});
}

TEST(PoolTest, TakesMaximaOfNeighbouringChannels) {
  KernelRun run("MaxPool");
  OverChannels(run, {1, 1, 1, 2});
  ASSERT_TRUE(run.Run().ok());
  EXPECT_EQ(run.output(0).values<float>(), (std::vector<float>{2, 8, 5, 9}));
}

TEST(PoolTest, DeclinesWindowsOverChannelsAndWidthWithAReason) {
  KernelRun run("MaxPool");
  OverChannels(run, {1, 1, 2, 2});
  const sdk::Status status = run.Find();
  EXPECT_EQ(status.code(), BERTH_UNIMPLEMENTED);
  EXPECT_NE(std::string(status.message()).find("channels"), std::string::npos);
}

}  // namespace
}  // namespace berth::cpu
