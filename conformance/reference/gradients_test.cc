// The gradient ops of the reference against the ops that they are the gradients of: by
// finite differences, and where the op is linear by the identity <A x, g> = <x, A* g>.
// What TensorFlow's CPU refuses, such as dilated and grouped gradients, is covered here
// alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "conformance/cases/generate.h"
#include "conformance/reference/reference.h"

namespace berth::conformance {
namespace {

// The output, unrounded.
std::vector<Real> ValuesOf(const OpCall& call, size_t output = 0) {
  const Result<Outputs> outputs = Evaluate(call);
  EXPECT_TRUE(outputs.ok()) << outputs.status().ToString();
  if (!outputs.ok()) return {};
  const Output& wanted = outputs->outputs[output];
  return wanted.is_exact() ? Reals(wanted.tensor) : wanted.values;
}

Real Dot(const std::vector<Real>& a, const std::vector<Real>& b) {
  EXPECT_EQ(a.size(), b.size());
  Real sum = 0;
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) sum += a[i] * b[i];
  return sum;
}

// Moves one element of an input.
OpCall Moved(const OpCall& call, size_t input, size_t element, Real by) {
  OpCall moved = call;
  std::vector<Real> values = Reals(call.inputs[input]);
  values[element] += by;
  moved.inputs[input] =
      FromReals(call.inputs[input].dtype, call.inputs[input].dims, values);
  return moved;
}

// The derivative of <output, weights> by one element of an input.
Real Slope(const OpCall& call, size_t input, size_t element, Real step,
           const std::vector<Real>& weights) {
  const Real above = Dot(ValuesOf(Moved(call, input, element, step)), weights);
  const Real below = Dot(ValuesOf(Moved(call, input, element, -step)), weights);
  return (above - below) / (2 * step);
}

OpCall Call(const std::string& op, std::vector<HostTensor> inputs) {
  OpCall call;
  call.op = op;
  call.inputs = std::move(inputs);
  return call;
}

struct Pair {
  const char* op;
  const char* gradient;
  bool gradient_first;
  bool keeps_result;  // the gradient takes the op's result and not its input
  bool positive;      // defined for positive numbers alone
};

class ActivationGradientTest : public ::testing::TestWithParam<Pair> {};

TEST_P(ActivationGradientTest, IsTheSlope) {
  const Pair& pair = GetParam();
  Values random(pair.op, BERTH_DOUBLE, 11);
  const HostTensor x = random.Uniform({61}, pair.positive ? 0.25 : -3, 3);
  const HostTensor g = random.Uniform({61}, -2, 2);
  const OpCall forward = Call(pair.op, {x});
  const HostTensor kept =
      pair.keeps_result ? FromReals(BERTH_DOUBLE, {61}, ValuesOf(forward)) : x;
  const std::vector<Real> got = ValuesOf(Call(
      pair.gradient, pair.gradient_first ? std::vector{g, kept} : std::vector{kept, g}));
  const std::vector<Real> weights = Reals(g);
  ASSERT_EQ(got.size(), weights.size());
  for (size_t i = 0; i < got.size(); ++i) {
    const Real want = Slope(forward, 0, i, 0x1p-17L, weights);
    EXPECT_NEAR(got[i], want, 1e-8L * (1 + std::fabs(want))) << pair.gradient << " " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Ops, ActivationGradientTest,
    ::testing::Values(Pair{"Relu", "ReluGrad", true, false, false},
                      Pair{"Relu6", "Relu6Grad", true, false, false},
                      Pair{"LeakyRelu", "LeakyReluGrad", true, false, false},
                      Pair{"Elu", "EluGrad", true, true, false},
                      Pair{"Selu", "SeluGrad", true, true, false},
                      Pair{"Softplus", "SoftplusGrad", true, false, false},
                      Pair{"Softsign", "SoftsignGrad", true, false, false},
                      Pair{"Sigmoid", "SigmoidGrad", false, true, false},
                      Pair{"Tanh", "TanhGrad", false, true, false},
                      Pair{"Sqrt", "SqrtGrad", false, true, true},
                      Pair{"Rsqrt", "RsqrtGrad", false, true, true},
                      Pair{"Inv", "InvGrad", false, true, true},
                      Pair{"Reciprocal", "ReciprocalGrad", false, true, true}),
    [](const auto& pair) { return std::string(pair.param.gradient); });

// Cases with ordinary numbers, whose sums are free of infinities.
std::vector<OpCall> OrdinaryCases(const std::string& op) {
  std::vector<OpCall> calls;
  for (const OpCase& one : GenerateCases(op, BERTH_DOUBLE, 3)) {
    const bool odd = one.name.find("special") != std::string::npos ||
                     one.name.find("extreme") != std::string::npos;
    if (!one.must_fail && !odd) calls.push_back(one.make());
  }
  return calls;
}

TEST(LinearGradientTest, Conv2DBackpropInputAndFilterAreItsAdjoints) {
  const std::vector<OpCall> inputs = OrdinaryCases("Conv2DBackpropInput");
  ASSERT_GT(inputs.size(), 20U);
  Values random("Conv2D", BERTH_DOUBLE, 5);
  for (const OpCall& to_input : inputs) {
    const HostTensor& filter = to_input.input(1);
    const HostTensor& g = to_input.input(2);
    const HostTensor x = random.Ordinary(Indices(to_input.input(0)));
    OpCall forward = to_input;
    forward.op = "Conv2D";
    forward.inputs = {x, filter};
    OpCall to_filter = to_input;
    to_filter.op = "Conv2DBackpropFilter";
    to_filter.inputs = {x, Values::Ints(BERTH_INT32, filter.dims, {4}), g};
    const Real want = Dot(ValuesOf(forward), Reals(g));
    const Real tolerance = 1e-12L * (1 + std::fabs(want));
    EXPECT_NEAR(Dot(ValuesOf(to_input), Reals(x)), want, tolerance)
        << to_input.ToString();
    EXPECT_NEAR(Dot(ValuesOf(to_filter), Reals(filter)), want, tolerance)
        << to_filter.ToString();
  }
}

TEST(LinearGradientTest, AvgPoolGradIsItsAdjoint) {
  const std::vector<OpCall> gradients = OrdinaryCases("AvgPoolGrad");
  ASSERT_GT(gradients.size(), 15U);
  Values random("AvgPool", BERTH_DOUBLE, 5);
  for (const OpCall& gradient : gradients) {
    const HostTensor x = random.Ordinary(Indices(gradient.input(0)));
    OpCall forward = gradient;
    forward.op = "AvgPool";
    forward.inputs = {x};
    const Real want = Dot(ValuesOf(forward), Reals(gradient.input(1)));
    EXPECT_NEAR(Dot(ValuesOf(gradient), Reals(x)), want, 1e-12L * (1 + std::fabs(want)))
        << gradient.ToString();
  }
}

TEST(LinearGradientTest, StridedSliceGradIsItsAdjoint) {
  const std::vector<OpCall> gradients = OrdinaryCases("StridedSliceGrad");
  ASSERT_GT(gradients.size(), 20U);
  Values random("StridedSlice", BERTH_DOUBLE, 5);
  for (OpCall gradient : gradients) {
    gradient.inputs[4] = random.Ordinary(gradient.input(4).dims);
    const HostTensor x = random.Ordinary(Indices(gradient.input(0)));
    OpCall forward = gradient;
    forward.op = "StridedSlice";
    forward.inputs = {x, gradient.input(1), gradient.input(2), gradient.input(3)};
    const Real want = Dot(ValuesOf(forward), Reals(gradient.input(4)));
    EXPECT_NEAR(Dot(ValuesOf(gradient), Reals(x)), want, 1e-12L * (1 + std::fabs(want)))
        << gradient.ToString();
  }
}

TEST(MaxPoolGradientTest, IsTheSlope) {
  int compared = 0;
  for (const OpCall& gradient : OrdinaryCases("MaxPoolGrad")) {
    // Large ones take long and show nothing new; ties have no slope.
    if (gradient.input(0).num_elements() > 300) continue;
    OpCall forward = gradient;
    forward.op = "MaxPool";
    forward.inputs = {gradient.input(0)};
    const std::vector<Real> weights = Reals(gradient.input(2));
    const std::vector<Real> got = ValuesOf(gradient);
    const std::vector<Real> x = Reals(gradient.input(0));
    if (std::count(x.begin(), x.end(), x.empty() ? 0 : x[0]) > 1) continue;
    for (size_t i = 0; i < got.size(); ++i) {
      EXPECT_NEAR(got[i], Slope(forward, 0, i, 0x1p-40L, weights), 1e-3)
          << gradient.ToString() << " " << i;
    }
    ++compared;
  }
  EXPECT_GT(compared, 10);
}

TEST(CrossEntropyGradientTest, IsTheSlopeOfTheLoss) {
  Values random("SoftmaxCrossEntropyWithLogits", BERTH_DOUBLE, 7);
  const HostTensor x = random.Ordinary({3, 5});
  const HostTensor labels = FromReals(BERTH_DOUBLE, {3, 5},
                                      {0.5L, 0.25L, 0.25L, 0, 0, 0, 1, 0, 0, 0,  //
                                       0.125L, 0.125L, 0.25L, 0.25L, 0.25L});
  const OpCall dense = Call("SoftmaxCrossEntropyWithLogits", {x, labels});
  const OpCall sparse =
      Call("SparseSoftmaxCrossEntropyWithLogits", {x, random.Indices({4, 0, 2})});
  for (const OpCall& loss : {dense, sparse}) {
    const std::vector<Real> got = ValuesOf(loss, 1);
    for (size_t i = 0; i < got.size(); ++i) {
      EXPECT_NEAR(got[i], Slope(loss, 0, i, 0x1p-17L, {1, 1, 1}), 1e-9) << loss.op << i;
    }
  }
}

// Inputs that are multiples of 2^-10 stay exact in float when they move by 2^-9.
HostTensor Grid(Values& random, const Dims& dims) {
  std::vector<Real> values;
  for (int64_t i = 0; i < NumElements(dims); ++i) {
    values.push_back(static_cast<Real>(random.Below(4096) - 2048) * 0x1p-10L);
  }
  return FromReals(BERTH_FLOAT, dims, values);
}

TEST(BatchNormGradientTest, IsTheSlopeInTraining) {
  Values random("FusedBatchNormV3", BERTH_FLOAT, 9);
  const Dims dims = {2, 3, 2, 2};
  OpCall forward =
      Call("FusedBatchNormV3", {Grid(random, dims), Grid(random, {2}), Grid(random, {2}),
                                random.Zeros({0}), random.Zeros({0})});
  forward.attrs["epsilon"] = 0.125F;
  const HostTensor g = Grid(random, dims);
  // The mean and the variance of the batch, which the gradient takes, as float holds
  // them.
  const std::vector<Real> x = Reals(forward.input(0));
  std::vector<Real> mean(2);
  std::vector<Real> variance(2);
  for (size_t i = 0; i < x.size(); ++i) mean[i % 2] += x[i] / 12;
  for (size_t i = 0; i < x.size(); ++i) {
    variance[i % 2] += (x[i] - mean[i % 2]) * (x[i] - mean[i % 2]) / 12;
  }
  OpCall gradient =
      Call("FusedBatchNormGradV3",
           {g, forward.input(0), forward.input(1), FromReals(BERTH_FLOAT, {2}, mean),
            FromReals(BERTH_FLOAT, {2}, variance), random.Zeros({0})});
  gradient.attrs = forward.attrs;
  const std::vector<Real> weights = Reals(g);
  for (size_t input = 0; input < 3; ++input) {
    const std::vector<Real> got = ValuesOf(gradient, input);
    for (size_t i = 0; i < got.size(); ++i) {
      const Real want = Slope(forward, input, i, 0x1p-9L, weights);
      EXPECT_NEAR(got[i], want, 3e-5 * (1 + std::fabs(want))) << input << " " << i;
    }
  }
}

}  // namespace
}  // namespace berth::conformance
