#include "core/session/options.h"

#include <gmock/gmock.h>
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "berth/proto/config.pb.h"

namespace berth {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

Result<SessionOptions> Parse(const char* text) {
  tf::ConfigProto config;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &config)) << text;
  return SessionOptions::FromConfigProto(config.SerializeAsString());
}

std::string Failure(const char* text) {
  const Result<SessionOptions> options = Parse(text);
  EXPECT_EQ(options.status().code(), Code::kInvalidArgument) << text;
  return std::string(options.status().message());
}

TEST(SessionOptionsTest, EmptyBytesAreTensorFlowsDefaults) {
  const auto options = SessionOptions::FromConfigProto("");
  ASSERT_TRUE(options.ok());
  EXPECT_FALSE(options->allow_soft_placement);
  EXPECT_FALSE(options->log_device_placement);
  EXPECT_TRUE(options->optimize);
  EXPECT_EQ(options->operation_timeout_ms, 0);
  EXPECT_EQ(options->fallback_max_nodes, -1);
}

TEST(SessionOptionsTest, FieldsAreDecoded) {
  const auto options = Parse(R"(
    allow_soft_placement: true log_device_placement: true
    device_count { key: "CPU" value: 2 } device_filters: "/job:ps"
    intra_op_parallelism_threads: 3 operation_timeout_in_ms: 1500
    gpu_options { per_process_gpu_memory_fraction: 0.25 allow_growth: true
                  visible_device_list: "1,0" }
    graph_options { place_pruned_graph: true }
    berth { device_alias { key: "GPU" value: "OPENCL" } default_device: "/gpu:0"
            precision: BF16 fallback { allowed_ops: "Print" max_nodes: 0 max_bytes: 9 } })");
  ASSERT_TRUE(options.ok()) << options.status().ToString();
  EXPECT_TRUE(options->allow_soft_placement);
  EXPECT_TRUE(options->log_device_placement);
  EXPECT_EQ(options->device_count.at("CPU"), 2);
  EXPECT_THAT(options->device_filters, ElementsAre("/job:ps"));
  EXPECT_EQ(options->intra_op_threads, 3);
  EXPECT_EQ(options->operation_timeout_ms, 1500);
  EXPECT_EQ(options->per_process_memory_fraction, 0.25);
  EXPECT_TRUE(options->allow_growth);
  EXPECT_EQ(options->visible_device_list, "1,0");
  EXPECT_TRUE(options->place_pruned_graph);
  EXPECT_THAT(options->aliases, ElementsAre(Pair("GPU", "OPENCL")));
  EXPECT_EQ(options->default_device, "/gpu:0");
  EXPECT_EQ(options->precision, Precision::kBf16);
  EXPECT_THAT(options->fallback_allowed_ops, ElementsAre("Print"));
  EXPECT_EQ(options->fallback_max_nodes, 0);
  EXPECT_EQ(options->fallback_max_bytes, 9);
}

TEST(SessionOptionsTest, EverySwitchTurnsOptimizersOff) {
  for (const char* text :
       {"graph_options { optimizer_options { opt_level: L0 } }",
        "graph_options { rewrite_options { disable_meta_optimizer: true } }",
        "graph_options { rewrite_options { constant_folding: OFF } }"}) {
    EXPECT_FALSE(Parse(text)->optimize) << text;
  }
}

TEST(SessionOptionsTest, ValuesOutOfRangeNameTheirField) {
  EXPECT_THAT(Failure("gpu_options { per_process_gpu_memory_fraction: 1.7 }"),
              HasSubstr("per_process_gpu_memory_fraction is 1.7"));
  EXPECT_THAT(Failure("gpu_options { per_process_gpu_memory_fraction: -1 }"),
              HasSubstr("per_process_gpu_memory_fraction"));
  EXPECT_THAT(Failure("gpu_options { per_process_gpu_memory_fraction: nan }"),
              HasSubstr("per_process_gpu_memory_fraction"));
  EXPECT_THAT(Failure("gpu_options { visible_device_list: 'x' }"), HasSubstr("'x'"));
  EXPECT_THAT(Failure("gpu_options { visible_device_list: '0,' }"), HasSubstr("''"));
  EXPECT_THAT(Failure("gpu_options { visible_device_list: '0,0' }"), HasSubstr("twice"));
  EXPECT_THAT(Failure("device_count { key: 'CPU' value: -1 }"), HasSubstr("CPU"));
  EXPECT_THAT(Failure("device_filters: '/gpu'"), HasSubstr("device_filters"));
  EXPECT_THAT(Failure("berth { default_device: '/gpu' }"), HasSubstr("default_device"));
  EXPECT_THAT(Failure("berth { fallback { max_nodes: -2 } }"), HasSubstr("max_nodes"));
  EXPECT_THAT(Failure("berth { device_alias { key: 'GPU' value: 'a b' } }"),
              HasSubstr("'a b'"));
  EXPECT_THAT(Failure("berth { device_alias { key: 'GPU' value: 'GPU' } }"),
              HasSubstr("itself"));
}

TEST(SessionOptionsTest, WholeMemoryAndEmptyListAreFine) {
  EXPECT_TRUE(Parse("gpu_options { per_process_gpu_memory_fraction: 1.0 }").ok());
  EXPECT_TRUE(Parse("gpu_options { visible_device_list: '' }").ok());
}

TEST(SessionOptionsTest, DamagedBytesAreDataLoss) {
  EXPECT_EQ(SessionOptions::FromConfigProto("\x32\x7f").status().code(), Code::kDataLoss);
}

TEST(SessionOptionsTest, EnvironmentAddsAliasesButTheConfigWins) {
  setenv("BERTH_DEVICE_ALIAS", "GPU=OPENCL, TPU=CPU", 1);
  SessionOptions options = *Parse("berth { device_alias { key: 'GPU' value: 'NULL' } }");
  EXPECT_TRUE(options.ApplyEnvironment().ok());
  EXPECT_THAT(options.aliases, ElementsAre(Pair("GPU", "NULL"), Pair("TPU", "CPU")));
  setenv("BERTH_DEVICE_ALIAS", "GPU", 1);
  EXPECT_THAT(std::string(options.ApplyEnvironment().message()), HasSubstr("GPU=OPENCL"));
  unsetenv("BERTH_DEVICE_ALIAS");
  EXPECT_TRUE(options.ApplyEnvironment().ok());
}

TEST(SessionOptionsTest, EveryGoldenConfigIsAccepted) {
  int count = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(BERTH_GOLDEN_DIR "/placement/cases")) {
    std::ifstream file(entry.path() / "config.pb", std::ios::binary);
    std::ostringstream bytes;
    bytes << file.rdbuf();
    const auto options = SessionOptions::FromConfigProto(bytes.str());
    EXPECT_TRUE(options.ok()) << entry.path() << options.status().ToString();
    ++count;
  }
  EXPECT_EQ(count, 95);
}

}  // namespace
}  // namespace berth
