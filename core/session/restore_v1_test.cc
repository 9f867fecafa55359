// The restoring ops on a checkpoint of format V1 that TensorFlow wrote:
// conformance/golden/files.tar.xz.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/formats/npy.h"
#include "core/session/testing/fake_world.h"

namespace berth::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kFolder[] = BERTH_GOLDEN_DIR "/files/checkpoint_v1/";

class RestoreV1Test : public ::testing::Test {
 protected:
  void SetUp() override {
    world_.AddConst("file", Tensor::String(std::string(kFolder) + "v1.ckpt"));
    world_.AddConst("name", Tensor::String("w/f32_mat"));
    expected_ = *formats::ReadNpy(std::string(kFolder) + "expected/v004.npy");
  }
  Result<Tensor> Fetch(const std::string& name) {
    BERTH_ASSIGN_OR_RETURN(const std::vector<Tensor> outputs, world_.Run({}, {name}));
    return outputs[0];
  }
  // Strings of one vector.
  void AddStrings(const std::string& name, const std::vector<std::string>& values) {
    Tensor tensor =
        *Tensor::Allocate(BERTH_STRING, Shape{static_cast<int64_t>(values.size())});
    std::copy(values.begin(), values.end(), tensor.mutable_strings());
    world_.AddConst(name, tensor);
  }

  FakeWorld world_;
  Tensor expected_;  // [2,3]
};

TEST_F(RestoreV1Test, RestoreGivesTheWholeTensor) {
  world_.Add("Restore", "read", {"file", "name"}, {{"dt", AttrValue::Type(BERTH_FLOAT)}});
  const auto tensor = Fetch("read");
  ASSERT_TRUE(tensor.ok()) << tensor.status().ToString();
  EXPECT_EQ(tensor->shape(), (Shape{2, 3}));
  EXPECT_EQ(ToFloats(*tensor), ToFloats(expected_));
}

TEST_F(RestoreV1Test, RestoreSliceGivesAPart) {
  world_.AddConst("slice", Tensor::String("2 3 1,1:0,2"));
  world_.Add("RestoreSlice", "read", {"file", "name", "slice"},
             {{"dt", AttrValue::Type(BERTH_FLOAT)}});
  const auto tensor = Fetch("read");
  ASSERT_TRUE(tensor.ok()) << tensor.status().ToString();
  EXPECT_EQ(tensor->shape(), (Shape{1, 2}));
  EXPECT_THAT(ToFloats(*tensor),
              ElementsAre(ToFloats(expected_)[3], ToFloats(expected_)[4]));
}

TEST_F(RestoreV1Test, RestoreV2ReadsV1Too) {
  AddStrings("names", {"w/f32_mat", "i/i64_scalar"});
  AddStrings("slices", {"", ""});
  ListAttr dtypes;
  dtypes.type = {BERTH_FLOAT, BERTH_INT64};
  world_.Add("RestoreV2", "read", {"file", "names", "slices"},
             {{"dtypes", AttrValue::OfList(dtypes)}});
  const auto outputs = world_.Run({}, {"read:0", "read:1"});
  ASSERT_TRUE(outputs.ok()) << outputs.status().ToString();
  EXPECT_EQ(ToFloats((*outputs)[0]), ToFloats(expected_));
  const Tensor scalar = *formats::ReadNpy(std::string(kFolder) + "expected/v002.npy");
  EXPECT_EQ((*outputs)[1].data<int64_t>()[0], scalar.data<int64_t>()[0]);
}

TEST_F(RestoreV1Test, AnAbsentTensorAndAnotherDTypeAreNamed) {
  world_.AddConst("absent", Tensor::String("no/such"));
  const std::pair<std::string, AttrValue> float32 = {"dt", AttrValue::Type(BERTH_FLOAT)};
  world_.Add("Restore", "missing", {"file", "absent"}, {float32});
  world_.Add("Restore", "integer", {"file", "name"},
             {{"dt", AttrValue::Type(BERTH_INT32)}});
  Status status = Fetch("missing").status();
  EXPECT_EQ(status.code(), Code::kNotFound);
  EXPECT_THAT(std::string(status.message()), HasSubstr("'no/such'"));
  status = Fetch("integer").status();
  EXPECT_EQ(status.code(), Code::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("'w/f32_mat' has dtype float"));
}

}  // namespace
}  // namespace berth::testing
