// The rules of the judge, each with a result that passes and one that must not.
#include "conformance/reference/judge.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace berth::conformance {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kLargest = std::numeric_limits<float>::max();
constexpr float kSubnormal = 1e-40F;

HostTensor Floats(const std::vector<Real>& values) {
  return FromReals(BERTH_FLOAT, {static_cast<int64_t>(values.size())}, values);
}

Output Reference(const std::vector<Real>& values) {
  Output output;
  output.tensor.dtype = BERTH_FLOAT;
  output.tensor.dims = {static_cast<int64_t>(values.size())};
  output.values = values;
  return output;
}

Judgement JudgeAs(const char* op, const Output& reference, const HostTensor& got,
                  const DeviceRules& rules = {}) {
  return Judge(reference, got, BoundOf(op, reference, rules));
}

// The float `steps` above `x`.
float Above(float x, int steps) {
  for (int i = 0; i < steps; ++i) x = std::nextafter(x, kInfinity);
  return x;
}

TEST(JudgeTest, MarginIsErrorOverBound) {
  // exp has 4 ulp on a CPU.
  const Judgement judgement = JudgeAs("Exp", Reference({1.5L}), Floats({Above(1.5F, 2)}));
  EXPECT_TRUE(judgement.pass) << judgement.text;
  EXPECT_NEAR(judgement.margin, 0.5, 1e-6);
}

TEST(JudgeTest, BoundIsThePromiseOfTheDeviceClass) {
  const Output reference = Reference({1.5L});
  const HostTensor three_off = Floats({Above(1.5F, 3)});
  const HostTensor four_off = Floats({Above(1.5F, 4)});
  EXPECT_TRUE(JudgeAs("Exp", reference, four_off, {DeviceClass::kCpu}).pass);
  EXPECT_FALSE(JudgeAs("Exp", reference, four_off, {DeviceClass::kOpenCl}).pass);
  EXPECT_TRUE(JudgeAs("Exp", reference, three_off, {DeviceClass::kOpenCl}).pass);
  EXPECT_FALSE(JudgeAs("Exp", reference, three_off, {DeviceClass::kCuda}).pass);
}

TEST(JudgeTest, NamesTheFirstBadElement) {
  Output reference = Reference({1, 2, 3, 4, 5, 6});
  reference.tensor.dims = {2, 3};
  HostTensor got = Floats({1, 2, 3, 4.5L, 5, 7});
  got.dims = {2, 3};
  const Judgement judgement = JudgeAs("Add", reference, got);
  EXPECT_FALSE(judgement.pass);
  EXPECT_EQ(judgement.index, 3);
  EXPECT_NE(
      judgement.text.find("element [1,0] of float[2,3]: got 4.5, the reference is 4"),
      std::string::npos)
      << judgement.text;
}

TEST(JudgeTest, CorrectRoundingAllowsHalfAUnit) {
  const Real half_way = 1 + 0x1p-24L;
  EXPECT_TRUE(JudgeAs("Add", Reference({half_way}), Floats({1})).pass);
  EXPECT_TRUE(JudgeAs("Add", Reference({half_way}), Floats({Above(1, 1)})).pass);
  EXPECT_FALSE(JudgeAs("Add", Reference({half_way}), Floats({Above(1, 2)})).pass);
}

TEST(JudgeTest, ExactOpsAllowNothing) {
  EXPECT_TRUE(JudgeAs("Relu", Reference({3}), Floats({3})).pass);
  const Judgement judgement = JudgeAs("Relu", Reference({3}), Floats({Above(3, 1)}));
  EXPECT_FALSE(judgement.pass);
  EXPECT_EQ(judgement.margin, std::numeric_limits<double>::infinity());
}

TEST(JudgeTest, SumsAreBoundByTheirTermsAndNotByTheirResult) {
  Output reference = Reference({1});
  reference.magnitudes = {1000};
  reference.roundings = 10;
  const float allowed = 10 * 0x1p-24F * 1000;
  EXPECT_TRUE(JudgeAs("Sum", reference, Floats({1 + 0.99L * allowed})).pass);
  EXPECT_FALSE(JudgeAs("Sum", reference, Floats({1 + 1.01L * allowed})).pass);
}

TEST(JudgeTest, NarrowDtypesAreComputedInFloatAndRoundedOnce) {
  Output reference = Reference({1});
  reference.tensor.dtype = BERTH_HALF;
  reference.magnitudes = {2};
  reference.roundings = 3;
  EXPECT_TRUE(JudgeAs("Sum", reference, FromReals(BERTH_HALF, {1}, {1})).pass);
  // One unit of half is 2^-10: twice what one rounding of the result may make.
  const HostTensor off = FromReals(BERTH_HALF, {1}, {1 + 0x1p-10L});
  EXPECT_FALSE(JudgeAs("Sum", reference, off).pass);
}

TEST(JudgeTest, NaNMeetsNaNAlone) {
  EXPECT_TRUE(JudgeAs("Exp", Reference({kNaN}), Floats({-kNaN})).pass);
  EXPECT_FALSE(JudgeAs("Exp", Reference({kNaN}), Floats({1})).pass);
  EXPECT_FALSE(JudgeAs("Exp", Reference({1}), Floats({kNaN})).pass);
}

TEST(JudgeTest, InfinityMeetsItsOwnSign) {
  EXPECT_TRUE(JudgeAs("Exp", Reference({kInfinity}), Floats({kInfinity})).pass);
  EXPECT_FALSE(JudgeAs("Exp", Reference({kInfinity}), Floats({-kInfinity})).pass);
  EXPECT_FALSE(JudgeAs("Exp", Reference({kInfinity}), Floats({kLargest})).pass);
}

TEST(JudgeTest, ResultsBeyondTheRangeAreInfinite) {
  EXPECT_TRUE(JudgeAs("Exp", Reference({1e39L}), Floats({kInfinity})).pass);
  EXPECT_FALSE(JudgeAs("Exp", Reference({1e39L}), Floats({kLargest})).pass);
  EXPECT_FALSE(JudgeAs("Exp", Reference({1e39L}), Floats({-kInfinity})).pass);
  EXPECT_FALSE(JudgeAs("Exp", Reference({1e38L}), Floats({kInfinity})).pass);
  // Where the bound reaches past the largest number both will do.
  EXPECT_TRUE(JudgeAs("Exp", Reference({kLargest}), Floats({kInfinity})).pass);
  EXPECT_TRUE(JudgeAs("Exp", Reference({kLargest}), Floats({kLargest})).pass);
}

TEST(JudgeTest, SumsWhosePartsOverflowMayNotBeFinite) {
  Output reference = Reference({0});
  reference.magnitudes = {1e39L};
  reference.roundings = 2;
  EXPECT_TRUE(JudgeAs("Sum", reference, Floats({kNaN})).pass);
  EXPECT_TRUE(JudgeAs("Sum", reference, Floats({-kInfinity})).pass);
  reference.magnitudes = {1e38L};
  EXPECT_FALSE(JudgeAs("Sum", reference, Floats({kNaN})).pass);
}

TEST(JudgeTest, MeansOverflowWithTheirSum) {
  OpCall call;
  call.op = "Mean";
  call.inputs = {Floats({kLargest, kLargest, 1}), FromInts(BERTH_INT32, {1}, {0})};
  const Result<Outputs> outputs = Evaluate(call);
  ASSERT_TRUE(outputs.ok());
  const Output& mean = outputs->outputs[0];
  HostTensor got = Floats({kInfinity});
  got.dims = {};
  EXPECT_TRUE(JudgeAs("Mean", mean, got).pass);
  got = Floats({kLargest / 3.0L * 2});
  got.dims = {};
  EXPECT_TRUE(JudgeAs("Mean", mean, got).pass);
}

TEST(JudgeTest, AnInfiniteTermMayMeetAnOverflownSum) {
  OpCall call;
  call.op = "AddN";
  call.inputs = {Floats({kInfinity, kInfinity}), Floats({-kLargest, 1}),
                 Floats({-kLargest, 2})};
  const Output sum = Evaluate(call)->outputs[0];
  EXPECT_TRUE(JudgeAs("AddN", sum, Floats({kInfinity, kInfinity})).pass);
  // -largest - largest is -inf where that comes first.
  EXPECT_TRUE(JudgeAs("AddN", sum, Floats({kNaN, kInfinity})).pass);
  EXPECT_FALSE(JudgeAs("AddN", sum, Floats({kInfinity, kNaN})).pass);
  EXPECT_FALSE(JudgeAs("AddN", sum, Floats({1, kInfinity})).pass);
}

TEST(JudgeTest, FloorOfAQuotientMaySlipOnlyWhereItIsNoWholeNumber) {
  OpCall call;
  call.op = "FloorDiv";
  // 6 / 2 is 3 exactly; 1 / 0.1f is just below 10 and rounds to it; 7 / 2 is far from
  // both.
  call.inputs = {Floats({6, 1, 7}), Floats({2, 0.1F, 2})};
  const Output quotients = Evaluate(call)->outputs[0];
  EXPECT_TRUE(JudgeAs("FloorDiv", quotients, Floats({3, 9, 3})).pass);
  EXPECT_TRUE(JudgeAs("FloorDiv", quotients, Floats({3, 10, 3})).pass);
  EXPECT_FALSE(JudgeAs("FloorDiv", quotients, Floats({2, 9, 3})).pass);
  EXPECT_FALSE(JudgeAs("FloorDiv", quotients, Floats({3, 8, 3})).pass);
  EXPECT_FALSE(JudgeAs("FloorDiv", quotients, Floats({3, 9, 4})).pass);
}

TEST(JudgeTest, SignOfZeroCountsWhereIeee754FixesIt) {
  EXPECT_FALSE(JudgeAs("Neg", Reference({-0.0L}), Floats({0})).pass);
  EXPECT_TRUE(JudgeAs("Neg", Reference({-0.0L}), Floats({-0.0L})).pass);
  EXPECT_TRUE(JudgeAs("Relu", Reference({-0.0L}), Floats({0})).pass);
}

TEST(JudgeTest, SubnormalsBecomeZeroOnlyWhereTheDeviceSaysSo) {
  const DeviceRules flushes = {DeviceClass::kCpu, true};
  EXPECT_FALSE(JudgeAs("Mul", Reference({kSubnormal}), Floats({0})).pass);
  EXPECT_TRUE(JudgeAs("Mul", Reference({kSubnormal}), Floats({0}), flushes).pass);
  EXPECT_FALSE(JudgeAs("Mul", Reference({1e-37L}), Floats({0}), flushes).pass);
}

TEST(JudgeTest, FlushedInputsGiveASecondReference) {
  OpCall call;
  call.op = "Reciprocal";
  call.inputs = {Floats({kSubnormal, 2})};
  const Result<Outputs> reference = Evaluate(call);
  const Result<Outputs> flushed = Evaluate(WithSubnormalsFlushed(call));
  ASSERT_TRUE(reference.ok() && flushed.ok());
  const HostTensor got = Floats({kInfinity, 0.5L});
  OpCall sign = call;
  sign.op = "Sign";
  const Output exact = Evaluate(sign)->outputs[0];
  const Output zero = Evaluate(WithSubnormalsFlushed(sign))->outputs[0];
  for (const bool flushes : {false, true}) {
    const Bound bound = BoundOf("Sign", exact, {DeviceClass::kCpu, flushes});
    EXPECT_EQ(Judge(exact, Floats({0, 1}), bound, &zero).pass, flushes);
    EXPECT_TRUE(Judge(exact, Floats({1, 1}), bound, &zero).pass);
    EXPECT_FALSE(Judge(exact, Floats({0, 0}), bound, &zero).pass);
  }
  const Bound bound =
      BoundOf("Reciprocal", reference->outputs[0], {DeviceClass::kCpu, true});
  EXPECT_TRUE(Judge(reference->outputs[0], got, bound, &flushed->outputs[0]).pass);
}

TEST(JudgeTest, IntegersAreExact) {
  Output reference;
  reference.tensor = FromInts(BERTH_UINT64, {2}, {1, -1});
  EXPECT_TRUE(JudgeAs("Add", reference, reference.tensor).pass);
  const Judgement judgement =
      JudgeAs("Add", reference, FromInts(BERTH_UINT64, {2}, {1, -2}));
  EXPECT_FALSE(judgement.pass);
  EXPECT_EQ(judgement.text,
            "element [1] of uint64[2]: got 18446744073709551614, must be "
            "18446744073709551615 exactly");
}

TEST(JudgeTest, MovedDataKeepItsBitsButForNaNs) {
  Output reference;
  reference.tensor = Floats({kNaN, -0.0L});
  EXPECT_TRUE(JudgeAs("Transpose", reference, Floats({-kNaN, -0.0L})).pass);
  EXPECT_FALSE(JudgeAs("Transpose", reference, Floats({kNaN, 0})).pass);
}

TEST(JudgeTest, OtherDtypeOrShapeIsNeverRight) {
  const Output reference = Reference({1, 2});
  EXPECT_FALSE(JudgeAs("Add", reference, FromReals(BERTH_DOUBLE, {2}, {1, 2})).pass);
  HostTensor column = Floats({1, 2});
  column.dims = {2, 1};
  EXPECT_EQ(JudgeAs("Add", reference, column).text, "got float[2,1], wanted float[2]");
}

TEST(JudgeTest, OpenElementsAreJudgedOnRequestAlone) {
  OpCall call;
  call.op = "Cast";
  call.attrs["DstT"] = TypeAttr{BERTH_INT32};
  call.inputs = {Floats({1e20L, -1.75L})};
  const Result<Outputs> reference = Evaluate(call);
  ASSERT_TRUE(reference.ok());
  const Output& output = reference->outputs[0];
  const HostTensor saturated = FromInts(BERTH_INT32, {2}, {0x7fffffff, -1});
  EXPECT_TRUE(JudgeAs("Cast", output, saturated).pass);
  EXPECT_FALSE(JudgeAs("Cast", output, saturated, {DeviceClass::kCpu, false, true}).pass);
  EXPECT_FALSE(JudgeAs("Cast", output, FromInts(BERTH_INT32, {2}, {0, -2})).pass);
}

TEST(BoundsTest, EveryOpWithFloatingResultsHasARule) {
  // These only move, compare, count or draw; their results are exact.
  const std::vector<std::string> exact = {"All",
                                          "Any",
                                          "ArgMax",
                                          "ArgMin",
                                          "BroadcastArgs",
                                          "BroadcastGradientArgs",
                                          "BroadcastTo",
                                          "Concat",
                                          "ConcatOffset",
                                          "ConcatV2",
                                          "DynamicStitch",
                                          "Equal",
                                          "Fill",
                                          "Gather",
                                          "GatherV2",
                                          "Greater",
                                          "GreaterEqual",
                                          "InvertPermutation",
                                          "IsFinite",
                                          "IsInf",
                                          "IsNan",
                                          "Less",
                                          "LessEqual",
                                          "LogicalAnd",
                                          "LogicalNot",
                                          "LogicalOr",
                                          "NotEqual",
                                          "OneHot",
                                          "OnesLike",
                                          "Pack",
                                          "Pad",
                                          "PadV2",
                                          "RandomUniform",
                                          "RandomUniformInt",
                                          "ResourceGather",
                                          "ResourceScatterUpdate",
                                          "ReverseV2",
                                          "ScatterUpdate",
                                          "Select",
                                          "SelectV2",
                                          "Slice",
                                          "Split",
                                          "SplitV",
                                          "StridedSlice",
                                          "StridedSliceGrad",
                                          "Tile",
                                          "Transpose",
                                          "TruncateDiv",
                                          "Unpack",
                                          "ZerosLike"};
  for (const std::string& op : SupportedOps()) {
    const bool is_exact = std::find(exact.begin(), exact.end(), op) != exact.end();
    EXPECT_NE(HasRule(op), is_exact) << op;
  }
}

TEST(HostTensorTest, RoundsToNearestEvenInEveryFormat) {
  const FloatFormat half = FormatOf(BERTH_HALF);
  EXPECT_EQ(half.Round(1 + 0x1p-11L), 1);
  EXPECT_EQ(half.Round(1 + 3 * 0x1p-11L), 1 + 0x1p-9L);
  EXPECT_EQ(half.Round(65519.9L), 65504);
  EXPECT_EQ(half.Round(65520), std::numeric_limits<Real>::infinity());
  EXPECT_EQ(half.Round(0x1p-25L), 0);
  EXPECT_EQ(half.Round(0x1.8p-25L), 0x1p-24L);
  EXPECT_EQ(FormatOf(BERTH_FLOAT).largest(), std::numeric_limits<float>::max());
  EXPECT_EQ(FormatOf(BERTH_DOUBLE).largest(), std::numeric_limits<double>::max());
  EXPECT_EQ(FormatOf(BERTH_DOUBLE).smallest_subnormal(),
            std::numeric_limits<double>::denorm_min());
}

}  // namespace
}  // namespace berth::conformance
