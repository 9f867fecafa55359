#include "core/graph/graph_walk.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/ops/op_schema.h"

namespace berth {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class GraphWalkTest : public ::testing::Test {
 protected:
  Node* Add(const std::string& name, const std::string& op,
            std::vector<OutputRef> inputs = {}, std::vector<Node*> controls = {}) {
    NodeSpec spec;
    spec.name = name;
    spec.op = op;
    if (op == "Placeholder") {
      spec.attrs.Set("dtype", AttrValue::Type(BERTH_FLOAT));
    } else if (op != "NoOp") {
      spec.attrs.Set("T", AttrValue::Type(BERTH_FLOAT));
    }
    if (op == "Merge") spec.attrs.Set("N", AttrValue::Int(2));
    if (op == "Unpack") spec.attrs.Set("num", AttrValue::Int(3));
    spec.inputs = std::move(inputs);
    spec.control_inputs = std::move(controls);
    Result<Node*> node = graph_.AddNode(std::move(spec));
    EXPECT_TRUE(node.ok()) << node.status().ToString();
    return *node;
  }
  static std::vector<std::string> Names(const std::vector<const Node*>& nodes) {
    std::vector<std::string> out;
    for (const Node* node : nodes) out.push_back(node->name());
    return out;
  }
  static std::vector<std::string> Names(std::span<const OutEdge> edges) {
    std::vector<std::string> out;
    for (const OutEdge& edge : edges) {
      out.push_back(edge.consumer->name() + ":" + std::to_string(edge.input));
    }
    return out;
  }

  Graph graph_{OpRegistry::Global()};
};

TEST_F(GraphWalkTest, ConsumersAreGroupedByOutput) {
  Node* p = Add("p", "Placeholder");
  Node* u = Add("u", "Unpack", {{p, 0}});
  Node* a = Add("a", "Identity", {{u, 2}});
  Node* b = Add("b", "Mul", {{u, 0}, {u, 2}});
  Node* n = Add("n", "NoOp", {}, {u, b});
  const ConsumerIndex index(graph_);
  EXPECT_THAT(Names(index.Of(*u)), ElementsAre("n:-1", "b:0", "a:0", "b:1"));
  EXPECT_THAT(Names(index.OfOutput(*u, 0)), ElementsAre("b:0"));
  EXPECT_THAT(Names(index.OfOutput(*u, 1)), IsEmpty());
  EXPECT_THAT(Names(index.OfOutput(*u, 2)), ElementsAre("a:0", "b:1"));
  EXPECT_THAT(Names(index.ControlOf(*u)), ElementsAre("n:-1"));
  EXPECT_TRUE(index.ControlOf(*u)[0].is_control());
  EXPECT_THAT(Names(index.Of(*a)), IsEmpty());
  EXPECT_THAT(Names(index.Of(*n)), IsEmpty());
}

TEST_F(GraphWalkTest, PruneFollowsDataAndControlEdges) {
  Node* p = Add("p", "Placeholder");
  Node* q = Add("q", "Placeholder");
  Node* init = Add("init", "NoOp", {}, {q});
  Node* a = Add("a", "Identity", {{p, 0}}, {init});
  Add("unused", "Neg", {{a, 0}});
  Node* target = Add("target", "NoOp");
  const OutputRef fetch{a, 0};
  Node* const targets[] = {target};
  EXPECT_THAT(Names(NodesNeededBy(
                  graph_, {.feeds = {}, .fetches = {&fetch, 1}, .targets = targets})),
              ElementsAre("p", "q", "init", "a", "target"));
}

TEST_F(GraphWalkTest, FedOutputsCutTheGraph) {
  Node* p = Add("p", "Placeholder");
  Node* u = Add("u", "Unpack", {{p, 0}});
  Node* a = Add("a", "Identity", {{u, 0}});
  Node* b = Add("b", "Mul", {{a, 0}, {u, 1}});
  const OutputRef fetch{b, 0};
  const OutputRef fed_a{a, 0};
  const OutputRef fed_both[] = {{a, 0}, {u, 1}};
  EXPECT_THAT(Names(NodesNeededBy(
                  graph_, {.feeds = {&fed_a, 1}, .fetches = {&fetch, 1}, .targets = {}})),
              ElementsAre("p", "u", "b"));
  EXPECT_THAT(Names(NodesNeededBy(
                  graph_, {.feeds = fed_both, .fetches = {&fetch, 1}, .targets = {}})),
              ElementsAre("b"));
  EXPECT_THAT(Names(NodesNeededBy(
                  graph_, {.feeds = {&fed_a, 1}, .fetches = {&fed_a, 1}, .targets = {}})),
              IsEmpty());
}

TEST_F(GraphWalkTest, FedPlaceholderDoesNotRunForControlEdges) {
  Node* p = Add("p", "Placeholder");
  Node* i = Add("i", "Identity", {{p, 0}});
  Node* n = Add("n", "NoOp", {}, {p, i});
  const OutputRef feeds[] = {{p, 0}, {i, 0}};
  Node* const targets[] = {n};
  EXPECT_THAT(
      Names(NodesNeededBy(graph_, {.feeds = feeds, .fetches = {}, .targets = targets})),
      ElementsAre("i", "n"));
}

TEST_F(GraphWalkTest, PruneFollowsBackEdges) {
  Node* p = Add("p", "Placeholder");
  Node* merge = Add("merge", "Merge", {{p, 0}, {}});
  Node* next = Add("next", "NextIteration", {{merge, 0}});
  ASSERT_TRUE(graph_.AddBackEdge(merge, 1, {next, 0}).ok());
  const OutputRef fetch{merge, 0};
  EXPECT_THAT(
      Names(NodesNeededBy(graph_, {.feeds = {}, .fetches = {&fetch, 1}, .targets = {}})),
      ElementsAre("p", "merge", "next"));
  const ConsumerIndex index(graph_);
  EXPECT_THAT(Names(index.Of(*next)), ElementsAre("merge:1"));
}

Predecessors Edges(std::vector<std::vector<int>> sources) {
  Predecessors out;
  for (const auto& list : sources) {
    out.sources.insert(out.sources.end(), list.begin(), list.end());
    out.offsets.push_back(static_cast<int>(out.sources.size()));
  }
  return out;
}

TEST(SortTopologicallyTest, KeepsAnOrderThatIsOne) {
  EXPECT_THAT(SortTopologically(Edges({{}, {0}, {}, {1, 2}})).order,
              ElementsAre(0, 1, 2, 3));
}

TEST(SortTopologicallyTest, PutsPredecessorsFirst) {
  EXPECT_THAT(SortTopologically(Edges({{3}, {0}, {}, {2}})).order,
              ElementsAre(2, 3, 0, 1));
  EXPECT_THAT(SortTopologically(Edges({})).order, IsEmpty());
}

TEST(SortTopologicallyTest, ReportsACycle) {
  const TopologicalOrder result = SortTopologically(Edges({{}, {0, 3}, {1}, {2}, {3}}));
  EXPECT_THAT(result.order, IsEmpty());
  EXPECT_THAT(result.cycle, ElementsAre(2, 3, 1));
  EXPECT_THAT(SortTopologically(Edges({{0}})).cycle, ElementsAre(0));
}

TEST(SortTopologicallyTest, LongChainsNeedNoStack) {
  constexpr int kNodes = 1000000;
  Predecessors chain;
  for (int i = 0; i < kNodes; ++i) {
    if (i + 1 < kNodes) chain.sources.push_back(i + 1);
    chain.offsets.push_back(static_cast<int>(chain.sources.size()));
  }
  const std::vector<int> order = SortTopologically(chain).order;
  ASSERT_EQ(order.size(), static_cast<size_t>(kNodes));
  EXPECT_EQ(order.front(), kNodes - 1);
  EXPECT_EQ(order.back(), 0);
}

}  // namespace
}  // namespace berth
