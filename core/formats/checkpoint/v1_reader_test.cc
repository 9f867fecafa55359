// Checkpoints of format V1 that are partitioned, in several files, or wrong. The records
// are made by protobuf; whole files of TensorFlow's are in checkpoint_test.cc.
#include "core/formats/checkpoint/v1_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <deque>
#include <filesystem>
#include <fstream>

#include "berth/proto/checkpoint.pb.h"
#include "core/formats/checkpoint/checkpoint_state.h"
#include "core/formats/checkpoint/table.h"

namespace berth::formats {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

// One V1 file under way.
class V1File {
 public:
  // Adds a slice with its values. Gives the message of the values, to be filled.
  tf::TensorProto* Add(const std::string& name, const Shape& shape, tf::DataType dtype,
                       const TensorSlice& slice) {
    tf::SavedSliceMeta* tensor = nullptr;
    for (tf::SavedSliceMeta& known : *meta_.mutable_meta()->mutable_tensor()) {
      if (known.name() == name) tensor = &known;
    }
    if (tensor == nullptr) {
      tensor = meta_.mutable_meta()->add_tensor();
      tensor->set_name(name);
      tensor->set_type(dtype);
      for (int i = 0; i < shape.rank(); ++i) {
        tensor->mutable_shape()->add_dim()->set_size(shape.dim(i));
      }
    }
    tf::TensorSliceProto* stored = tensor->add_slice();
    for (const TensorSlice::Range& range : slice.ranges()) {
      auto* extent = stored->add_extent();
      if (range.length == TensorSlice::kFull) continue;
      extent->set_start(range.start);
      extent->set_length(range.length);
    }
    auto& [key, record] = records_.emplace_back();
    key = SliceKey(name, slice);
    record.mutable_data()->set_name(name);
    *record.mutable_data()->mutable_slice() = *stored;
    return record.mutable_data()->mutable_data();
  }
  tf::SavedTensorSliceMeta& meta() { return *meta_.mutable_meta(); }

  void Write(const std::string& path) const {
    std::vector<TableEntry> table = {{"", meta_.SerializeAsString()}};
    for (const auto& [key, record] : records_) {
      table.emplace_back(key, record.SerializeAsString());
    }
    std::sort(table.begin(), table.end());
    std::ofstream(path, std::ios::binary) << *FormatTable(table);
  }

 private:
  tf::SavedTensorSlices meta_;
  std::deque<std::pair<std::string, tf::SavedTensorSlices>> records_;
};

class V1ReaderTest : public testing::Test {
 protected:
  V1ReaderTest() {
    std::string pattern = testing::TempDir() + "berth_v1_XXXXXX";
    folder_ = mkdtemp(pattern.data());
  }
  ~V1ReaderTest() override { fs::remove_all(folder_); }
  std::string Path(const std::string& name) const { return folder_ + "/" + name; }
  // What opening and reading tensor "t" of a file gives.
  Status ReadT(const V1File& file) const {
    file.Write(Path("v1"));
    const auto reader = BundleReader::Open(Path("v1"));
    return reader.ok() ? (*reader)->Lookup("t").status() : reader.status();
  }

  std::string folder_;
};

const TensorSlice kWhole1 = TensorSlice::Whole(1);

TEST_F(V1ReaderTest, SlicesInSeveralFilesAreJoined) {
  // Rows 0 and 1 in one file, row 2 in the other.
  for (int shard = 0; shard < 2; ++shard) {
    V1File file;
    const int64_t rows = shard == 0 ? 2 : 1;
    tf::TensorProto* values =
        file.Add("t", Shape{3, 2}, tf::DT_INT32,
                 TensorSlice({{shard == 0 ? 0 : 2, rows}, {0, TensorSlice::kFull}}));
    for (int64_t i = 0; i < rows * 2; ++i) {
      values->add_int_val(static_cast<int32_t>(shard * 4 + i));
    }
    if (shard == 1) file.Add("s", Shape{2}, tf::DT_STRING, kWhole1)->add_string_val("a");
    file.Write(Path("m-0000" + std::to_string(shard) + "-of-00002"));
  }
  const auto reader = BundleReader::Open(Path("m-[0-9]*-of-00002"));
  ASSERT_TRUE(reader.ok()) << reader.status().ToString();
  const auto whole = (*reader)->Lookup("t");
  ASSERT_TRUE(whole.ok()) << whole.status().ToString();
  EXPECT_EQ(whole->shape(), (Shape{3, 2}));
  EXPECT_THAT(std::vector<int32_t>(whole->data<int32_t>(), whole->data<int32_t>() + 6),
              ElementsAre(0, 1, 2, 3, 4, 5));
  const auto part = (*reader)->Lookup("t", TensorSlice({{1, 2}, {1, 1}}));
  ASSERT_TRUE(part.ok()) << part.status().ToString();
  EXPECT_THAT(std::vector<int32_t>(part->data<int32_t>(), part->data<int32_t>() + 2),
              ElementsAre(3, 5));
  // One value for two elements is damage, not a value that repeats.
  EXPECT_EQ((*reader)->Lookup("s").status().code(), Code::kDataLoss);
  EXPECT_TRUE(CheckpointExists(Path("m-[0-9]*-of-00002")));
}

TEST_F(V1ReaderTest, EveryTypedFieldIsRead) {
  V1File file;
  file.Add("half", Shape{1}, tf::DT_HALF, kWhole1)->add_half_val(0x3c00);
  file.Add("i16", Shape{1}, tf::DT_INT16, kWhole1)->add_int_val(-3);
  file.Add("str", Shape{1}, tf::DT_STRING, kWhole1)->add_string_val("text");
  tf::TensorProto* complex = file.Add("c", Shape{1}, tf::DT_COMPLEX64, kWhole1);
  complex->add_scomplex_val(1);
  complex->add_scomplex_val(-2);
  file.Add("empty", Shape{0}, tf::DT_FLOAT, kWhole1);
  file.Add("raw", Shape{1}, tf::DT_INT32, kWhole1)
      ->set_tensor_content(std::string("\x07\0\0\0", 4));
  file.Write(Path("v1"));
  const auto reader = BundleReader::Open(Path("v1"));
  ASSERT_TRUE(reader.ok()) << reader.status().ToString();
  const auto read = [&](const std::string& name) { return *(*reader)->Lookup(name); };
  EXPECT_EQ(*read("half").data<uint16_t>(), 0x3c00);
  EXPECT_EQ(*read("i16").data<int16_t>(), -3);
  EXPECT_EQ(read("str").strings()[0], "text");
  EXPECT_EQ(read("c").data<float>()[1], -2);
  EXPECT_EQ(read("empty").shape(), (Shape{0}));
  EXPECT_EQ(*read("raw").data<int32_t>(), 7);
}

TEST_F(V1ReaderTest, WhatCannotBeIsRefusedBeforeMemoryIsTaken) {
  V1File huge;
  huge.Add("t", Shape{int64_t{1} << 40}, tf::DT_FLOAT, kWhole1)->add_float_val(1);
  Status status = ReadT(huge);
  EXPECT_EQ(status.code(), Code::kDataLoss);
  EXPECT_THAT(std::string(status.message()), AllOf(HasSubstr("'t'"), HasSubstr("/v1'")));

  V1File negative;
  negative.Add("t", Shape{-5}, tf::DT_FLOAT, kWhole1);
  EXPECT_EQ(ReadT(negative).code(), Code::kDataLoss);

  V1File outside;
  outside.Add("t", Shape{2}, tf::DT_FLOAT, TensorSlice({{1, 2}}))->add_float_val(1);
  EXPECT_EQ(ReadT(outside).code(), Code::kDataLoss);

  V1File twice;
  twice.Add("t", Shape{1}, tf::DT_FLOAT, kWhole1)->add_float_val(1);
  *twice.meta().mutable_tensor(0)->add_slice() = twice.meta().tensor(0).slice(0);
  EXPECT_EQ(ReadT(twice).code(), Code::kDataLoss);

  V1File unlisted;
  unlisted.Add("t", Shape{1}, tf::DT_FLOAT, kWhole1)->add_float_val(1);
  unlisted.meta().mutable_tensor(0)->clear_slice();
  EXPECT_EQ(ReadT(unlisted).code(), Code::kDataLoss);

  V1File gone;
  gone.Add("t", Shape{1}, tf::DT_FLOAT, kWhole1)->add_float_val(1);
  gone.meta().mutable_tensor(0)->set_name("u");
  EXPECT_EQ(ReadT(gone).code(), Code::kDataLoss);

  V1File later;
  later.Add("t", Shape{1}, tf::DT_FLOAT, kWhole1)->add_float_val(1);
  later.meta().mutable_versions()->set_min_consumer(2);
  EXPECT_EQ(ReadT(later).code(), Code::kUnimplemented);
}

TEST_F(V1ReaderTest, OtherFilesAndAbsentOnesSayWhatIsWrong) {
  std::ofstream(Path("text")) << "no checkpoint at all, but a file of some length, here";
  const Status text = BundleReader::Open(Path("text")).status();
  EXPECT_EQ(text.code(), Code::kDataLoss);
  EXPECT_THAT(std::string(text.message()), HasSubstr(Path("text")));
  const Status nothing = BundleReader::Open(Path("nothing")).status();
  EXPECT_EQ(nothing.code(), Code::kNotFound);
  EXPECT_THAT(std::string(nothing.message()), HasSubstr("V1"));
}

TEST(V1GoldenTest, TheStateFileLeadsToAV1Checkpoint) {
  const auto latest = LatestCheckpoint(BERTH_GOLDEN_DIR "/files/checkpoint_v1");
  ASSERT_TRUE(latest.ok()) << latest.status().ToString();
  EXPECT_EQ(fs::path(*latest).filename(), "v1.ckpt");
}

}  // namespace
}  // namespace berth::formats
