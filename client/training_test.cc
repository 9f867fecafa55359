#include <unistd.h>

#include <filesystem>
#include <latch>
#include <thread>

#include "client/testing.h"
#include "core/graph/graph.h"

namespace berth::client {
namespace {

using testing::Floats;
using testing::Values;

// loss = sum of squares of w, so the gradient is 2w and every update has a closed form.
struct Quadratic {
  Scope root = Scope::Root();
  Variable w = Variable::Create(root, "w", {2}, [](const Scope& s, const Shape&, DType) {
    return ops::Const(s, testing::Floats({2}, {1, -2}));
  });
  Output loss = ops::Sum(root, ops::Square(root, w));
};

std::vector<float> RunSteps(Quadratic* model, Optimizer* optimizer, int steps) {
  const Operation train = optimizer->Minimize(model->root, model->loss);
  const Operation init = GlobalVariablesInitializer(model->root);
  Result<Session> session = Session::Create(model->root);
  EXPECT_TRUE(session.ok()) << session.status().ToString();
  EXPECT_TRUE(session->Run(init).ok());
  for (int i = 0; i < steps; ++i) {
    const Status status = session->Run(train);
    EXPECT_TRUE(status.ok()) << status.ToString();
  }
  Result<Tensor> w = session->Run({}, model->w.read());
  EXPECT_TRUE(w.ok()) << w.status().ToString();
  return Values<float>(*w);
}

TEST(OptimizerTest, GradientDescentFollowsTheGradient) {
  Quadratic model;
  GradientDescent optimizer(0.1);
  // w ← w − 0.1·2w = 0.8w, twice.
  const std::vector<float> w = RunSteps(&model, &optimizer, 2);
  EXPECT_FLOAT_EQ(w[0], 0.64F);
  EXPECT_FLOAT_EQ(w[1], -1.28F);
}

TEST(OptimizerTest, MomentumAccumulates) {
  Quadratic model;
  Momentum optimizer(0.1, 0.9);
  // a1 = 2, w1 = 0.8; a2 = 0.9·2 + 1.6 = 3.4, w2 = 0.8 − 0.34 = 0.46.
  const std::vector<float> w = RunSteps(&model, &optimizer, 2);
  EXPECT_NEAR(w[0], 0.46F, 1e-6F);
  EXPECT_NEAR(w[1], -0.92F, 1e-6F);
}

TEST(OptimizerTest, NesterovLooksAhead) {
  Quadratic model;
  Momentum optimizer(0.1, 0.9, /*use_nesterov=*/true);
  // a1 = 2, w1 = 1 − 0.1·(2 + 0.9·2) = 0.62.
  EXPECT_NEAR(RunSteps(&model, &optimizer, 1)[0], 0.62F, 1e-6F);
}

TEST(OptimizerTest, SlotsLieBesideTheirVariableAndAreNoTrainables) {
  Quadratic model;
  Momentum optimizer(0.1, 0.9);
  optimizer.Minimize(model.root.Name("tower").Device("/gpu:0"), model.loss);
  ASSERT_TRUE(model.root.status().ok()) << model.root.status().ToString();
  const std::vector<Variable> all = GlobalVariables(model.root);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[1].name(), "w/Momentum");
  EXPECT_EQ(TrainableVariables(model.root).size(), 1U);
}

TEST(OptimizerTest, LossWithoutVariablesIsAnErrorThatNamesThem) {
  Quadratic model;
  const Output other =
      ops::Sum(model.root, ops::Placeholder(model.root, "x", BERTH_FLOAT, {2}));
  GradientDescent optimizer(0.1);
  optimizer.Minimize(model.root, other);
  EXPECT_EQ(model.root.status().code(), Code::kInvalidArgument);
  EXPECT_NE(model.root.status().message().find("'w'"), std::string_view::npos);
}

class SaverTest : public ::testing::Test {
 protected:
  SaverTest() { std::filesystem::remove_all(folder_); }
  ~SaverTest() override { std::filesystem::remove_all(folder_); }

  const std::string folder_ =
      ::testing::TempDir() + "berth_saver_test_" + std::to_string(getpid());
};

TEST_F(SaverTest, RestoresInAnotherSessionWhatWasSaved) {
  Quadratic model;
  Saver saver(model.root);
  const Operation init = GlobalVariablesInitializer(model.root);
  Result<Session> first = Session::Create(model.root);
  ASSERT_TRUE(first.ok()) << first.status().ToString();
  BERTH_ASSERT_OK(first->Run(init));
  Result<std::string> prefix = saver.Save(&*first, folder_ + "/deep/model.ckpt", 7);
  ASSERT_TRUE(prefix.ok()) << prefix.status().ToString();
  EXPECT_TRUE(prefix->ends_with("model.ckpt-7"));

  Result<std::string> latest = LatestCheckpoint(folder_ + "/deep");
  ASSERT_TRUE(latest.ok()) << latest.status().ToString();
  Quadratic again;
  Saver reader(again.root);
  Result<Session> second = Session::Create(again.root);
  BERTH_ASSERT_OK(reader.Restore(&*second, *latest));
  Result<Tensor> w = second->Run({}, again.w.read());
  ASSERT_TRUE(w.ok()) << w.status().ToString();
  EXPECT_EQ(Values<float>(*w), (std::vector<float>{1, -2}));
}

TEST_F(SaverTest, KeepsTheNewestAndDeletesTheRest) {
  Quadratic model;
  Saver saver(model.root, {}, {.max_to_keep = 2});
  const Operation init = GlobalVariablesInitializer(model.root);
  Result<Session> session = Session::Create(model.root);
  BERTH_ASSERT_OK(session->Run(init));
  for (int step = 1; step <= 3; ++step) {
    ASSERT_TRUE(saver.Save(&*session, folder_ + "/m", step).ok());
  }
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/m-1.index"));
  EXPECT_TRUE(std::filesystem::exists(folder_ + "/m-2.index"));
  EXPECT_TRUE(std::filesystem::exists(folder_ + "/m-3.index"));
}

TEST_F(SaverTest, MismatchesAreListedTogetherAndChangeNothing) {
  Quadratic model;
  Saver saver(model.root);
  const Operation init = GlobalVariablesInitializer(model.root);
  Result<Session> session = Session::Create(model.root);
  BERTH_ASSERT_OK(session->Run(init));
  Result<std::string> prefix = saver.Save(&*session, folder_ + "/m");
  ASSERT_TRUE(prefix.ok());

  const Scope other = Scope::Root();
  Variable::Create(other, "w", {3}, Zeros());
  const Variable c = Variable::Create(other, "c", {1}, Constant(5));
  Saver reader(other);
  const Operation other_init = GlobalVariablesInitializer(other);
  Result<Session> second = Session::Create(other);
  BERTH_ASSERT_OK(second->Run(other_init));
  const Status status = reader.Restore(&*second, *prefix);
  EXPECT_FALSE(status.ok());
  for (const char* part : {"'w'", "[3]", "[2]", "'c'"}) {
    EXPECT_NE(status.message().find(part), std::string_view::npos) << part;
  }
  EXPECT_EQ(Values<float>(*second->Run({}, c.read())), std::vector<float>{5});
}

TEST(SessionTest, UninitialisedVariableIsNamed) {
  Quadratic model;
  Result<Session> session = Session::Create(model.root);
  ASSERT_TRUE(session.ok());
  const Result<Tensor> w = session->Run({}, model.w.read());
  EXPECT_EQ(w.status().code(), Code::kFailedPrecondition);
  EXPECT_NE(w.status().message().find("w"), std::string_view::npos);
}

TEST(SessionTest, GraphMayGrowBetweenRuns) {
  const Scope root = Scope::Root();
  const Output a = ops::Const(root, Floats({}, {2}));
  Result<Session> session = Session::Create(root);
  ASSERT_TRUE(session.ok());
  EXPECT_EQ(Values<float>(*session->Run({}, a))[0], 2);
  const Output b = ops::Mul(root, a, a);
  EXPECT_EQ(Values<float>(*session->Run({}, b))[0], 4);
}

TEST(SessionTest, FirstRunsOfSeveralThreadsAddTheGraphOnce) {
  for (int round = 0; round < 10; ++round) {
    const Scope root = Scope::Root();
    const Output a = ops::Const(root, Floats({}, {2}));
    // Adding the graph takes a while, so that the threads meet there.
    Output b = a;
    for (int i = 0; i < 2000; ++i) b = ops::Maximum(root, a, b);
    Result<Session> session = Session::Create(root);
    ASSERT_TRUE(session.ok());
    std::latch start(4);
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        start.arrive_and_wait();
        const Result<Tensor> value = session->Run({}, b);
        ASSERT_TRUE(value.ok()) << value.status().ToString();
        EXPECT_EQ(Values<float>(*value)[0], 2);
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
}

TEST(SessionTest, FallbackReportNamesOpAndReason) {
  const Scope root = Scope::Root();
  const Output a = ops::Const(root.Device("/device:NPU:3"), Floats({}, {2}), "a");
  SessionOptions options;
  options.allow_soft_placement = true;
  Result<Session> session = Session::Create(root, options);
  ASSERT_TRUE(session.ok());
  ASSERT_TRUE(session->Run({}, a).ok());
  Result<std::string> report = session->FallbackReport();
  ASSERT_TRUE(report.ok());
  EXPECT_NE(report->find("a (Const)"), std::string::npos) << *report;
  EXPECT_NE(report->find("NPU:3"), std::string::npos) << *report;
}

}  // namespace
}  // namespace berth::client
