// What docs/ABI.md promises to kernels that are no plain call: strings as {pointer, size}
// views and outputs by set_string, and ASYNC rows, whose `done` may come at any time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "core/session/testing/fake_world.h"

namespace berth::testing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

FakeKernel CpuRow(const std::string& op, FakeComputeFn compute, uint32_t flags = 0) {
  FakeKernel row;
  row.op = op;
  row.device_type = "CPU";
  row.flags = flags;
  row.compute = std::move(compute);
  return row;
}

// ---- Strings.

int64_t CountOf(const berth_tensor& tensor) {
  int64_t count = 1;
  for (int32_t i = 0; i < tensor.rank; ++i) count *= tensor.dims[i];
  return count;
}
std::string StringAt(const berth_tensor& tensor, int64_t i) {
  const berth_string& view = static_cast<const berth_string*>(tensor.host_data)[i];
  return {view.data, view.size};
}
Status Check(berth_status_code code) {
  return code == BERTH_OK ? OkStatus() : Status(static_cast<Code>(code), "set_string");
}

// out[i] = inputs[0][i] + inputs[1][i] + …
Status Join(berth_compute_context* context) {
  for (int64_t i = 0; i < CountOf(*context->outputs[0]); ++i) {
    std::string joined;
    for (uint32_t k = 0; k < context->num_inputs; ++k) {
      joined += StringAt(*context->inputs[k], i);
    }
    BERTH_RETURN_IF_ERROR(
        Check(context->host->set_string(context, 0, i, {joined.data(), joined.size()})));
  }
  return OkStatus();
}

Status Length(berth_compute_context* context) {
  auto* out = static_cast<int32_t*>(context->outputs[0]->host_data);
  for (int64_t i = 0; i < CountOf(*context->inputs[0]); ++i) {
    out[i] = static_cast<int32_t>(StringAt(*context->inputs[0], i).size());
  }
  return OkStatus();
}

berth_status_code Allocate(berth_compute_context* context, uint32_t output,
                           std::initializer_list<int64_t> dims) {
  berth_shape shape = {};
  shape.rank = static_cast<int32_t>(dims.size());
  std::copy(dims.begin(), dims.end(), shape.dims);
  return context->host->allocate_output(context, output, &shape, nullptr);
}

// Splits the first string into its bytes: three outputs whose sizes only this knows.
Status Split(berth_compute_context* context) {
  const std::string text = StringAt(*context->inputs[0], 0);
  const auto size = static_cast<int64_t>(text.size());
  BERTH_RETURN_IF_ERROR(Check(Allocate(context, 0, {size, 2})));
  BERTH_RETURN_IF_ERROR(Check(Allocate(context, 1, {size})));
  BERTH_RETURN_IF_ERROR(Check(Allocate(context, 2, {2})));
  auto* indices = static_cast<int64_t*>(context->outputs[0]->host_data);
  for (int64_t i = 0; i < size; ++i) {
    indices[2 * i] = 0;
    indices[2 * i + 1] = i;
    BERTH_RETURN_IF_ERROR(
        Check(context->host->set_string(context, 1, i, {text.data() + i, 1})));
  }
  auto* shape = static_cast<int64_t*>(context->outputs[2]->host_data);
  shape[0] = 1;
  shape[1] = size;
  return OkStatus();
}

Tensor Strings(const Shape& shape, const std::vector<std::string>& values) {
  Tensor tensor = *Tensor::Allocate(BERTH_STRING, shape);
  std::copy(values.begin(), values.end(), tensor.mutable_strings());
  return tensor;
}
std::vector<std::string> ToStrings(const Tensor& tensor) {
  return {tensor.strings(), tensor.strings() + tensor.num_elements()};
}

class StringKernelTest : public ::testing::Test {
 protected:
  void AddJoin(const std::string& name, const std::vector<std::string>& inputs) {
    world_.Add("StringJoin", name, inputs,
               {{"N", AttrValue::Int(static_cast<int64_t>(inputs.size()))}});
  }

  FakeWorld world_{
      {.more_kernels = {CpuRow("StringJoin", &Join), CpuRow("StringLength", &Length),
                        CpuRow("StringSplit", &Split, BERTH_KERNEL_SHAPE_AT_RUN)}}};
};

const std::string kZeros("a\0b", 3);

TEST_F(StringKernelTest, StringsOfAnyBytesGoInAndComeOut) {
  world_.AddPlaceholder("x", Shape{3}, BERTH_STRING);
  world_.AddConst("y", Strings({3}, {"", kZeros, std::string(5000, 'z')}));
  AddJoin("joined", {"x", "y"});
  world_.Add("StringLength", "length", {"joined"});
  const Session::Feeds feeds = {{"x", Strings({3}, {"", "12", "x"})}};
  for (int run = 0; run < 3; ++run) {
    const auto outputs = world_.Run(feeds, {"joined", "length"});
    ASSERT_TRUE(outputs.ok()) << outputs.status().ToString();
    EXPECT_THAT(ToStrings((*outputs)[0]),
                ElementsAre("", "12" + kZeros, "x" + std::string(5000, 'z')));
    EXPECT_THAT((*outputs)[1].ToInts(), ElementsAre(0, 5, 5001));
  }
}

TEST_F(StringKernelTest, OutputsFeedKernelsAndRenamesAndChangeTheirSize) {
  world_.AddPlaceholder("x", Shape::UnknownRank(), BERTH_STRING);
  AddJoin("twice", {"x", "x"});
  world_.Add("Identity", "same", {"twice"}, {{"T", AttrValue::Type(BERTH_STRING)}});
  AddJoin("all", {"same", "x"});
  for (const int64_t size : {1, 4, 0, 2}) {
    const std::vector<std::string> values(static_cast<size_t>(size), "ab");
    const auto outputs = world_.Run({{"x", Strings({size}, values)}}, {"all", "twice"});
    ASSERT_TRUE(outputs.ok()) << outputs.status().ToString();
    EXPECT_EQ(ToStrings((*outputs)[0]), std::vector<std::string>(size, "ababab"));
    EXPECT_EQ(ToStrings((*outputs)[1]), std::vector<std::string>(size, "abab"));
  }
}

TEST_F(StringKernelTest, AKernelMayAskForStringOutputsOfItsOwnSize) {
  world_.AddPlaceholder("x", Shape{1}, BERTH_STRING);
  world_.AddConst("delimiter", Strings({}, {""}));
  world_.Add("StringSplit", "split", {"x", "delimiter"});
  AddJoin("again", {"split:1", "split:1"});
  for (const std::string text : {"abc", "", "z"}) {
    const auto outputs =
        world_.Run({{"x", Strings({1}, {text})}}, {"split:0", "again", "split:2"});
    ASSERT_TRUE(outputs.ok()) << outputs.status().ToString();
    const auto size = static_cast<int64_t>(text.size());
    EXPECT_EQ((*outputs)[0].shape(), (Shape{size, 2}));
    std::vector<std::string> doubled;
    for (const char c : text) doubled.emplace_back(2, c);
    EXPECT_EQ(ToStrings((*outputs)[1]), doubled);
    EXPECT_THAT((*outputs)[2].ToInts(), ElementsAre(1, size));
  }
}

TEST(StringKernelErrorTest, AnElementThatIsNotThereIsRefusedAndTheNextRunIsFine) {
  bool wrong = true;
  FakeWorld world({.more_kernels = {CpuRow("StringLower", [&](berth_compute_context* c) {
                     return Check(c->host->set_string(c, 0, wrong ? 7 : 0, {"x", 1}));
                   })}});
  world.AddPlaceholder("x", Shape{1}, BERTH_STRING);
  world.Add("StringLower", "lower", {"x"});
  const Session::Feeds feeds = {{"x", Strings({1}, {"X"})}};
  const Status status = world.Run(feeds, {"lower"}).status();
  EXPECT_EQ(status.code(), Code::kOutOfRange);
  EXPECT_THAT(std::string(status.message()), HasSubstr("'lower' (StringLower)"));
  wrong = false;
  const auto outputs = world.Run(feeds, {"lower"});
  ASSERT_TRUE(outputs.ok()) << outputs.status().ToString();
  EXPECT_THAT(ToStrings((*outputs)[0]), ElementsAre("x"));
}

// ---- Asynchronous kernels.

class AsyncKernelTest : public ::testing::Test {
 protected:
  static FakeKernel Async(const std::string& op, FakeComputeFn compute) {
    return CpuRow(op, std::move(compute), BERTH_KERNEL_ASYNC);
  }
  void SetUp() override {
    world_.AddPlaceholder("x", Shape{2});
    world_.AddT("Square", "a", {"x"});
    world_.AddT("Square", "b", {"a"});
    world_.AddT("Sqrt", "fails", {"x"});
  }

  FakeWorld world_{
      {.more_kernels = {
           Async("Square", FakeFloatMap([](float a, float) { return a * a; })),
           Async("Sqrt",
                 [](berth_compute_context*) { return OutOfRange("roots ran out"); }),
           Async("StringJoin", &Join)}}};
};

const Session::Feeds kTwoThree = {{"x", Floats({2}, {2, 3})}};

TEST_F(AsyncKernelTest, WhatFollowsWaitsForDone) {
  world_.AddT("Neg", "neg", {"b"});
  for (int run = 0; run < 20; ++run) {
    const auto outputs = world_.Run(kTwoThree, {"neg", "a"});
    ASSERT_TRUE(outputs.ok()) << outputs.status().ToString();
    EXPECT_THAT(ToFloats((*outputs)[0]), ElementsAre(-16, -81));
    EXPECT_THAT(ToFloats((*outputs)[1]), ElementsAre(4, 9));
  }
}

TEST_F(AsyncKernelTest, AFailureGivenToDoneNamesTheNode) {
  const Status status = world_.Run(kTwoThree, {"fails"}).status();
  EXPECT_EQ(status.code(), Code::kOutOfRange);
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr("roots ran out"), HasSubstr("'fails' (Sqrt)")));
  EXPECT_TRUE(world_.Run(kTwoThree, {"b"}).ok());
}

TEST_F(AsyncKernelTest, ShapesMayComeAtRunTime) {
  world_.AddPlaceholder("any", Shape::UnknownRank(), BERTH_STRING);
  world_.Add("StringJoin", "joined", {"any", "any"}, {{"N", AttrValue::Int(2)}});
  for (const int64_t size : {3, 1}) {
    const auto outputs = world_.Run(
        {{"any", Strings({size}, std::vector<std::string>(size, "q"))}}, {"joined"});
    ASSERT_TRUE(outputs.ok()) << outputs.status().ToString();
    EXPECT_EQ(ToStrings((*outputs)[0]), std::vector<std::string>(size, "qq"));
  }
}

TEST_F(AsyncKernelTest, ATimedOutRunReturnsBeforeDoneAndLeavesTheBuffersAlone) {
  ASSERT_TRUE(world_.Run(kTwoThree, {"b"}).ok());
  world_.cpu().HoldStreams();
  RunSettings settings;
  settings.timeout_ms = 30;
  const auto begin = std::chrono::steady_clock::now();
  const Status status = world_.Run(kTwoThree, {"b"}, {}, settings).status();
  EXPECT_EQ(status.code(), Code::kDeadlineExceeded) << status.ToString();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
  // The kernel still works on its buffers when others run.
  world_.cpu().ReleaseStreams();
  for (int run = 0; run < 3; ++run) {
    const auto outputs = world_.Run(kTwoThree, {"b"});
    ASSERT_TRUE(outputs.ok()) << outputs.status().ToString();
    EXPECT_THAT(ToFloats((*outputs)[0]), ElementsAre(16, 81));
  }
}

TEST_F(AsyncKernelTest, CloseGivesUpWaitingForDone) {
  world_.cpu().HoldStreams();
  Status status;
  std::thread runner([&] { status = world_.Run(kTwoThree, {"b"}).status(); });
  while (world_.cpu().counters().computes == 0) std::this_thread::yield();
  std::thread closer([&] { EXPECT_TRUE(world_.session().Close().ok()); });
  runner.join();
  EXPECT_EQ(status.code(), Code::kCancelled) << status.ToString();
  world_.cpu().ReleaseStreams();
  closer.join();
}

// An asynchronous kernel updates a variable under the variable's lock.
TEST(AsyncUpdateTest, UpdatesOfVariablesAreWaitedForToo) {
  FakeKernel update = CpuRow(
      "ResourceApplyGradientDescent",
      [](berth_compute_context* context) {
        auto* variable = static_cast<float*>(context->inputs[0]->host_data);
        const auto* delta = static_cast<const float*>(context->inputs[2]->host_data);
        for (int i = 0; i < 2; ++i) variable[i] -= delta[i];
        return OkStatus();
      },
      BERTH_KERNEL_ASYNC);
  update.priority = 1;  // before the world's own
  FakeWorld world({.more_kernels = {update}});
  const AttrValue float32 = AttrValue::Type(BERTH_FLOAT);
  world.Add("VarHandleOp", "v", {},
            {{"dtype", float32}, {"shape", AttrValue::OfShape({2})}});
  world.AddConst("start", Floats({2}, {5, 6}));
  world.AddConst("rate", Floats({}, {1}));
  world.AddPlaceholder("delta", Shape{2});
  world.Add("AssignVariableOp", "init", {"v", "start"}, {{"dtype", float32}});
  world.Add("ResourceApplyGradientDescent", "train", {"v", "rate", "delta"},
            {{"T", float32}});
  world.Add("ReadVariableOp", "read", {"v", "^train"}, {{"dtype", float32}});
  ASSERT_TRUE(world.Run({}, {}, {"init"}).ok());
  for (int run = 1; run < 4; ++run) {
    const auto outputs = world.Run({{"delta", Floats({2}, {1, 2})}}, {"read"});
    ASSERT_TRUE(outputs.ok()) << outputs.status().ToString();
    const auto done = static_cast<float>(run);
    EXPECT_THAT(ToFloats((*outputs)[0]), ElementsAre(5 - done, 6 - 2 * done));
  }
  // A run that is given up still ends its update before the next one begins.
  world.cpu().HoldStreams();
  RunSettings settings;
  settings.timeout_ms = 30;
  EXPECT_EQ(
      world.Run({{"delta", Floats({2}, {1, 2})}}, {"read"}, {}, settings).status().code(),
      Code::kDeadlineExceeded);
  world.cpu().ReleaseStreams();
}

}  // namespace
}  // namespace berth::testing
