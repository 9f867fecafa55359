#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "kernels-cpu/testing/kernel_harness.h"

namespace berth::cpu {
namespace {

using testing::HostTensor;
using testing::KernelRun;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

TEST(BinaryTest, BroadcastsEveryPatternLikeNestedLoops) {
  // Shapes of two operands and of the result: same, scalar, row, column, middle, mixed.
  struct Case {
    std::vector<int64_t> a, b, out;
  };
  const Case cases[] = {{{2, 3, 4}, {2, 3, 4}, {2, 3, 4}},
                        {{}, {2, 3}, {2, 3}},
                        {{2, 3}, {1}, {2, 3}},
                        {{2, 3}, {3}, {2, 3}},
                        {{2, 3}, {2, 1}, {2, 3}},
                        {{2, 1, 4}, {1, 3, 1}, {2, 3, 4}},
                        {{5, 1, 2, 1}, {3, 1, 7}, {5, 3, 2, 7}}};
  for (const Case& c : cases) {
    const HostTensor a = HostTensor::Random(BERTH_FLOAT, c.a, 1);
    const HostTensor b = HostTensor::Random(BERTH_FLOAT, c.b, 2);
    KernelRun run("Sub");
    run.Type("T", BERTH_FLOAT).In(a).In(b).Out(BERTH_FLOAT, c.out);
    ASSERT_TRUE(run.Run().ok());
    for (int64_t i = 0; i < run.output(0).size(); ++i) {
      int64_t rest = i, ia = 0, ib = 0, sa = 1, sb = 1;
      for (int d = static_cast<int>(c.out.size()) - 1; d >= 0; --d) {
        const int64_t at = rest % c.out[static_cast<size_t>(d)];
        rest /= c.out[static_cast<size_t>(d)];
        const auto step = [&](const std::vector<int64_t>& dims, int64_t* index,
                              int64_t* stride) {
          const int from = d - static_cast<int>(c.out.size() - dims.size());
          if (from < 0) return;
          const int64_t dim = dims[static_cast<size_t>(from)];
          if (dim > 1) *index += at * *stride;
          *stride *= dim;
        };
        step(c.a, &ia, &sa);
        step(c.b, &ib, &sb);
      }
      ASSERT_EQ(run.output(0).data<float>()[i],
                a.data<float>()[ia] - b.data<float>()[ib]);
    }
  }
}

TEST(BinaryTest, SplitsLargeTensorsOverThreads) {
  const int64_t n = 300'007;
  const HostTensor a = HostTensor::Random(BERTH_FLOAT, {n}, 1);
  const HostTensor b = HostTensor::Random(BERTH_FLOAT, {n}, 2);
  KernelRun run("AddV2");
  run.Type("T", BERTH_FLOAT).In(a).In(b).OutInPlace(0);
  const std::vector<float> before = a.values<float>();
  ASSERT_TRUE(run.Run().ok());
  for (int64_t i = 0; i < n; ++i) {
    ASSERT_EQ(a.data<float>()[i], before[static_cast<size_t>(i)] + b.data<float>()[i]);
  }
}

TEST(BinaryTest, ShapesThatDoNotFitAreInvalid) {
  KernelRun run("Add");
  run.Type("T", BERTH_FLOAT)
      .In(HostTensor(BERTH_FLOAT, {2, 3}))
      .In(HostTensor(BERTH_FLOAT, {4}))
      .Out(BERTH_FLOAT, {2, 3});
  const sdk::Status status = run.Run();
  EXPECT_EQ(status.code(), BERTH_INVALID_ARGUMENT);
  EXPECT_NE(std::string(status.message()).find("[2,3] vs. [4]"), std::string::npos);
}

TEST(BinaryTest, EqualOfShapesThatDoNotFitIsFalseWhereTheNodeAllowsIt) {
  for (const bool equal : {true, false}) {
    KernelRun run(equal ? "Equal" : "NotEqual");
    run.Type("T", BERTH_FLOAT)
        .Bool("incompatible_shape_error", false)
        .In(HostTensor(BERTH_FLOAT, {2}))
        .In(HostTensor(BERTH_FLOAT, {3}))
        .Out(BERTH_BOOL, {});
    ASSERT_TRUE(run.Run().ok());
    EXPECT_EQ(*run.output(0).data<bool>(), !equal);
  }
}

template <typename T>
sdk::Status Divide(const char* op, const std::vector<T>& a, const std::vector<T>& b,
                   std::vector<T>* out) {
  KernelRun run(op);
  const std::vector<int64_t> dims = {static_cast<int64_t>(a.size())};
  run.Type("T", sdk::DtypeOf<T>())
      .In(HostTensor::Of<T>(dims, a))
      .In(HostTensor::Of<T>(dims, b))
      .Out(sdk::DtypeOf<T>(), dims);
  const sdk::Status status = run.Run();
  *out = run.output(0).values<T>();
  return status;
}

template <typename T>
void CheckIntegerDivision() {
  std::vector<T> out;
  ASSERT_TRUE(Divide<T>("FloorDiv", {7, -7, 7, -7}, {2, 2, -2, -2}, &out).ok());
  EXPECT_EQ(out, (std::vector<T>{3, -4, -4, 3}));
  ASSERT_TRUE(Divide<T>("FloorMod", {7, -7, 7, -7}, {2, 2, -2, -2}, &out).ok());
  EXPECT_EQ(out, (std::vector<T>{1, 1, -1, -1}));
  ASSERT_TRUE(Divide<T>("TruncateDiv", {7, -7, 7, -7}, {2, 2, -2, -2}, &out).ok());
  EXPECT_EQ(out, (std::vector<T>{3, -3, -3, 3}));
  ASSERT_TRUE(Divide<T>("TruncateMod", {7, -7, 7, -7}, {2, 2, -2, -2}, &out).ok());
  EXPECT_EQ(out, (std::vector<T>{1, -1, 1, -1}));
  const T lowest = std::numeric_limits<T>::min();
  for (const char* op : {"Div", "FloorDiv", "TruncateDiv"}) {
    ASSERT_TRUE(Divide<T>(op, {lowest}, {-1}, &out).ok()) << op;
    EXPECT_EQ(out[0], lowest) << op;
  }
  for (const char* op : {"Mod", "FloorMod", "TruncateMod"}) {
    ASSERT_TRUE(Divide<T>(op, {lowest}, {-1}, &out).ok()) << op;
    EXPECT_EQ(out[0], 0) << op;
  }
  for (const char* op :
       {"Div", "FloorDiv", "TruncateDiv", "Mod", "FloorMod", "TruncateMod"}) {
    EXPECT_EQ(Divide<T>(op, {1, 5}, {1, 0}, &out).code(), BERTH_INVALID_ARGUMENT) << op;
  }
}

TEST(DivisionTest, OfInt32RoundsWrapsAndRefusesZero) { CheckIntegerDivision<int32_t>(); }
TEST(DivisionTest, OfInt64RoundsWrapsAndRefusesZero) { CheckIntegerDivision<int64_t>(); }

TEST(DivisionTest, NegativePowersOfIntegersAreInvalid) {
  std::vector<int32_t> out;
  ASSERT_TRUE(Divide<int32_t>("Pow", {3, -2, 0}, {4, 5, 0}, &out).ok());
  EXPECT_EQ(out, (std::vector<int32_t>{81, -32, 1}));
  EXPECT_EQ(Divide<int32_t>("Pow", {3}, {-1}, &out).code(), BERTH_INVALID_ARGUMENT);
}

TEST(ReluTest, KeepsNanAndMakesZerosPositive) {
  for (const int64_t n : {1, 5, 17, 64}) {
    HostTensor x(BERTH_FLOAT, {n});
    const float pattern[] = {kNan, -1.0F, -0.0F, 2.0F};
    for (int64_t i = 0; i < n; ++i) x.data<float>()[i] = pattern[i % 4];
    KernelRun run("Relu");
    run.Type("T", BERTH_FLOAT).In(x).Out(BERTH_FLOAT, {n});
    ASSERT_TRUE(run.Run().ok());
    for (int64_t i = 0; i < n; ++i) {
      const float y = run.output(0).data<float>()[i];
      if (i % 4 == 0) {
        EXPECT_TRUE(std::isnan(y)) << i;
      } else {
        EXPECT_EQ(y, i % 4 == 3 ? 2.0F : 0.0F);
        EXPECT_FALSE(std::signbit(y));
      }
    }
  }
}

TEST(CastTest, OutOfRangeValuesDoNotTrap) {
  KernelRun run("Cast");
  run.Type("SrcT", BERTH_FLOAT)
      .Type("DstT", BERTH_INT32)
      .In(HostTensor::Of<float>({4}, {1e20F, -1e20F, kNan, -2.9F}))
      .Out(BERTH_INT32, {4});
  ASSERT_TRUE(run.Run().ok());
  const int32_t lowest = std::numeric_limits<int32_t>::min();
  EXPECT_EQ(run.output(0).values<int32_t>(),
            (std::vector<int32_t>{lowest, lowest, lowest, -2}));
}

TEST(CastTest, HalfRoundsToNearestEven) {
  // Encodings from IEEE 754: 1, the largest half, what rounds up to infinity, the
  // smallest subnormal, a tie to even.
  KernelRun run("Cast");
  run.Type("SrcT", BERTH_FLOAT)
      .Type("DstT", BERTH_HALF)
      .In(HostTensor::Of<float>(
          {5}, {1.0F, 65504.0F, 65520.0F, 5.9604645e-8F, 1.00048828125F}))
      .Out(BERTH_HALF, {5});
  ASSERT_TRUE(run.Run().ok());
  const uint16_t* bits = run.output(0).data<uint16_t>();
  EXPECT_EQ(std::vector<uint16_t>(bits, bits + 5),
            (std::vector<uint16_t>{0x3c00, 0x7bff, 0x7c00, 0x0001, 0x3c00}));
}

// Values of exp and log to 17 digits, rounded to the dtype.
template <typename T>
void CheckFunction(const char* op, const std::vector<T>& x, const std::vector<T>& want) {
  KernelRun run(op);
  const auto n = static_cast<int64_t>(x.size());
  const int32_t dtype = sizeof(T) == 8 ? BERTH_DOUBLE : BERTH_FLOAT;
  run.Type("T", dtype).In(HostTensor::Of<T>({n}, x)).Out(dtype, {n});
  ASSERT_TRUE(run.Run().ok());
  for (int64_t i = 0; i < n; ++i) {
    const T got = run.output(0).data<T>()[i];
    const T expected = want[static_cast<size_t>(i)];
    const T ulp =
        std::nextafter(std::fabs(expected), std::numeric_limits<T>::infinity()) -
        std::fabs(expected);
    EXPECT_TRUE(got == expected || std::fabs(got - expected) <= 4 * ulp)
        << op << "(" << x[static_cast<size_t>(i)] << ") is " << got;
  }
}

TEST(FunctionTest, ExpCoversItsWholeRange) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  CheckFunction<float>("Exp",
                       {-1000, -100, -90, 88.5F, 88.72F, 89, -kInfinity, kInfinity, 1},
                       {0, 3.7200760e-44F, 8.1940126e-40F, 2.7230878e+38F, 3.3931806e+38F,
                        kInfinity, 0, kInfinity, 2.7182818F});
  CheckFunction<double>(
      "Exp", {-1e308, -740, -710, 709.7, 710},
      {0, 4.188739880048048939e-322, 4.476286225675129956e-309, 1.6549840276802644e308,
       std::numeric_limits<double>::infinity()});
}

TEST(FunctionTest, LogTakesSubnormalNumbers) {
  CheckFunction<float>(
      "Log", {1.4012985e-45F, 1e-40F, 0, 2},
      {-103.27893F, -92.103404F, -std::numeric_limits<float>::infinity(), 0.69314718F});
  CheckFunction<double>("Log", {4.9406564584124654e-324, 1e-310},
                        {-744.44007192138126, -713.80137882815462});
}

TEST(UnaryTest, EmptyTensorsStayEmpty) {
  for (const char* op : {"Exp", "Neg", "Relu", "Tanh"}) {
    KernelRun run(op);
    run.Type("T", BERTH_FLOAT).In(HostTensor(BERTH_FLOAT, {0, 3}));
    run.Out(BERTH_FLOAT, {0, 3});
    EXPECT_TRUE(run.Run().ok()) << op;
  }
}

}  // namespace
}  // namespace berth::cpu
