#include <gtest/gtest.h>

#include <cmath>
#include <thread>

#include "kernels-cpu/testing/kernel_harness.h"

namespace berth::cpu {
namespace {

using testing::HostTensor;
using testing::KernelRun;

template <typename T>
void ExpectProduct(int64_t m, int64_t n, int64_t k, bool ta, bool tb, double tolerance) {
  const int32_t dtype = sdk::DtypeOf<T>();
  using Dims = std::vector<int64_t>;
  const HostTensor a = HostTensor::Random(dtype, ta ? Dims{k, m} : Dims{m, k}, 1);
  const HostTensor b = HostTensor::Random(dtype, tb ? Dims{n, k} : Dims{k, n}, 2);
  KernelRun run("MatMul");
  run.Type("T", dtype).Bool("transpose_a", ta).Bool("transpose_b", tb);
  run.In(a).In(b).Out(dtype, {m, n});
  ASSERT_TRUE(run.Run().ok());
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      double sum = 0;
      for (int64_t p = 0; p < k; ++p) {
        sum += static_cast<double>(a.data<T>()[ta ? p * m + i : i * k + p]) *
               static_cast<double>(b.data<T>()[tb ? j * k + p : p * n + j]);
      }
      const double got = static_cast<double>(run.output(0).data<T>()[i * n + j]);
      ASSERT_NEAR(got, sum, tolerance * (1 + std::sqrt(static_cast<double>(k))));
    }
  }
}

TEST(MatMulTest, AgreesWithTheSumOfProducts) {
  const int64_t sizes[][3] = {{1, 1, 1},   {3, 5, 7},      {1, 33, 64},
                              {65, 1, 17}, {130, 70, 300}, {300, 40, 129}};
  for (const auto& s : sizes) {
    for (const bool ta : {false, true}) {
      for (const bool tb : {false, true}) {
        ExpectProduct<float>(s[0], s[1], s[2], ta, tb, 1e-5);
        ExpectProduct<double>(s[0], s[1], s[2], ta, tb, 1e-13);
      }
    }
  }
}

TEST(MatMulTest, AnEmptyInnerDimensionGivesZeros) {
  KernelRun run("MatMul");
  run.Type("T", BERTH_FLOAT)
      .In(HostTensor(BERTH_FLOAT, {2, 0}))
      .In(HostTensor(BERTH_FLOAT, {0, 3}))
      .Out(BERTH_FLOAT, {2, 3});
  ASSERT_TRUE(run.Run().ok());
  EXPECT_EQ(run.output(0).values<float>(), std::vector<float>(6, 0.0F));
}

TEST(MatMulTest, IntegersWrap) {
  KernelRun run("MatMul");
  run.Type("T", BERTH_INT32)
      .In(HostTensor::Of<int32_t>({1, 2}, {65536, 3}))
      .In(HostTensor::Of<int32_t>({2, 1}, {65536, 5}))
      .Out(BERTH_INT32, {1, 1});
  ASSERT_TRUE(run.Run().ok());
  EXPECT_EQ(*run.output(0).data<int32_t>(), 15);
}

TEST(BatchMatMulTest, BroadcastsLeadingAxes) {
  const HostTensor a = HostTensor::Random(BERTH_FLOAT, {2, 1, 3, 4}, 1);
  const HostTensor b = HostTensor::Random(BERTH_FLOAT, {5, 4, 2}, 2);
  KernelRun run("BatchMatMulV2");
  run.Type("T", BERTH_FLOAT).In(a).In(b).Out(BERTH_FLOAT, {2, 5, 3, 2});
  ASSERT_TRUE(run.Run().ok());
  for (int64_t i = 0; i < run.output(0).size(); ++i) {
    const int64_t column = i % 2, row = i / 2 % 3, inner = i / 6 % 5, outer = i / 30;
    double sum = 0;
    for (int64_t p = 0; p < 4; ++p) {
      sum += double{a.data<float>()[(outer * 3 + row) * 4 + p]} *
             double{b.data<float>()[(inner * 4 + p) * 2 + column]};
    }
    ASSERT_NEAR(run.output(0).data<float>()[i], sum, 1e-5);
  }
}

TEST(MatMulTest, ThreadsMayUseOneKernelTogether) {
  const HostTensor a = HostTensor::Random(BERTH_FLOAT, {128, 256}, 1);
  const HostTensor b = HostTensor::Random(BERTH_FLOAT, {256, 96}, 2);
  std::vector<std::vector<float>> results(3);
  std::vector<std::thread> threads;
  for (std::vector<float>& result : results) {
    threads.emplace_back([&a, &b, &result] {
      KernelRun run("MatMul", 2);
      run.Type("T", BERTH_FLOAT).In(a).In(b).Out(BERTH_FLOAT, {128, 96});
      if (run.Run().ok()) result = run.output(0).values<float>();
    });
  }
  for (std::thread& thread : threads) thread.join();
  ASSERT_FALSE(results[0].empty());
  EXPECT_EQ(results[0], results[1]);
  EXPECT_EQ(results[0], results[2]);
}

}  // namespace
}  // namespace berth::cpu
