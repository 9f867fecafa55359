// Sessions on an asynchronous device: copies, waits, failures, timeouts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "core/session/testing/fake_world.h"

namespace berth::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kGpu[] = "/device:GPU:0";
constexpr char kCpu[] = "/device:CPU:0";

FakeWorld::Options WithGpus(int count) {
  FakeWorld::Options options;
  options.num_gpus = count;
  options.session.allow_growth = true;  // the fakes share one memory
  options.session.optimize = false;
  return options;
}

class AsyncSessionTest : public ::testing::Test {
 protected:
  AsyncSessionTest() : world_(WithGpus(2)) {}

  // One traced run, after one that makes the plan.
  std::vector<Tensor> Traced(const Session::Feeds& feeds,
                             const std::vector<std::string>& fetches,
                             const std::vector<std::string>& targets = {}) {
    auto first = world_.Run(feeds, fetches, targets);
    EXPECT_TRUE(first.ok()) << first.status().ToString();
    world_.gpu().ResetCounters();
    RunSettings settings;
    settings.trace = true;
    auto outputs = world_.Run(feeds, fetches, targets, settings, &trace_);
    EXPECT_TRUE(outputs.ok()) << outputs.status().ToString();
    return outputs.ok() ? *outputs : std::vector<Tensor>();
  }

  FakeWorld world_;
  RunTrace trace_;
};

TEST_F(AsyncSessionTest, AChainIsCopiedInAndOutOnceAndWaitedForOnce) {
  world_.AddPlaceholder("x", Shape{3});
  std::string last = "x";
  for (int i = 0; i < 10; ++i) {
    const std::string name = "n" + std::to_string(i);
    world_.AddT(i % 2 == 0 ? "AddV2" : "Mul", name, {last, "x"}, kGpu);
    last = name;
  }
  const auto outputs = Traced({{"x", Floats({3}, {1, 1, 2})}}, {last});
  EXPECT_EQ(ToFloats(outputs[0])[0], 6);
  EXPECT_EQ(trace_.copies, 2);
  EXPECT_EQ(trace_.host_waits, 1);
  const FakeCounters counters = world_.gpu().counters();
  EXPECT_EQ(counters.copies_to_device, 1);
  EXPECT_EQ(counters.copies_to_host, 1);
  EXPECT_EQ(counters.host_waits, 1);
  EXPECT_EQ(counters.computes, 10);
}

TEST_F(AsyncSessionTest, AStepAllocatesNoDeviceMemory) {
  world_.AddPlaceholder("x", Shape{3});
  world_.AddT("Neg", "y", {"x"}, kGpu);
  const auto before = world_.Run({{"x", Floats({3}, {1, 1, 2})}}, {"y"});
  ASSERT_TRUE(before.ok());
  world_.gpu().ResetCounters();
  const auto after = world_.Run({{"x", Floats({3}, {1, 1, 2})}}, {"y"});
  ASSERT_TRUE(after.ok());
  EXPECT_EQ(world_.gpu().counters().allocations, 0);
}

// Variables on the CPU, the model on the GPU, the update on the CPU again.
class TrainingTest : public AsyncSessionTest {
 protected:
  void SetUp() override {
    world_.AddPlaceholder("x", Shape{2});
    world_.AddConst("rate", Floats({}, {0.5}), kCpu);
    for (const std::string v : {"a", "b"}) {
      world_.AddVariable(v, Shape{2}, kCpu);
      world_.AddConst(v + "/start", Floats({2}, {1, 2}), kCpu);
      world_.AddT("Assign", v + "/init", {v, v + "/start"}, kCpu);
      world_.AddT("Identity", v + "/read", {v}, kCpu);
    }
    world_.AddT("Mul", "xa", {"x", "a/read"}, kGpu);
    world_.AddT("AddV2", "loss", {"xa", "b/read"}, kGpu);
    // Each variable is read twice there.
    world_.AddT("Mul", "ga", {"loss", "a/read"}, kGpu);
    world_.AddT("Mul", "gb", {"loss", "b/read"}, kGpu);
    world_.AddT("ApplyGradientDescent", "a/train", {"a", "rate", "ga"}, kCpu);
    world_.AddT("ApplyGradientDescent", "b/train", {"b", "rate", "gb"}, kCpu);
    world_.Add("NoOp", "init", {"^a/init", "^b/init"});
    world_.Add("NoOp", "train", {"^a/train", "^b/train"});
    ASSERT_TRUE(world_.Run({}, {}, {"init"}).ok());
  }
};

TEST_F(TrainingTest, EachTensorIsCopiedOnceAndTheHostWaitsOnce) {
  const auto outputs = Traced({{"x", Floats({2}, {1, 1})}}, {"loss"}, {"train"});
  // To the device: x, a, b; back: loss, ga, gb.
  EXPECT_EQ(trace_.copies, 6);
  EXPECT_EQ(trace_.host_waits, 1);
  std::vector<std::string> copied;
  for (const TraceEvent& event : trace_.events) {
    if (event.op == "_Copy") copied.push_back(event.node);
  }
  std::sort(copied.begin(), copied.end());
  EXPECT_EQ(std::unique(copied.begin(), copied.end()), copied.end())
      << ::testing::PrintToString(copied);
}

TEST_F(TrainingTest, ValuesAreThoseOfTheFormula) {
  // loss = x a + b; a -= rate * loss * a; b -= rate * loss * b.
  float a = 1;
  float b = 1;
  for (int i = 0; i < 5; ++i) {
    const auto outputs = world_.Run({{"x", Floats({2}, {0.5, 1})}}, {"loss"}, {"train"});
    ASSERT_TRUE(outputs.ok()) << outputs.status().ToString();
    const float loss = 0.5F * a + b;
    EXPECT_FLOAT_EQ(ToFloats((*outputs)[0])[0], loss);
    a -= 0.5F * loss * a;
    b -= 0.5F * loss * b;
  }
}

TEST_F(AsyncSessionTest, VariablesMayLiveOnTheDevice) {
  world_.AddVariable("v", Shape{2}, kGpu);
  world_.AddConst("start", Floats({2}, {1, 2}), kGpu);
  world_.AddT("Assign", "init", {"v", "start"}, kGpu);
  world_.AddConst("rate", Floats({}, {0.5}), kGpu);
  world_.AddT("Identity", "read", {"v"}, kGpu);
  world_.AddT("ApplyGradientDescent", "train", {"v", "rate", "read"}, kGpu);
  world_.AddT("AssignAdd", "add", {"v", "start"}, kGpu);
  ASSERT_TRUE(world_.Run({}, {}, {"init"}).ok());
  auto outputs = world_.Run({}, {"train"});
  ASSERT_TRUE(outputs.ok()) << outputs.status().ToString();
  EXPECT_THAT(ToFloats((*outputs)[0]), ElementsAre(0.5F, 1));
  outputs = world_.Run({}, {"add"});
  ASSERT_TRUE(outputs.ok()) << outputs.status().ToString();
  EXPECT_THAT(ToFloats((*outputs)[0]), ElementsAre(1.5F, 3));
  outputs = world_.Run({}, {"v"});
  ASSERT_TRUE(outputs.ok()) << outputs.status().ToString();
  EXPECT_THAT(ToFloats((*outputs)[0]), ElementsAre(1.5F, 3));
}

// What RestoreV2 read lies in host memory that only the copy to the device still needs.
TEST_F(AsyncSessionTest, VariablesOfADeviceAreSavedAndRestored) {
  const std::string prefix = ::testing::TempDir() + "/async_session_test_checkpoint";
  world_.AddVariable("v", Shape{1024}, kGpu);
  world_.AddConst("start", Floats({1024}, std::vector<float>(1024, 3)), kGpu);
  world_.AddConst("zero", Floats({1024}, std::vector<float>(1024, 0)), kGpu);
  world_.AddT("Assign", "init", {"v", "start"}, kGpu);
  world_.AddT("Assign", "reset", {"v", "zero"}, kGpu);
  Tensor names = *Tensor::Allocate(BERTH_STRING, Shape{1});
  names.mutable_strings()[0] = "v";
  world_.AddConst("prefix", Tensor::String(prefix));
  world_.AddConst("names", names);
  world_.AddConst("slices", *Tensor::Allocate(BERTH_STRING, Shape{1}));
  ListAttr dtypes;
  dtypes.type = {BERTH_FLOAT};
  world_.Add("SaveV2", "save", {"prefix", "names", "slices", "v"},
             {{"dtypes", AttrValue::OfList(dtypes)}});
  world_.Add("RestoreV2", "read", {"prefix", "names", "slices"},
             {{"dtypes", AttrValue::OfList(dtypes)}});
  world_.AddT("Assign", "restore", {"v", "read"}, kGpu);
  for (const std::string target : {"init", "save", "reset", "restore"}) {
    const auto run = world_.Run({}, {}, {target});
    ASSERT_TRUE(run.ok()) << target << ": " << run.status().ToString();
  }
  const auto outputs = world_.Run({}, {"v"});
  ASSERT_TRUE(outputs.ok()) << outputs.status().ToString();
  EXPECT_EQ(ToFloats((*outputs)[0]), std::vector<float>(1024, 3));
}

TEST_F(AsyncSessionTest, DevicesExchangeThroughTheHost) {
  world_.AddPlaceholder("x", Shape{2});
  world_.AddT("Neg", "first", {"x"}, "/device:GPU:0");
  world_.AddT("Neg", "second", {"first"}, "/device:GPU:1");
  world_.AddT("AddV2", "third", {"second", "first"}, "/device:GPU:1");
  const auto outputs = Traced({{"x", Floats({2}, {1, 2})}}, {"third", "first"});
  EXPECT_THAT(ToFloats(outputs[0]), ElementsAre(0, 0));
  EXPECT_THAT(ToFloats(outputs[1]), ElementsAre(-1, -2));
  // x in; first out and in; third out.
  EXPECT_EQ(trace_.copies, 4);
  EXPECT_EQ(trace_.host_waits, 2);
}

TEST_F(AsyncSessionTest, HostWorkOverlapsAndEndsTheStep) {
  world_.AddPlaceholder("x", Shape{2});
  world_.AddT("Neg", "device", {"x"}, kGpu);
  world_.AddT("Neg", "host", {"x"}, kCpu);
  world_.AddT("AddV2", "joined", {"device", "host"}, kCpu);
  const auto outputs = Traced({{"x", Floats({2}, {1, 2})}}, {"joined"});
  EXPECT_THAT(ToFloats(outputs[0]), ElementsAre(-2, -4));
  EXPECT_EQ(trace_.host_waits, 1);
  std::vector<std::string> order;
  for (const TraceEvent& event : trace_.events) {
    order.push_back(event.op[0] == '_' ? event.op : event.node);
  }
  EXPECT_THAT(order,
              ElementsAre("_Copy", "device", "_Copy", "host", "_HostWait", "joined"));
}

TEST_F(AsyncSessionTest, ATimedOutRunReturnsWhileTheDeviceWorks) {
  world_.AddPlaceholder("x", Shape{2});
  world_.AddT("Neg", "y", {"x"}, kGpu);
  const Session::Feeds feeds = {{"x", Floats({2}, {1, 2})}};
  ASSERT_TRUE(world_.Run(feeds, {"y"}).ok());
  world_.gpu().HoldStreams();
  RunSettings settings;
  settings.timeout_ms = 30;
  const auto status = world_.Run(feeds, {"y"}, {}, settings).status();
  EXPECT_EQ(status.code(), Code::kDeadlineExceeded) << status.ToString();
  world_.gpu().ReleaseStreams();
  const auto outputs = world_.Run(feeds, {"y"});
  ASSERT_TRUE(outputs.ok()) << outputs.status().ToString();
  EXPECT_THAT(ToFloats((*outputs)[0]), ElementsAre(-1, -2));
}

TEST_F(AsyncSessionTest, CloseGivesUpWaitingForADevice) {
  world_.AddPlaceholder("x", Shape{2});
  world_.AddT("Neg", "y", {"x"}, kGpu);
  const Session::Feeds feeds = {{"x", Floats({2}, {1, 2})}};
  ASSERT_TRUE(world_.Run(feeds, {"y"}).ok());
  world_.gpu().HoldStreams();
  Status status;
  std::thread runner([&] { status = world_.Run(feeds, {"y"}).status(); });
  std::thread closer([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_TRUE(world_.session().Close().ok());
  });
  runner.join();
  EXPECT_EQ(status.code(), Code::kCancelled);
  world_.gpu().ReleaseStreams();
  closer.join();
}

TEST(AsyncFailureTest, AFailureOnTheDeviceNamesItAndTheNode) {
  FakeWorld::Options options = WithGpus(1);
  bool fail = true;
  FakeKernel kernel;
  kernel.op = "Abs";
  kernel.device_type = "GPU";
  kernel.compute = [&fail](berth_compute_context* context) -> Status {
    if (fail) return InvalidArgument("index 7 is not in [0, 3)");
    return FakeFloatMap([](float a, float) { return a < 0 ? -a : a; })(context);
  };
  options.more_kernels = {kernel};
  FakeWorld world(options);
  world.AddPlaceholder("x", Shape{2});
  world.AddT("Abs", "broken", {"x"}, kGpu);
  world.AddT("Neg", "y", {"broken"}, kGpu);
  const Session::Feeds feeds = {{"x", Floats({2}, {1, -2})}};
  const auto status = world.Run(feeds, {"y"}).status();
  EXPECT_EQ(status.code(), Code::kInvalidArgument) << status.ToString();
  EXPECT_THAT(std::string(status.message()), HasSubstr("index 7 is not in [0, 3)"));
  EXPECT_THAT(std::string(status.message()), HasSubstr("device:GPU:0"));
  EXPECT_THAT(std::string(status.message()), HasSubstr("'broken' (Abs)"));
  fail = false;
  const auto outputs = world.Run(feeds, {"y"});
  ASSERT_TRUE(outputs.ok()) << outputs.status().ToString();
  EXPECT_THAT(ToFloats((*outputs)[0]), ElementsAre(-1, -2));
}

TEST(AsyncMemoryTest, ArenasAreSplitAtTheLargestAllocation) {
  FakeWorld::Options options = WithGpus(1);
  options.gpu_largest_allocation = 4096;
  FakeWorld world(options);
  world.AddPlaceholder("x", Shape{512});
  std::vector<std::string> terms;
  for (int i = 0; i < 6; ++i) {
    terms.push_back("term" + std::to_string(i));
    world.AddT("Neg", terms.back(), {"x"}, kGpu);
  }
  std::string sum = terms[0];
  for (int i = 1; i < 6; ++i) {
    world.AddT("AddV2", "sum" + std::to_string(i), {sum, terms[i]}, kGpu);
    sum = "sum" + std::to_string(i);
  }
  const auto outputs =
      world.Run({{"x", Floats({512}, std::vector<float>(512, 1))}}, {sum});
  ASSERT_TRUE(outputs.ok()) << outputs.status().ToString();
  EXPECT_EQ(ToFloats((*outputs)[0])[511], -6);
  world.AddPlaceholder("large", Shape{2048});
  world.AddT("Neg", "too_large", {"large"}, kGpu);
  const auto status =
      world.Run({{"large", Floats({2048}, std::vector<float>(2048, 1))}}, {"too_large"})
          .status();
  EXPECT_EQ(status.code(), Code::kResourceExhausted) << status.ToString();
}

}  // namespace
}  // namespace berth::testing
