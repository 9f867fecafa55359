#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/formats/checkpoint/bundle_reader.h"
#include "core/formats/checkpoint/bundle_writer.h"
#include "core/formats/checkpoint/checkpoint_state.h"
#include "core/formats/file.h"
#include "core/formats/npy.h"
#include "core/formats/tensor_proto.h"

// The expected values are TensorFlow's: conformance/golden/files.tar.xz.

namespace berth::formats {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr char kFiles[] = BERTH_GOLDEN_DIR "/files/";

// A folder of the test's own, removed with it.
class CheckpointTest : public testing::Test {
 protected:
  CheckpointTest() {
    std::string pattern = testing::TempDir() + "berth_checkpoint_XXXXXX";
    folder_ = mkdtemp(pattern.data());
  }
  ~CheckpointTest() override { fs::remove_all(folder_); }
  std::string Path(const std::string& name) const { return folder_ + "/" + name; }
  void CopyGolden(const std::string& name) const {
    fs::copy(kFiles + name, folder_, fs::copy_options::recursive);
  }
  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_)) {
      names.push_back(entry.path().filename());
    }
    std::sort(names.begin(), names.end());
    return names;
  }
  std::string folder_;
};

bool SameTensor(const Tensor& a, const Tensor& b) {
  if (a.dtype() != b.dtype() || !(a.shape() == b.shape())) return false;
  if (a.dtype() == BERTH_STRING) {
    return std::equal(a.strings(), a.strings() + a.num_elements(), b.strings());
  }
  return a.num_elements() == 0 || std::memcmp(a.raw(), b.raw(), a.byte_size()) == 0;
}

Tensor Floats(std::vector<float> values, Shape shape) {
  Tensor tensor = *Tensor::Allocate(BERTH_FLOAT, shape);
  std::copy(values.begin(), values.end(), tensor.mutable_data<float>());
  return tensor;
}

Result<Tensor> Expected(const fs::path& file, DType dtype) {
  if (file.extension() == ".npy") return ReadNpy(file.string(), dtype);
  BERTH_ASSIGN_OR_RETURN(const std::string bytes, ReadFile(file.string()));
  return DecodeTensor(bytes);
}

// Compares a whole golden checkpoint; gives the number of its tensors.
int ExpectGolden(const std::string& name) {
  SCOPED_TRACE(name);
  const fs::path folder = kFiles + name;
  const auto json = nlohmann::json::parse(*ReadFile((folder / "expected.json").string()));
  const auto reader =
      BundleReader::Open((folder / json["prefix"].get<std::string>()).string());
  EXPECT_TRUE(reader.ok()) << reader.status().ToString();
  if (!reader.ok()) return 0;
  EXPECT_EQ((*reader)->List().size(), json["tensors"].size());
  int count = 0;
  for (const auto& [tensor_name, spec] : json["tensors"].items()) {
    const DType dtype = *ParseDType(spec["dtype"].get<std::string>());
    const auto want =
        Expected(folder / "expected" / spec["file"].get<std::string>(), dtype);
    EXPECT_TRUE(want.ok()) << want.status().ToString();
    const auto got = (*reader)->Lookup(tensor_name);
    EXPECT_TRUE(got.ok()) << got.status().ToString();
    if (want.ok() && got.ok()) {
      EXPECT_TRUE(SameTensor(*want, *got)) << tensor_name << got->DebugString();
      ++count;
    }
  }
  return count;
}

TEST(GoldenCheckpointTest, EveryTensorOfTensorFlowsCheckpoints) {
  EXPECT_EQ(ExpectGolden("checkpoint_v2_basic"), 21);
  EXPECT_EQ(ExpectGolden("checkpoint_v2_sharded"), 3);
  EXPECT_EQ(ExpectGolden("checkpoint_v2_partitioned"), 3);
  EXPECT_EQ(ExpectGolden("checkpoint_resource"), 1);
  EXPECT_EQ(ExpectGolden("checkpoint_rotation"), 1);
  EXPECT_EQ(ExpectGolden("checkpoint_v1"), 7);
}

// Written in the order of the data file, every byte is TensorFlow's.
TEST_F(CheckpointTest, WritesTheBytesThatTensorFlowWrites) {
  for (const std::string& name :
       {std::string("files/checkpoint_v2_basic/model.ckpt-1234"),
        std::string("models/lenet_train_ref_adam/final")}) {
    const std::string golden = BERTH_GOLDEN_DIR "/" + name;
    const auto reader = BundleReader::Open(golden);
    ASSERT_TRUE(reader.ok()) << reader.status().ToString();
    std::vector<std::pair<uint64_t, std::string>> order;
    for (const auto& [tensor, entry] : (*reader)->List()) {
      order.emplace_back(entry.offset, tensor);
    }
    std::sort(order.begin(), order.end());
    const auto writer = BundleWriter::Create(Path("copy"));
    for (const auto& [offset, tensor] : order) {
      ASSERT_TRUE((*writer)->Add(tensor, *(*reader)->Lookup(tensor)).ok());
    }
    ASSERT_TRUE((*writer)->Finish().ok());
    EXPECT_EQ(*ReadFile(Path("copy.data-00000-of-00001")),
              *ReadFile(golden + ".data-00000-of-00001"));
    EXPECT_EQ(*ReadFile(Path("copy.index")), *ReadFile(golden + ".index"));
  }
}

TEST_F(CheckpointTest, PartitionedTensorsAreWrittenAsTensorFlowDoes) {
  const std::string golden = std::string(kFiles) + "checkpoint_v2_partitioned/part";
  const auto reader = BundleReader::Open(golden);
  // In the order of TensorFlow's data file: pcol/part_0, pcol/part_1, plain, pv/part_0 …
  std::map<uint64_t, std::pair<std::string, TensorSlice>> order;
  for (const auto& [name, entry] : (*reader)->List()) {
    if (entry.slices.empty()) order[entry.offset] = {name, TensorSlice()};
    for (const TensorSlice& slice : entry.slices) {
      order[(*reader)->slices().at(SliceKey(name, slice)).offset] = {name, slice};
    }
  }
  ASSERT_EQ(order.size(), 6u);
  const auto writer = BundleWriter::Create(Path("part"));
  for (const auto& [offset, part] : order) {
    const auto& [name, slice] = part;
    if (slice.rank() == 0) {
      ASSERT_TRUE((*writer)->Add(name, *(*reader)->Lookup(name)).ok());
      continue;
    }
    const Shape& shape = (*reader)->Find(name)->shape;
    const Status status =
        (*writer)->AddSlice(name, shape, slice, *(*reader)->Lookup(name, slice));
    ASSERT_TRUE(status.ok()) << status.ToString();
  }
  ASSERT_TRUE((*writer)->Finish().ok());
  EXPECT_EQ(*ReadFile(Path("part.index")), *ReadFile(golden + ".index"));
  EXPECT_EQ(*ReadFile(Path("part.data-00000-of-00001")),
            *ReadFile(golden + ".data-00000-of-00001"));
}

TEST(GoldenCheckpointTest, SlicesAreCutAcrossPartitions) {
  const auto reader =
      BundleReader::Open(std::string(kFiles) + "checkpoint_v2_partitioned/part");
  const Tensor whole = *(*reader)->Lookup("pv");  // [7,3], in rows 3 + 2 + 2
  const auto part = (*reader)->Lookup("pv", *TensorSlice::Parse("2,4:1,2"));
  ASSERT_TRUE(part.ok()) << part.status().ToString();
  ASSERT_EQ(part->shape(), Shape({4, 2}));
  for (int row = 0; row < 4; ++row) {
    for (int column = 0; column < 2; ++column) {
      EXPECT_EQ(part->data<float>()[row * 2 + column],
                whole.data<float>()[(row + 2) * 3 + column + 1]);
    }
  }
  EXPECT_EQ((*reader)->Lookup("pv", *TensorSlice::Parse("6,2:-")).status().code(),
            Code::kInvalidArgument);
}

// Each damaged copy, with the code that TensorFlow gives where it is not worse.
TEST(GoldenCheckpointTest, DamageIsDataLossThatNamesTheFile) {
  const std::map<std::string, std::string> cases = {
      {"ckpt_data_empty", ".data-00000-of-00001"},
      {"ckpt_data_flip_all", ".data-00000-of-00001"},
      {"ckpt_index_append", ".index"},
      {"ckpt_index_empty", ".index"},
      {"ckpt_index_flip_block", ".index"},
      {"ckpt_index_flip_footer_handle", ".index"},
      {"ckpt_index_flip_magic", ".index"},
      {"ckpt_index_trunc_footer", ".index"},
      {"ckpt_index_trunc_half", ".index"}};
  for (const auto& [name, file] : cases) {
    const std::string prefix =
        std::string(kFiles) + "corrupt/" + name + "/model.ckpt-1234";
    const auto reader = BundleReader::Open(prefix);
    Status status = reader.status();
    if (reader.ok()) status = (*reader)->Lookup("w/f32_mat").status();
    EXPECT_EQ(status.code(), Code::kDataLoss) << name << ": " << status.ToString();
    EXPECT_THAT(std::string(status.message()), HasSubstr("model.ckpt-1234" + file));
  }
}

TEST(GoldenCheckpointTest, MissingShardFailsOnlyItsTensors) {
  const auto reader =
      BundleReader::Open(std::string(kFiles) + "corrupt/ckpt_missing_shard/sharded");
  ASSERT_TRUE(reader.ok());
  EXPECT_TRUE((*reader)->Lookup("a").ok());
  const Status status = (*reader)->Lookup("b").status();
  EXPECT_EQ(status.code(), Code::kNotFound);
  EXPECT_THAT(std::string(status.message()), HasSubstr("sharded.data-00001-of-00002"));
}

class RestoreTest : public CheckpointTest {
 protected:
  void SetUp() override {
    const auto writer = BundleWriter::Create(Path("m"));
    ASSERT_TRUE((*writer)->Add("a", Floats({1, 2}, {2})).ok());
    ASSERT_TRUE((*writer)->Add("b", Floats({1, 2, 3}, {3})).ok());
    ASSERT_TRUE((*writer)->Add("n", Tensor::Scalar<int32_t>(BERTH_INT32, 5)).ok());
    ASSERT_TRUE((*writer)->Finish().ok());
    reader_ = *BundleReader::Open(Path("m"));
  }
  std::unique_ptr<BundleReader> reader_;
};

TEST_F(RestoreTest, OneErrorListsEveryMisfit) {
  const std::vector<TensorRequest> requests = {{"a", "", BERTH_FLOAT, Shape({2})},
                                               {"b", "", BERTH_FLOAT, Shape({4})},
                                               {"c", "", BERTH_FLOAT, Shape({1})},
                                               {"d", "", BERTH_FLOAT, {}},
                                               {"n", "", BERTH_FLOAT, {}}};
  const auto tensors = reader_->Restore(requests);
  EXPECT_EQ(tensors.status().code(), Code::kNotFound);
  EXPECT_THAT(
      std::string(tensors.status().message()),
      AllOf(HasSubstr("'b' has shape [3], not [4]"), HasSubstr("'c' is not in"),
            HasSubstr("'d' is not in"), HasSubstr("'n' has dtype int32, not float"),
            HasSubstr("It has 3 tensors: 'a', 'b', 'n'"), Not(HasSubstr("'a' has"))));
}

TEST_F(RestoreTest, OtherDTypeIsAnErrorNotOtherBits) {
  const std::vector<TensorRequest> requests = {{"n", "", BERTH_FLOAT, {}}};
  EXPECT_EQ(reader_->Restore(requests).status().code(), Code::kInvalidArgument);
}

TEST_F(RestoreTest, PartOfTheTensorsAndPartsOfTensors) {
  const std::vector<TensorRequest> requests = {{"a", "", BERTH_FLOAT, {}},
                                               {"b", "3 1,2", BERTH_FLOAT, {}}};
  const auto tensors = reader_->Restore(requests);
  ASSERT_TRUE(tensors.ok()) << tensors.status().ToString();
  EXPECT_TRUE(SameTensor((*tensors)[0], Floats({1, 2}, {2})));
  EXPECT_TRUE(SameTensor((*tensors)[1], Floats({2, 3}, {2})));
  const std::vector<TensorRequest> other_shape = {{"b", "4 1,2", BERTH_FLOAT, {}}};
  EXPECT_THAT(std::string(reader_->Restore(other_shape).status().message()),
              HasSubstr("'b' has shape [3], not [4]"));
  for (const char* bad : {"x", "3", "3 1", "3 1,", "3 0,0", "3 2,2", "3 -:-", "3  -"}) {
    const std::vector<TensorRequest> request = {{"b", bad, BERTH_FLOAT, {}}};
    EXPECT_EQ(reader_->Restore(request).status().code(), Code::kInvalidArgument) << bad;
  }
}

TEST_F(RestoreTest, WrongFileGivesTheHintToPassThePrefix) {
  for (const char* name : {"m.index", "m.data-00000-of-00001"}) {
    const Status status = BundleReader::Open(Path(name)).status();
    EXPECT_EQ(status.code(), Code::kNotFound);
    EXPECT_THAT(std::string(status.message()),
                HasSubstr("pass the prefix '" + Path("m") + "'"));
  }
  ASSERT_TRUE(WriteCheckpointState(folder_, {Path("m"), {Path("m")}, {}, 0}).ok());
  EXPECT_THAT(std::string(BundleReader::Open(Path("checkpoint")).status().message()),
              HasSubstr("state file"));
  EXPECT_EQ(BundleReader::Open(Path("nothing")).status().code(), Code::kNotFound);
}

// Every cut of either file is DATA_LOSS, never a crash and never other values.
TEST_F(RestoreTest, EveryCutAndEveryFlippedBitIsFound) {
  for (const char* name : {"m.index", "m.data-00000-of-00001"}) {
    const std::string whole = *ReadFile(Path(name));
    const auto damaged = [&](const std::string& bytes) {
      std::ofstream(Path(name), std::ios::binary) << bytes;  // no wait for the disk
      const auto reader = BundleReader::Open(Path("m"));
      if (!reader.ok()) return reader.status();
      for (const auto& [tensor, entry] : (*reader)->List()) {
        const auto value = (*reader)->Lookup(tensor);
        if (!value.ok()) return value.status();
      }
      return OkStatus();
    };
    for (size_t size = 0; size < whole.size(); ++size) {
      EXPECT_EQ(damaged(whole.substr(0, size)).code(), Code::kDataLoss) << name << size;
    }
    for (size_t bit = 0; bit < whole.size() * 8; bit += 3) {
      std::string bytes = whole;
      bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << (bit % 8)));
      const Status status = damaged(bytes);
      // Padding of the footer means nothing; all else has a checksum.
      const bool footer = std::string(name) == "m.index" &&
                          bit / 8 + 48 >= whole.size() && bit / 8 + 8 < whole.size();
      EXPECT_TRUE(status.code() == Code::kDataLoss || footer)
          << name << " bit " << bit << ": " << status.ToString();
    }
    EXPECT_TRUE(damaged(whole).ok());
  }
}

TEST_F(CheckpointTest, ADroppedWriterLeavesTheOldCheckpoint) {
  {
    const auto first = BundleWriter::Create(Path("m"));
    ASSERT_TRUE((*first)->Add("a", Floats({1}, {1})).ok());
    ASSERT_TRUE((*first)->Finish().ok());
  }
  {
    const auto second = BundleWriter::Create(Path("m"));
    ASSERT_TRUE((*second)->Add("a", Floats({2}, {1})).ok());
  }
  EXPECT_THAT(Names(), ElementsAre("m.data-00000-of-00001", "m.index"));
  EXPECT_EQ((*BundleReader::Open(Path("m")))->Lookup("a")->data<float>()[0], 1);
  const auto third = BundleWriter::Create(Path("m"));
  ASSERT_TRUE((*third)->Add("a", Floats({3}, {1})).ok());
  ASSERT_TRUE((*third)->Finish().ok());
  EXPECT_EQ((*BundleReader::Open(Path("m")))->Lookup("a")->data<float>()[0], 3);
}

TEST_F(CheckpointTest, WhatCannotBeSavedSaysWhy) {
  const auto writer = *BundleWriter::Create(Path("m"));
  ASSERT_TRUE(writer->Add("a", Floats({1}, {1})).ok());
  EXPECT_THAT(std::string(writer->Add("a", Floats({1}, {1})).message()),
              HasSubstr("'a' is saved twice"));
  EXPECT_EQ(writer->Add("", Floats({1}, {1})).code(), Code::kInvalidArgument);
  EXPECT_EQ(writer->Add("r", Tensor(BERTH_RESOURCE, Shape(), {})).code(),
            Code::kInvalidArgument);
  const TensorSlice slice = *TensorSlice::Parse("0,1");
  EXPECT_EQ(writer->AddSlice("a", Shape{2}, slice, Floats({1}, {1})).code(),
            Code::kInvalidArgument);
  EXPECT_EQ(writer->AddSlice("s", Shape{2}, slice, Floats({1, 2}, {2})).code(),
            Code::kInvalidArgument);
  EXPECT_EQ(BundleWriter::Create(folder_ + "/no/m").status().code(), Code::kNotFound);
  EXPECT_EQ(BundleWriter::Create(folder_ + "/").status().code(), Code::kInvalidArgument);
}

TEST_F(CheckpointTest, MergingJoinsShardsAndSlices) {
  const TensorSlice top = *TensorSlice::Parse("0,1:-");
  const TensorSlice bottom = *TensorSlice::Parse("1,1:-");
  fs::create_directory(Path("temp"));
  const std::string parts[] = {Path("temp/part-0"), Path("temp/part-1")};
  for (int i = 0; i < 2; ++i) {
    const auto writer = BundleWriter::Create(parts[i]);
    const auto value = static_cast<float>(i);
    ASSERT_TRUE((*writer)->Add("w" + std::to_string(i), Floats({value}, {1})).ok());
    ASSERT_TRUE((*writer)
                    ->AddSlice("p", Shape{2, 2}, i == 0 ? top : bottom,
                               Floats({value, value}, {1, 2}))
                    .ok());
    ASSERT_TRUE((*writer)->Finish().ok());
  }
  const Status status = MergeBundles(parts, Path("m"), true);
  ASSERT_TRUE(status.ok()) << status.ToString();
  EXPECT_THAT(Names(),
              ElementsAre("m.data-00000-of-00002", "m.data-00001-of-00002", "m.index"));
  const auto reader = BundleReader::Open(Path("m"));
  EXPECT_EQ((*reader)->Lookup("w1")->data<float>()[0], 1);
  EXPECT_TRUE(SameTensor(*(*reader)->Lookup("p"), Floats({0, 0, 1, 1}, {2, 2})));
}

TEST_F(CheckpointTest, MergingATensorTwiceMovesNothing) {
  for (const char* name : {"x", "y"}) {
    const auto writer = BundleWriter::Create(Path(name));
    ASSERT_TRUE((*writer)->Add("w", Floats({1}, {1})).ok());
    ASSERT_TRUE((*writer)->Finish().ok());
  }
  const auto before = Names();
  const std::string parts[] = {Path("x"), Path("y")};
  EXPECT_THAT(std::string(MergeBundles(parts, Path("m"), true).message()),
              HasSubstr("'w'"));
  EXPECT_EQ(Names(), before);
}

TEST_F(CheckpointTest, StateNamesAreRelativeAndSurviveAMove) {
  CopyGolden("checkpoint_rotation");
  EXPECT_EQ(*LatestCheckpoint(folder_), Path("rot.ckpt-4"));
  const CheckpointState state = *ReadCheckpointState(folder_);
  EXPECT_THAT(state.all, ElementsAre(Path("rot.ckpt-3"), Path("rot.ckpt-4")));
  const std::string golden = *ReadFile(Path("checkpoint"));
  ASSERT_TRUE(WriteCheckpointState(folder_, state).ok());
  EXPECT_EQ(*ReadFile(Path("checkpoint")), golden);
}

TEST_F(CheckpointTest, OldAbsoluteNamesAreFoundBesideTheStateFile) {
  CopyGolden("checkpoint_rotation");
  ASSERT_TRUE(
      WriteFile(Path("checkpoint"), "model_checkpoint_path: \"/gone/away/rot.ckpt-3\"\n")
          .ok());
  EXPECT_EQ(*LatestCheckpoint(folder_), Path("rot.ckpt-3"));
}

TEST_F(CheckpointTest, LatestThatIsNotWholeNamesTheNewestThatIs) {
  CopyGolden("checkpoint_rotation");
  fs::remove(Path("rot.ckpt-4.data-00000-of-00001"));
  const Status status = LatestCheckpoint(folder_).status();
  EXPECT_EQ(status.code(), Code::kNotFound);
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr("rot.ckpt-4"),
                    HasSubstr("newest whole one is '" + Path("rot.ckpt-3") + "'")));
}

TEST(CheckpointStateTest, GoldenDamage) {
  const std::string corrupt = std::string(kFiles) + "corrupt/";
  EXPECT_EQ(LatestCheckpoint(corrupt + "ckpt_state_absolute").status().code(),
            Code::kNotFound);
  EXPECT_EQ(LatestCheckpoint(corrupt + "ckpt_state_empty").status().code(),
            Code::kDataLoss);
  EXPECT_EQ(LatestCheckpoint(corrupt + "ckpt_state_garbage").status().code(),
            Code::kDataLoss);
  EXPECT_EQ(LatestCheckpoint(corrupt).status().code(), Code::kNotFound);
}

TEST(TensorSliceTest, TextAndKeys) {
  EXPECT_EQ(TensorSlice::Parse("-:0,10")->ToString(), "-:0,10");
  EXPECT_TRUE(TensorSlice::Parse("-:-")->IsWhole());
  // From the golden checkpoint's listing: [3,2] of the first dimension, [0,3] of the
  // next.
  EXPECT_EQ(SliceKey("pv", *TensorSlice::Parse("3,2:0,3")),
            std::string("\0pv\0\1\1\2\x83\x82\x80\x83", 11));
  // Larger numbers: 64 takes two bytes, 8192 three; whole dimensions have length -1.
  EXPECT_EQ(SliceKey("a", *TensorSlice::Parse("64,8192:-")),
            std::string("\0a\0\1\1\2\xc0\x40\xe0\x20\x00\x80\x7f", 13));
  EXPECT_EQ(SliceKey(std::string("\0\xff", 2), TensorSlice()),
            std::string("\0\0\xff\xff\0\0\1\0", 8));
}

}  // namespace
}  // namespace berth::formats
