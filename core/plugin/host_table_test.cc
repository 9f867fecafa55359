#include "core/plugin/host_table.h"

#include <berth/kernel.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <vector>

#include "core/plugin/compute_context.h"
#include "core/plugin/step.h"
#include "core/registry/device.h"

namespace berth {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class HostTableTest : public ::testing::Test {
 protected:
  HostTableTest() : table_("vendor", "", &options_, &cache_), host_(table_.abi()) {}
  ~HostTableTest() override { fs::remove_all(folder_); }

  static std::string MakeFolder() {
    std::string name = ::testing::TempDir() + "berth_host_XXXXXX";
    return mkdtemp(name.data());
  }

  std::string folder_ = MakeFolder();
  PluginOptions options_;
  PluginCache cache_{folder_};
  HostTable table_;
  const berth_host* host_;
};

TEST_F(HostTableTest, EveryEntryIsThere) {
  // All fields behind `context` are functions.
  const auto* bytes = reinterpret_cast<const char*>(host_);
  for (size_t at = offsetof(berth_host, log); at < sizeof(berth_host);
       at += sizeof(void*)) {
    void* entry = nullptr;
    std::memcpy(&entry, bytes + at, sizeof(entry));
    EXPECT_NE(entry, nullptr) << "offset " << at;
  }
  EXPECT_EQ(host_->struct_size, sizeof(berth_host));
  EXPECT_EQ(host_->abi_version, BERTH_ABI_CURRENT);
}

TEST_F(HostTableTest, OptionsAreThePluginsOwnAndStayWhereTheyAre) {
  options_.Set("vendor", "mode", "fast");
  options_.Set("other", "mode", "slow");
  const char* mode = host_->option(host_->context, "mode");
  EXPECT_STREQ(mode, "fast");
  EXPECT_EQ(host_->option(host_->context, "none"), nullptr);
  options_.Set("vendor", "mode", "new");
  EXPECT_STREQ(mode, "fast");
  EXPECT_STREQ(host_->option(host_->context, "mode"), "new");
}

TEST_F(HostTableTest, OptionsOfTheFilesNameHoldUntilThePluginHasItsOwn) {
  options_.Set("vendor", "a", "by file");
  options_.Set("real", "a", "by name");
  options_.Set("vendor", "b", "by file");
  table_.SetPluginName("real");
  EXPECT_STREQ(host_->option(host_->context, "a"), "by name");
  EXPECT_STREQ(host_->option(host_->context, "b"), "by file");
}

TEST_F(HostTableTest, OptionTextIsReadPartByPart) {
  options_.Set("a", "x", "set before");
  EXPECT_TRUE(options_.SetFromText("a.x=1;a.y=2;;b.path=/x:/y=z").ok());
  EXPECT_STREQ(options_.Get("a", "x"), "set before");
  EXPECT_STREQ(options_.Get("a", "y"), "2");
  EXPECT_STREQ(options_.Get("b", "path"), "/x:/y=z");
  for (const char* wrong : {"a", "a.x", "=1", ".x=1", "a.=1", "ax=1.2"}) {
    EXPECT_THAT(std::string(options_.SetFromText(wrong).message()),
                HasSubstr("'" + std::string(wrong) + "'"));
  }
}

TEST_F(HostTableTest, ParallelForCoversTheRangeOnTheStepsPool) {
  ThreadPool pool(3);
  berth_step step(&pool);
  EXPECT_EQ(host_->num_threads(host_->context, &step), 3);
  EXPECT_GE(host_->num_threads(host_->context, nullptr), 1);
  for (berth_step* of : {&step, static_cast<berth_step*>(nullptr)}) {
    std::vector<std::atomic<int>> hits(1000);
    host_->parallel_for(
        host_->context, of, 1000, 10,
        [](void* arg, int64_t begin, int64_t end) {
          auto& all = *static_cast<std::vector<std::atomic<int>>*>(arg);
          for (int64_t i = begin; i < end; ++i) ++all[static_cast<size_t>(i)];
        },
        &hits);
    for (const auto& hit : hits) EXPECT_EQ(hit, 1);
  }
}

TEST_F(HostTableTest, CancellationReachesThePlugin) {
  ThreadPool pool(1);
  berth_step step(&pool);
  int calls = 0;
  const berth_cancel_fn count = [](void* arg) { ++*static_cast<int*>(arg); };
  EXPECT_EQ(host_->is_cancelled(host_->context, nullptr), 0);
  EXPECT_EQ(host_->add_cancel_callback(host_->context, nullptr, count, &calls), 0U);
  const uint64_t token = host_->add_cancel_callback(host_->context, &step, count, &calls);
  (void)host_->add_cancel_callback(host_->context, &step, count, &calls);
  host_->remove_cancel_callback(host_->context, &step, token);
  step.Cancel(Cancelled("stop"));
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(host_->is_cancelled(host_->context, &step), 1);
}

TEST_F(HostTableTest, TemporaryMemoryIsAlignedAndMayBeRefused) {
  for (uint64_t size : {0, 1, 63, 64, 1000}) {
    void* memory = host_->allocate_temp(host_->context, size);
    ASSERT_NE(memory, nullptr);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(memory) % 64, 0U);
    std::memset(memory, 1, size);
    host_->free_temp(host_->context, memory);
  }
  EXPECT_EQ(host_->allocate_temp(host_->context, UINT64_MAX), nullptr);
  host_->free_temp(host_->context, nullptr);
}

class OutputTest : public HostTableTest {
 protected:
  OutputTest() {
    context_.abi.struct_size = sizeof(context_.abi);
    context_.abi.num_outputs = 2;
  }
  Status Allocate(uint32_t index, const berth_shape& shape) {
    berth_error error = EmptyError();
    const berth_status_code code =
        host_->allocate_output(&context_.abi, index, &shape, &error);
    return TakeError(code, &error, "");
  }

  HostComputeContext context_;
};

TEST_F(OutputTest, AllocateOutputReachesTheExecutor) {
  struct Seen {
    uint32_t index = 99;
    Shape shape;
  } seen;
  context_.owner = &seen;
  context_.allocate_output = [](HostComputeContext& self, uint32_t index,
                                const Shape& shape) {
    *static_cast<Seen*>(self.owner) = {index, shape};
    return OkStatus();
  };
  EXPECT_TRUE(Allocate(1, {2, 0, {3, 4}}).ok());
  EXPECT_EQ(seen.index, 1U);
  EXPECT_EQ(seen.shape, (Shape{3, 4}));
  EXPECT_THAT(std::string(Allocate(2, {0, 0, {}}).message()), HasSubstr("no output 2"));
  EXPECT_EQ(Allocate(0, {17, 0, {}}).code(), Code::kInvalidArgument);
  EXPECT_EQ(Allocate(0, {-1, 0, {}}).code(), Code::kInvalidArgument);
  EXPECT_EQ(Allocate(0, {1, 0, {-1}}).code(), Code::kInvalidArgument);
  EXPECT_EQ(Allocate(0, {2, 0, {INT64_MAX, 3}}).code(), Code::kInvalidArgument);
  EXPECT_EQ(seen.index, 1U);
}

TEST_F(OutputTest, AllocateOutputIsForRowsThatSaidSo) {
  EXPECT_THAT(std::string(Allocate(0, {0, 0, {}}).message()),
              HasSubstr("BERTH_KERNEL_SHAPE_AT_RUN"));
}

TEST_F(OutputTest, SetStringCopiesIntoTheElement) {
  std::vector<std::string> strings(2);
  HostComputeContext::StringOutput outputs[2];
  outputs[1] = {strings.data(), 2};
  EXPECT_EQ(host_->set_string(&context_.abi, 1, 0, {"x", 1}), BERTH_INVALID_ARGUMENT);
  context_.string_outputs = outputs;
  EXPECT_EQ(host_->set_string(&context_.abi, 1, 0, {"a\0b", 3}), BERTH_OK);
  EXPECT_EQ(host_->set_string(&context_.abi, 1, 1, {nullptr, 0}), BERTH_OK);
  EXPECT_THAT(strings, ElementsAre(std::string("a\0b", 3), ""));
  EXPECT_EQ(host_->set_string(&context_.abi, 1, 2, {"x", 1}), BERTH_OUT_OF_RANGE);
  EXPECT_EQ(host_->set_string(&context_.abi, 1, -1, {"x", 1}), BERTH_OUT_OF_RANGE);
  EXPECT_EQ(host_->set_string(&context_.abi, 0, 0, {"x", 1}), BERTH_OUT_OF_RANGE);
  EXPECT_EQ(host_->set_string(&context_.abi, 2, 0, {"x", 1}), BERTH_INVALID_ARGUMENT);
}

TEST_F(HostTableTest, ProfilerEventsGoToTheStepsSink) {
  struct Sink : ProfileSink {
    void Record(const ProfileEvent& event) override {
      seen.push_back(std::string(event.name) + "@" + event.track + " " +
                     std::to_string(event.end_ns - event.start_ns));
    }
    std::vector<std::string> seen;
  } sink;
  ThreadPool pool(1);
  berth_step step(&pool);
  berth_profile_event event = {sizeof(event), "MatMul", "stream 0", 10, 15};
  EXPECT_EQ(host_->is_profiling(host_->context, &step), 0);
  host_->record_event(host_->context, &step, &event);
  host_->record_event(host_->context, nullptr, &event);
  step.Reset(&sink);
  EXPECT_EQ(host_->is_profiling(host_->context, &step), 1);
  host_->record_event(host_->context, &step, &event);
  EXPECT_THAT(sink.seen, ElementsAre("MatMul@stream 0 5"));
  const uint64_t before = host_->now_ns(host_->context);
  EXPECT_LE(before, host_->now_ns(host_->context));
}

TEST_F(HostTableTest, CacheIsScopedByPluginAndFile) {
  void* data = nullptr;
  uint64_t size = 0;
  EXPECT_EQ(host_->cache_get(host_->context, "k", &data, &size), BERTH_NOT_FOUND);
  ASSERT_EQ(host_->cache_put(host_->context, "k", "code", 4), BERTH_OK);
  ASSERT_EQ(host_->cache_get(host_->context, "k", &data, &size), BERTH_OK);
  EXPECT_EQ(std::string(static_cast<char*>(data), size), "code");
  host_->free_temp(host_->context, data);

  HostTable other("other", "", &options_, &cache_);
  EXPECT_EQ(other.abi()->cache_get(other.abi()->context, "k", &data, &size),
            BERTH_NOT_FOUND);
  // The same plugin from a file: another build.
  HostTable rebuilt("vendor", "/proc/self/exe", &options_, &cache_);
  EXPECT_EQ(rebuilt.abi()->cache_get(rebuilt.abi()->context, "k", &data, &size),
            BERTH_NOT_FOUND);
  EXPECT_EQ(host_->cache_put(host_->context, nullptr, "x", 1), BERTH_INVALID_ARGUMENT);
  EXPECT_EQ(host_->cache_put(host_->context, "k", nullptr, 1), BERTH_INVALID_ARGUMENT);
}

TEST_F(HostTableTest, LogNamesThePlugin) {
  ::testing::internal::CaptureStderr();
  host_->log(host_->context, BERTH_LOG_WARNING, "the fan is loud");
  host_->log(host_->context, static_cast<berth_log_level>(99), nullptr);
  EXPECT_THAT(::testing::internal::GetCapturedStderr(),
              AllOf(HasSubstr("plugin vendor: the fan is loud"),
                    HasSubstr("plugin vendor: (no message)")));
}

TEST_F(HostTableTest, ErrorsOfTheHostAreReleasedByTheHost) {
  berth_error error = EmptyError();
  EXPECT_EQ(GiveError(NotFound("gone"), &error), BERTH_NOT_FOUND);
  const Status back = TakeError(BERTH_NOT_FOUND, &error, "asking");
  EXPECT_EQ(back.ToString(), "NOT_FOUND: asking: gone");
  EXPECT_EQ(error.message, nullptr);
  EXPECT_EQ(GiveError(NotFound("gone"), nullptr), BERTH_NOT_FOUND);
  EXPECT_EQ(TakeError(static_cast<berth_status_code>(77), &error, "x").code(),
            Code::kUnknown);
}

}  // namespace
}  // namespace berth
