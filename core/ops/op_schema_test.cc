#include "core/ops/op_schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/ops/op_spec.h"

namespace berth {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

OpSchema Parse(const OpSpec& spec) {
  Result<OpSchema> schema = ParseOpSpec(spec);
  EXPECT_TRUE(schema.ok()) << schema.status().ToString();
  return schema.ok() ? *std::move(schema) : OpSchema();
}

TEST(OpSpecTest, ReadsArguments) {
  const OpSchema op =
      Parse({"X", "ref: Ref(T), values: N * T, rest: Tl -> a: int32, b: T",
             "T: type; N: int >= 2; Tl: list(type)"});
  ASSERT_EQ(op.inputs.size(), 3U);
  EXPECT_TRUE(op.inputs[0].is_ref);
  EXPECT_EQ(op.inputs[0].type_attr, "T");
  EXPECT_EQ(op.inputs[1].number_attr, "N");
  EXPECT_EQ(op.inputs[1].type_attr, "T");
  EXPECT_EQ(op.inputs[2].type_list_attr, "Tl");
  ASSERT_EQ(op.outputs.size(), 2U);
  EXPECT_EQ(op.outputs[0].dtype, BERTH_INT32);
  EXPECT_EQ(op.attrs[1].minimum, 2);
}

TEST(OpSpecTest, ReadsAttributes) {
  const OpSchema op = Parse(
      {"X", "-> y: T",
       "T: {float, int32} = int32; mode: {'A', 'B'} = 'B'; axes: list(int) = [0, -1]; "
       "shape: shape = ?; dims: shape = [2, -1]; e: float = 1e-3; s: string = '\\n,'; "
       "b: bool = true; types: list({float}) >= 0 = []; x: tensor = uint8[1, 255]"});
  EXPECT_THAT(op.attrs[0].allowed_types, ElementsAre(BERTH_FLOAT, BERTH_INT32));
  EXPECT_EQ(op.attrs[0].default_value->get<TypeAttr>()->dtype, BERTH_INT32);
  EXPECT_THAT(op.attrs[1].allowed_strings, ElementsAre("A", "B"));
  EXPECT_THAT(op.attrs[2].default_value->list()->i, ElementsAre(0, -1));
  EXPECT_FALSE(op.attrs[3].default_value->get<Shape>()->has_rank());
  EXPECT_EQ(*op.attrs[4].default_value->get<Shape>(), Shape({2, -1}));
  EXPECT_EQ(*op.attrs[5].default_value->get<float>(), 1e-3F);
  EXPECT_EQ(*op.attrs[6].default_value->get<std::string>(), "\n,");
  EXPECT_EQ(op.attrs[8].type, "list(type)");
  EXPECT_EQ(op.attrs[8].minimum, 0);
  EXPECT_EQ(op.attrs[9].default_value->get<Tensor>()->data<uint8_t>()[1], 255);
}

TEST(OpSpecTest, SaysWhereTextIsWrong) {
  for (const OpSpec& spec :
       {OpSpec{"X", "a: Unknown"}, OpSpec{"X", "a float"},
        OpSpec{"X", "a: float ->> b: float"}, OpSpec{"X", "", "T: typ"},
        OpSpec{"X", "", "i: int = x"}, OpSpec{"X", "", "s: string = 'open"},
        OpSpec{"X", "a: N * float", ""}}) {
    const Result<OpSchema> schema = ParseOpSpec(spec);
    EXPECT_EQ(schema.status().code(), Code::kInternal) << spec.signature << spec.attrs;
  }
}

TEST(OpRegistryTest, IdenticalOpIsANoOpAndADifferentOneIsRefused) {
  OpRegistry registry;
  EXPECT_TRUE(registry.Register(Parse({"Acme>Foo", "x: T -> y: T", "T: type"})).ok());
  EXPECT_TRUE(registry.Register(Parse({"Acme>Foo", "x: T -> y: T", "T: type"})).ok());
  const Status refused = registry.Register(Parse({"Acme>Foo", "x: float -> y: float"}));
  EXPECT_EQ(refused.code(), Code::kAlreadyExists);
  EXPECT_THAT(std::string(refused.message()), HasSubstr("Acme>Foo"));
}

TEST(OpRegistryTest, UnregisteredSchemaIsHiddenButStaysAlive) {
  OpRegistry registry;
  ASSERT_TRUE(registry.Register(Parse({"Acme>Foo", "x: float -> y: float"})).ok());
  const OpSchema* schema = registry.Find("Acme>Foo");
  registry.Unregister("Acme>Foo", "");
  EXPECT_EQ(registry.Find("Acme>Foo"), nullptr);
  EXPECT_EQ(schema->name, "Acme>Foo");
  EXPECT_TRUE(registry.Register(Parse({"Acme>Foo", "x: int32 -> y: int32"})).ok());
}

TEST(OpRegistryTest, IdenticalOpOfAnotherPluginTakesOver) {
  OpRegistry registry;
  const auto foo = [](const char* plugin) {
    OpSchema schema = Parse({"Acme>Foo", "x: float -> y: float"});
    schema.plugin = plugin;
    return schema;
  };
  for (const char* plugin : {"one", "two", "three"}) {
    ASSERT_TRUE(registry.Register(foo(plugin)).ok());
  }
  registry.Unregister("Acme>Foo", "nobody");
  EXPECT_EQ(registry.Find("Acme>Foo")->plugin, "one");
  registry.Unregister("Acme>Foo", "two");
  registry.Unregister("Acme>Foo", "one");
  EXPECT_EQ(registry.Find("Acme>Foo")->plugin, "three");
  registry.Unregister("Acme>Foo", "three");
  EXPECT_EQ(registry.Find("Acme>Foo"), nullptr);
}

TEST(OpRegistryTest, SuggestsNearNames) {
  const OpRegistry& ops = *OpRegistry::Global();
  EXPECT_THAT(ops.Similar("Conv2d"), ::testing::Contains("Conv2D"));
  EXPECT_THAT(ops.Similar("Matmul"), ::testing::Contains("MatMul"));
  EXPECT_THAT(ops.Similar("Placeholdr"), ::testing::Contains("Placeholder"));
  EXPECT_TRUE(ops.Similar("Zzzzzzzzzzz").empty());
}

TEST(ArgTest, RangesFollowAttributes) {
  const OpSchema* op = OpRegistry::Global()->Find("ConcatV2");
  ASSERT_NE(op, nullptr);
  AttrMap attrs;
  attrs.Set("N", AttrValue::Int(3));
  EXPECT_EQ(ArgRange(op->inputs, attrs, "values"), std::make_pair(0, 3));
  EXPECT_EQ(ArgRange(op->inputs, attrs, "axis"), std::make_pair(3, 4));
  EXPECT_EQ(ArgRange(op->inputs, attrs, "none"), std::make_pair(-1, -1));
}

}  // namespace
}  // namespace berth
