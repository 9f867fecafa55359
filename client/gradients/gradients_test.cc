#include "client/gradients/gradients.h"

#include <cmath>
#include <functional>

#include "client/testing.h"

namespace berth::client {
namespace {

using testing::Doubles;
using testing::Floats;
using testing::Values;

// Builds y from xs in f64, weights it by fixed numbers into a scalar, and compares the
// symbolic gradient with central differences, whose error in f64 with h = 1e-5 is about
// 1e-9.
struct GradientCase {
  std::string name;
  std::vector<std::pair<Shape, std::vector<double>>> inputs;
  std::function<Output(const Scope&, const std::vector<Output>&)> build;
};

std::vector<double> Numbers(int64_t count, double first, double step) {
  std::vector<double> values;
  for (int64_t i = 0; i < count; ++i) {
    // Neither sorted nor symmetric, no two equal.
    values.push_back(first + step * static_cast<double>((i * 7) % 11) + 0.013 * i);
  }
  return values;
}

class GradientTest : public ::testing::TestWithParam<GradientCase> {};

TEST_P(GradientTest, AgreesWithFiniteDifferences) {
  const GradientCase& param = GetParam();
  const Scope root = Scope::Root();
  std::vector<Output> xs;
  std::vector<Tensor> values;
  for (const auto& [shape, numbers] : param.inputs) {
    xs.push_back(
        ops::Placeholder(root, "x" + std::to_string(xs.size()), BERTH_DOUBLE, shape));
    values.push_back(Doubles(shape, numbers));
  }
  const Output y = param.build(root, xs);
  ASSERT_TRUE(y) << root.status().ToString();
  const int64_t count = y.shape().num_elements();
  const Output weights = ops::Const(root, Doubles(y.shape(), Numbers(count, 0.3, 0.17)));
  const Output loss = ops::Sum(root, ops::Mul(root, y, weights));
  const std::vector<Output> gradients = Gradients(root, {loss}, xs);
  BERTH_ASSERT_OK(root.status());
  Result<Session> session = Session::Create(root);
  ASSERT_TRUE(session.ok()) << session.status().ToString();

  const auto run = [&](const Output& fetch) {
    std::vector<Session::Feed> feeds;
    for (size_t i = 0; i < xs.size(); ++i) feeds.emplace_back(xs[i], values[i]);
    Result<Tensor> result = session->Run(feeds, fetch);
    EXPECT_TRUE(result.ok()) << result.status().ToString();
    return result.ok() ? Values<double>(*result) : std::vector<double>();
  };
  constexpr double kStep = 1e-5;
  for (size_t i = 0; i < xs.size(); ++i) {
    ASSERT_TRUE(gradients[i]) << "no gradient for input " << i;
    const std::vector<double> symbolic = run(gradients[i]);
    ASSERT_EQ(symbolic.size(), param.inputs[i].second.size());
    for (size_t k = 0; k < symbolic.size(); ++k) {
      double& element = values[i].mutable_data<double>()[k];
      const double saved = element;
      element = saved + kStep;
      const double above = run(loss)[0];
      element = saved - kStep;
      const double below = run(loss)[0];
      element = saved;
      const double numeric = (above - below) / (2 * kStep);
      EXPECT_NEAR(symbolic[k], numeric, 1e-6 * std::max(1.0, std::abs(numeric)))
          << "input " << i << ", element " << k;
    }
  }
}

using Unary = Output (*)(const Scope&, Output);
using Binary = Output (*)(const Scope&, Output, Output);

GradientCase UnaryCase(const char* name, Unary op, double first) {
  return {name,
          {{Shape({2, 3}), Numbers(6, first, 0.21)}},
          [op](const Scope& s, const std::vector<Output>& x) { return op(s, x[0]); }};
}

// The second operand broadcasts.
GradientCase BinaryCase(const char* name, Binary op, double first) {
  return {
      name,
      {{Shape({2, 3}), Numbers(6, first, 0.21)},
       {Shape({3}), Numbers(3, first + 0.4, 0.13)}},
      [op](const Scope& s, const std::vector<Output>& x) { return op(s, x[0], x[1]); }};
}

std::vector<GradientCase> ElementwiseCases() {
  return {UnaryCase("Neg", ops::Neg, -0.7),
          UnaryCase("Abs", ops::Abs, -1.1),
          UnaryCase("Exp", ops::Exp, -0.7),
          UnaryCase("Log", ops::Log, 0.3),
          UnaryCase("Sqrt", ops::Sqrt, 0.3),
          UnaryCase("Rsqrt", ops::Rsqrt, 0.3),
          UnaryCase("Square", ops::Square, -0.7),
          UnaryCase("Tanh", ops::Tanh, -0.7),
          UnaryCase("Sigmoid", ops::Sigmoid, -0.7),
          UnaryCase("Relu", ops::Relu, -1.1),
          UnaryCase("Softmax", ops::Softmax, -0.7),
          UnaryCase("LogSoftmax", ops::LogSoftmax, -0.7),
          UnaryCase("L2Loss", ops::L2Loss, -0.7),
          BinaryCase("Add", ops::Add, 0.2),
          BinaryCase("Sub", ops::Sub, 0.2),
          BinaryCase("Mul", ops::Mul, 0.2),
          BinaryCase("Div", ops::Div, 0.2),
          BinaryCase("Pow", ops::Pow, 0.4),
          BinaryCase("Maximum", ops::Maximum, 0.2),
          BinaryCase("Minimum", ops::Minimum, 0.2)};
}

std::vector<GradientCase> MatMulCases() {
  std::vector<GradientCase> cases;
  for (const bool ta : {false, true}) {
    for (const bool tb : {false, true}) {
      cases.push_back({std::string("MatMul") + (ta ? "T" : "N") + (tb ? "T" : "N"),
                       {{ta ? Shape({3, 2}) : Shape({2, 3}), Numbers(6, -0.5, 0.2)},
                        {tb ? Shape({4, 3}) : Shape({3, 4}), Numbers(12, -0.8, 0.2)}},
                       [ta, tb](const Scope& s, const std::vector<Output>& x) {
                         return ops::MatMul(s, x[0], x[1], ta, tb);
                       }});
    }
  }
  return cases;
}

std::vector<GradientCase> ReductionCases() {
  using Reduce = Output (*)(const Scope&, Output, const std::vector<int64_t>&, bool);
  std::vector<GradientCase> cases;
  const std::pair<const char*, Reduce> reductions[] = {
      {"Sum", ops::Sum}, {"Mean", ops::Mean}, {"Max", ops::Max}};
  for (const auto& [name, reduce] : reductions) {
    for (const bool keep : {false, true}) {
      const Reduce fn = reduce;
      cases.push_back({std::string(name) + (keep ? "Keep" : ""),
                       {{Shape({2, 3, 2}), Numbers(12, -0.5, 0.2)}},
                       [fn, keep](const Scope& s, const std::vector<Output>& x) {
                         return fn(s, x[0], {1, -1}, keep);
                       }});
    }
  }
  return cases;
}

std::vector<GradientCase> MovementCases() {
  const Shape shape({2, 3});
  const std::vector<double> numbers = Numbers(6, -0.5, 0.2);
  return {
      {"Reshape",
       {{shape, numbers}},
       [](const Scope& s, const std::vector<Output>& x) {
         return ops::Reshape(s, x[0], std::vector<int64_t>{3, 2});
       }},
      {"ExpandDims",
       {{shape, numbers}},
       [](const Scope& s, const std::vector<Output>& x) {
         return ops::ExpandDims(s, x[0], 1);
       }},
      {"Transpose",
       {{shape, numbers}},
       [](const Scope& s, const std::vector<Output>& x) {
         return ops::Transpose(s, x[0], {1, 0});
       }},
      {"Concat",
       {{shape, numbers}, {Shape({2, 1}), {0.4, 0.9}}},
       [](const Scope& s, const std::vector<Output>& x) {
         return ops::Concat(s, {x[0], x[1], x[0]}, 1);
       }},
      {"AddN",
       {{shape, numbers}, {shape, numbers}},
       [](const Scope& s, const std::vector<Output>& x) {
         return ops::AddN(s, {x[0], x[1], x[0]});
       }},
  };
}

std::vector<GradientCase> WindowCases() {
  std::vector<GradientCase> cases;
  for (const char* padding : {"SAME", "VALID"}) {
    const ops::Window window{2, padding};
    cases.push_back({std::string("Conv2D") + padding,
                     {{Shape({2, 5, 4, 2}), Numbers(80, -0.5, 0.1)},
                      {Shape({3, 2, 2, 3}), Numbers(36, -0.4, 0.1)}},
                     [window](const Scope& s, const std::vector<Output>& x) {
                       return ops::Conv2D(s, x[0], x[1], window);
                     }});
    cases.push_back({std::string("MaxPool") + padding,
                     {{Shape({1, 5, 4, 2}), Numbers(40, -0.5, 0.1)}},
                     [window](const Scope& s, const std::vector<Output>& x) {
                       return ops::MaxPool(s, x[0], 2, window);
                     }});
    cases.push_back({std::string("AvgPool") + padding,
                     {{Shape({1, 5, 4, 2}), Numbers(40, -0.5, 0.1)}},
                     [window](const Scope& s, const std::vector<Output>& x) {
                       return ops::AvgPool(s, x[0], 3, window);
                     }});
  }
  cases.push_back(
      {"BiasAdd",
       {{Shape({2, 3}), Numbers(6, -0.5, 0.1)}, {Shape({3}), {0.1, 0.2, 0.3}}},
       [](const Scope& s, const std::vector<Output>& x) {
         return ops::BiasAdd(s, x[0], x[1]);
       }});
  cases.push_back({"SparseCrossEntropy",
                   {{Shape({2, 3}), Numbers(6, -0.5, 0.4)}},
                   [](const Scope& s, const std::vector<Output>& x) {
                     const Output labels = ops::Ints(s, {2, 0});
                     return ops::SparseSoftmaxCrossEntropy(s, labels, x[0]);
                   }});
  return cases;
}

std::string CaseName(const ::testing::TestParamInfo<GradientCase>& info) {
  return info.param.name;
}
INSTANTIATE_TEST_SUITE_P(Elementwise, GradientTest,
                         ::testing::ValuesIn(ElementwiseCases()), CaseName);
INSTANTIATE_TEST_SUITE_P(MatMul, GradientTest, ::testing::ValuesIn(MatMulCases()),
                         CaseName);
INSTANTIATE_TEST_SUITE_P(Reduction, GradientTest, ::testing::ValuesIn(ReductionCases()),
                         CaseName);
INSTANTIATE_TEST_SUITE_P(Movement, GradientTest, ::testing::ValuesIn(MovementCases()),
                         CaseName);
INSTANTIATE_TEST_SUITE_P(Window, GradientTest, ::testing::ValuesIn(WindowCases()),
                         CaseName);

TEST(GradientsTest, NoPathGivesNone) {
  const Scope root = Scope::Root();
  const Output x = ops::Placeholder(root, "x", BERTH_FLOAT, {2});
  const Output z = ops::Placeholder(root, "z", BERTH_FLOAT, {2});
  const Output y = ops::Sum(root, ops::Square(root, x));
  const std::vector<Output> gradients = Gradients(root, {y}, {x, z});
  EXPECT_TRUE(gradients[0]);
  EXPECT_FALSE(gradients[1]);
  EXPECT_TRUE(root.status().ok());
}

// With two sizes unknown the shape to go back to is made in the run, by DynamicStitch.
TEST(GradientsTest, ReductionsOverUnknownSizesFindThemInTheRun) {
  for (const bool last : {false, true}) {
    const Scope root = Scope::Root();
    const Output x = ops::Placeholder(root, "x", BERTH_DOUBLE,
                                      Shape({Shape::kUnknown, Shape::kUnknown}));
    const Output means = ops::Mean(root, x, {last ? -1 : 0});
    const Output loss = ops::Sum(root, ops::Square(root, means));
    const std::vector<Output> gradients = Gradients(root, {loss}, {x});
    BERTH_ASSERT_OK(root.status());
    Result<Session> session = Session::Create(root);
    ASSERT_TRUE(session.ok()) << session.status().ToString();
    for (const auto& [rows, columns] : {std::pair{2, 3}, std::pair{4, 2}}) {
      const std::vector<double> values = Numbers(rows * columns, -0.5, 0.2);
      const Result<Tensor> got =
          session->Run({{x, Doubles(Shape({rows, columns}), values)}}, gradients[0]);
      ASSERT_TRUE(got.ok()) << got.status().ToString();
      ASSERT_EQ(got->shape(), Shape({rows, columns}));
      // d/dx of the sum of squared means: 2 mean / count.
      const int count = last ? columns : rows;
      for (int row = 0; row < rows; ++row) {
        for (int column = 0; column < columns; ++column) {
          double mean = 0;
          for (int k = 0; k < count; ++k) {
            mean += values[last ? row * columns + k : k * columns + column] / count;
          }
          EXPECT_NEAR(Values<double>(*got)[row * columns + column], 2 * mean / count,
                      1e-12);
        }
      }
    }
  }
}

TEST(GradientsTest, StopGradientCutsThePath) {
  const Scope root = Scope::Root();
  const Output x = ops::Placeholder(root, "x", BERTH_FLOAT, {2});
  const Output y = ops::Sum(root, ops::Square(root, ops::StopGradient(root, x)));
  EXPECT_FALSE(Gradients(root, {y}, {x})[0]);
  EXPECT_TRUE(root.status().ok());
}

TEST(GradientsTest, OpWithoutGradientIsNamed) {
  const Scope root = Scope::Root();
  const Output x = ops::Placeholder(root, "x", BERTH_FLOAT, {4, 4, 3});
  const Output y = OpBuilder(root, "AdjustContrastv2", "odd")
                       .Input(x)
                       .Input(ops::Const(root, Floats({}, {2})))
                       .BuildOutput();
  ASSERT_TRUE(y) << root.status().ToString();
  Gradients(root, {ops::Sum(root, y)}, {x});
  EXPECT_EQ(root.status().code(), Code::kUnimplemented);
  EXPECT_NE(root.status().message().find("AdjustContrastv2"), std::string_view::npos);
  EXPECT_NE(root.status().message().find("'odd'"), std::string_view::npos);
}

TEST(GradientsTest, IntegersHaveNone) {
  const Scope root = Scope::Root();
  const Output x = ops::Placeholder(root, "x", BERTH_INT32, {2});
  Gradients(root, {x}, {x});
  EXPECT_EQ(root.status().code(), Code::kInvalidArgument);
}

}  // namespace
}  // namespace berth::client
