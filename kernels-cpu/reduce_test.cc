#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "kernels-cpu/testing/kernel_harness.h"

namespace berth::cpu {
namespace {

using testing::HostTensor;
using testing::KernelRun;

KernelRun& Reduce(KernelRun& run, const HostTensor& x, const std::vector<int32_t>& axes,
                  int32_t dtype) {
  return run.Type("T", dtype)
      .Type("Tidx", BERTH_INT32)
      .In(x)
      .In(HostTensor::Of<int32_t>({static_cast<int64_t>(axes.size())}, axes),
          "reduction_indices");
}

TEST(SumTest, AgreesWithNestedLoopsOverAnyAxes) {
  const std::vector<int64_t> dims = {3, 4, 5, 6};
  const HostTensor x = HostTensor::Random(BERTH_FLOAT, dims, 1);
  for (unsigned mask = 0; mask < 16; ++mask) {
    std::vector<int32_t> axes;
    std::vector<int64_t> kept;
    for (int i = 0; i < 4; ++i) {
      if ((mask >> i & 1) != 0) {
        axes.push_back(i % 2 == 0 ? i : i - 4);
      } else {
        kept.push_back(dims[static_cast<size_t>(i)]);
      }
    }
    KernelRun run("Sum");
    Reduce(run, x, axes, BERTH_FLOAT).Out(BERTH_FLOAT, kept);
    ASSERT_TRUE(run.Run().ok());
    std::vector<double> want(static_cast<size_t>(run.output(0).size()));
    for (int64_t i = 0; i < x.size(); ++i) {
      const int64_t index[4] = {i / 120, i / 30 % 4, i / 6 % 5, i % 6};
      size_t to = 0;
      for (int d = 0; d < 4; ++d) {
        if ((mask >> d & 1) == 0) {
          to = to * static_cast<size_t>(dims[static_cast<size_t>(d)]) +
               static_cast<size_t>(index[d]);
        }
      }
      want[to] += double{x.data<float>()[i]};
    }
    for (size_t i = 0; i < want.size(); ++i) {
      ASSERT_NEAR(run.output(0).data<float>()[i], want[i], 1e-5) << mask;
    }
  }
}

TEST(SumTest, OfMillionsStaysExactEnough) {
  // A running f32 sum of ones stops at 2^24; columns of a tall matrix likewise.
  const int64_t n = (int64_t{1} << 24) + 1000;
  HostTensor x(BERTH_FLOAT, {n / 8, 8});
  std::fill(x.data<float>(), x.data<float>() + x.size(), 1.0F);
  KernelRun all("Sum");
  Reduce(all, x, {0, 1}, BERTH_FLOAT).Out(BERTH_FLOAT, {});
  ASSERT_TRUE(all.Run().ok());
  EXPECT_EQ(*all.output(0).data<float>(), static_cast<float>(x.size()));
  KernelRun columns("Sum");
  Reduce(columns, x, {0}, BERTH_FLOAT).Out(BERTH_FLOAT, {8});
  ASSERT_TRUE(columns.Run().ok());
  EXPECT_EQ(columns.output(0).values<float>(),
            std::vector<float>(8, static_cast<float>(n / 8)));
}

TEST(ReduceTest, NothingBecomesTheNeutralElement) {
  const float infinity = std::numeric_limits<float>::infinity();
  const HostTensor x(BERTH_FLOAT, {2, 0});
  struct Case {
    const char* op;
    float want;
  };
  for (const Case& c : {Case{"Sum", 0.0F}, Case{"Prod", 1.0F}, Case{"Max", -infinity},
                        Case{"Min", infinity}}) {
    KernelRun run(c.op);
    Reduce(run, x, {1}, BERTH_FLOAT).Out(BERTH_FLOAT, {2});
    ASSERT_TRUE(run.Run().ok());
    EXPECT_EQ(run.output(0).values<float>(), (std::vector<float>{c.want, c.want}))
        << c.op;
  }
  KernelRun mean("Mean");
  Reduce(mean, x, {1}, BERTH_FLOAT).Out(BERTH_FLOAT, {2});
  ASSERT_TRUE(mean.Run().ok());
  EXPECT_TRUE(std::isnan(mean.output(0).data<float>()[0]));
}

TEST(ReduceTest, AxesOutOfRangeOrTwiceAreInvalid) {
  const HostTensor x(BERTH_FLOAT, {2, 3});
  for (const std::vector<int32_t>& axes :
       {std::vector<int32_t>{2}, std::vector<int32_t>{-3}, std::vector<int32_t>{1, -1}}) {
    KernelRun run("Sum");
    Reduce(run, x, axes, BERTH_FLOAT).Out(BERTH_FLOAT, {2});
    EXPECT_EQ(run.Run().code(), BERTH_INVALID_ARGUMENT);
  }
}

int64_t ArgMax(const HostTensor& x) {
  KernelRun run("ArgMax");
  run.Type("T", BERTH_FLOAT)
      .Type("output_type", BERTH_INT64)
      .In(x)
      .In(HostTensor::Of<int32_t>({}, {0}), "dimension")
      .Out(BERTH_INT64, {});
  EXPECT_TRUE(run.Run().ok());
  return *run.output(0).data<int64_t>();
}

TEST(ArgMaxTest, TheLowestIndexWinsATie) {
  EXPECT_EQ(ArgMax(HostTensor::Of<float>({5}, {2, 3, 0, 3, 3})), 1);
  for (const int64_t n : {1, 33, 257, 1025, 2001}) {
    EXPECT_EQ(ArgMax(HostTensor::Of<float>(
                  {n}, std::vector<float>(static_cast<size_t>(n), 0.0F))),
              0);
  }
}

TEST(ArgMaxTest, NanWinsOverNothingButNan) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(ArgMax(HostTensor::Of<float>({3}, {nan, nan, nan})), 0);
  EXPECT_EQ(ArgMax(HostTensor::Of<float>({4}, {nan, 1, nan, 2})), 3);
}

TEST(ArgMaxTest, OfAnEmptyAxisIsInvalid) {
  KernelRun run("ArgMax");
  run.Type("T", BERTH_FLOAT)
      .In(HostTensor(BERTH_FLOAT, {0, 3}))
      .In(HostTensor::Of<int32_t>({}, {0}), "dimension")
      .Out(BERTH_INT64, {3});
  EXPECT_EQ(run.Run().code(), BERTH_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace berth::cpu
