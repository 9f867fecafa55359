#include "core/graph/shape_refiner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "core/ops/op_schema.h"

namespace berth {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

using Attrs = std::map<std::string, AttrValue>;
const AttrValue kFloat = AttrValue::Type(BERTH_FLOAT);
const AttrValue kInt32 = AttrValue::Type(BERTH_INT32);

Tensor Ints(const std::vector<int32_t>& values, const Shape& shape) {
  Tensor tensor = *Tensor::Allocate(BERTH_INT32, shape);
  std::copy(values.begin(), values.end(), tensor.mutable_data<int32_t>());
  return tensor;
}

class ShapeRefinerTest : public ::testing::Test {
 protected:
  OutputRef Add(const std::string& op, const Attrs& attrs,
                std::vector<OutputRef> inputs = {}) {
    NodeSpec spec;
    spec.name = "n" + std::to_string(graph_.num_nodes());
    spec.op = op;
    for (const auto& [name, value] : attrs) spec.attrs.Set(name, value);
    spec.inputs = std::move(inputs);
    Result<Node*> node = graph_.AddNode(std::move(spec));
    EXPECT_TRUE(node.ok()) << node.status().ToString();
    return {node.ok() ? *node : graph_.node(0), 0};
  }
  OutputRef Placeholder(const Shape& shape, DType dtype = BERTH_FLOAT) {
    return Add("Placeholder",
               {{"dtype", AttrValue::Type(dtype)}, {"shape", AttrValue::OfShape(shape)}});
  }
  OutputRef Vector(const std::vector<int32_t>& values) {
    return Const(Ints(values, Shape({static_cast<int64_t>(values.size())})));
  }
  OutputRef Scalar(int32_t value) { return Const(Ints({value}, Shape())); }
  OutputRef Const(Tensor value) {
    return Add("Const", {{"dtype", AttrValue::Type(value.dtype())},
                         {"value", AttrValue::OfTensor(value)}});
  }
  Shape ShapeOf(OutputRef ref) {
    const Status status = refiner_.Update();
    EXPECT_TRUE(status.ok()) << status.ToString();
    return status.ok() ? refiner_.shape(*ref.node, ref.index) : Shape();
  }
  std::vector<int64_t> ValueOf(OutputRef ref) {
    EXPECT_TRUE(refiner_.Update().ok());
    const Tensor* value = refiner_.value(*ref.node, ref.index);
    EXPECT_NE(value, nullptr);
    return value != nullptr ? value->ToInts() : std::vector<int64_t>();
  }

  Graph graph_{OpRegistry::Global()};
  ShapeRefiner refiner_{&graph_};
};

TEST_F(ShapeRefinerTest, ShapesFlowThroughANetwork) {
  const OutputRef image = Placeholder({-1, 28, 28, 1});
  const OutputRef filter = Placeholder({5, 5, 1, 32});
  const AttrValue ones = AttrValue::OfList({.i = {1, 1, 1, 1}});
  const AttrValue twos = AttrValue::OfList({.i = {1, 2, 2, 1}});
  const AttrValue same = AttrValue::String("SAME");
  const OutputRef conv = Add(
      "Conv2D", {{"T", kFloat}, {"strides", ones}, {"padding", same}}, {image, filter});
  EXPECT_EQ(ShapeOf(conv), Shape({-1, 28, 28, 32}));
  const OutputRef pool =
      Add("MaxPool",
          {{"T", kFloat}, {"ksize", twos}, {"strides", twos}, {"padding", same}}, {conv});
  EXPECT_EQ(ShapeOf(pool), Shape({-1, 14, 14, 32}));
}

TEST_F(ShapeRefinerTest, FlattenKeepsTheUnknownBatch) {
  // reshape(x, [shape(x)[0], -1]), as layers write it.
  const OutputRef x = Placeholder({-1, 7, 7, 64});
  const OutputRef shape = Add("Shape", {{"T", kFloat}}, {x});
  const OutputRef batch =
      Add("StridedSlice",
          {{"T", kInt32}, {"Index", kInt32}, {"shrink_axis_mask", AttrValue::Int(1)}},
          {shape, Vector({0}), Vector({1}), Vector({1})});
  EXPECT_EQ(ShapeOf(batch), Shape());
  const OutputRef dims =
      Add("Pack", {{"T", kInt32}, {"N", AttrValue::Int(2)}}, {batch, Scalar(3136)});
  const OutputRef flat = Add("Reshape", {{"T", kFloat}}, {x, dims});
  EXPECT_EQ(ShapeOf(flat), Shape({-1, 3136}));
}

TEST_F(ShapeRefinerTest, ArithmeticOnShapesIsFolded) {
  const OutputRef x = Placeholder({4, 6, 10});
  const OutputRef shape = Add("Shape", {{"T", kFloat}}, {x});
  EXPECT_THAT(ValueOf(shape), ElementsAre(4, 6, 10));
  const OutputRef tail = Add(
      "StridedSlice", {{"T", kInt32}, {"Index", kInt32}, {"end_mask", AttrValue::Int(1)}},
      {shape, Vector({1}), Vector({0}), Vector({1})});
  EXPECT_THAT(ValueOf(tail), ElementsAre(6, 10));
  const OutputRef product = Add("Prod", {{"T", kInt32}}, {tail, Vector({0})});
  EXPECT_THAT(ValueOf(product), ElementsAre(60));
  const OutputRef half = Add("FloorDiv", {{"T", kInt32}}, {product, Scalar(-7)});
  EXPECT_THAT(ValueOf(half), ElementsAre(-9));
  const OutputRef both = Add("ConcatV2", {{"T", kInt32}, {"N", AttrValue::Int(2)}},
                             {tail, Vector({1, 2}), Scalar(0)});
  EXPECT_THAT(ValueOf(both), ElementsAre(6, 10, 1, 2));
  const OutputRef size = Add("Size", {{"T", kFloat}}, {x});
  EXPECT_THAT(ValueOf(size), ElementsAre(240));
  const OutputRef range =
      Add("Range", {{"Tidx", kInt32}}, {Scalar(0), Scalar(3), Scalar(1)});
  EXPECT_EQ(ShapeOf(range), Shape({3}));
  EXPECT_THAT(ValueOf(range), ElementsAre(0, 1, 2));
}

TEST_F(ShapeRefinerTest, OverflowIsUnknownAndNotWrong) {
  const OutputRef big = Scalar(2000000000);
  const OutputRef sum = Add("AddV2", {{"T", kInt32}}, {big, big});
  ASSERT_TRUE(refiner_.Update().ok());
  EXPECT_EQ(refiner_.value(*sum.node, 0), nullptr);
}

TEST_F(ShapeRefinerTest, GradientAxesOfABroadcastAreKnown) {
  const OutputRef a = Add("Shape", {{"T", kFloat}}, {Placeholder({8, 5})});
  const OutputRef b = Add("Shape", {{"T", kFloat}}, {Placeholder({5})});
  const OutputRef axes = Add("BroadcastGradientArgs", {{"T", kInt32}}, {a, b});
  EXPECT_THAT(ValueOf({axes.node, 0}), ElementsAre());
  EXPECT_THAT(ValueOf({axes.node, 1}), ElementsAre(0));
  EXPECT_EQ(ShapeOf({axes.node, 1}), Shape({1}));
  const OutputRef grad = Placeholder({8, 5});
  const OutputRef sum = Add("Sum", {{"T", kFloat}}, {grad, OutputRef{axes.node, 1}});
  EXPECT_EQ(ShapeOf(sum), Shape({5}));
}

TEST_F(ShapeRefinerTest, HandlesCarryTheVariablesShape) {
  const OutputRef handle =
      Add("VarHandleOp", {{"dtype", kFloat}, {"shape", AttrValue::OfShape({3, 4})}});
  const OutputRef id =
      Add("Identity", {{"T", AttrValue::Type(BERTH_RESOURCE)}}, {handle});
  const OutputRef read = Add("ReadVariableOp", {{"dtype", kFloat}}, {id});
  EXPECT_EQ(ShapeOf(read), Shape({3, 4}));
  ASSERT_NE(refiner_.handle(*id.node, 0), nullptr);
  EXPECT_EQ(refiner_.handle(*id.node, 0)->dtype, BERTH_FLOAT);
  Add("AssignVariableOp", {{"dtype", kFloat}}, {handle, Placeholder({4, 4})});
  const Status status = refiner_.Update();
  EXPECT_EQ(status.code(), Code::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("AssignVariableOp"));
}

TEST_F(ShapeRefinerTest, LoopsHaveUnknownShapesAtTheirMerge) {
  const OutputRef start = Placeholder({2});
  const OutputRef enter =
      Add("Enter", {{"T", kFloat}, {"frame_name", AttrValue::String("f")}}, {start});
  const OutputRef merge =
      Add("Merge", {{"T", kFloat}, {"N", AttrValue::Int(2)}}, {enter, {}});
  const OutputRef next = Add("NextIteration", {{"T", kFloat}}, {merge});
  ASSERT_TRUE(graph_.AddBackEdge(merge.node, 1, next).ok());
  EXPECT_EQ(ShapeOf(enter), Shape({2}));
  EXPECT_FALSE(ShapeOf(merge).has_rank());
  EXPECT_FALSE(ShapeOf(next).has_rank());
}

TEST_F(ShapeRefinerTest, AnErrorNamesTheNodeAndLeavesTheRestUsable) {
  const OutputRef a = Placeholder({2, 3});
  const OutputRef b = Placeholder({4, 5});
  const int good = graph_.num_nodes();
  Add("MatMul", {{"T", kFloat}}, {a, b});
  const Status status = refiner_.Update();
  EXPECT_EQ(status.code(), Code::kInvalidArgument);
  EXPECT_EQ(
      status.message(),
      "Dimensions must be equal, but are 3 and 4 for 'n2' (op: 'MatMul') with input "
      "shapes: [2,3], [4,5].");
  EXPECT_EQ(refiner_.num_nodes(), good);
  graph_.TruncateTo(good);
  refiner_.TruncateTo(good);
  const OutputRef fits =
      Add("MatMul", {{"T", kFloat}, {"transpose_b", AttrValue::Bool(true)}},
          {a, Placeholder({4, 3})});
  EXPECT_EQ(ShapeOf(fits), Shape({2, 4}));
}

TEST_F(ShapeRefinerTest, TruncateForgetsValues) {
  const OutputRef x = Placeholder({4, 6});
  ASSERT_TRUE(refiner_.Update().ok());
  const int keep = graph_.num_nodes();
  EXPECT_THAT(ValueOf(Add("Shape", {{"T", kFloat}}, {x})), ElementsAre(4, 6));
  graph_.TruncateTo(keep);
  refiner_.TruncateTo(keep);
  const OutputRef other = Placeholder({2}, BERTH_INT32);
  ASSERT_TRUE(refiner_.Update().ok());
  EXPECT_EQ(refiner_.value(*other.node, 0), nullptr);
}

TEST_F(ShapeRefinerTest, InferNodeShapesIsForARun) {
  const OutputRef x = Placeholder({-1, -1});
  const OutputRef reshape =
      Add("Reshape", {{"T", kFloat}}, {x, Placeholder({-1}, BERTH_INT32)});
  const Tensor dims = Ints({-1, 6}, Shape({2}));
  const Shape shapes[] = {Shape({4, 3}), Shape({2})};
  const Tensor* values[] = {nullptr, &dims};
  InferenceContext::Args args;
  args.input_shapes = shapes;
  args.input_values = values;
  std::vector<Shape> outputs;
  ASSERT_TRUE(InferNodeShapes(*reshape.node, args, &outputs).ok());
  EXPECT_THAT(outputs, ElementsAre(Shape({2, 6})));
  const Shape wrong[] = {Shape({4, 4}), Shape({2})};
  args.input_shapes = wrong;
  EXPECT_EQ(InferNodeShapes(*reshape.node, args, &outputs).code(),
            Code::kInvalidArgument);
}

}  // namespace
}  // namespace berth
