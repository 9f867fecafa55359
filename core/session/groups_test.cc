// The compile hook as sessions use it: groups give what the single ops give, claims that
// cannot run are refused, failures name the group.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <random>
#include <set>

#include "core/session/testing/allocations.h"
#include "core/session/testing/fake_world.h"

namespace berth::testing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

constexpr char kGpu[] = "/device:GPU:0";
constexpr char kCpu[] = "/device:CPU:0";

FakeWorld::Options WithCompiler(FakeCompiler compiler, bool optimize = true) {
  FakeWorld::Options options;
  options.num_gpus = 1;
  options.session.allow_growth = true;  // the fakes share one memory
  options.session.optimize = optimize;
  options.compiler = std::move(compiler);
  return options;
}

// Claims the named nodes, those of one list for one group.
FakeCompiler ClaimNamed(std::vector<std::set<std::string>> groups) {
  FakeCompiler compiler;
  compiler.claim = [groups = std::move(groups)](const berth_group& offer) {
    std::vector<int32_t> claims(offer.num_nodes, -1);
    for (uint32_t n = 0; n < offer.num_nodes; ++n) {
      for (size_t g = 0; g < groups.size(); ++g) {
        if (groups[g].contains(offer.nodes[n]->name)) claims[n] = static_cast<int32_t>(g);
      }
    }
    return claims;
  };
  return compiler;
}

// The ops of the kernel calls of one traced run, groups as "A+B".
std::vector<std::string> TracedOps(FakeWorld* world, const Session::Feeds& feeds,
                                   const std::vector<std::string>& fetches) {
  RunSettings settings;
  settings.trace = true;
  RunTrace trace;
  const auto outputs = world->Run(feeds, fetches, {}, settings, &trace);
  EXPECT_TRUE(outputs.ok()) << outputs.status().ToString();
  std::vector<std::string> ops;
  for (const TraceEvent& event : trace.events) {
    if (event.op[0] != '_') ops.push_back(event.op);
  }
  return ops;
}

// x -> a -> b -> c, and a -> c.
void AddDiamond(FakeWorld* world, const std::string& device = kCpu) {
  world->AddPlaceholder("x", Shape{2});
  world->AddT("Neg", "a", {"x"}, device);
  world->AddT("Mul", "b", {"a", "x"}, device);
  world->AddT("AddV2", "c", {"a", "b"}, device);
}
const Session::Feeds kFeeds = {{"x", Floats({2}, {2, 3})}};
// -x - x^2.
const std::vector<float> kDiamond = {-6, -12};

TEST(GroupsTest, AWholeChainIsOneCallThatGivesWhatItsOpsGive) {
  for (const std::string device : {kCpu, kGpu}) {
    FakeWorld world(WithCompiler(ClaimEverything()));
    AddDiamond(&world, device);
    EXPECT_THAT(TracedOps(&world, kFeeds, {"c"}), ElementsAre("Neg+Mul+AddV2"));
    const auto outputs = world.Run(kFeeds, {"c"});
    ASSERT_TRUE(outputs.ok()) << outputs.status().ToString();
    EXPECT_EQ(ToFloats((*outputs)[0]), kDiamond);
  }
}

TEST(GroupsTest, OnADeviceWithStreamsAGroupIsOneCallBetweenOneCopyInAndOneOut) {
  FakeWorld world(WithCompiler(ClaimEverything()));
  AddDiamond(&world, kGpu);
  ASSERT_TRUE(world.Run(kFeeds, {"c"}).ok());
  world.gpu().ResetCounters();
  ASSERT_TRUE(world.Run(kFeeds, {"c"}).ok());
  const FakeCounters counters = world.gpu().counters();
  EXPECT_EQ(counters.computes, 1);
  EXPECT_EQ(counters.copies_to_device, 1);
  EXPECT_EQ(counters.copies_to_host, 1);
  EXPECT_EQ(counters.host_waits, 1);
  EXPECT_EQ(counters.allocations, 0);
}

TEST(GroupsTest, WithOptimizersOffNothingIsOffered) {
  FakeCompiler compiler;
  int offers = 0;
  compiler.claim = [&](const berth_group& offer) {
    ++offers;
    return std::vector<int32_t>(offer.num_nodes, 0);
  };
  FakeWorld world(WithCompiler(compiler, false));
  AddDiamond(&world);
  EXPECT_THAT(TracedOps(&world, kFeeds, {"c"}), ElementsAre("Neg", "Mul", "AddV2"));
  EXPECT_EQ(offers, 0);
}

TEST(GroupsTest, AnOfferKnowsShapesConstantsAndEdgesAndHoldsRenames) {
  FakeCompiler compiler;
  std::vector<std::string> seen;
  compiler.claim = [&](const berth_group& offer) {
    for (uint32_t n = 0; n < offer.num_nodes; ++n) {
      const berth_node& node = *offer.nodes[n];
      std::string text = node.op;
      for (uint32_t i = 0; i < node.num_inputs; ++i) {
        const berth_group_edge& edge = offer.edges[n][i];
        text += " " + std::to_string(edge.node) + ":" + std::to_string(edge.output);
      }
      text += " -> " + std::to_string(node.outputs[0]->rank);
      seen.push_back(text);
    }
    for (uint32_t i = 0; i < offer.num_inputs; ++i) {
      const berth_value_info& info = *offer.inputs[i];
      std::string text = info.constant != nullptr ? "constant " : "fed ";
      if (info.constant != nullptr && info.dtype == BERTH_FLOAT) {
        text += std::to_string(
            static_cast<int>(*static_cast<const float*>(info.constant->host_data)));
      }
      if (info.is_host != 0) text += " host";
      seen.push_back(text);
    }
    EXPECT_EQ(offer.num_outputs, 1U);
    EXPECT_STREQ(offer.nodes[offer.outputs[0].node]->name, "z");
    return std::vector<int32_t>(offer.num_nodes, 0);
  };
  FakeWorld world(WithCompiler(compiler));
  world.AddPlaceholder("x", Shape{2});
  world.AddConst("k", Floats({2}, {7, 7}));
  world.AddConst("flat", Ints({2}, {1, 2}));
  world.AddT("Mul", "y", {"x", "k"}, kGpu);
  world.Add(
      "Reshape", "r", {"y", "flat"},
      {{"T", AttrValue::Type(BERTH_FLOAT)}, {"Tshape", AttrValue::Type(BERTH_INT32)}},
      kGpu);
  world.AddT("Neg", "z", {"r"}, kGpu);
  const auto outputs = world.Run({{"x", Floats({2}, {2, 3})}}, {"z"});
  ASSERT_TRUE(outputs.ok()) << outputs.status().ToString();
  EXPECT_EQ(ToFloats((*outputs)[0]), (std::vector<float>{-14, -21}));
  EXPECT_EQ((*outputs)[0].shape(), (Shape{1, 2}));
  EXPECT_THAT(seen, ElementsAre("Mul -1:0 -1:1 -> 1", "Reshape 0:0 -1:2 -> 2",
                                "Neg 1:0 -> 2", "fed ", "constant 7", "constant  host"));
}

TEST(GroupsTest, WhatIsLeftUnclaimedRunsByItsOwnKernel) {
  FakeWorld world(WithCompiler(ClaimNamed({{"b", "c"}})));
  AddDiamond(&world);
  EXPECT_THAT(TracedOps(&world, kFeeds, {"c"}), ElementsAre("Neg", "Mul+AddV2"));
  const auto outputs = world.Run(kFeeds, {"c", "a", "b"});
  ASSERT_TRUE(outputs.ok()) << outputs.status().ToString();
  EXPECT_EQ(ToFloats((*outputs)[0]), kDiamond);
  EXPECT_EQ(ToFloats((*outputs)[1]), (std::vector<float>{-2, -3}));
  EXPECT_EQ(ToFloats((*outputs)[2]), (std::vector<float>{-4, -9}));
}

TEST(GroupsTest, AClaimThatAPathLeavesAndComesBackToIsRefused) {
  FakeWorld world(WithCompiler(ClaimNamed({{"a", "c"}})));
  AddDiamond(&world);
  EXPECT_THAT(TracedOps(&world, kFeeds, {"c"}), ElementsAre("Neg", "Mul", "AddV2"));
  EXPECT_EQ(ToFloats((*world.Run(kFeeds, {"c"}))[0]), kDiamond);
}

TEST(GroupsTest, APathThroughAControlEdgeOrAnotherDeviceCountsToo) {
  FakeWorld world(WithCompiler(ClaimNamed({{"a", "c"}})));
  world.AddPlaceholder("x", Shape{2});
  world.AddT("Neg", "a", {"x"}, kGpu);
  world.AddT("Neg", "elsewhere", {"a"}, kCpu);
  world.AddT("Mul", "c", {"a", "x", "^elsewhere"}, kGpu);
  EXPECT_THAT(TracedOps(&world, kFeeds, {"c"}), ElementsAre("Neg", "Neg", "Mul"));
}

TEST(GroupsTest, OfTwoClaimsThatWaitForEachOtherTheFirstIsTaken) {
  // p1 -> q1 and q2 -> p2: each group alone is fine.
  FakeWorld world(WithCompiler(ClaimNamed({{"p1", "p2"}, {"q1", "q2"}})));
  world.AddPlaceholder("x", Shape{2});
  world.AddT("Neg", "p1", {"x"}, kCpu);
  world.AddT("Neg", "q2", {"x"}, kCpu);
  world.AddT("Mul", "q1", {"p1", "x"}, kCpu);
  world.AddT("Mul", "p2", {"q2", "x"}, kCpu);
  world.AddT("AddV2", "sum", {"q1", "p2"}, kCpu);
  EXPECT_THAT(TracedOps(&world, kFeeds, {"sum"}),
              UnorderedElementsAre("Neg+Mul", "Neg", "Mul", "AddV2"));
  const auto outputs = world.Run(kFeeds, {"sum"});
  ASSERT_TRUE(outputs.ok()) << outputs.status().ToString();
  EXPECT_EQ(ToFloats((*outputs)[0]), (std::vector<float>{-8, -18}));
}

// ---- Failures.

TEST(GroupsTest, FailuresNameTheNodesOfTheGroup) {
  const auto nodes = AllOf(HasSubstr("'a' (Neg)"), HasSubstr("'b' (Mul)"),
                           HasSubstr("'c' (AddV2)"), HasSubstr("device:CPU:0"));
  const auto run = [](FakeCompiler compiler) {
    FakeWorld world(WithCompiler(std::move(compiler)));
    AddDiamond(&world);
    return world.Run(kFeeds, {"c"}).status();
  };
  FakeCompiler compiler = ClaimEverything();
  compiler.claim = [](const berth_group&) { return FailedPrecondition("no mood"); };
  Status status = run(compiler);
  EXPECT_EQ(status.code(), Code::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()), AllOf(nodes, HasSubstr("no mood")));

  compiler.claim = [](const berth_group& offer) {
    return std::vector<int32_t>(offer.num_nodes, -7);
  };
  status = run(compiler);
  EXPECT_EQ(status.code(), Code::kInternal);
  EXPECT_THAT(std::string(status.message()), AllOf(nodes, HasSubstr("-7")));

  compiler = ClaimEverything();
  compiler.inspect = [](const berth_group&) { return ResourceExhausted("too long"); };
  status = run(compiler);
  EXPECT_EQ(status.code(), Code::kResourceExhausted);
  EXPECT_THAT(std::string(status.message()),
              AllOf(nodes, HasSubstr("too long"), HasSubstr("opt_level")));

  compiler = ClaimEverything();
  compiler.compute_failure = OutOfRange("over the edge");
  status = run(compiler);
  EXPECT_EQ(status.code(), Code::kOutOfRange);
  EXPECT_THAT(std::string(status.message()), AllOf(nodes, HasSubstr("over the edge")));

  compiler = ClaimEverything();
  compiler.flags = BERTH_KERNEL_SHAPE_AT_RUN;
  status = run(compiler);
  EXPECT_EQ(status.code(), Code::kInternal);
  EXPECT_THAT(std::string(status.message()), AllOf(nodes, HasSubstr("SHAPE_AT_RUN")));
}

TEST(GroupsTest, AFailureOnAStreamNamesTheGroupAndLeavesTheDeviceUsable) {
  FakeCompiler compiler = ClaimNamed({{"a", "b"}});
  compiler.compute_failure = OutOfRange("over the edge");
  FakeWorld world(WithCompiler(std::move(compiler)));
  AddDiamond(&world, kGpu);
  world.AddT("Neg", "other", {"x"}, kGpu);
  for (int run = 0; run < 2; ++run) {
    const Status status = world.Run(kFeeds, {"c"}).status();
    EXPECT_EQ(status.code(), Code::kOutOfRange);
    EXPECT_THAT(std::string(status.message()),
                AllOf(HasSubstr("'a' (Neg)"), HasSubstr("'b' (Mul)")));
    EXPECT_TRUE(world.Run(kFeeds, {"other"}).ok());
  }
}

// ---- Variables.

TEST(GroupsTest, AGroupReadsVariablesBeforeTheyAreUpdatedAndNeverHoldsTheUpdate) {
  FakeCompiler compiler;
  std::set<std::string> offered;
  std::mutex mutex;
  compiler.claim = [&](const berth_group& offer) {
    const std::scoped_lock lock(mutex);
    for (uint32_t n = 0; n < offer.num_nodes; ++n) offered.insert(offer.nodes[n]->op);
    return std::vector<int32_t>(offer.num_nodes, 0);
  };
  for (const std::string home : {kCpu, kGpu}) {
    FakeWorld world(WithCompiler(compiler));
    world.AddPlaceholder("x", Shape{2});
    world.AddConst("rate", Floats({}, {0.5}), home);
    world.AddConst("start", Floats({2}, {1, 2}), home);
    world.AddVariable("v", Shape{2}, home);
    world.AddT("Assign", "init", {"v", "start"}, home);
    world.AddT("Identity", "read", {"v"}, home);
    world.AddT("Mul", "y", {"x", "read"}, kGpu);
    world.AddT("Mul", "grad", {"y", "read"}, kGpu);
    world.AddT("ApplyGradientDescent", "train", {"v", "rate", "grad"}, home);
    ASSERT_TRUE(world.Run({}, {}, {"init"}).ok());
    float v[] = {1, 2};
    for (int step = 0; step < 4; ++step) {
      const auto outputs =
          world.Run({{"x", Floats({2}, {0.5, -0.5})}}, {"grad"}, {"train"});
      ASSERT_TRUE(outputs.ok()) << outputs.status().ToString();
      for (int i = 0; i < 2; ++i) {
        const float grad = (i == 0 ? 0.5F : -0.5F) * v[i] * v[i];
        EXPECT_EQ(ToFloats((*outputs)[0])[i], grad) << home << " step " << step;
        v[i] -= 0.5F * grad;
      }
    }
  }
  EXPECT_TRUE(offered.contains("Mul"));
  EXPECT_FALSE(offered.contains("ApplyGradientDescent"));
}

// ---- Any claims at all.

// A random graph over both devices, the same for the same seed.
void AddRandomGraph(FakeWorld* world, uint32_t seed, int num_nodes) {
  std::mt19937 random(seed);
  world->AddPlaceholder("n0", Shape{2});
  world->AddConst("n1", Floats({2}, {0.5, -1}));
  for (int i = 2; i < num_nodes; ++i) {
    // Near the last ones as a rule, so that chains come about.
    const auto pick = [&] {
      const int back = 1 + static_cast<int>(random() % (random() % 4 == 0 ? i : 3));
      return "n" + std::to_string(std::max(i - back, 0));
    };
    const std::string device = random() % 3 == 0 ? kCpu : kGpu;
    const std::string name = "n" + std::to_string(i);
    switch (random() % 4) {
      case 0:
        world->AddT("Neg", name, {pick()}, device);
        break;
      case 1:
        world->AddT("Identity", name, {pick(), "^" + pick()}, device);
        break;
      case 2:
        world->AddT("Mul", name, {pick(), "n1"}, device);
        break;
      default:
        world->AddT("AddV2", name, {pick(), pick()}, device);
    }
  }
}

TEST(GroupsTest, WhateverIsClaimedTheValuesAreThoseOfTheSingleOps) {
  constexpr int kNodes = 40;
  int64_t groups = 0;
  for (uint32_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    FakeCompiler compiler;
    auto random = std::make_shared<std::mt19937>(seed + 1000);
    compiler.claim = [random](const berth_group& offer) {
      std::vector<int32_t> claims;
      const uint32_t kinds = 1 + (*random)() % 6;
      for (uint32_t n = 0; n < offer.num_nodes; ++n) {
        claims.push_back(static_cast<int32_t>((*random)() % (kinds + 1)) - 1);
      }
      return claims;
    };
    compiler.inspect = [&groups](const berth_group&) {
      ++groups;
      return OkStatus();
    };
    FakeWorld with(WithCompiler(compiler));
    FakeWorld without(WithCompiler({}));
    AddRandomGraph(&with, seed, kNodes);
    AddRandomGraph(&without, seed, kNodes);
    const Session::Feeds feeds = {{"n0", Floats({2}, {1.5, 2})}};
    const std::vector<std::string> fetches = {"n39", "n38", "n20"};
    const auto expected = without.Run(feeds, fetches);
    ASSERT_TRUE(expected.ok()) << expected.status().ToString();
    for (int run = 0; run < 2; ++run) {
      const auto outputs = with.Run(feeds, fetches);
      ASSERT_TRUE(outputs.ok()) << outputs.status().ToString();
      for (size_t i = 0; i < fetches.size(); ++i) {
        EXPECT_EQ(ToFloats((*outputs)[i]), ToFloats((*expected)[i])) << fetches[i];
      }
    }
  }
  EXPECT_GT(groups, 60);
}

// ---- The hot path.

TEST(GroupsTest, ARunOfAGroupAllocatesNothing) {
  FakeWorld world(WithCompiler(ClaimEverything()));
  AddDiamond(&world);
  const auto callable = world.session().MakeCallable({{"x"}, {"c"}, {}});
  ASSERT_TRUE(callable.ok()) << callable.status().ToString();
  std::vector<Tensor> inputs = {Floats({2}, {2, 3})};
  std::vector<Tensor> outputs(1);
  for (int run = 0; run < 3; ++run) {
    const AllocationCounter counter;
    const Status status = (*callable)->Run(inputs, outputs, {}, nullptr);
    const int64_t count = counter.count();
    ASSERT_TRUE(status.ok()) << status.ToString();
    // The first run makes the plan.
    EXPECT_EQ(count > 0, run == 0) << count << " allocations in run " << run;
  }
  EXPECT_EQ(ToFloats(outputs[0]), kDiamond);
}

}  // namespace
}  // namespace berth::testing
