#include "core/graph/attr_value.h"

#include <gtest/gtest.h>

#include <cmath>

namespace berth {
namespace {

Tensor Floats(std::vector<float> values) {
  Tensor tensor = *Tensor::Allocate(BERTH_FLOAT, Shape({int64_t(values.size())}));
  std::copy(values.begin(), values.end(), tensor.mutable_data<float>());
  return tensor;
}

TEST(AttrValueTest, KindNamesAreThoseOfOpDefs) {
  EXPECT_EQ(AttrValue().KindName(), "nothing");
  EXPECT_EQ(AttrValue::String("x").KindName(), "string");
  EXPECT_EQ(AttrValue::Int(1).KindName(), "int");
  EXPECT_EQ(AttrValue::Float(1).KindName(), "float");
  EXPECT_EQ(AttrValue::Bool(true).KindName(), "bool");
  EXPECT_EQ(AttrValue::Type(BERTH_FLOAT).KindName(), "type");
  EXPECT_EQ(AttrValue::OfShape({2}).KindName(), "shape");
  EXPECT_EQ(AttrValue::OfTensor(Floats({1})).KindName(), "tensor");
  EXPECT_EQ(AttrValue::OfList({}).KindName(), "list");
  EXPECT_EQ(AttrValue::OfList({.i = {1, 2}}).KindName(), "list(int)");
  EXPECT_EQ(AttrValue::OfList({.type = {BERTH_INT32}}).KindName(), "list(type)");
}

TEST(AttrValueTest, EqualityComparesContents) {
  EXPECT_TRUE(
      AttrValue::OfTensor(Floats({1, 2})).Equals(AttrValue::OfTensor(Floats({1, 2}))));
  EXPECT_FALSE(
      AttrValue::OfTensor(Floats({1, 2})).Equals(AttrValue::OfTensor(Floats({1, 3}))));
  EXPECT_FALSE(AttrValue::Int(3).Equals(AttrValue::Type(3)));
  EXPECT_TRUE(AttrValue::Float(NAN).Equals(AttrValue::Float(NAN)));
  EXPECT_FALSE(AttrValue::Float(0.0F).Equals(AttrValue::Float(-0.0F)));
  EXPECT_TRUE(AttrValue::OfList({.i = {1}}).Equals(AttrValue::OfList({.i = {1}})));
  EXPECT_FALSE(AttrValue::OfList({.i = {1}}).Equals(AttrValue::OfList({.f = {1}})));
}

TEST(AttrValueTest, TextIsCutAndOnOneLine) {
  EXPECT_EQ(AttrValue::String("a\nb").ToString(), "'a?b'");
  EXPECT_LT(AttrValue::String(std::string(5000, 'x')).ToString().size(), 200U);
  ListAttr list;
  list.i.assign(1000, 7);
  EXPECT_LT(AttrValue::OfList(std::move(list)).ToString().size(), 200U);
  EXPECT_EQ(AttrValue::OfList({.type = {BERTH_FLOAT, BERTH_INT32}}).ToString(),
            "[float, int32]");
}

TEST(AttrMapTest, StaysSortedAndReplaces) {
  AttrMap map;
  map.Set("b", AttrValue::Int(1));
  map.Set("c", AttrValue::Bool(true));
  map.Set("a", AttrValue::String("x"));
  map.Set("b", AttrValue::Int(2));
  ASSERT_EQ(map.size(), 3U);
  std::string names;
  for (const auto& [name, value] : map) names += name;
  EXPECT_EQ(names, "abc");
  EXPECT_EQ(map.GetInt("b"), 2);
  map.Erase("b");
  EXPECT_EQ(map.Find("b"), nullptr);
  EXPECT_EQ(map.size(), 2U);
}

TEST(AttrMapTest, TypedReadsFallBackOnAnotherKind) {
  AttrMap map;
  map.Set("x", AttrValue::String("text"));
  EXPECT_EQ(map.GetInt("x", 5), 5);
  EXPECT_EQ(map.GetType("x"), BERTH_INVALID_DTYPE);
  EXPECT_EQ(map.GetString("x"), "text");
  EXPECT_TRUE(map.GetInts("x").empty());
  EXPECT_TRUE(map.GetInts("absent").empty());
  EXPECT_EQ(map.GetShape("x"), nullptr);
}

}  // namespace
}  // namespace berth
