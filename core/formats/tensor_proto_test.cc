#include "core/formats/tensor_proto.h"

#include <gmock/gmock.h>
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

#include <cstring>

#include "berth/proto/tensor.pb.h"
#include "core/formats/file.h"
#include "core/formats/wire.h"

// The messages are made by protobuf, whose encoder and decoder are not ours.

namespace berth::formats {
namespace {

using google::protobuf::util::MessageDifferencer;
using testing::ElementsAre;
using testing::HasSubstr;

tf::TensorProto Proto(tf::DataType dtype, const std::vector<int64_t>& dims) {
  tf::TensorProto proto;
  proto.set_dtype(dtype);
  for (const int64_t size : dims) proto.mutable_tensor_shape()->add_dim()->set_size(size);
  return proto;
}

template <typename T>
std::vector<T> Values(const tf::TensorProto& proto) {
  const auto tensor = DecodeTensor(proto.SerializeAsString());
  EXPECT_TRUE(tensor.ok()) << tensor.status().ToString();
  if (!tensor.ok()) return {};
  return {tensor->data<T>(), tensor->data<T>() + tensor->num_elements()};
}

TEST(TensorProtoTest, ContentIsCopied) {
  tf::TensorProto proto = Proto(tf::DT_INT16, {2});
  proto.set_tensor_content(std::string("\x01\x00\xff\xff", 4));
  EXPECT_THAT(Values<int16_t>(proto), ElementsAre(1, -1));
}

TEST(TensorProtoTest, LastTypedValueRepeats) {
  tf::TensorProto proto = Proto(tf::DT_FLOAT, {2, 2});
  proto.add_float_val(1);
  proto.add_float_val(2.5);
  EXPECT_THAT(Values<float>(proto), ElementsAre(1, 2.5, 2.5, 2.5));
}

TEST(TensorProtoTest, NoValueMeansZerosAndExtraValuesAreIgnored) {
  EXPECT_THAT(Values<int64_t>(Proto(tf::DT_INT64, {2})), ElementsAre(0, 0));
  tf::TensorProto proto = Proto(tf::DT_INT64, {1});
  proto.add_int64_val(-7);
  proto.add_int64_val(8);
  EXPECT_THAT(Values<int64_t>(proto), ElementsAre(-7));
}

TEST(TensorProtoTest, EachTypeHasItsField) {
  tf::TensorProto proto = Proto(tf::DT_INT8, {3});
  proto.add_int_val(-128);
  proto.add_int_val(127);
  EXPECT_THAT(Values<int8_t>(proto), ElementsAre(-128, 127, 127));
  proto = Proto(tf::DT_HALF, {1});
  proto.add_half_val(0x3c00);
  EXPECT_THAT(Values<uint16_t>(proto), ElementsAre(0x3c00));
  proto = Proto(tf::DT_BFLOAT16, {1});
  proto.add_half_val(0x3f80);
  EXPECT_THAT(Values<uint16_t>(proto), ElementsAre(0x3f80));
  proto = Proto(tf::DT_BOOL, {2});
  proto.add_bool_val(true);
  EXPECT_THAT(Values<uint8_t>(proto), ElementsAre(1, 1));
  proto = Proto(tf::DT_UINT32, {1});
  proto.add_uint32_val(4000000000u);
  EXPECT_THAT(Values<uint32_t>(proto), ElementsAre(4000000000u));
  proto = Proto(tf::DT_UINT64, {1});
  proto.add_uint64_val(~uint64_t{0});
  EXPECT_THAT(Values<uint64_t>(proto), ElementsAre(~uint64_t{0}));
  proto = Proto(tf::DT_COMPLEX64, {2});
  proto.add_scomplex_val(1);
  proto.add_scomplex_val(2);
  const auto complex = DecodeTensor(proto.SerializeAsString());
  EXPECT_EQ(complex->data<float>()[3], 2);
  proto = Proto(tf::DT_DOUBLE, {1});
  proto.add_double_val(0.1);
  EXPECT_THAT(Values<double>(proto), ElementsAre(0.1));
}

TEST(TensorProtoTest, StringsFromValuesAndFromContent) {
  tf::TensorProto proto = Proto(tf::DT_STRING, {3});
  proto.add_string_val("a");
  proto.add_string_val("bc");
  const auto tensor = DecodeTensor(proto.SerializeAsString());
  ASSERT_TRUE(tensor.ok());
  EXPECT_EQ(tensor->strings()[2], "bc");
  proto.clear_string_val();
  proto.set_tensor_content("\x01\x02\x01xyyz");
  EXPECT_EQ(DecodeTensor(proto.SerializeAsString())->strings()[1], "yy");
  proto.set_tensor_content("\x01\x02\x7fxyyz");
  EXPECT_EQ(DecodeTensor(proto.SerializeAsString()).status().code(), Code::kDataLoss);
}

TEST(TensorProtoTest, UnpackedValuesAreReadAsWell) {
  std::string bytes = Proto(tf::DT_INT32, {2}).SerializeAsString();
  AppendVarintField(7, 5, &bytes);
  AppendVarintField(7, ~uint64_t{0}, &bytes);
  const auto tensor = DecodeTensor(bytes);
  EXPECT_EQ(tensor->data<int32_t>()[0], 5);
  EXPECT_EQ(tensor->data<int32_t>()[1], -1);
}

Code FailureCode(const tf::TensorProto& proto) {
  return DecodeTensor(proto.SerializeAsString()).status().code();
}

TEST(TensorProtoTest, WhatCannotBeIsRefusedBeforeMemoryIsTaken) {
  EXPECT_EQ(FailureCode(Proto(tf::DT_INVALID, {1})), Code::kInvalidArgument);
  EXPECT_EQ(FailureCode(Proto(static_cast<tf::DataType>(99), {1})),
            Code::kInvalidArgument);
  EXPECT_EQ(FailureCode(Proto(tf::DT_FLOAT_REF, {1})), Code::kInvalidArgument);
  EXPECT_EQ(FailureCode(Proto(tf::DT_RESOURCE, {})), Code::kUnimplemented);
  EXPECT_EQ(FailureCode(Proto(tf::DT_FLOAT, {-1})), Code::kInvalidArgument);
  EXPECT_EQ(FailureCode(Proto(tf::DT_FLOAT, {-5})), Code::kInvalidArgument);
  EXPECT_EQ(FailureCode(Proto(tf::DT_FLOAT, std::vector<int64_t>(300, 1))),
            Code::kInvalidArgument);
  EXPECT_EQ(FailureCode(Proto(tf::DT_FLOAT, {int64_t{1} << 40, int64_t{1} << 40, 0})),
            Code::kInvalidArgument);
  EXPECT_EQ(FailureCode(Proto(tf::DT_FLOAT, {int64_t{1} << 32})),
            Code::kResourceExhausted);
  EXPECT_EQ(FailureCode(Proto(tf::DT_STRING, {int64_t{1} << 30})),
            Code::kResourceExhausted);
  tf::TensorProto proto = Proto(tf::DT_FLOAT, {2});
  proto.set_tensor_content("1234567");
  EXPECT_EQ(FailureCode(proto), Code::kDataLoss);
}

// What goes out is read back by protobuf: one value, content, or strings.
TEST(TensorProtoTest, EncodedTensorsAreWhatProtobufReads) {
  std::string bytes;
  AppendTensor(Tensor::Scalar<float>(BERTH_FLOAT, 2.5f), &bytes);
  tf::TensorProto want = Proto(tf::DT_FLOAT, {});
  want.mutable_tensor_shape();
  want.add_float_val(2.5f);
  tf::TensorProto got;
  ASSERT_TRUE(got.ParseFromString(bytes));
  EXPECT_TRUE(MessageDifferencer::Equals(want, got)) << got.DebugString();

  Tensor zeros = *Tensor::Allocate(BERTH_INT32, Shape{100, 0 + 1});
  std::fill_n(zeros.mutable_data<int32_t>(), 100, -3);
  bytes.clear();
  AppendTensor(zeros, &bytes);
  ASSERT_TRUE(got.ParseFromString(bytes));
  EXPECT_THAT(got.int_val(), ElementsAre(-3));
  EXPECT_EQ(got.tensor_content(), "");

  zeros.mutable_data<int32_t>()[99] = 1;
  bytes.clear();
  AppendTensor(zeros, &bytes);
  ASSERT_TRUE(got.ParseFromString(bytes));
  EXPECT_EQ(got.tensor_content().size(), 400u);

  Tensor strings = *Tensor::Allocate(BERTH_STRING, Shape{2});
  strings.mutable_strings()[1] = "b";
  bytes.clear();
  AppendTensor(strings, &bytes);
  ASSERT_TRUE(got.ParseFromString(bytes));
  EXPECT_THAT(got.string_val(), ElementsAre("", "b"));
}

TEST(TensorProtoTest, EveryDTypeSurvivesTheRoundTripAsValueAndAsContent) {
  for (DType dtype = BERTH_FLOAT; dtype <= BERTH_UINT64; ++dtype) {
    if (dtype == BERTH_RESOURCE || dtype == BERTH_VARIANT || dtype == BERTH_STRING) {
      continue;
    }
    for (const int64_t count : {0, 1, 5, 100}) {
      Tensor tensor = *Tensor::Allocate(dtype, Shape{count});
      for (uint64_t i = 0; i < tensor.byte_size(); ++i) {
        // A bool holds nothing but 0 and 1.
        tensor.raw()[i] = static_cast<char>(dtype == BERTH_BOOL ? i % 2 : i * 41 + 130);
      }
      std::string bytes;
      AppendTensor(tensor, &bytes);
      const auto back = DecodeTensor(bytes);
      ASSERT_TRUE(back.ok()) << DTypeName(dtype) << count << back.status().ToString();
      ASSERT_EQ(back->shape(), tensor.shape());
      EXPECT_TRUE(tensor.byte_size() == 0 ||
                  std::memcmp(back->raw(), tensor.raw(), tensor.byte_size()) == 0)
          << DTypeName(dtype) << count;
    }
  }
}

TEST(ShapeProtoTest, UnknownRankAndSizes) {
  tf::TensorShapeProto proto;
  proto.set_unknown_rank(true);
  EXPECT_FALSE(DecodeShape(proto.SerializeAsString())->has_rank());
  proto.add_dim()->set_size(2);
  EXPECT_EQ(DecodeShape(proto.SerializeAsString()).status().code(),
            Code::kInvalidArgument);
  proto.set_unknown_rank(false);
  proto.add_dim()->set_size(-1);
  EXPECT_EQ(*DecodeShape(proto.SerializeAsString()), Shape({2, -1}));
  std::string bytes;
  AppendShape(Shape({2, -1, 0}), &bytes);
  ASSERT_TRUE(proto.ParseFromString(bytes));
  EXPECT_EQ(proto.dim_size(), 3);
  EXPECT_EQ(proto.dim(1).size(), -1);
  EXPECT_EQ(proto.dim(2).size(), 0);
}

// Recorded by TensorFlow: string constants.
TEST(TensorProtoTest, GoldenStringTensors) {
  const std::string bytes =
      *ReadFile(BERTH_GOLDEN_DIR "/files/checkpoint_v2_basic/expected/v013.tensorproto");
  const auto tensor = DecodeTensor(bytes);
  ASSERT_TRUE(tensor.ok());
  EXPECT_EQ(tensor->strings()[0], "one string");
}

TEST(WireTest, UnknownFieldsAndGroupsAreSkipped) {
  // Group 20 with a number and a nested group 21, then field 1 = 7.
  const std::string bytes("\xa3\x01\x08\x05\xab\x01\xac\x01\xa4\x01\x08\x07", 12);
  WireReader reader(bytes);
  uint64_t seen = 0;
  while (reader.Next()) {
    if (reader.field() == 1 && reader.is_varint()) seen = reader.value();
  }
  EXPECT_TRUE(reader.ok()) << reader.status().ToString();
  EXPECT_EQ(seen, 7u);
}

TEST(WireTest, DamageIsFoundWhereItIs) {
  for (const std::string& bytes :
       {std::string("\x08"),
        std::string("\x0a\x05"
                    "abc"),
        std::string("\x00\x01", 2), std::string("\x0d\x01\x02", 3), std::string("\x0e"),
        std::string("\xa3\x01"), std::string("\x0c"), std::string(11, '\xff')}) {
    WireReader reader(bytes, 100);
    while (reader.Next()) {
    }
    EXPECT_EQ(reader.status().code(), Code::kDataLoss);
    EXPECT_THAT(std::string(reader.status().message()), HasSubstr("at byte 10"));
  }
}

TEST(WireTest, Utf8) {
  EXPECT_TRUE(IsValidUtf8("a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"));
  for (const char* bad : {"\xff", "\xc3", "\xc0\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80",
                          "\xe2\x82", "\x80"}) {
    EXPECT_FALSE(IsValidUtf8(bad));
  }
}

}  // namespace
}  // namespace berth::formats
