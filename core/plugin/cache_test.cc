#include "core/plugin/cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

namespace berth {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class CacheTest : public ::testing::Test {
 protected:
  CacheTest() {
    std::string name = ::testing::TempDir() + "berth_cache_XXXXXX";
    parent_ = mkdtemp(name.data());
  }
  ~CacheTest() override { fs::remove_all(parent_); }

  std::string folder() const { return parent_ + "/cache"; }
  std::vector<fs::path> Files() const {
    std::vector<fs::path> files;
    for (const auto& file : fs::directory_iterator(folder())) {
      files.push_back(file.path());
    }
    return files;
  }
  static Status Put(PluginCache* cache, const std::string& key, const std::string& data,
                    const std::string& scope = "plugin") {
    return cache->Put(scope, key, data.data(), data.size());
  }
  static std::string Get(PluginCache* cache, const std::string& key,
                         const std::string& scope = "plugin") {
    const Result<std::string> data = cache->Get(scope, key);
    return data.ok() ? *data : "(" + std::string(CodeName(data.status().code())) + ")";
  }

  std::string parent_;
};

TEST_F(CacheTest, GivesBackWhatWasPutAlsoToAnotherProcessesObject) {
  PluginCache cache(folder());
  EXPECT_EQ(Get(&cache, "k"), "(NOT_FOUND)");
  const std::string binary("a\0b\n", 4);
  ASSERT_TRUE(Put(&cache, "k", binary).ok());
  EXPECT_EQ(Get(&cache, "k"), binary);
  ASSERT_TRUE(Put(&cache, "k", "").ok());
  EXPECT_EQ(Get(&cache, "k"), "");
  PluginCache other(folder());
  EXPECT_EQ(Get(&other, "k"), "");
}

TEST_F(CacheTest, ScopesAndKeysDoNotMeet) {
  PluginCache cache(folder());
  ASSERT_TRUE(Put(&cache, "k", "one", "a").ok());
  ASSERT_TRUE(Put(&cache, "k", "two", "b").ok());
  EXPECT_EQ(Get(&cache, "k", "a"), "one");
  EXPECT_EQ(Get(&cache, "k", "b"), "two");
  EXPECT_EQ(Get(&cache, "K", "a"), "(NOT_FOUND)");
}

TEST_F(CacheTest, EveryDamagedByteMakesAMiss) {
  PluginCache cache(folder());
  ASSERT_TRUE(Put(&cache, "key", "value").ok());
  const fs::path file = Files().at(0);
  const auto size = static_cast<std::streamoff>(fs::file_size(file));
  for (std::streamoff at = 0; at < size; ++at) {
    ASSERT_TRUE(Put(&cache, "key", "value").ok());
    std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
    stream.seekg(at);
    const char byte = static_cast<char>(stream.get() ^ 1);
    stream.seekp(at);
    stream.put(byte);
    stream.close();
    EXPECT_EQ(Get(&cache, "key"), "(NOT_FOUND)") << "byte " << at;
    EXPECT_FALSE(fs::exists(file)) << "byte " << at;
  }
  ASSERT_TRUE(Put(&cache, "key", "value").ok());
  fs::resize_file(file, static_cast<uintmax_t>(size - 1));
  EXPECT_EQ(Get(&cache, "key"), "(NOT_FOUND)");
}

TEST_F(CacheTest, OldestEntriesGoWhenTheLimitIsPassed) {
  PluginCache cache(folder(), 10000);
  const std::string data(2000, 'x');
  for (const char* key : {"a", "b", "c", "d"}) ASSERT_TRUE(Put(&cache, key, data).ok());
  const auto now = fs::file_time_type::clock::now();
  int age = 0;
  for (const fs::path& file : Files()) {
    fs::last_write_time(file, now - std::chrono::minutes(++age));
  }
  EXPECT_EQ(Get(&cache, "b"), data);  // used now
  ASSERT_TRUE(Put(&cache, "e", data).ok());
  EXPECT_EQ(Get(&cache, "e"), data);
  EXPECT_EQ(Get(&cache, "b"), data);
  EXPECT_EQ(Files().size(), 4U);
}

TEST_F(CacheTest, TooLargeAnEntryIsRefused) {
  PluginCache cache(folder(), 10000);
  EXPECT_EQ(Put(&cache, "k", std::string(2501, 'x')).code(), Code::kResourceExhausted);
  EXPECT_EQ(Get(&cache, "k"), "(NOT_FOUND)");
}

TEST_F(CacheTest, FailedPutLeavesNoTrace) {
  // A file stands where the folder should be.
  std::ofstream(folder()) << "x";
  PluginCache cache(folder());
  EXPECT_FALSE(Put(&cache, "k", "v").ok());
  EXPECT_EQ(Get(&cache, "k"), "(NOT_FOUND)");
  EXPECT_EQ(fs::file_size(folder()), 1U);
}

TEST_F(CacheTest, FolderWritableByOthersIsNotUsed) {
  PluginCache cache(folder());
  ASSERT_TRUE(Put(&cache, "k", "v").ok());
  ASSERT_EQ(chmod(folder().c_str(), 0777), 0);
  EXPECT_EQ(Get(&cache, "k"), "(NOT_FOUND)");
  const Status status = Put(&cache, "k", "w");
  EXPECT_EQ(status.code(), Code::kPermissionDenied);
  EXPECT_THAT(std::string(status.message()), HasSubstr(folder()));
}

TEST_F(CacheTest, NoFolderIsNoCache) {
  PluginCache cache("");
  EXPECT_TRUE(Put(&cache, "k", "v").ok());
  EXPECT_EQ(Get(&cache, "k"), "(NOT_FOUND)");
}

TEST_F(CacheTest, ReadersSeeWholeEntriesWhileOthersWrite) {
  PluginCache cache(folder());
  const std::string one(3000, '1');
  const std::string two(4000, '2');
  ASSERT_TRUE(Put(&cache, "k", one).ok());
  std::thread writer([&] {
    PluginCache own(folder());
    for (int i = 0; i < 50; ++i) EXPECT_TRUE(Put(&own, "k", i % 2 == 0 ? two : one).ok());
  });
  for (int i = 0; i < 200; ++i) {
    const std::string seen = Get(&cache, "k");
    EXPECT_TRUE(seen == one || seen == two) << seen.size();
  }
  writer.join();
}

}  // namespace
}  // namespace berth
