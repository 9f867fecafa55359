#include <gtest/gtest.h>

#include <cmath>

#include "kernels-cpu/philox.h"
#include "kernels-cpu/testing/kernel_harness.h"

namespace berth::cpu {
namespace {

using testing::HostTensor;
using testing::KernelRun;

TEST(PhiloxTest, GivesTheKnownAnswersOfItsAuthors) {
  // philox4x32-10 of kat_vectors in the Random123 distribution: counter and key of zeros,
  // and of the digits of pi. The seeds are the key and the counter's upper half.
  Philox zeros(0, 0);
  EXPECT_EQ(zeros.Next(),
            (Philox::Group{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  Philox pi(0x299f31d0a4093822, 0x0370734413198a2e);
  pi.Skip(0x85a308d3243f6a88);
  EXPECT_EQ(pi.Next(), (Philox::Group{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(PhiloxTest, SkippingCarriesIntoTheUpperHalf) {
  Philox skipped(1, 5);
  skipped.Skip(~uint64_t{0});
  skipped.Skip(1);
  EXPECT_EQ(skipped.Next(), Philox(1, 6).Next());
}

KernelRun& Draw(KernelRun& run, int32_t dtype, int64_t n) {
  return run.Type("dtype", dtype)
      .Int("seed", 87654321)
      .Int("seed2", 7)
      .In(HostTensor::Of<int32_t>({1}, {static_cast<int32_t>(n)}), "shape")
      .Out(dtype, {n});
}

TEST(RandomTest, NumbersDoNotDependOnThreads) {
  for (const char* op : {"RandomUniform", "RandomStandardNormal", "TruncatedNormal"}) {
    for (const int32_t dtype : {BERTH_FLOAT, BERTH_DOUBLE}) {
      KernelRun one(op, 1);
      KernelRun many(op, 7);
      ASSERT_TRUE(Draw(one, dtype, 50'003).Run().ok());
      ASSERT_TRUE(Draw(many, dtype, 50'003).Run().ok());
      EXPECT_EQ(std::memcmp(one.output(0).data<char>(), many.output(0).data<char>(),
                            50'003 * sdk::DtypeSize(dtype)),
                0)
          << op;
    }
  }
}

TEST(RandomTest, ARunContinuesWhereTheLastOneReserved) {
  KernelRun run("RandomUniform");
  Draw(run, BERTH_FLOAT, 10);
  ASSERT_TRUE(run.Run().ok());
  const std::vector<float> first = run.output(0).values<float>();
  ASSERT_TRUE(run.Run().ok());
  // Ten numbers reserve 2560 groups.
  Philox stream(87654321, 7);
  EXPECT_EQ(first[0], UniformFloat(stream.Next()[0]));
  stream.Skip(2559);
  EXPECT_EQ(run.output(0).data<float>()[0], UniformFloat(stream.Next()[0]));
}

TEST(RandomTest, TruncatedNumbersHaveTheMomentsOfTheirDistribution) {
  const int64_t n = 200'000;
  KernelRun run("TruncatedNormal");
  Draw(run, BERTH_FLOAT, n);
  ASSERT_TRUE(run.Run().ok());
  double sum = 0;
  double squares = 0;
  for (const float x : run.output(0).values<float>()) {
    ASSERT_LT(std::fabs(x), 2.0F);
    sum += double{x};
    squares += double{x} * double{x};
  }
  // Variance of a normal cut at two deviations: 1 - 4 phi(2) / (2 Phi(2) - 1) = 0.77374.
  EXPECT_NEAR(sum / static_cast<double>(n), 0.0, 0.01);
  EXPECT_NEAR(squares / static_cast<double>(n), 0.77374, 0.01);
}

TEST(RandomTest, AnEmptyIntervalIsInvalid) {
  KernelRun run("RandomUniformInt");
  run.Type("Tout", BERTH_INT32)
      .Int("seed", 1)
      .In(HostTensor::Of<int32_t>({1}, {3}), "shape")
      .In(HostTensor::Of<int32_t>({}, {5}), "minval")
      .In(HostTensor::Of<int32_t>({}, {5}), "maxval")
      .Out(BERTH_INT32, {3});
  EXPECT_EQ(run.Run().code(), BERTH_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace berth::cpu
