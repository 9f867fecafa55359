#include "core/registry/device_name.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace berth {
namespace {

using ::testing::HasSubstr;

// What TensorFlow 2.21's runtime makes of a NodeDef.device, found by running a session
// whose node asks for it: "" for "Malformed device specification", else the canonical
// name of what it asked for.
struct ParseCase {
  const char* text;
  const char* canonical;
};

TEST(DeviceSpecTest, ParsesWhatTensorFlowsRuntimeParses) {
  const std::vector<ParseCase> cases = {
      {"/", ""},
      {"/cpu:0", "/device:CPU:0"},
      {"/CPU:0", "/device:CPU:0"},
      {"/gpu:*", "/device:GPU:*"},
      {"/GPU:1", "/device:GPU:1"},
      {"/device:gpu:0", "/device:gpu:0"},
      {"/device:cpu:0", "/device:cpu:0"},
      {"/device:CPU", "/device:CPU:*"},
      {"/device:GPU:3", "/device:GPU:3"},
      {"/device:my_dev:0", "/device:my_dev:0"},
      {"/device:*", ""},
      {"/device:*:*", ""},
      {"/device:*:0", "/device:*:0"},
      {"/job:*", ""},
      {"/job:*/cpu:0", "/device:CPU:0"},
      {"/job:a_b", "/job:a_b"},
      {"/replica:*", ""},
      {"/task:00", "/task:0"},
      {"/cpu:00", "/device:CPU:0"},
      {"/cpu:*/task:0", "/task:0/device:CPU:*"},
      {"/cpu:2147483647", "/device:CPU:2147483647"},
      {"/job:localhost/job:localhost/cpu:0", "/job:localhost/device:CPU:0"},
      {"/job:localhost/replica:0/task:0/device:CPU:0/device:CPU:1",
       "/job:localhost/replica:0/task:0/device:CPU:1"},
      {"/device:CPU:0/gpu:0", "/device:GPU:0"},
      {"/gpu:0/device:CPU:0", "/device:CPU:0"},
      {"/task:0/replica:0/job:localhost/device:CPU:0",
       "/job:localhost/replica:0/task:0/device:CPU:0"},
  };
  for (const ParseCase& c : cases) {
    const Result<DeviceSpec> spec = DeviceSpec::Parse(c.text);
    ASSERT_TRUE(spec.ok()) << c.text << ": " << spec.status().ToString();
    EXPECT_EQ(spec->ToString(), c.canonical) << c.text;
  }
  EXPECT_TRUE(DeviceSpec::Parse("")->empty());
}

TEST(DeviceSpecTest, RefusesWhatTensorFlowsRuntimeCallsMalformed) {
  const std::vector<std::string> cases = {
      "/job:/replica:0/task:0/cpu:0",
      "/gpu",
      "gpu:0",
      "/device:GPU:-1",
      "/Cpu:0",
      "/device:CPU:",
      "/job:a-b/cpu:0",
      "/job:1a",
      "/task:0x",
      "/cpu:0x",
      "/cpu:0/",
      "//cpu:0",
      "/cpu:0//",
      "/cpu: 0",
      " /cpu:0",
      "/device:1CPU:0",
      "/device:C-PU:0",
      "/device::0",
      "/replica:",
      "/task:-1",
      "/cpu:18446744073709551616",
      "/device:CPU:0:1",
      "/gpu:0:1",
      "/gpu:-1",
      "banana",
      "/foo",
      "/job:",
      "/job:local host",
      "/job:\xc3\xa9",
      "/device:CPU:*0",
      "/cpu:*0",
      "/job:*a",
      "/device:*a",
      "/job:localhost/",
      "/device:CPU:0\n",
  };
  for (const std::string& text : cases) {
    const Result<DeviceSpec> spec = DeviceSpec::Parse(text);
    ASSERT_FALSE(spec.ok()) << text;
    EXPECT_EQ(spec.status().code(), Code::kInvalidArgument) << text;
    EXPECT_THAT(std::string(spec.status().message()), HasSubstr("'" + text + "'"));
  }
}

// TensorFlow narrows these to int and lands on another device; we refuse them.
TEST(DeviceSpecTest, RefusesNumbersBeyond31Bits) {
  for (const char* text : {"/gpu:4294967296", "/cpu:2147483648", "/replica:4294967296",
                           "/task:9999999999", "/cpu:18446744073709551615"}) {
    const Result<DeviceSpec> spec = DeviceSpec::Parse(text);
    ASSERT_FALSE(spec.ok()) << text;
    EXPECT_THAT(std::string(spec.status().message()), HasSubstr("2147483647")) << text;
    EXPECT_THAT(std::string(spec.status().message()), HasSubstr(text));
  }
}

TEST(DeviceSpecTest, CanonicalFormParsesBackToTheSameSpec) {
  for (const char* text :
       {"/job:localhost/replica:0/task:0/device:GPU:1", "/device:OPENCL:*", "/device:*:3",
        "/replica:1", "/job:w/task:2", "", "/device:CPU"}) {
    const DeviceSpec spec = *DeviceSpec::Parse(text);
    EXPECT_EQ(*DeviceSpec::Parse(spec.ToString()), spec) << text;
  }
}

nlohmann::json Scopes() {
  std::ifstream file(std::string(BERTH_GOLDEN_DIR) + "/placement/device_scopes.json");
  return nlohmann::json::parse(file);
}

// Scopes that TensorFlow's client takes although its runtime refuses them later.
bool RefusedEarly(const std::string& scope) {
  return scope == "/gpu:-1" || scope == "/job:" || scope == "/job:1bad/cpu:0" ||
         scope == "/job:a_b-c";
}

TEST(DeviceSpecTest, NestedScopesMergeAsInTensorFlowsClient) {
  const nlohmann::json scopes = Scopes();
  int merged = 0;
  for (const nlohmann::json& c : scopes["scopes"]) {
    DeviceSpec current;
    bool refused = false;
    bool early = false;
    for (const nlohmann::json& scope : c["scopes"]) {
      if (scope.is_null()) {
        current = DeviceSpec();
        continue;
      }
      early = early || RefusedEarly(scope.get<std::string>());
      const Result<DeviceSpec> inner = DeviceSpec::ParseScope(scope.get<std::string>());
      if (!inner.ok()) {
        refused = true;
        EXPECT_EQ(inner.status().code(), Code::kInvalidArgument);
        EXPECT_THAT(std::string(inner.status().message()),
                    HasSubstr("'" + scope.get<std::string>() + "'"));
        break;
      }
      current = current.MergedWith(*inner);
    }
    EXPECT_EQ(refused, c.contains("error") || early) << c.dump();
    if (!refused) {
      EXPECT_EQ(current.ToString(), c["op_device"].get<std::string>()) << c.dump();
      ++merged;
    }
  }
  EXPECT_GT(merged, 30);
}

TEST(DeviceSpecTest, ParsesSpecStringsAsTensorFlowsClient) {
  const nlohmann::json scopes = Scopes();
  for (const nlohmann::json& c : scopes["spec"]) {
    const std::string text = c["string"];
    const Result<DeviceSpec> spec = DeviceSpec::ParseScope(text);
    ASSERT_EQ(spec.ok(), !c.contains("error")) << text;
    if (!spec.ok()) continue;
    EXPECT_EQ(spec->ToString(), c["to_string"].get<std::string>()) << text;
    EXPECT_EQ(spec->job.has_value(), !c["job"].is_null()) << text;
    EXPECT_EQ(spec->task.has_value(), !c["task"].is_null()) << text;
    EXPECT_EQ(spec->replica.has_value(), !c["replica"].is_null()) << text;
    EXPECT_EQ(spec->index.has_value(), !c["device_index"].is_null()) << text;
  }
}

TEST(DeviceSpecTest, MergesFieldByField) {
  const nlohmann::json scopes = Scopes();
  for (const nlohmann::json& c : scopes["merge_from"]) {
    const DeviceSpec base = *DeviceSpec::ParseScope(c["base"].get<std::string>());
    const DeviceSpec inner = *DeviceSpec::ParseScope(c["merged_with"].get<std::string>());
    EXPECT_EQ(base.MergedWith(inner).ToString(), c["result"].get<std::string>())
        << c.dump();
  }
}

TEST(DeviceSpecTest, IntersectionFillsFreeFieldsAndNamesConflicts) {
  DeviceSpec spec = *DeviceSpec::Parse("/job:a");
  ASSERT_TRUE(spec.Intersect(*DeviceSpec::Parse("/device:GPU:1"), false).ok());
  EXPECT_EQ(spec.ToString(), "/job:a/device:GPU:1");

  const DeviceSpec before = spec;
  const Status ids = spec.Intersect(*DeviceSpec::Parse("/device:GPU:0"), false);
  EXPECT_THAT(ids.ToString(), HasSubstr("incompatible ids: '/job:a/device:GPU:1' and "
                                        "'/device:GPU:0'"));
  const Status types = spec.Intersect(*DeviceSpec::Parse("/cpu:0"), false);
  EXPECT_THAT(types.ToString(), HasSubstr("incompatible types"));
  const Status jobs = spec.Intersect(*DeviceSpec::Parse("/job:b/task:3"), true);
  EXPECT_THAT(jobs.ToString(), HasSubstr("incompatible jobs"));
  EXPECT_EQ(spec, before);
}

TEST(DeviceSpecTest, SoftIntersectionDropsTypeAndIndexTogether) {
  DeviceSpec type = *DeviceSpec::Parse("/task:0/device:GPU:1");
  ASSERT_TRUE(type.Intersect(*DeviceSpec::Parse("/device:CPU:1"), true).ok());
  EXPECT_EQ(type.ToString(), "/task:0");

  DeviceSpec index = *DeviceSpec::Parse("/device:GPU:1");
  ASSERT_TRUE(index.Intersect(*DeviceSpec::Parse("/device:GPU:0"), true).ok());
  EXPECT_EQ(index.ToString(), "/device:GPU:*");
}

TEST(DeviceSpecTest, MatchesFullNamesThatFit) {
  const DeviceSpec full =
      *DeviceSpec::Parse("/job:localhost/replica:0/task:0/device:GPU:1");
  EXPECT_TRUE(full.full());
  EXPECT_TRUE(DeviceSpec().Matches(full));
  EXPECT_TRUE(DeviceSpec::Parse("/gpu:*")->Matches(full));
  EXPECT_TRUE(DeviceSpec::Parse("/device:*:1")->Matches(full));
  EXPECT_FALSE(DeviceSpec::Parse("/gpu:0")->Matches(full));
  EXPECT_FALSE(DeviceSpec::Parse("/device:gpu:1")->Matches(full));
  EXPECT_FALSE(DeviceSpec::Parse("/task:1")->Matches(full));
}

}  // namespace
}  // namespace berth
