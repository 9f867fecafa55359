#include "core/session/run_wire.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "berth/proto/config.pb.h"

namespace berth {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

RunTrace TwoDevices() {
  RunTrace trace;
  trace.events = {{"mul", "MatMul", "/device:GPU:0", 1500, 4500, 0, 1},
                  {"x", "_Copy", "/device:CPU:0", 5000, 6000, 256, 2},
                  {"add", "Add", "/device:GPU:0", 7000, 9000, 0, 1}};
  trace.peak_bytes = {{"/device:GPU:0", 4096}};
  trace.copies = 1;
  return trace;
}

TEST(RunWireTest, RunOptionsGiveTimeoutAndTrace) {
  tf::RunOptions options;
  options.set_timeout_in_ms(250);
  options.set_trace_level(tf::RunOptions::FULL_TRACE);
  const auto settings = DecodeRunOptions(options.SerializeAsString());
  ASSERT_TRUE(settings.ok());
  EXPECT_EQ(settings->timeout_ms, 250);
  EXPECT_TRUE(settings->trace);
  EXPECT_FALSE(DecodeRunOptions("")->trace);
  EXPECT_EQ(DecodeRunOptions("\x08").status().code(), Code::kDataLoss);
}

TEST(RunWireTest, CallableOptionsGiveTheSignature) {
  tf::CallableOptions options;
  options.add_feed("x:0");
  options.add_fetch("y:0");
  options.add_target("init");
  options.mutable_run_options()->set_timeout_in_ms(7);
  (*options.mutable_feed_devices())["x:0"] = "";
  const auto spec = DecodeCallableOptions(options.SerializeAsString());
  ASSERT_TRUE(spec.ok());
  EXPECT_THAT(spec->signature.feeds, ElementsAre("x:0"));
  EXPECT_THAT(spec->signature.fetches, ElementsAre("y:0"));
  EXPECT_THAT(spec->signature.targets, ElementsAre("init"));
  EXPECT_EQ(spec->settings.timeout_ms, 7);
}

TEST(RunWireTest, FeedsInDeviceMemoryAreRefusedByName) {
  tf::CallableOptions options;
  (*options.mutable_fetch_devices())["y:0"] = "/gpu:0";
  const auto spec = DecodeCallableOptions(options.SerializeAsString());
  EXPECT_EQ(spec.status().code(), Code::kUnimplemented);
  EXPECT_THAT(std::string(spec.status().message()), HasSubstr("'y:0'"));
}

TEST(RunWireTest, MetadataHasOneBlockADevice) {
  tf::RunMetadata metadata;
  ASSERT_TRUE(metadata.ParseFromString(EncodeRunMetadata(TwoDevices())));
  const tf::StepStats& step = metadata.step_stats();
  ASSERT_EQ(step.dev_stats_size(), 2);
  EXPECT_EQ(step.dev_stats(0).device(), "/device:GPU:0");
  ASSERT_EQ(step.dev_stats(0).node_stats_size(), 2);
  const tf::NodeExecStats& mul = step.dev_stats(0).node_stats(0);
  EXPECT_EQ(mul.node_name(), "mul");
  EXPECT_EQ(mul.timeline_label(), "mul = MatMul()");
  EXPECT_EQ(mul.all_start_micros(), 1);
  EXPECT_EQ(mul.all_start_nanos(), 1500);
  EXPECT_EQ(mul.op_end_rel_nanos(), 3000);
  EXPECT_EQ(mul.all_end_rel_micros(), 3);
  EXPECT_EQ(mul.thread_id(), 1u);
  EXPECT_EQ(mul.memory(0).peak_bytes(), 4096);
  EXPECT_EQ(step.dev_stats(1).node_stats(0).timeline_label(), "x = _Copy(256 bytes)");
  EXPECT_EQ(step.dev_stats(1).thread_names().at(2), "thread 2");
}

TEST(RunWireTest, JsonHasAProcessADeviceAndMicroseconds) {
  const auto json = nlohmann::json::parse(TraceToJson(TwoDevices()));
  std::vector<std::string> processes;
  std::vector<nlohmann::json> slices;
  for (const auto& event : json["traceEvents"]) {
    if (event["name"] == "process_name") processes.push_back(event["args"]["name"]);
    if (event["ph"] == "X") slices.push_back(event);
  }
  EXPECT_THAT(processes, ElementsAre("/device:GPU:0", "/device:CPU:0"));
  ASSERT_EQ(slices.size(), 3u);
  EXPECT_EQ(slices[0]["name"], "MatMul");
  EXPECT_EQ(slices[0]["ts"], 1.5);
  EXPECT_EQ(slices[0]["dur"], 3.0);
  EXPECT_EQ(slices[1]["args"]["bytes"], 256);
  EXPECT_EQ(slices[1]["pid"], 1);
}

TEST(RunWireTest, NamesOfAnyBytesStayValidJson) {
  RunTrace trace = TwoDevices();
  trace.events[0].node = "\xff\"";
  EXPECT_TRUE(nlohmann::json::accept(TraceToJson(trace)));
}

}  // namespace
}  // namespace berth
