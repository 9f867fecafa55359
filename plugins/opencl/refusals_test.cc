// What the plugin refuses it refuses when a node is placed, naming attribute and value;
// what it accepts runs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plugins/opencl/testing/harness.h"

namespace berth::opencl::testing {
namespace {

using ::testing::HasSubstr;
using Ints = std::vector<int64_t>;

class RefusalsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto opened = Harness::Open();
    ASSERT_TRUE(opened.ok()) << opened.status().message();
    harness_ = std::move(*opened);
  }

  std::unique_ptr<Harness> harness_;
};

// A float of which nothing but the rank is known.
HostTensor Unknown(size_t rank) {
  HostTensor tensor;
  tensor.dims.assign(rank, -1);
  return tensor;
}

OpCall Conv2D() {
  OpCall call;
  call.op = "Conv2D";
  call.attrs = {{"T", TypeAttr{BERTH_FLOAT}},
                {"strides", Ints{1, 1, 1, 1}},
                {"dilations", Ints{1, 1, 1, 1}},
                {"padding", std::string("SAME")},
                {"data_format", std::string("NHWC")}};
  call.inputs = {Unknown(4), Unknown(4)};
  return call;
}

OpCall MaxPool() {
  OpCall call = Conv2D();
  call.op = "MaxPool";
  call.attrs.erase("dilations");
  call.attrs["ksize"] = Ints{1, 2, 2, 1};
  call.inputs.pop_back();
  return call;
}

TEST_F(RefusalsTest, UnknownShapesAreNoReasonToRefuse) {
  EXPECT_EQ(harness_->WhyRefused(Conv2D()), "");
  EXPECT_EQ(harness_->WhyRefused(MaxPool()), "");
  for (const char* gradient : {"Conv2DBackpropFilter", "Conv2DBackpropInput"}) {
    OpCall call = Conv2D();
    call.op = gradient;
    call.inputs = {Unknown(4), Unknown(4), Unknown(4)};
    EXPECT_EQ(harness_->WhyRefused(call), "") << gradient;
  }
}

struct AttrCase {
  const char* attr;
  AttrValue value;
  const char* reason;
};

TEST_F(RefusalsTest, ConvolutionsNameAttributeAndValue) {
  const AttrCase cases[] = {
      {"data_format", std::string("NCHW"), "data_format=NCHW: only NHWC"},
      {"strides", Ints{2, 1, 1, 1}, "strides=[2,1,1,1]: the entries for batch and depth"},
      {"strides", Ints{1, 0, 1, 1}, "strides=[1,0,1,1]: every entry must be at least 1"},
      {"dilations", Ints{1, 1, 1, 2}, "dilations=[1,1,1,2]: the entries for batch"},
      {"dilations", Ints{1, -1, 1, 1}, "dilations=[1,-1,1,1]: every entry"},
      {"explicit_paddings", Ints{0, 0, 1, 1, 1, 1, 0, 2},
       "explicit_paddings=[0,0,1,1,1,1,0,2]: the entries for batch and depth"},
      {"explicit_paddings", Ints{0, 0, -1, 1, 1, 1, 0, 0},
       "explicit_paddings=[0,0,-1,1,1,1,0,0]: no entry may be negative"},
  };
  for (const AttrCase& each : cases) {
    for (const char* op : {"Conv2D", "Conv2DBackpropFilter", "Conv2DBackpropInput"}) {
      OpCall call = Conv2D();
      call.op = op;
      call.attrs[each.attr] = each.value;
      EXPECT_THAT(harness_->WhyRefused(call), HasSubstr(each.reason)) << op;
    }
  }
}

TEST_F(RefusalsTest, PoolsNameAttributeAndValue) {
  const AttrCase cases[] = {
      {"data_format", std::string("NCHW"), "data_format=NCHW"},
      {"ksize", Ints{1, 1, 1, 4}, "ksize=[1,1,1,4]: the entries for batch and depth"},
      {"ksize", Ints{1, 0, 2, 1}, "ksize=[1,0,2,1]: every entry must be at least 1"},
      {"strides", Ints{1, 1, 1, 2}, "strides=[1,1,1,2]: the entries for batch and depth"},
  };
  for (const AttrCase& each : cases) {
    for (const char* op : {"MaxPool", "AvgPool", "MaxPoolGrad", "AvgPoolGrad"}) {
      OpCall call = MaxPool();
      call.op = op;
      call.attrs[each.attr] = each.value;
      EXPECT_THAT(harness_->WhyRefused(call), HasSubstr(each.reason)) << op;
    }
  }
}

TEST_F(RefusalsTest, OtherOpsNameAttributeAndValue) {
  OpCall bias;
  bias.op = "BiasAdd";
  bias.attrs = {{"T", TypeAttr{BERTH_FLOAT}}, {"data_format", std::string("NCHW")}};
  bias.inputs = {Unknown(4), Unknown(1)};
  EXPECT_THAT(harness_->WhyRefused(bias), HasSubstr("data_format=NCHW"));
  OpCall equal;
  equal.op = "Equal";
  equal.attrs = {{"T", TypeAttr{BERTH_FLOAT}}, {"incompatible_shape_error", false}};
  equal.inputs = {Unknown(2), Unknown(2)};
  equal.output_dtypes = {BERTH_BOOL};
  EXPECT_THAT(harness_->WhyRefused(equal), HasSubstr("incompatible_shape_error=false"));
}

TEST_F(RefusalsTest, TileTakesEveryRank) {
  // Nine dimensions, each of two elements and tiled, are more than a kernel walks at
  // once.
  OpCall call;
  call.op = "Tile";
  call.attrs = {{"T", TypeAttr{BERTH_FLOAT}}, {"Tmultiples", TypeAttr{BERTH_INT32}}};
  std::vector<float> values(512);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  call.inputs = {HostTensor(Ints(9, 2), values),
                 HostTensor({9}, std::vector<int32_t>(9, 2))};
  call.arg_names = {"input", "multiples"};
  const OpResult result = harness_->Run(call);
  ASSERT_TRUE(result.status.ok()) << result.status.message();
  ASSERT_EQ(result.outputs[0].dims, Ints(9, 4));
  const std::vector<float> got = result.outputs[0].Values<float>();
  for (size_t i = 0; i < got.size(); ++i) {
    // An output index has two bits for each dimension; the low one is the input's.
    size_t from = 0;
    for (size_t bit = 0; bit < 9; ++bit) from |= (i >> (2 * bit) & 1) << bit;
    ASSERT_EQ(got[i], values[from]) << i;
  }
}

}  // namespace
}  // namespace berth::opencl::testing
