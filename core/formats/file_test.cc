#include "core/formats/file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "core/formats/crc32c.h"

namespace berth::formats {
namespace {

using testing::HasSubstr;

class FileTest : public testing::Test {
 protected:
  FileTest() : folder_(testing::TempDir() + "berth_file_test") {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  ~FileTest() override { std::filesystem::remove_all(folder_); }
  size_t Count() const {
    const auto begin = std::filesystem::directory_iterator(folder_);
    return static_cast<size_t>(std::distance(begin, {}));
  }
  std::string folder_;
};

TEST_F(FileTest, WritesReplaceWholeFiles) {
  const std::string path = folder_ + "/a";
  ASSERT_TRUE(WriteFile(path, "first").ok());
  ASSERT_TRUE(WriteFile(path, std::string(1 << 20, 'x')).ok());
  EXPECT_EQ(ReadFile(path)->size(), size_t{1} << 20);
  EXPECT_EQ(Count(), 1u);
}

TEST_F(FileTest, AWriterThatIsDroppedLeavesTheOldFile) {
  const std::string path = folder_ + "/a";
  ASSERT_TRUE(WriteFile(path, "old").ok());
  {
    auto writer = FileWriter::Create(path);
    ASSERT_TRUE((*writer)->Append("new").ok());
    ASSERT_TRUE((*writer)->Finish().ok());
  }
  EXPECT_EQ(*ReadFile(path), "old");
  EXPECT_EQ(Count(), 1u);
}

TEST_F(FileTest, ReadsBehindTheEndAreDataLossWithFileAndOffset) {
  const std::string path = folder_ + "/a";
  ASSERT_TRUE(WriteFile(path, "12345").ok());
  const auto file = FileReader::Open(path);
  char out[8];
  EXPECT_TRUE((*file)->Read(2, 3, out).ok());
  for (const auto& [offset, size] :
       std::vector<std::pair<uint64_t, uint64_t>>{{3, 3}, {6, 0}, {1, ~uint64_t{0}}}) {
    const Status status = (*file)->Read(offset, size, out);
    EXPECT_EQ(status.code(), Code::kDataLoss);
    EXPECT_THAT(std::string(status.message()),
                testing::AllOf(HasSubstr(path), HasSubstr(std::to_string(offset))));
  }
}

TEST_F(FileTest, FoldersAndMissingFilesSaySo) {
  EXPECT_EQ(ReadFile(folder_).status().code(), Code::kInvalidArgument);
  EXPECT_EQ(ReadFile(folder_ + "/no").status().code(), Code::kNotFound);
  EXPECT_EQ(WriteFile(folder_ + "/no/file", "").code(), Code::kNotFound);
}

TEST(PathTest, FolderAndBaseName) {
  EXPECT_EQ(FolderOf("a"), ".");
  EXPECT_EQ(FolderOf("/a"), "/");
  EXPECT_EQ(FolderOf("x/y/z"), "x/y");
  EXPECT_EQ(BaseName("x/y/z"), "z");
  EXPECT_EQ(BaseName("z"), "z");
}

// The check value of CRC-32C in the catalogue of parametrised CRCs, and RFC 3720, B.4.
TEST(Crc32cTest, KnownAnswers) {
  EXPECT_EQ(Crc32c("123456789"), 0xe3069283u);
  EXPECT_EQ(Crc32c(std::string(32, '\0')), 0x8a9136aau);
  EXPECT_EQ(Crc32c(std::string(32, '\xff')), 0x62a8ab43u);
}

TEST(Crc32cTest, BothWaysAgreeAtEveryLengthAndInPieces) {
  std::string data;
  for (int i = 0; i < 100; ++i) data += static_cast<char>(i * 37);
  for (size_t size = 0; size <= data.size(); ++size) {
    const std::string_view whole = std::string_view(data).substr(0, size);
    EXPECT_EQ(Crc32c(whole), ExtendCrc32cPortable(0, whole));
    const size_t half = size / 2;
    EXPECT_EQ(ExtendCrc32c(Crc32c(whole.substr(0, half)), whole.substr(half)),
              Crc32c(whole));
  }
}

// A TFRecord of "abc" has this masked checksum of its data.
TEST(Crc32cTest, MaskRotatesAndAdds) {
  EXPECT_EQ(MaskCrc(Crc32c("abc")), 0x21f1576eu);
  EXPECT_EQ(UnmaskCrc(MaskCrc(0x12345678u)), 0x12345678u);
}

}  // namespace
}  // namespace berth::formats
