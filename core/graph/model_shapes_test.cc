// Compares static shapes in whole models with TensorFlow's: testdata/model_shapes.json,
// which tools/golden_model_shapes writes and describes.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "core/formats/graphdef.h"
#include "core/graph/shape_refiner.h"
#include "core/ops/op_schema.h"

namespace berth {
namespace {

using Json = nlohmann::json;

std::string ReadBytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// Ours must fit TensorFlow's and know at least as much.
void ExpectAtLeastAsDefined(const Shape& ours, const Json& theirs) {
  if (theirs.is_null()) return;
  const Shape expected(theirs.get<std::vector<int64_t>>());
  ASSERT_TRUE(ours.has_rank()) << "nothing known instead of " << expected.ToString();
  ASSERT_TRUE(ours.IsCompatibleWith(expected))
      << ours.ToString() << " instead of " << expected.ToString();
  for (int i = 0; i < ours.rank(); ++i) {
    EXPECT_GE(ours.dim(i), expected.dim(i))
        << ours.ToString() << " instead of " << expected.ToString();
  }
}

TEST(ModelShapesTest, WeKnowWhatTensorFlowKnows) {
  std::ifstream file("testdata/model_shapes.json");
  const Json models = Json::parse(file, nullptr, false);
  ASSERT_TRUE(models.is_object()) << "testdata/model_shapes.json cannot be read";
  int outputs = 0;
  int defined = 0;
  for (const auto& [model, nodes] : models.items()) {
    SCOPED_TRACE(model);
    Graph graph(OpRegistry::Global());
    const std::string bytes =
        ReadBytes(BERTH_GOLDEN_DIR "/models/" + model + "/graph.pb");
    const Status imported = ImportGraphDef(bytes, {}, &graph);
    ASSERT_TRUE(imported.ok()) << imported.ToString();
    ShapeRefiner refiner(&graph);
    const Status inferred = refiner.Update();
    ASSERT_TRUE(inferred.ok()) << inferred.ToString();
    for (const auto& [name, shapes] : nodes.items()) {
      const Node* node = graph.FindNode(name);
      ASSERT_NE(node, nullptr) << name;
      SCOPED_TRACE(name + " (" + node->op() + ")");
      for (int i = 0; i < node->num_outputs(); ++i) {
        ExpectAtLeastAsDefined(refiner.shape(*node, i), shapes[i]);
        ++outputs;
        defined += refiner.shape(*node, i).IsFullyDefined() ? 1 : 0;
      }
    }
  }
  std::printf("%d outputs, %d fully defined\n", outputs, defined);
  EXPECT_GE(outputs, 4154);
}

}  // namespace
}  // namespace berth
