#include "client/scope.h"

#include "client/testing.h"
#include "core/graph/graph.h"

namespace berth::client {
namespace {

using testing::Floats;

TEST(ScopeTest, NestedDevicesMergeFieldByFieldAndNoneClears) {
  // The expected devices are TensorFlow's for the same nesting (BUGS A9).
  const Scope root = Scope::Root();
  const Scope job = root.Device("/job:localhost");
  const Scope gpu = job.Device("/gpu:0");
  const Scope cpu = gpu.Device("/cpu:0");
  const auto device = [](const Scope& scope) {
    return ops::Const(scope, Floats({}, {1})).node()->requested_device();
  };
  EXPECT_EQ(device(job), "/job:localhost");
  EXPECT_EQ(device(gpu), "/job:localhost/device:GPU:0");
  EXPECT_EQ(device(cpu), "/job:localhost/device:CPU:0");
  EXPECT_EQ(device(cpu.Device("")), "");
  EXPECT_TRUE(root.status().ok());
}

TEST(ScopeTest, VariablesGoToTheVariableDevice) {
  const Scope root = Scope::Root();
  const Scope s = root.Device("/gpu:0").VariableDevice("/cpu:0");
  const Variable w = Variable::Create(s, "w", {2}, Zeros());
  EXPECT_EQ(w.ref().node()->requested_device(), "/device:CPU:0");
  EXPECT_EQ(ops::Neg(s, w).node()->requested_device(), "/device:GPU:0");
}

TEST(ScopeTest, NamesAreUniqueAndScoped) {
  const Scope root = Scope::Root();
  const Scope layer = root.Name("layer");
  EXPECT_EQ(ops::Const(layer, Floats({}, {1})).name(), "layer/Const:0");
  EXPECT_EQ(ops::Const(layer, Floats({}, {1})).name(), "layer/Const_1:0");
  EXPECT_EQ(ops::Const(root.Name("layer"), Floats({}, {1})).name(), "layer_1/Const:0");
  EXPECT_EQ(ops::Const(layer.Absolute(), Floats({}, {1})).name(), "Const:0");
}

TEST(ScopeTest, BadDeviceNameSticksAndQuotesTheString) {
  const Scope root = Scope::Root();
  root.Device("/gpu:4294967296");
  EXPECT_EQ(root.status().code(), Code::kInvalidArgument);
  EXPECT_NE(root.status().message().find("/gpu:4294967296"), std::string_view::npos);
  EXPECT_FALSE(ops::Const(root, Floats({}, {1})));
}

TEST(ScopeTest, ShapeErrorsComeWhileBuildingAndNameTheNode) {
  const Scope root = Scope::Root();
  const Output a = ops::Placeholder(root, "a", BERTH_FLOAT, {2, 3});
  const Output product = ops::MatMul(root.Name("bad"), a, a);
  EXPECT_FALSE(product);
  EXPECT_EQ(root.status().code(), Code::kInvalidArgument);
  EXPECT_NE(root.status().message().find("bad/MatMul"), std::string_view::npos);
}

TEST(ScopeTest, StaticShapesFollowTheOps) {
  const Scope root = Scope::Root();
  const Output x = ops::Placeholder(root, "x", BERTH_FLOAT, {-1, 28, 28, 1});
  const Output w = ops::Placeholder(root, "w", BERTH_FLOAT, {5, 5, 1, 32});
  const Output y = ops::Conv2D(root, x, w, {.stride = 2, .padding = "VALID"});
  EXPECT_EQ(y.shape(), Shape({-1, 12, 12, 32}));
  EXPECT_EQ(ops::Reshape(root, y, std::vector<int64_t>{-1, 4608}).shape(),
            Shape({-1, 4608}));
}

TEST(ScopeTest, ListArgumentsAndTheirAttributesAreDeduced) {
  const Scope root = Scope::Root();
  const Output a = ops::Const(root, Floats({1, 2}, {1, 2}));
  const Output b = ops::Concat(root, {a, a, a}, 0);
  ASSERT_TRUE(b) << root.status().ToString();
  EXPECT_EQ(b.shape(), Shape({3, 2}));
  EXPECT_EQ(b.node()->attrs().GetInt("N"), 3);
}

}  // namespace
}  // namespace berth::client
