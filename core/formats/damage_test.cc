// Files are input from strangers: whatever is cut or flipped in them, readers answer with
// a status, in bounded time and memory. Every cut, then damage at random from fixed
// seeds.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <random>

#include "core/formats/checkpoint/bundle_reader.h"
#include "core/formats/checkpoint/table.h"
#include "core/formats/file.h"
#include "core/formats/graphdef.h"
#include "core/formats/npy.h"
#include "core/formats/tensor_proto.h"
#include "core/ops/op_schema.h"

namespace berth::formats {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr char kFiles[] = BERTH_GOLDEN_DIR "/files/";
constexpr int kTrials = 4000;
constexpr int64_t kMostMegabytes = 256;

using Reader = std::function<Status(const std::string& bytes)>;

// What the process has used of memory at most, in MiB.
int64_t PeakMegabytes() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss / 1024;
}

// One to four bits flipped, or bytes overwritten by what makes lengths large.
std::string Damaged(std::string bytes, std::mt19937* random) {
  if (bytes.empty()) return bytes;
  const size_t changes = 1 + (*random)() % 4;
  for (size_t i = 0; i < changes; ++i) {
    char& byte = bytes[(*random)() % bytes.size()];
    switch ((*random)() % 8) {
      case 0:
        byte = static_cast<char>(0xff);
        break;
      case 1:
        byte = static_cast<char>((*random)());
        break;
      default:
        byte = static_cast<char>(byte ^ (1 << ((*random)() % 8)));
    }
  }
  return bytes;
}

// Runs the reader over all cuts and many damaged copies. Gives how many it refused.
int RefusedCopies(const std::string& whole, const Reader& read) {
  EXPECT_TRUE(read(whole).ok()) << read(whole).ToString();
  const int64_t before = PeakMegabytes();
  int refused = 0;
  const auto check = [&](const std::string& bytes, const std::string& what) {
    const Status status = read(bytes);
    if (status.ok()) return;
    ++refused;
    // Damage may look like a file of another version, or like one that is too large.
    EXPECT_THAT(status.code(),
                testing::AnyOf(Code::kDataLoss, Code::kInvalidArgument, Code::kNotFound,
                               Code::kUnimplemented, Code::kResourceExhausted))
        << what << ": " << status.ToString();
    EXPECT_FALSE(status.message().empty()) << what;
  };
  for (size_t size = 0; size < whole.size(); ++size) {
    check(whole.substr(0, size), "cut to " + std::to_string(size));
  }
  std::mt19937 random(20240101);
  for (int trial = 0; trial < kTrials; ++trial) {
    check(Damaged(whole, &random), "trial " + std::to_string(trial));
  }
  EXPECT_LT(PeakMegabytes() - before, kMostMegabytes);
  return refused;
}

// ---- GraphDef.

Status ReadGraph(const std::string& bytes) {
  Graph graph(OpRegistry::Global());
  return ImportGraphDef(bytes, {}, &graph);
}

TEST(GraphDefDamageTest, CutAndFlippedGraphsAreRefusedOrRead) {
  const std::string whole = *ReadFile(std::string(kFiles) + "frozen_ref/frozen.pb");
  EXPECT_GT(RefusedCopies(whole, &ReadGraph), static_cast<int>(whole.size()));
}

TEST(GraphDefDamageTest, ACutInsideANodeIsDataLossAtItsByte) {
  const std::string whole = *ReadFile(std::string(kFiles) + "frozen_ref/frozen.pb");
  int within = 0;
  for (size_t size = 1; size < whole.size(); ++size) {
    const Status status = ReadGraph(whole.substr(0, size));
    if (status.code() != Code::kDataLoss) continue;  // between two nodes
    ++within;
    EXPECT_THAT(std::string(status.message()), HasSubstr("byte ")) << size;
  }
  EXPECT_GT(within, static_cast<int>(whole.size() * 9 / 10));
}

TEST(GraphDefDamageTest, TensorFlowsDamagedGraphsGetItsErrorClass) {
  int count = 0;
  for (const std::string name : {"frozen_empty", "frozen_flip_len", "frozen_trunc"}) {
    const std::string folder = std::string(kFiles) + "corrupt/" + name;
    const auto expected = nlohmann::json::parse(*ReadFile(folder + "/expected.json"));
    const bool is_ok = expected["parse_and_import"].contains("ok");
    // From C++, TensorFlow gives DATA_LOSS: the note of expected.json.
    const Status status = ReadGraph(*ReadFile(folder + "/frozen.pb"));
    EXPECT_EQ(status.code(), is_ok ? Code::kOk : Code::kDataLoss) << name;
    ++count;
  }
  EXPECT_EQ(count, 3);
}

// ---- Tensors.

TEST(TensorDamageTest, ProtosOfEveryFormAreRefusedOrRead) {
  Tensor floats = *Tensor::Allocate(BERTH_FLOAT, Shape{5, 3});
  for (int i = 0; i < 15; ++i) floats.mutable_data<float>()[i] = static_cast<float>(i);
  Tensor one = *Tensor::Allocate(BERTH_INT64, Shape{});
  one.mutable_data<int64_t>()[0] = int64_t{1} << 40;
  Tensor strings = *Tensor::Allocate(BERTH_STRING, Shape{3});
  strings.mutable_strings()[1] = std::string(200, 'x');
  for (const Tensor& tensor : {floats, one, strings}) {
    std::string proto;
    AppendTensor(tensor, &proto);
    const int refused = RefusedCopies(
        proto, [](const std::string& bytes) { return DecodeTensor(bytes).status(); });
    EXPECT_GT(refused, kTrials / 100) << tensor.DebugString();
  }
}

TEST(TensorDamageTest, NpyFilesAreRefusedOrRead) {
  for (const std::string file :
       {"checkpoint_v1/expected/v004.npy", "checkpoint_v1/expected/v000.npy",
        "frozen_ref/class.npy"}) {
    const std::string whole = *ReadFile(kFiles + file);
    const int refused = RefusedCopies(
        whole, [](const std::string& bytes) { return ParseNpy(bytes).status(); });
    EXPECT_GT(refused, static_cast<int>(whole.size()));
  }
}

// ---- Checkpoints.

class CheckpointDamageTest : public testing::Test {
 protected:
  CheckpointDamageTest() {
    std::string pattern = testing::TempDir() + "berth_damage_XXXXXX";
    folder_ = mkdtemp(pattern.data());
  }
  ~CheckpointDamageTest() override { fs::remove_all(folder_); }

  void Write(const std::string& name, const std::string& bytes) const {
    std::ofstream(folder_ + "/" + name, std::ios::binary) << bytes;
  }
  // Opens and reads everything.
  Status ReadAll(const std::string& name) const {
    const auto reader = BundleReader::Open(folder_ + "/" + name);
    if (!reader.ok()) return reader.status();
    for (const auto& [tensor, entry] : (*reader)->List()) {
      BERTH_RETURN_IF_ERROR((*reader)->Lookup(tensor).status());
    }
    return OkStatus();
  }

  std::string folder_;
};

// Damage that a checksum does not show: someone wrote the table that way.
TEST_F(CheckpointDamageTest, EntriesThatLieUnderGoodChecksumsAreRefusedOrRead) {
  for (const std::string golden :
       {"checkpoint_v2_basic/model.ckpt-1234", "checkpoint_v2_partitioned/part"}) {
    const std::string prefix = kFiles + golden;
    Write("m.data-00000-of-00001", *ReadFile(prefix + ".data-00000-of-00001"));
    const auto entries = ReadTable(prefix + ".index");
    ASSERT_TRUE(entries.ok()) << entries.status().ToString();
    const int64_t before = PeakMegabytes();
    std::mt19937 random(20240102);
    int refused = 0;
    for (int trial = 0; trial < kTrials / 10; ++trial) {
      std::vector<TableEntry> damaged = *entries;
      std::string& value = damaged[random() % damaged.size()].second;
      value = trial % 5 == 0 ? value.substr(0, random() % (value.size() + 1))
                             : Damaged(value, &random);
      Write("m.index", *FormatTable(damaged));
      const Status status = ReadAll("m");
      if (status.ok()) continue;
      ++refused;
      EXPECT_THAT(status.code(), testing::AnyOf(Code::kDataLoss, Code::kInvalidArgument,
                                                Code::kNotFound, Code::kUnimplemented))
          << "trial " << trial << ": " << status.ToString();
    }
    EXPECT_GT(refused, kTrials / 20);
    EXPECT_LT(PeakMegabytes() - before, kMostMegabytes);
  }
}

TEST_F(CheckpointDamageTest, EveryCutAndFlippedBitOfAV1FileIsFound) {
  const std::string whole = *ReadFile(std::string(kFiles) + "checkpoint_v1/v1.ckpt");
  for (size_t size = 0; size < whole.size(); ++size) {
    Write("v1", whole.substr(0, size));
    EXPECT_EQ(ReadAll("v1").code(), Code::kDataLoss) << size;
  }
  // The last 48 bytes have no checksum; of them the padding means nothing.
  for (size_t byte = 0; byte + 48 < whole.size(); ++byte) {
    std::string flipped = whole;
    flipped[byte] = static_cast<char>(flipped[byte] ^ (1 << (byte % 8)));
    Write("v1", flipped);
    EXPECT_EQ(ReadAll("v1").code(), Code::kDataLoss) << byte;
  }
}

TEST_F(CheckpointDamageTest, V1RecordsThatLieUnderGoodChecksumsAreRefusedOrRead) {
  const auto entries = ReadTable(std::string(kFiles) + "checkpoint_v1/v1.ckpt");
  ASSERT_TRUE(entries.ok()) << entries.status().ToString();
  const int64_t before = PeakMegabytes();
  std::mt19937 random(20240103);
  int refused = 0;
  for (int trial = 0; trial < kTrials / 10; ++trial) {
    std::vector<TableEntry> damaged = *entries;
    // The list of tensors half of the time.
    const size_t at = trial % 2 == 0 ? 0 : random() % damaged.size();
    std::string& value = damaged[at].second;
    value = trial % 5 == 0 ? value.substr(0, random() % (value.size() + 1))
                           : Damaged(value, &random);
    Write("v1", *FormatTable(damaged));
    const Status status = ReadAll("v1");
    if (status.ok()) continue;
    ++refused;
    EXPECT_THAT(status.code(), testing::AnyOf(Code::kDataLoss, Code::kInvalidArgument,
                                              Code::kNotFound, Code::kUnimplemented))
        << "trial " << trial << ": " << status.ToString();
  }
  EXPECT_GT(refused, kTrials / 20);
  EXPECT_LT(PeakMegabytes() - before, kMostMegabytes);
}

}  // namespace
}  // namespace berth::formats
