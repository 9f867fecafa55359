#include "core/formats/graphdef.h"

#include <gmock/gmock.h>
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

#include <ctime>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "berth/proto/graph.pb.h"
#include "core/formats/tensor_proto.h"
#include "core/ops/op_schema.h"

namespace berth {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr char kXY[] = R"(
  node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }
  node { name: "y" op: "Neg" input: "x" attr { key: "T" value { type: DT_FLOAT } } }
  versions { producer: 1500 min_consumer: 12 }
)";

class GraphDefTest : public testing::Test {
 protected:
  Status Import(std::string_view text, const ImportOptions& options = {}) {
    return ImportGraphText(text, options, &graph_);
  }
  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (int i = 0; i < graph_.num_nodes(); ++i) names.push_back(graph_.node(i)->name());
    return names;
  }
  // Expects the import to fail and to leave nothing behind.
  std::string Failure(std::string_view text, Code code,
                      const ImportOptions& options = {}) {
    const int before = graph_.num_nodes();
    const Status status = Import(text, options);
    EXPECT_EQ(status.code(), code) << status.ToString();
    EXPECT_EQ(graph_.num_nodes(), before);
    return std::string(status.message());
  }

  Graph graph_{OpRegistry::Global()};
};

TEST_F(GraphDefTest, NodesInputsAndVersionsComeIn) {
  ASSERT_TRUE(Import(kXY).ok());
  EXPECT_THAT(Names(), ElementsAre("x", "y"));
  const Node* y = graph_.FindNode("y");
  EXPECT_EQ(y->op(), "Neg");
  EXPECT_EQ(y->inputs()[0].node, graph_.FindNode("x"));
  EXPECT_EQ(graph_.producer_version(), 1500);
  EXPECT_EQ(graph_.min_consumer_version(), 12);
}

TEST_F(GraphDefTest, ConsumersMayComeBeforeProducers) {
  ASSERT_TRUE(Import(R"(
    node { name: "c" op: "Add" input: "b" input: "a" input: "^a"
           attr { key: "T" value { type: DT_FLOAT } } }
    node { name: "b" op: "Neg" input: "a:0" attr { key: "T" value { type: DT_FLOAT } } }
    node { name: "a" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }
  )")
                  .ok());
  EXPECT_THAT(Names(), ElementsAre("a", "b", "c"));
  const Node* c = graph_.FindNode("c");
  ASSERT_EQ(c->num_inputs(), 2);
  EXPECT_EQ(c->inputs()[1].node->name(), "a");
  EXPECT_THAT(c->control_inputs(), ElementsAre(graph_.FindNode("a")));
}

TEST_F(GraphDefTest, EmptyBytesAreAnEmptyGraph) {
  EXPECT_TRUE(ImportGraphDef("", {}, &graph_).ok());
  EXPECT_EQ(graph_.num_nodes(), 0);
}

TEST_F(GraphDefTest, MissingAttributeIsFilledFromItsDefault) {
  ASSERT_TRUE(Import(R"(
    node { name: "a" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }
    node { name: "m" op: "MatMul" input: "a" input: "a"
           attr { key: "T" value { type: DT_FLOAT } } }
  )")
                  .ok());
  EXPECT_NE(graph_.FindNode("m")->attrs().Find("transpose_a"), nullptr);
}

constexpr char kNewAttr[] = R"(
  node { name: "a" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }
  node { name: "n" op: "Neg" input: "a" attr { key: "T" value { type: DT_FLOAT } }
         attr { key: "Novelty" value { b: %s } } }
)";

std::string WithNovelty(const char* value) {
  std::string text = kNewAttr;
  return text.replace(text.find("%s"), 2, value);
}

std::string ProducerOps() {
  tf::OpList ops;
  tf::OpDef* op = ops.add_op();
  op->set_name("Neg");
  tf::OpDef::AttrDef* attr = op->add_attr();
  attr->set_name("Novelty");
  attr->set_type("bool");
  attr->mutable_default_value()->set_b(false);
  return ops.SerializeAsString();
}

TEST_F(GraphDefTest, UnknownAttributeIsAnErrorThatNamesNodeOpAndAttribute) {
  EXPECT_THAT(Failure(WithNovelty("false"), Code::kInvalidArgument),
              AllOf(HasSubstr("'n'"), HasSubstr("'Neg'"), HasSubstr("Novelty")));
}

TEST_F(GraphDefTest, UnknownAttributeWithItsProducersDefaultIsDropped) {
  ImportOptions options;
  options.producer_op_list = ProducerOps();
  ASSERT_TRUE(Import(WithNovelty("false"), options).ok());
  EXPECT_EQ(graph_.FindNode("n")->attrs().Find("Novelty"), nullptr);
}

TEST_F(GraphDefTest, UnknownAttributeWithAnotherValueIsAnError) {
  ImportOptions options;
  options.producer_op_list = ProducerOps();
  EXPECT_THAT(Failure(WithNovelty("true"), Code::kInvalidArgument, options),
              HasSubstr("Novelty"));
}

TEST_F(GraphDefTest, AllUnknownOpsAreListedWithVersions) {
  EXPECT_THAT(Failure(R"(
    node { name: "a" op: "NoSuchOp" } node { name: "b" op: "NoSuchOp" }
    node { name: "c" op: "Matmul" }
    versions { producer: 3001 min_consumer: 27 }
  )",
                      Code::kNotFound),
              AllOf(HasSubstr("'NoSuchOp'"), HasSubstr("'a'"), HasSubstr("'b'"),
                    HasSubstr("did you mean 'MatMul'"), HasSubstr("3001"),
                    HasSubstr("27"), HasSubstr("2474")));
}

TEST_F(GraphDefTest, VersionIsCheckedBeforeOps) {
  EXPECT_THAT(Failure(R"(node { name: "a" op: "NoSuchOp" }
                         versions { producer: 9999 min_consumer: 9000 })",
                      Code::kInvalidArgument),
              AllOf(HasSubstr("9000"), HasSubstr("2474"), Not(HasSubstr("NoSuchOp"))));
  EXPECT_THAT(Failure("versions { producer: 2 bad_consumers: [1, 2474] }",
                      Code::kInvalidArgument),
              HasSubstr("forbids"));
}

TEST_F(GraphDefTest, AllMissingInputsAreListed) {
  EXPECT_THAT(Failure(R"(
    node { name: "a" op: "Neg" input: "nope:0" attr { key: "T" value { type: DT_FLOAT } } }
    node { name: "b" op: "NoOp" input: "^gone" }
  )",
                      Code::kInvalidArgument),
              AllOf(HasSubstr("'a'"), HasSubstr("'nope'"), HasSubstr("'b'"),
                    HasSubstr("'^gone'")));
}

TEST_F(GraphDefTest, OutputIndexOutOfRangeIsAnError) {
  EXPECT_THAT(Failure(std::string(kXY) +
                          R"(node { name: "z" op: "Neg" input: "x:5"
                                    attr { key: "T" value { type: DT_FLOAT } } })",
                      Code::kInvalidArgument),
              AllOf(HasSubstr("'z'"), HasSubstr("5"), HasSubstr("'x'")));
}

TEST_F(GraphDefTest, DataInputAfterControlInputIsAnError) {
  EXPECT_THAT(Failure(std::string(kXY) +
                          R"(node { name: "z" op: "Neg" input: "^y" input: "x"
                                    attr { key: "T" value { type: DT_FLOAT } } })",
                      Code::kInvalidArgument),
              AllOf(HasSubstr("'z'"), HasSubstr("after a control input")));
}

TEST_F(GraphDefTest, DoubledNamesAreAnError) {
  EXPECT_THAT(Failure(R"(node { name: "a" op: "NoOp" } node { name: "a" op: "NoOp" })",
                      Code::kInvalidArgument),
              HasSubstr("two nodes are called 'a'"));
  ASSERT_TRUE(Import(R"(node { name: "a" op: "NoOp" })").ok());
  EXPECT_THAT(Failure(R"(node { name: "a" op: "NoOp" })", Code::kInvalidArgument),
              HasSubstr("already"));
}

TEST_F(GraphDefTest, CyclesNameTheirNodes) {
  const std::string t = R"(attr { key: "T" value { type: DT_FLOAT } })";
  EXPECT_THAT(Failure(R"(node { name: "a" op: "Neg" input: "b" )" + t + "}" +
                          R"(node { name: "b" op: "Neg" input: "a" )" + t + "}",
                      Code::kInvalidArgument),
              AllOf(HasSubstr("cycle of 2 nodes"), HasSubstr("'a'"), HasSubstr("'b'")));
  EXPECT_THAT(Failure(R"(node { name: "s" op: "Neg" input: "s" )" + t + "}",
                      Code::kInvalidArgument),
              AllOf(HasSubstr("cycle of 1 node:"), HasSubstr("'s'")));
  EXPECT_THAT(Failure(R"(node { name: "a" op: "NoOp" input: "^b" }
                         node { name: "b" op: "NoOp" input: "^a" })",
                      Code::kInvalidArgument),
              HasSubstr("cycle of 2 nodes"));
}

TEST_F(GraphDefTest, WhileLoopClosesThroughNextIterationAndMerge) {
  const std::string t = R"(attr { key: "T" value { type: DT_FLOAT } })";
  const Status status = Import(
      R"(node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }
         node { name: "enter" op: "Enter" input: "x" attr { key: "frame_name" value { s: "f" } } )" +
      t + R"(} node { name: "merge" op: "Merge" input: "enter" input: "next"
                      attr { key: "N" value { i: 2 } } )" +
      t + R"(} node { name: "next" op: "NextIteration" input: "merge" )" + t + "}");
  ASSERT_TRUE(status.ok()) << status.ToString();
  const Node* merge = graph_.FindNode("merge");
  EXPECT_EQ(merge->inputs()[1].node, graph_.FindNode("next"));

  const Result<std::string> bytes = ExportGraphDef(graph_);
  Graph again(OpRegistry::Global());
  ASSERT_TRUE(ImportGraphDef(*bytes, {}, &again).ok());
  EXPECT_EQ(again.FindNode("merge")->inputs()[1].node, again.FindNode("next"));
}

TEST_F(GraphDefTest, ScopeFillsEmptyDevicesAndNodesWin) {
  ImportOptions options;
  options.device_scope = "/job:worker/device:GPU:0";
  ASSERT_TRUE(Import(R"(node { name: "a" op: "NoOp" }
                        node { name: "b" op: "NoOp" device: "/cpu:0" })",
                     options)
                  .ok());
  EXPECT_EQ(graph_.FindNode("a")->requested_device(), "/job:worker/device:GPU:0");
  EXPECT_EQ(graph_.FindNode("b")->requested_device(), "/job:worker/device:CPU:0");
}

TEST_F(GraphDefTest, DevicesCanBeCleared) {
  ImportOptions options;
  options.clear_devices = true;
  ASSERT_TRUE(Import(R"(node { name: "b" op: "NoOp" device: "/gpu:0" })", options).ok());
  EXPECT_EQ(graph_.FindNode("b")->requested_device(), "");
}

TEST_F(GraphDefTest, BadDeviceUnderAScopeNamesTheNode) {
  ImportOptions options;
  options.device_scope = "/cpu:0";
  EXPECT_THAT(Failure(R"(node { name: "b" op: "NoOp" device: "/gpu" })",
                      Code::kInvalidArgument, options),
              AllOf(HasSubstr("'b'"), HasSubstr("/gpu")));
}

TEST_F(GraphDefTest, PrefixRenamesNodesInputsAndColocation) {
  ImportOptions options;
  options.prefix = "import";
  ASSERT_TRUE(Import(std::string(kXY) +
                         R"(node { name: "z" op: "NoOp" input: "^y"
                              attr { key: "_class" value { list { s: "loc:@x" } } } })",
                     options)
                  .ok());
  EXPECT_THAT(Names(), ElementsAre("import/x", "import/y", "import/z"));
  EXPECT_THAT(graph_.FindNode("import/z")->attrs().Find("_class")->list()->s,
              ElementsAre("loc:@import/x"));
}

TEST_F(GraphDefTest, UnknownColocationPartnerIsAnError) {
  EXPECT_THAT(Failure(R"(node { name: "z" op: "NoOp"
                              attr { key: "_class" value { list { s: "loc:@v" } } } })",
                      Code::kInvalidArgument),
              AllOf(HasSubstr("'z'"), HasSubstr("'v'")));
}

TEST_F(GraphDefTest, LaterImportMayUseNodesOfTheGraph) {
  ASSERT_TRUE(Import(kXY).ok());
  ASSERT_TRUE(Import(R"(node { name: "z" op: "Neg" input: "y"
                               attr { key: "T" value { type: DT_FLOAT } } })")
                  .ok());
  EXPECT_EQ(graph_.FindNode("z")->inputs()[0].node->name(), "y");
}

class InputMapTest : public GraphDefTest {
 protected:
  void SetUp() override {
    ASSERT_TRUE(Import(R"(
      node { name: "z" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }
    )")
                    .ok());
    options_.prefix = "i";
  }
  static constexpr char kGraph[] = R"(
    node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }
    node { name: "y" op: "Neg" input: "x" input: "^x" input: "^x"
           attr { key: "T" value { type: DT_FLOAT } } }
  )";
  ImportOptions options_;
};

TEST_F(InputMapTest, DataKeyMapsDataOnly) {
  options_.input_map = {{"x:0", "z:0"}};
  ASSERT_TRUE(Import(kGraph, options_).ok());
  const Node* y = graph_.FindNode("i/y");
  EXPECT_EQ(y->inputs()[0].node->name(), "z");
  ASSERT_EQ(y->control_inputs().size(), 1u);
  EXPECT_EQ(y->control_inputs()[0]->name(), "i/x");
}

TEST_F(InputMapTest, ControlKeyMapsControlOnly) {
  options_.input_map = {{"^x", "^z"}};
  ASSERT_TRUE(Import(kGraph, options_).ok());
  const Node* y = graph_.FindNode("i/y");
  EXPECT_EQ(y->inputs()[0].node->name(), "i/x");
  ASSERT_EQ(y->control_inputs().size(), 1u);
  EXPECT_EQ(y->control_inputs()[0]->name(), "z");
}

TEST_F(InputMapTest, MixedEntriesUnusedKeysAndBadTargetsAreErrors) {
  options_.input_map = {{"x", "^z"}};
  EXPECT_THAT(Failure(kGraph, Code::kInvalidArgument, options_), HasSubstr("mixes"));
  options_.input_map = {{"unused", "z"}, {"y:1", "z"}};
  EXPECT_THAT(Failure(kGraph, Code::kInvalidArgument, options_),
              AllOf(HasSubstr("'unused'"), HasSubstr("'y:1'")));
  options_.input_map = {{"x", "nope"}};
  EXPECT_THAT(Failure(kGraph, Code::kInvalidArgument, options_), HasSubstr("'nope'"));
  options_.input_map = {{"x", "z:1"}};
  EXPECT_THAT(Failure(kGraph, Code::kInvalidArgument, options_),
              HasSubstr("out of range"));
}

TEST_F(GraphDefTest, BadTextSaysWhere) {
  EXPECT_THAT(Failure("node {\n  name: 3 }", Code::kInvalidArgument),
              HasSubstr("line 2, column 9"));
}

TEST_F(GraphDefTest, DamagedBytesSayWhere) {
  std::string bytes = *GraphTextToBinary(kXY);
  bytes.resize(bytes.size() - 1);
  const Status status = ImportGraphDef(bytes, {}, &graph_);
  EXPECT_EQ(status.code(), Code::kDataLoss);
  EXPECT_THAT(std::string(status.message()), HasSubstr("at byte"));
}

TEST_F(GraphDefTest, DamagedAttributeNamesNodeAndAttribute) {
  tf::GraphDef def;
  tf::NodeDef* node = def.add_node();
  node->set_name("c");
  node->set_op("Const");
  tf::TensorProto* tensor = (*node->mutable_attr())["value"].mutable_tensor();
  tensor->set_dtype(tf::DT_FLOAT);
  tensor->mutable_tensor_shape()->add_dim()->set_size(3);
  tensor->set_tensor_content("12345");
  (*node->mutable_attr())["dtype"].set_type(tf::DT_FLOAT);
  const Status status = ImportGraphDef(def.SerializeAsString(), {}, &graph_);
  EXPECT_EQ(status.code(), Code::kDataLoss);
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr("'c'"), HasSubstr("'value'"), HasSubstr("12 bytes")));
}

TEST_F(GraphDefTest, FunctionLibraryIsKeptForExport) {
  tf::GraphDef def;
  def.mutable_library()->add_function()->mutable_signature()->set_name("f");
  ASSERT_TRUE(ImportGraphDef(def.SerializeAsString(), {}, &graph_).ok());
  tf::GraphDef out;
  ASSERT_TRUE(out.ParseFromString(*ExportGraphDef(graph_)));
  EXPECT_EQ(out.library().function(0).signature().name(), "f");
}

// A chain of Adds, in file order or backwards.
std::string Chain(int size, bool backwards) {
  tf::GraphDef def;
  tf::NodeDef* x = def.add_node();
  x->set_name("x");
  x->set_op("Placeholder");
  (*x->mutable_attr())["dtype"].set_type(tf::DT_FLOAT);
  for (int i = 0; i < size; ++i) {
    tf::NodeDef* node = def.add_node();
    node->set_name("add_" + std::to_string(i));
    node->set_op("Add");
    node->add_input(i == 0 ? "x" : "add_" + std::to_string(i - 1));
    node->add_input("x");
    (*node->mutable_attr())["T"].set_type(tf::DT_FLOAT);
  }
  if (backwards) std::reverse(def.mutable_node()->begin(), def.mutable_node()->end());
  return def.SerializeAsString();
}

double ImportSeconds(const std::string& bytes) {
  Graph graph(OpRegistry::Global());
  // Processor time, so that busy neighbours do not count.
  const std::clock_t start = std::clock();
  const Status status = ImportGraphDef(bytes, {}, &graph);
  const std::clock_t end = std::clock();
  EXPECT_TRUE(status.ok()) << status.ToString();
  return static_cast<double>(end - start) / CLOCKS_PER_SEC;
}

TEST(GraphDefSpeedTest, ImportIsLinearInEitherOrder) {
  for (const bool backwards : {false, true}) {
    const double small = ImportSeconds(Chain(5000, backwards));
    const double large = ImportSeconds(Chain(50000, backwards));
    // Quadratic time would be 100 times as long; the rest is room for caches and noise.
    EXPECT_LT(large, 30 * small + 0.05);
    std::printf("5,000 nodes: %.1f ms, 50,000 nodes: %.1f ms%s\n", small * 1e3,
                large * 1e3, backwards ? ", backwards" : "");
  }
}

std::string ReadBytes(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream bytes;
  bytes << file.rdbuf();
  return bytes.str();
}

// Equal as TensorFlow would see them: tensors by value, defaults may have been added.
void ExpectSameNode(const tf::NodeDef& want, const tf::NodeDef& got) {
  EXPECT_EQ(got.op(), want.op());
  EXPECT_EQ(got.device(), want.device());
  std::vector<std::string> inputs;
  for (const std::string& input : want.input()) {
    inputs.push_back(input.ends_with(":0") ? input.substr(0, input.size() - 2) : input);
  }
  EXPECT_EQ(std::vector<std::string>(got.input().begin(), got.input().end()), inputs);
  for (const auto& [name, value] : want.attr()) {
    const auto it = got.attr().find(name);
    if (it == got.attr().end()) {
      ADD_FAILURE() << want.name() << " lost its attribute " << name;
    } else if (value.has_tensor() && it->second.has_tensor()) {
      const auto a = formats::DecodeTensor(value.tensor().SerializeAsString());
      const auto b = formats::DecodeTensor(it->second.tensor().SerializeAsString());
      ASSERT_TRUE(a.ok() && b.ok());
      EXPECT_TRUE(AttrValue::OfTensor(*a).Equals(AttrValue::OfTensor(*b))) << want.name();
    } else {
      EXPECT_TRUE(google::protobuf::util::MessageDifferencer::Equals(value, it->second))
          << want.name() << "." << name << ": " << it->second.ShortDebugString();
    }
  }
}

void ExpectRoundTrip(const std::filesystem::path& path) {
  SCOPED_TRACE(path.string());
  const std::string bytes = ReadBytes(path);
  Graph graph(OpRegistry::Global());
  const Status status = ImportGraphDef(bytes, {}, &graph);
  ASSERT_TRUE(status.ok()) << status.ToString();
  tf::GraphDef want;
  tf::GraphDef got;
  ASSERT_TRUE(want.ParseFromString(bytes));
  ASSERT_TRUE(got.ParseFromString(*ExportGraphDef(graph)));
  ASSERT_EQ(got.node_size(), want.node_size());
  std::map<std::string, const tf::NodeDef*> by_name;
  for (const tf::NodeDef& node : got.node()) by_name[node.name()] = &node;
  for (const tf::NodeDef& node : want.node()) {
    ASSERT_EQ(by_name.count(node.name()), 1u) << node.name();
    ExpectSameNode(node, *by_name[node.name()]);
  }
  EXPECT_EQ(got.versions().producer(), want.versions().producer());
}

TEST(GraphDefGoldenTest, ModelsComeInAndGoOutUnchanged) {
  int count = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(BERTH_GOLDEN_DIR "/models")) {
    ExpectRoundTrip(entry.path() / "graph.pb");
    ++count;
  }
  EXPECT_EQ(count, 8);
}

TEST(GraphDefGoldenTest, TextFormCarriesTheWholeModel) {
  Graph graph(OpRegistry::Global());
  const std::string bytes =
      ReadBytes(BERTH_GOLDEN_DIR "/models/lenet_train_ref_dropout_decay/graph.pb");
  ASSERT_TRUE(ImportGraphDef(bytes, {}, &graph).ok());
  const Result<std::string> text = ExportGraphText(graph);
  Graph again(OpRegistry::Global());
  ASSERT_TRUE(ImportGraphText(*text, {}, &again).ok());
  EXPECT_EQ(*ExportGraphDef(again), *ExportGraphDef(graph));
}

}  // namespace
}  // namespace berth
