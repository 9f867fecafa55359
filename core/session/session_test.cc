// Sessions on a synchronous device: feeds, fetches, variables, errors, threads.
#include "core/session/session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "core/session/testing/fake_world.h"

namespace berth::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class SessionTest : public ::testing::Test {
 protected:
  // x + y * y, with placeholders of two floats.
  void AddSum() {
    world_.AddPlaceholder("x", Shape{2});
    world_.AddPlaceholder("y", Shape{2});
    world_.AddT("Mul", "square", {"y", "y"});
    world_.AddT("AddV2", "sum", {"x", "square"});
  }

  Session::Feeds Feed(float x, float y) {
    return {{"x:0", Floats({2}, {x, x + 1})}, {"y:0", Floats({2}, {y, y})}};
  }

  FakeWorld world_;
};

TEST_F(SessionTest, FeedsFlowToFetches) {
  AddSum();
  const auto outputs = world_.Run(Feed(1, 3), {"sum:0", "square:0"});
  ASSERT_TRUE(outputs.ok()) << outputs.status().ToString();
  EXPECT_THAT(ToFloats((*outputs)[0]), ElementsAre(10, 11));
  EXPECT_THAT(ToFloats((*outputs)[1]), ElementsAre(9, 9));
}

TEST_F(SessionTest, ANodeWithOneOutputMayBeFetchedByItsNodeName) {
  AddSum();
  const auto outputs = world_.Run(Feed(1, 3), {"sum"});
  ASSERT_TRUE(outputs.ok()) << outputs.status().ToString();
  EXPECT_THAT(ToFloats((*outputs)[0]), ElementsAre(10, 11));
}

TEST_F(SessionTest, AnInnerTensorMayBeFed) {
  AddSum();
  const auto outputs =
      world_.Run({{"x", Floats({2}, {1, 2})}, {"square", Floats({2}, {5, 5})}}, {"sum"});
  ASSERT_TRUE(outputs.ok()) << outputs.status().ToString();
  EXPECT_THAT(ToFloats((*outputs)[0]), ElementsAre(6, 7));
}

TEST_F(SessionTest, FetchesOfFeedsConstantsAndDoublesAreIndependent) {
  AddSum();
  world_.AddConst("c", Floats({2}, {4, 5}));
  const auto outputs = world_.Run(Feed(1, 3), {"c", "x", "sum", "sum"});
  ASSERT_TRUE(outputs.ok()) << outputs.status().ToString();
  EXPECT_THAT(ToFloats((*outputs)[0]), ElementsAre(4, 5));
  EXPECT_THAT(ToFloats((*outputs)[1]), ElementsAre(1, 2));
  EXPECT_THAT(ToFloats((*outputs)[3]), ElementsAre(10, 11));
  EXPECT_NE((*outputs)[2].raw(), (*outputs)[3].raw());
}

TEST_F(SessionTest, CallableRecyclesOutputs) {
  AddSum();
  auto callable = world_.session().MakeCallable({{"x", "y"}, {"sum"}, {}});
  ASSERT_TRUE(callable.ok()) << callable.status().ToString();
  std::vector<Tensor> inputs = {Floats({2}, {1, 2}), Floats({2}, {3, 3})};
  std::vector<Tensor> outputs(1);
  ASSERT_TRUE((*callable)->Run(inputs, outputs, {}, nullptr).ok());
  EXPECT_THAT(ToFloats(outputs[0]), ElementsAre(10, 11));
  const void* first = outputs[0].raw();
  ASSERT_TRUE((*callable)->Run(inputs, outputs, {}, nullptr).ok());
  EXPECT_EQ(outputs[0].raw(), first);
  const Tensor kept = outputs[0];
  ASSERT_TRUE((*callable)->Run(inputs, outputs, {}, nullptr).ok());
  EXPECT_NE(outputs[0].raw(), kept.raw());
}

TEST_F(SessionTest, ShapesMayChangeFromRunToRun) {
  world_.AddPlaceholder("x", Shape::UnknownRank());
  world_.AddT("AddV2", "twice", {"x", "x"});
  world_.AddT("Neg", "neg", {"twice"});
  for (int n = 1; n < 40; ++n) {
    const auto outputs =
        world_.Run({{"x", Floats({n}, std::vector<float>(n, 1.5F))}}, {"neg"});
    ASSERT_TRUE(outputs.ok()) << outputs.status().ToString();
    EXPECT_EQ(ToFloats((*outputs)[0]), std::vector<float>(n, -3.0F));
  }
}

// ---- Bad input.

// Kernels without a prepare: the shape function alone judges the sizes that are fed.
class ShapeFromValueTest : public ::testing::Test {
 protected:
  static FakeKernel Row(const std::string& op) {
    FakeKernel row;
    row.op = op;
    row.device_type = "CPU";
    row.compute = [](berth_compute_context*) { return OkStatus(); };
    return row;
  }
  void SetUp() override {
    const AttrValue int32 = AttrValue::Type(BERTH_INT32);
    const AttrValue float32 = AttrValue::Type(BERTH_FLOAT);
    world_.AddPlaceholder("fed", Shape::UnknownRank(), BERTH_INT32);
    world_.AddConst("value", Floats({}, {1}));
    world_.AddConst("fixed", Ints({2}, {2, -1}));
    world_.AddConst("huge", Ints({3}, {1 << 30, 1 << 30, 5}));
    for (const std::string shape : {"fed", "fixed", "huge"}) {
      world_.Add("Fill", "fill_" + shape, {shape, "value"},
                 {{"T", float32}, {"index_type", int32}});
    }
    world_.Add("RandomUniform", "uniform", {"fed"}, {{"T", int32}, {"dtype", float32}});
  }
  void Expect(const Session::Feeds& feeds, const std::string& node, Code code,
              const std::vector<std::string>& words) {
    const Status status = world_.Run(feeds, {node}).status();
    EXPECT_EQ(status.code(), code) << status.ToString();
    EXPECT_THAT(std::string(status.message()), HasSubstr("'" + node + "'"));
    for (const std::string& word : words) {
      EXPECT_THAT(std::string(status.message()), HasSubstr(word));
    }
  }

  FakeWorld world_{{.more_kernels = {Row("Fill"), Row("RandomUniform")}}};
};

TEST_F(ShapeFromValueTest, ANegativeSizeIsInvalidAndNamesNodeOpAndValue) {
  const Code invalid = Code::kInvalidArgument;
  Expect({{"fed", Ints({2}, {-1, 3})}}, "fill_fed", invalid, {"Fill", "-1"});
  Expect({{"fed", Ints({2}, {3, -7})}}, "fill_fed", invalid, {"Fill", "-7"});
  Expect({{"fed", Ints({}, {-1})}}, "fill_fed", invalid, {"Fill", "-1", "vector"});
  Expect({}, "fill_fixed", invalid, {"Fill", "-1"});
  Expect({{"fed", Ints({1}, {-1})}}, "uniform", invalid, {"RandomUniform", "-1"});
  EXPECT_TRUE(world_.Run({{"fed", Ints({2}, {2, 3})}}, {"fill_fed"}).ok());
}

TEST_F(ShapeFromValueTest, SizesWhoseProductOverflowsAreRefused) {
  const std::string shape = "[1073741824,1073741824,5]";
  Expect({}, "fill_huge", Code::kResourceExhausted, {"Fill", shape, "2^62 bytes"});
  Expect({{"fed", Ints({3}, {1 << 30, 1 << 30, 5})}}, "fill_fed",
         Code::kResourceExhausted, {"Fill", shape});
  Expect({{"fed", Ints({3}, {1 << 30, 1 << 30, 16})}}, "fill_fed", Code::kInvalidArgument,
         {"Fill", "[1073741824,1073741824,16]"});
}

TEST_F(SessionTest, UnknownNamesAreNamed) {
  AddSum();
  auto status = world_.Run(Feed(1, 2), {"nope:0"}).status();
  EXPECT_EQ(status.code(), Code::kNotFound);
  EXPECT_THAT(std::string(status.message()), HasSubstr("'nope"));
  status = world_.Run(Feed(1, 2), {"sum:1"}).status();
  EXPECT_EQ(status.code(), Code::kInvalidArgument);
  status = world_.Run({{"zzz:0", Floats({}, {1})}}, {"sum"}).status();
  EXPECT_EQ(status.code(), Code::kNotFound);
  status = world_.Run(Feed(1, 2), {}, {"target"}).status();
  EXPECT_EQ(status.code(), Code::kNotFound);
  EXPECT_TRUE(world_.Run(Feed(1, 2), {"sum"}).ok());
}

TEST_F(SessionTest, WrongFeedsSayWhatWasExpected) {
  AddSum();
  Session::Feeds feeds = Feed(1, 2);
  feeds[0].second = Ints({2}, {1, 2});
  auto status = world_.Run(feeds, {"sum"}).status();
  EXPECT_EQ(status.code(), Code::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("'x:0'"));
  EXPECT_THAT(std::string(status.message()), HasSubstr("float"));
  EXPECT_THAT(std::string(status.message()), HasSubstr("int32"));
  feeds[0].second = Floats({3}, {1, 2, 3});
  status = world_.Run(feeds, {"sum"}).status();
  EXPECT_EQ(status.code(), Code::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("[3]"));
  EXPECT_THAT(std::string(status.message()), HasSubstr("[2]"));
  EXPECT_TRUE(world_.Run(Feed(1, 2), {"sum"}).ok());
}

TEST_F(SessionTest, MissingFeedsAreListedWithDtypeAndShape) {
  AddSum();
  const auto status = world_.Run({}, {"sum"}).status();
  EXPECT_EQ(status.code(), Code::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("You must feed a value for placeholder tensor 'x' with dtype "
                        "float and shape [2]"));
  EXPECT_THAT(std::string(status.message()), HasSubstr("'y'"));
}

TEST_F(SessionTest, ShapesThatDoNotFitNameTheNode) {
  world_.AddPlaceholder("x", Shape::UnknownRank());
  world_.AddPlaceholder("y", Shape::UnknownRank());
  world_.AddT("AddV2", "sum", {"x", "y"});
  const auto status =
      world_.Run({{"x", Floats({2}, {1, 2})}, {"y", Floats({3}, {1, 2, 3})}}, {"sum"})
          .status();
  EXPECT_EQ(status.code(), Code::kInvalidArgument) << status.ToString();
  EXPECT_THAT(std::string(status.message()), HasSubstr("'sum'"));
}

TEST_F(SessionTest, AFailedExtendLeavesTheSessionUsable) {
  AddSum();
  const Status status = world_.session().ExtendWith([](Graph* graph) {
    NodeSpec spec;
    spec.name = "extra";
    spec.op = "NoOp";
    BERTH_RETURN_IF_ERROR(graph->AddNode(spec).status());
    return InvalidArgument("changed my mind");
  });
  EXPECT_EQ(status.code(), Code::kInvalidArgument);
  EXPECT_EQ(world_.Run({}, {}, {"extra"}).status().code(), Code::kNotFound);
  world_.Add("NoOp", "extra");
  EXPECT_TRUE(world_.Run({}, {}, {"extra"}).ok());
  EXPECT_TRUE(world_.Run(Feed(1, 2), {"sum"}).ok());
}

TEST_F(SessionTest, ControlFlowIsNotInThisVersion) {
  world_.AddPlaceholder("x", Shape{});
  world_.AddConst("p", [] {
    Tensor t = *Tensor::Allocate(BERTH_BOOL, Shape());
    *t.mutable_data<bool>() = true;
    return t;
  }());
  world_.AddT("Switch", "switch", {"x", "p"});
  const auto status = world_.Run({{"x", Floats({}, {1})}}, {"switch:0"}).status();
  EXPECT_EQ(status.code(), Code::kUnimplemented);
  EXPECT_THAT(std::string(status.message()), HasSubstr("Switch"));
}

// ---- Variables.

class VariableTest : public SessionTest {
 protected:
  void SetUp() override {
    world_.AddVariable("v", Shape{2});
    world_.AddConst("start", Floats({2}, {1, 2}));
    world_.AddT("Assign", "init", {"v", "start"});
    world_.AddT("Identity", "read", {"v"});
    world_.AddConst("one", Floats({2}, {1, 1}));
    world_.AddT("AssignAdd", "increment", {"v", "one"});
  }
};

TEST_F(VariableTest, ReadsSeeWhatWasAssigned) {
  ASSERT_TRUE(world_.Run({}, {}, {"init"}).ok());
  auto outputs = world_.Run({}, {"read", "v"});
  ASSERT_TRUE(outputs.ok()) << outputs.status().ToString();
  EXPECT_THAT(ToFloats((*outputs)[0]), ElementsAre(1, 2));
  EXPECT_THAT(ToFloats((*outputs)[1]), ElementsAre(1, 2));
}

TEST_F(VariableTest, AFetchOfAReferenceIsACopy) {
  ASSERT_TRUE(world_.Run({}, {}, {"init"}).ok());
  const auto before = world_.Run({}, {"v"});
  ASSERT_TRUE(before.ok()) << before.status().ToString();
  const auto after = world_.Run({}, {"increment"});
  ASSERT_TRUE(after.ok()) << after.status().ToString();
  EXPECT_THAT(ToFloats((*after)[0]), ElementsAre(2, 3));
  EXPECT_THAT(ToFloats((*before)[0]), ElementsAre(1, 2));
}

TEST_F(VariableTest, AllUninitializedVariablesAreListed) {
  world_.AddVariable("w", Shape{2});
  world_.AddT("AddV2", "sum", {"v", "w"});
  const auto status = world_.Run({}, {"sum"}).status();
  EXPECT_EQ(status.code(), Code::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()), HasSubstr("uninitialized"));
  EXPECT_THAT(std::string(status.message()), HasSubstr(" v"));
  EXPECT_THAT(std::string(status.message()), HasSubstr(" w"));
  world_.Add("IsVariableInitialized", "ready", {"v"},
             {{"dtype", AttrValue::Type(BERTH_FLOAT)}});
  EXPECT_FALSE(*(*world_.Run({}, {"ready"}))[0].data<bool>());
  ASSERT_TRUE(world_.Run({}, {}, {"init"}).ok());
  EXPECT_TRUE(*(*world_.Run({}, {"ready"}))[0].data<bool>());
}

TEST(SharedNameTest, IsOneVariableOnADeviceAndAnotherOnTheNext) {
  FakeWorld world({.num_gpus = 1});
  for (const auto& [name, device] :
       {std::pair("a", "/cpu:0"), std::pair("b", "/gpu:0"), std::pair("c", "/gpu:0")}) {
    world.Add("VariableV2", name, {},
              {{"dtype", AttrValue::Type(BERTH_FLOAT)},
               {"shape", AttrValue::OfShape(Shape{2})},
               {"shared_name", AttrValue::String("same")}},
              device);
    world.AddT("Identity", std::string("read_") + name, {name}, device);
  }
  world.AddConst("one", Floats({2}, {1, 1}));
  world.AddConst("two", Floats({2}, {2, 2}));
  world.AddT("Assign", "init_a", {"a", "one"});
  world.AddT("Assign", "init_b", {"b", "two"});
  ASSERT_TRUE(world.Run({}, {}, {"init_a"}).ok());
  EXPECT_EQ(world.Run({}, {"read_b"}).status().code(), Code::kFailedPrecondition);
  ASSERT_TRUE(world.Run({}, {}, {"init_b"}).ok());
  const auto values = world.Run({}, {"read_a", "read_b", "read_c"});
  ASSERT_TRUE(values.ok()) << values.status().ToString();
  EXPECT_THAT(ToFloats((*values)[0]), ElementsAre(1, 1));
  EXPECT_THAT(ToFloats((*values)[1]), ElementsAre(2, 2));
  EXPECT_THAT(ToFloats((*values)[2]), ElementsAre(2, 2));
}

TEST_F(VariableTest, KernelsUpdateReferencesInPlace) {
  world_.AddConst("rate", Floats({}, {0.5}));
  world_.AddConst("gradient", Floats({2}, {2, 4}));
  world_.AddT("ApplyGradientDescent", "train", {"v", "rate", "gradient"});
  ASSERT_TRUE(world_.Run({}, {}, {"init"}).ok());
  const auto outputs = world_.Run({}, {"train"});
  ASSERT_TRUE(outputs.ok()) << outputs.status().ToString();
  EXPECT_THAT(ToFloats((*outputs)[0]), ElementsAre(0, 0));
}

TEST_F(VariableTest, ControlEdgesOrderReadsAndWrites) {
  ASSERT_TRUE(world_.Run({}, {}, {"init"}).ok());
  world_.AddT("AddV2", "later", {"v", "one", "^increment"});
  const auto outputs = world_.Run({}, {"later"});
  ASSERT_TRUE(outputs.ok()) << outputs.status().ToString();
  EXPECT_THAT(ToFloats((*outputs)[0]), ElementsAre(3, 4));
}

class ResourceTest : public SessionTest {
 protected:
  void SetUp() override {
    const std::pair<std::string, AttrValue> dtype = {"dtype",
                                                     AttrValue::Type(BERTH_FLOAT)};
    world_.Add("VarHandleOp", "v", {}, {dtype, {"shape", AttrValue::OfShape(Shape{2})}});
    world_.AddConst("start", Floats({2}, {1, 2}));
    world_.Add("AssignVariableOp", "init", {"v", "start"}, {dtype});
    world_.Add("ReadVariableOp", "read", {"v"}, {dtype});
    world_.AddConst("one", Floats({2}, {1, 1}));
    world_.Add("AssignAddVariableOp", "increment", {"v", "one"}, {dtype});
    world_.Add("ReadVariableOp", "after", {"v", "^increment"}, {dtype});
    world_.Add("VarIsInitializedOp", "ready", {"v"});
    world_.Add("DestroyResourceOp", "destroy", {"v"});
  }
};

TEST_F(ResourceTest, AReadIsASnapshot) {
  ASSERT_TRUE(world_.Run({}, {}, {"init"}).ok());
  // The first read happens before the increment, whatever the order of the fetches.
  world_.Add("AssignAddVariableOp", "late", {"v", "one", "^read"},
             {{"dtype", AttrValue::Type(BERTH_FLOAT)}});
  world_.Add("ReadVariableOp", "reread", {"v", "^late"},
             {{"dtype", AttrValue::Type(BERTH_FLOAT)}});
  world_.AddT("Neg", "negative", {"read", "^late"});
  const auto outputs = world_.Run({}, {"reread", "negative", "read"});
  ASSERT_TRUE(outputs.ok()) << outputs.status().ToString();
  EXPECT_THAT(ToFloats((*outputs)[0]), ElementsAre(2, 3));
  EXPECT_THAT(ToFloats((*outputs)[1]), ElementsAre(-1, -2));
  EXPECT_THAT(ToFloats((*outputs)[2]), ElementsAre(1, 2));
}

TEST_F(ResourceTest, AFetchedReadKeepsItsValue) {
  ASSERT_TRUE(world_.Run({}, {}, {"init"}).ok());
  const auto before = world_.Run({}, {"read"});
  ASSERT_TRUE(world_.Run({}, {}, {"increment"}).ok());
  const auto after = world_.Run({}, {"after"});
  ASSERT_TRUE(after.ok()) << after.status().ToString();
  EXPECT_THAT(ToFloats((*before)[0]), ElementsAre(1, 2));
  EXPECT_THAT(ToFloats((*after)[0]), ElementsAre(3, 4));
}

TEST_F(ResourceTest, UpdatesAreInPlaceWhenNobodyHoldsTheBuffer) {
  ASSERT_TRUE(world_.Run({}, {}, {"init"}).ok());
  world_.AddConst("rate", Floats({}, {0.5}));
  world_.AddT("Neg", "gradient", {"read"});
  world_.AddT("ResourceApplyGradientDescent", "train", {"v", "rate", "gradient"});
  const void* before = (*world_.Run({}, {"read"}))[0].raw();
  ASSERT_TRUE(world_.Run({}, {}, {"train"}).ok());
  const auto after = world_.Run({}, {"read"});
  EXPECT_EQ((*after)[0].raw(), before);
  EXPECT_THAT(ToFloats((*after)[0]), ElementsAre(1.5F, 3));
}

TEST_F(ResourceTest, DestroyedVariablesAreUninitialized) {
  ASSERT_TRUE(world_.Run({}, {}, {"init"}).ok());
  EXPECT_TRUE(*(*world_.Run({}, {"ready"}))[0].data<bool>());
  ASSERT_TRUE(world_.Run({}, {}, {"destroy"}).ok());
  EXPECT_FALSE(*(*world_.Run({}, {"ready"}))[0].data<bool>());
  const auto status = world_.Run({}, {"read"}).status();
  EXPECT_EQ(status.code(), Code::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()), HasSubstr("resource variable v"));
}

// ---- Shapes that depend on data.

TEST_F(SessionTest, ShapesMayDependOnData) {
  world_.AddPlaceholder("x", Shape{4});
  world_.AddT("Where", "where", {"x"});
  world_.Add("Shape", "shape", {"where"}, {{"T", AttrValue::Type(BERTH_INT64)}});
  world_.AddT("Neg", "neg", {"x"});
  for (const auto& values :
       {std::vector<float>{0, 1, 0, 2}, {0, 0, 0, 0}, {1, 1, 1, 1}}) {
    const auto outputs =
        world_.Run({{"x", Floats({4}, values)}}, {"where", "shape", "neg"});
    ASSERT_TRUE(outputs.ok()) << outputs.status().ToString();
    const auto found =
        std::count_if(values.begin(), values.end(), [](float v) { return v != 0; });
    EXPECT_EQ((*outputs)[0].shape(), (Shape{found, 1}));
    EXPECT_THAT((*outputs)[1].ToInts(), ElementsAre(found, 1));
    EXPECT_EQ(ToFloats((*outputs)[2])[1], -values[1]);
  }
}

TEST_F(SessionTest, ReshapeTakesAFedShape) {
  world_.AddPlaceholder("x", Shape{6});
  world_.AddPlaceholder("to", Shape{2}, BERTH_INT32);
  world_.AddT("Reshape", "reshaped", {"x", "to"});
  world_.AddT("Neg", "neg", {"reshaped"});
  const Tensor x = Floats({6}, {1, 2, 3, 4, 5, 6});
  auto outputs = world_.Run({{"x", x}, {"to", Ints({2}, {2, -1})}}, {"neg", "reshaped"});
  ASSERT_TRUE(outputs.ok()) << outputs.status().ToString();
  EXPECT_EQ((*outputs)[0].shape(), (Shape{2, 3}));
  EXPECT_THAT(ToFloats((*outputs)[0]), ElementsAre(-1, -2, -3, -4, -5, -6));
  EXPECT_EQ((*outputs)[1].shape(), (Shape{2, 3}));
  const auto status = world_.Run({{"x", x}, {"to", Ints({2}, {4, 2})}}, {"neg"}).status();
  EXPECT_EQ(status.code(), Code::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("'reshaped'"));
}

// ---- Threads, cancellation, close.

TEST_F(SessionTest, ManyThreadsRunOneSession) {
  AddSum();
  std::vector<std::thread> threads;
  std::atomic<int> failures{0};
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 100; ++i) {
        const auto outputs = world_.Run(Feed(static_cast<float>(t), 2), {"sum"});
        if (!outputs.ok() || ToFloats((*outputs)[0])[0] != static_cast<float>(t) + 4) {
          ++failures;
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failures, 0);
}

FakeKernel SlowAbs(std::atomic<int>* running) {
  FakeKernel kernel;
  kernel.op = "Abs";
  kernel.device_type = "CPU";
  kernel.compute = [running](berth_compute_context* context) {
    ++*running;
    // As a long kernel should: it asks whether it is still wanted.
    while (!context->step->is_cancelled()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    --*running;
    return Cancelled("the kernel was stopped");
  };
  return kernel;
}

TEST(SessionCancelTest, ARunEndsWithItsTimeout) {
  std::atomic<int> running{0};
  FakeWorld::Options options;
  options.more_kernels = {SlowAbs(&running)};
  FakeWorld world(options);
  world.AddPlaceholder("x", Shape{1});
  world.AddT("Abs", "slow", {"x"});
  RunSettings settings;
  settings.timeout_ms = 50;
  const auto status =
      world.Run({{"x", Floats({1}, {1})}}, {"slow"}, {}, settings).status();
  EXPECT_EQ(status.code(), Code::kDeadlineExceeded) << status.ToString();
  EXPECT_EQ(running, 0);
}

TEST(SessionCancelTest, CloseStopsWhatRunsAndWaits) {
  std::atomic<int> running{0};
  FakeWorld::Options options;
  options.more_kernels = {SlowAbs(&running)};
  FakeWorld world(options);
  world.AddPlaceholder("x", Shape{1});
  world.AddT("Abs", "slow", {"x"});
  Status status;
  std::thread runner([&] {
    status = world.Run({{"x", Floats({1}, {1})}}, {"slow"}).status();
  });
  while (running == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_TRUE(world.session().Close().ok());
  EXPECT_EQ(running, 0);
  runner.join();
  EXPECT_EQ(status.code(), Code::kCancelled);
  EXPECT_EQ(world.Run({{"x", Floats({1}, {1})}}, {"slow"}).status().code(),
            Code::kCancelled);
}

TEST_F(SessionTest, ACallableOutlivesItsSession) {
  AddSum();
  auto callable = world_.session().MakeCallable({{"x", "y"}, {"sum"}, {}});
  ASSERT_TRUE(callable.ok());
  world_.EndSession();
  std::vector<Tensor> inputs = {Floats({2}, {1, 2}), Floats({2}, {3, 3})};
  std::vector<Tensor> outputs(1);
  EXPECT_EQ((*callable)->Run(inputs, outputs, {}, nullptr).code(), Code::kCancelled);
}

// ---- Folding and tracing.

TEST(SessionOptimizeTest, ConstantsAreFoldedOnlyWhenAsked) {
  for (const bool optimize : {true, false}) {
    FakeWorld::Options options;
    options.session.optimize = optimize;
    FakeWorld world(options);
    world.AddConst("a", Floats({2}, {1, 2}));
    std::string last = "a";
    for (int i = 0; i < 5; ++i) {
      const std::string name = "add" + std::to_string(i);
      world.AddT("AddV2", name, {last, "a"});
      last = name;
    }
    RunTrace trace;
    RunSettings settings;
    settings.trace = true;
    const auto outputs = world.Run({}, {last}, {}, settings, &trace);
    ASSERT_TRUE(outputs.ok()) << outputs.status().ToString();
    EXPECT_THAT(ToFloats((*outputs)[0]), ElementsAre(6, 12));
    EXPECT_EQ(trace.events.size(), optimize ? 0U : 5U);
  }
}

TEST_F(SessionTest, ADefaultIsNotFoldedAway) {
  world_.AddConst("default", Floats({2}, {1, 2}));
  world_.Add(
      "PlaceholderWithDefault", "p", {"default"},
      {{"dtype", AttrValue::Type(BERTH_FLOAT)}, {"shape", AttrValue::OfShape(Shape{2})}});
  world_.AddT("Neg", "neg", {"p"});
  EXPECT_THAT(ToFloats((*world_.Run({}, {"neg"}))[0]), ElementsAre(-1, -2));
  EXPECT_THAT(ToFloats((*world_.Run({{"p", Floats({2}, {5, 6})}}, {"neg"}))[0]),
              ElementsAre(-5, -6));
  EXPECT_THAT(ToFloats((*world_.Run({}, {"neg"}))[0]), ElementsAre(-1, -2));
}

}  // namespace
}  // namespace berth::testing
