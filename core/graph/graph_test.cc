#include "core/graph/graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/ops/op_schema.h"

namespace berth {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class GraphTest : public ::testing::Test {
 protected:
  Node* Add(const std::string& name, const std::string& op,
            std::vector<std::pair<std::string, AttrValue>> attrs = {},
            std::vector<OutputRef> inputs = {}, std::vector<Node*> controls = {}) {
    Result<Node*> node = TryAdd(name, op, std::move(attrs), std::move(inputs), controls);
    EXPECT_TRUE(node.ok()) << node.status().ToString();
    return node.ok() ? *node : nullptr;
  }
  Result<Node*> TryAdd(const std::string& name, const std::string& op,
                       std::vector<std::pair<std::string, AttrValue>> attrs = {},
                       std::vector<OutputRef> inputs = {},
                       std::vector<Node*> controls = {}) {
    NodeSpec spec;
    spec.name = name;
    spec.op = op;
    for (auto& [key, value] : attrs) spec.attrs.Set(key, std::move(value));
    spec.inputs = std::move(inputs);
    spec.control_inputs = std::move(controls);
    return graph_.AddNode(std::move(spec));
  }
  Node* Placeholder(const std::string& name, DType dtype = BERTH_FLOAT) {
    return Add(name, "Placeholder", {{"dtype", AttrValue::Type(dtype)}});
  }
  Node* Variable(const std::string& name, DType dtype = BERTH_FLOAT) {
    return Add(name, "VariableV2",
               {{"dtype", AttrValue::Type(dtype)}, {"shape", AttrValue::OfShape({2})}});
  }
  static std::string Message(const Result<Node*>& result) {
    return std::string(result.status().message());
  }

  Graph graph_{OpRegistry::Global()};
};

const AttrValue kFloat = AttrValue::Type(BERTH_FLOAT);

TEST_F(GraphTest, ResolvesTypesAndDefaults) {
  Node* a = Placeholder("a");
  Node* b = Placeholder("b");
  Node* c = Add("c", "MatMul", {{"T", kFloat}}, {{a, 0}, {b, 0}});
  EXPECT_EQ(c->id(), 2);
  EXPECT_EQ(c->op(), "MatMul");
  EXPECT_EQ(c->num_inputs(), 2);
  EXPECT_EQ(c->num_outputs(), 1);
  EXPECT_EQ(c->output_type(0), BERTH_FLOAT);
  ASSERT_NE(c->attrs().Find("transpose_a"), nullptr);
  EXPECT_FALSE(c->attrs().GetBool("transpose_a", true));
  EXPECT_EQ(graph_.FindNode("c"), c);
  EXPECT_EQ(graph_.FindNode("d"), nullptr);
  EXPECT_EQ(graph_.node(2), c);
}

TEST_F(GraphTest, UnknownOpIsNotFoundWithASuggestion) {
  const Result<Node*> node = TryAdd("x", "Conv2");
  EXPECT_EQ(node.status().code(), Code::kNotFound);
  EXPECT_THAT(Message(node),
              AllOf(HasSubstr("node 'x'"), HasSubstr("did you mean 'Conv2D'")));
}

TEST_F(GraphTest, RefusesTakenAndInvalidNames) {
  Placeholder("a");
  EXPECT_THAT(Message(TryAdd("a", "NoOp")),
              AllOf(HasSubstr("taken"), HasSubstr("Placeholder")));
  for (const char* name : {"", "_a", "a b", "/a", "a:0", "^a", "ä"}) {
    EXPECT_EQ(TryAdd(name, "NoOp").status().code(), Code::kInvalidArgument) << name;
  }
  for (const char* name : {"a.b", "0", ".x", "a/b-c_d>e\\f"}) {
    EXPECT_TRUE(TryAdd(name, "NoOp").ok()) << name;
  }
}

TEST_F(GraphTest, ChecksArgumentCount) {
  Node* a = Placeholder("a");
  EXPECT_THAT(Message(TryAdd("c", "MatMul", {{"T", kFloat}}, {{a, 0}})),
              AllOf(HasSubstr("node 'c' (op 'MatMul')"), HasSubstr("got 1 inputs"),
                    HasSubstr("needs 2"), HasSubstr("(a: T, b: T)")));
}

TEST_F(GraphTest, ChecksDtypesAgainstProducers) {
  Node* a = Placeholder("a");
  Node* i = Placeholder("i", BERTH_INT32);
  EXPECT_THAT(Message(TryAdd("c", "MatMul", {{"T", kFloat}}, {{a, 0}, {i, 0}})),
              AllOf(HasSubstr("input 1 'b' must be float"),
                    HasSubstr("'i:0' (op 'Placeholder') is int32"), HasSubstr("Cast")));
  EXPECT_EQ(graph_.FindNode("c"), nullptr);
  EXPECT_EQ(graph_.num_nodes(), 2);
}

TEST_F(GraphTest, ChecksOutputIndex) {
  Node* a = Placeholder("a");
  EXPECT_THAT(Message(TryAdd("c", "Identity", {{"T", kFloat}}, {{a, 1}})),
              AllOf(HasSubstr("output 1 of 'a'"), HasSubstr("has 1 output")));
}

TEST_F(GraphTest, RefOutputFeedsAValueInputButNotTheOtherWay) {
  Node* v = Variable("v");
  Node* a = Placeholder("a");
  EXPECT_TRUE(IsRefType(v->output_type(0)));
  Node* id = Add("id", "Identity", {{"T", kFloat}}, {{v, 0}});
  EXPECT_EQ(id->output_type(0), BERTH_FLOAT);
  Node* assign = Add("assign", "Assign", {{"T", kFloat}}, {{v, 0}, {a, 0}});
  EXPECT_EQ(assign->output_type(0), MakeRefType(BERTH_FLOAT));
  EXPECT_THAT(
      Message(TryAdd("bad", "Assign", {{"T", kFloat}}, {{a, 0}, {a, 0}})),
      AllOf(HasSubstr("input 0 'ref' must be float_ref"), HasSubstr("no reference")));
}

TEST_F(GraphTest, ListArgumentsFlatten) {
  Node* a = Placeholder("a");
  Node* i = Placeholder("i", BERTH_INT32);
  Node* c = Add("c", "ConcatV2", {{"T", kFloat}, {"N", AttrValue::Int(2)}},
                {{a, 0}, {a, 0}, {i, 0}});
  EXPECT_EQ(c->num_inputs(), 3);
  EXPECT_EQ(c->input_type(2), BERTH_INT32);
  Node* n = Add("n", "IdentityN",
                {{"T", AttrValue::OfList({.type = {BERTH_FLOAT, BERTH_INT32}})}},
                {{a, 0}, {i, 0}});
  EXPECT_EQ(n->num_outputs(), 2);
  EXPECT_EQ(n->output_type(1), BERTH_INT32);
}

TEST_F(GraphTest, ChecksAttributes) {
  Node* a = Placeholder("a");
  EXPECT_THAT(Message(TryAdd("x", "Identity", {}, {{a, 0}})),
              AllOf(HasSubstr("'T'"), HasSubstr("missing")));
  EXPECT_THAT(Message(TryAdd("x", "Identity", {{"T", AttrValue::Int(1)}}, {{a, 0}})),
              AllOf(HasSubstr("kind type"), HasSubstr("kind int")));
  EXPECT_THAT(Message(TryAdd("x", "Identity", {{"T", kFloat}, {"foo", AttrValue::Int(1)}},
                             {{a, 0}})),
              AllOf(HasSubstr("no attribute 'foo'"), HasSubstr("it has 'T'")));
  EXPECT_TRUE(TryAdd("ok", "Identity", {{"T", kFloat}, {"_class", AttrValue::OfList({})}},
                     {{a, 0}})
                  .ok());
  EXPECT_THAT(Message(TryAdd("x", "MatMul", {{"T", AttrValue::Type(BERTH_STRING)}},
                             {{a, 0}, {a, 0}})),
              AllOf(HasSubstr("cannot be string"), HasSubstr("bfloat16")));
  EXPECT_THAT(Message(TryAdd("x", "LeakyRelu",
                             {{"T", kFloat}, {"alpha", AttrValue::Float(0.0F / 0.0F)}},
                             {{a, 0}})),
              AllOf(HasSubstr("'alpha'"), HasSubstr("NaN")));
  EXPECT_THAT(Message(TryAdd("x", "Pack", {{"T", kFloat}, {"N", AttrValue::Int(0)}})),
              AllOf(HasSubstr("'N'"), HasSubstr("at least 1")));
  EXPECT_THAT(
      Message(TryAdd(
          "x", "Pack",
          {{"T", kFloat}, {"N", AttrValue::Int(1)}, {"axis", AttrValue::String("1")}},
          {{a, 0}})),
      HasSubstr("'axis'"));
  EXPECT_EQ(graph_.num_nodes(), 2);
}

TEST_F(GraphTest, DamagedListLengthAsksForNoMemory) {
  EXPECT_THAT(Message(TryAdd("x", "Pack",
                             {{"T", kFloat}, {"N", AttrValue::Int(int64_t{1} << 60)}})),
              HasSubstr("'N'"));
}

TEST_F(GraphTest, DuplicateControlInputsCollapse) {
  std::vector<Node*> many;
  for (int i = 0; i < 40; ++i) many.push_back(Add("n" + std::to_string(i), "NoOp"));
  Node* few = Add("few", "NoOp", {}, {}, {many[1], many[0], many[1]});
  EXPECT_THAT(few->control_inputs(), ::testing::ElementsAre(many[1], many[0]));
  std::vector<Node*> twice = many;
  twice.insert(twice.end(), many.begin(), many.end());
  Node* all = Add("all", "NoOp", {}, {}, twice);
  EXPECT_THAT(all->control_inputs(), ::testing::ElementsAreArray(many));
}

TEST_F(GraphTest, BackEdgesOnlyFromNextIterationIntoMerge) {
  Node* a = Placeholder("a");
  Node* enter = Add("enter", "Enter",
                    {{"T", kFloat}, {"frame_name", AttrValue::String("f")}}, {{a, 0}});
  Node* merge =
      Add("merge", "Merge", {{"T", kFloat}, {"N", AttrValue::Int(2)}}, {{enter, 0}, {}});
  EXPECT_EQ(merge->output_type(1), BERTH_INT32);
  Node* next = Add("next", "NextIteration", {{"T", kFloat}}, {{merge, 0}});
  Node* id = Add("id", "Identity", {{"T", kFloat}}, {{merge, 0}});
  EXPECT_EQ(graph_.AddBackEdge(merge, 1, {id, 0}).code(), Code::kInvalidArgument);
  EXPECT_EQ(graph_.AddBackEdge(merge, 0, {next, 0}).code(), Code::kInvalidArgument);
  EXPECT_EQ(graph_.AddBackEdge(id, 0, {next, 0}).code(), Code::kInvalidArgument);
  EXPECT_TRUE(graph_.AddBackEdge(merge, 1, {next, 0}).ok());
  EXPECT_EQ(merge->inputs()[1], (OutputRef{next, 0}));
  EXPECT_THAT(Message(TryAdd("open", "Identity", {{"T", kFloat}}, {{}})),
              HasSubstr("is missing"));
}

TEST_F(GraphTest, RefusesNodesOfAnotherGraph) {
  Graph other(OpRegistry::Global());
  NodeSpec spec;
  spec.name = "p";
  spec.op = "Placeholder";
  spec.attrs.Set("dtype", kFloat);
  Node* foreign = *other.AddNode(spec);
  Placeholder("a");
  EXPECT_THAT(Message(TryAdd("x", "Identity", {{"T", kFloat}}, {{foreign, 0}})),
              HasSubstr("another graph"));
}

TEST_F(GraphTest, TruncateForgetsNodesAndNames) {
  for (int i = 0; i < 3000; ++i) Add("n" + std::to_string(i), "NoOp");
  graph_.TruncateTo(1500);
  EXPECT_EQ(graph_.num_nodes(), 1500);
  EXPECT_EQ(graph_.FindNode("n1500"), nullptr);
  EXPECT_NE(graph_.FindNode("n1499"), nullptr);
  Node* again = Add("n1500", "NoOp", {}, {}, {graph_.FindNode("n3")});
  EXPECT_EQ(again->id(), 1500);
  EXPECT_EQ(again->control_inputs().size(), 1U);
}

TEST_F(GraphTest, DeprecatedOpsGoWithTheProducersVersion) {
  Node* a = Placeholder("a");
  Node* i = Placeholder("i", BERTH_INT64);
  graph_.set_producer_version(7);
  EXPECT_TRUE(TryAdd("old", "RandomCrop", {{"T", kFloat}}, {{a, 0}, {i, 0}}).ok());
  graph_.set_producer_version(21);
  const Result<Node*> refused =
      TryAdd("new", "RandomCrop", {{"T", kFloat}}, {{a, 0}, {i, 0}});
  EXPECT_EQ(refused.status().code(), Code::kUnimplemented);
  EXPECT_THAT(Message(refused), AllOf(HasSubstr("version 8"), HasSubstr("pure Python")));
}

TEST_F(GraphTest, RequestedDeviceCanChange) {
  Node* a = Placeholder("a");
  Node* b = Placeholder("b");
  EXPECT_EQ(a->requested_device(), "");
  graph_.SetRequestedDevice(a, "/gpu:0");
  EXPECT_EQ(a->requested_device(), "/gpu:0");
  EXPECT_EQ(b->requested_device(), "");
}

TEST(TensorNameTest, ParsesTheThreeForms) {
  const Result<TensorName> plain = ParseTensorName("a/b");
  ASSERT_TRUE(plain.ok());
  EXPECT_EQ(plain->node, "a/b");
  EXPECT_EQ(plain->index, 0);
  const Result<TensorName> indexed = ParseTensorName("a:12");
  ASSERT_TRUE(indexed.ok());
  EXPECT_EQ(indexed->node, "a");
  EXPECT_EQ(indexed->index, 12);
  const Result<TensorName> control = ParseTensorName("^a");
  ASSERT_TRUE(control.ok());
  EXPECT_EQ(control->node, "a");
  EXPECT_EQ(control->index, -1);
}

TEST(TensorNameTest, RefusesOthers) {
  for (const char* text :
       {"", ":0", "a:", "a:-1", "a:1x", "a:99999999999", "^", "^a:0", "a b", "a::0"}) {
    const Result<TensorName> name = ParseTensorName(text);
    EXPECT_EQ(name.status().code(), Code::kInvalidArgument) << text;
  }
}

}  // namespace
}  // namespace berth
