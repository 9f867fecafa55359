#include "core/placer/explain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "core/placer/layered_layout.h"
#include "core/placer/testing/placement_world.h"

namespace berth {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::PlacementWorld;

// A small net under /gpu:0, where AsString has no kernel, one device is absent, a
// variable's user is moved and a device type of another job cannot be had.
void MakeSample(PlacementWorld* world) {
  world->AddDevices("CPU", 1, 70);
  world->AddDevices("GPU", 1, 210);
  world->AddKernels({"MatMul", "Relu", "AsString", "AssignAdd", "Add", "Neg"}, "CPU");
  world->AddKernels({"MatMul", "Relu", "AssignAdd", "Add", "Neg"}, "GPU", {BERTH_FLOAT});
  world->options().allow_soft_placement = true;
  world->AddConst("x");
  world->Add("VariableV2", "w", {},
             {{"dtype", AttrValue::Type(BERTH_FLOAT)},
              {"shape", AttrValue::OfShape(Shape({4, 4}))}},
             "/gpu:0");
  world->AddT("Identity", "w/read", {"w"});
  world->AddT("MatMul", "layer1/mul", {"x", "w/read"}, "/gpu:0");
  world->AddT("Relu", "layer1/relu", {"layer1/mul"}, "/gpu:5");
  world->AddT("AsString", "text", {"layer1/relu"}, "/gpu:0");
  world->AddT("AssignAdd", "update", {"w", "layer1/mul"}, "/cpu:0");
  world->AddT("Neg", "elsewhere", {"x"}, "/job:other/cpu:0");
}

// Chains that fork and join, `size` nodes in all, with a node of each kind of fate.
void MakeLarge(int size, PlacementWorld* world) {
  world->AddDevices("CPU", 1, 70);
  world->AddDevices("GPU", 2, 210);
  world->AddKernels({"Add", "Relu", "AsString", "Neg"}, "CPU");
  world->AddKernels({"Add", "Relu", "Neg"}, "GPU", {BERTH_FLOAT});
  world->options().allow_soft_placement = true;
  const auto name = [](int i) {
    return "block" + std::to_string(i / 50) + "/n" + std::to_string(i);
  };
  world->AddConst(name(0));
  for (int i = 1; i < size; ++i) {
    const std::string back1 = name(std::max(0, i - 1));
    const std::string back7 = name(std::max(0, i - 1 - i % 7));
    if (i % 97 == 5) {
      world->AddConst(name(i));
    } else if (i % 41 == 7) {
      world->AddT("Neg", name(i), {back7}, "/gpu:9");
    } else if (i % 5 == 0) {
      world->AddT("Relu", name(i), {back7}, i % 2 == 0 ? "/gpu:1" : "");
    } else if (i % 50 == 49) {
      world->AddT("AsString", "text" + std::to_string(i), {back1}, "/gpu:0");
      world->AddT("Neg", name(i), {back1}, "/cpu:0");
    } else {
      world->AddT("Add", name(i), {back1, back7}, "/gpu:0");
    }
  }
}

class ExplainTest : public ::testing::Test {
 protected:
  ExplainTest() {
    MakeSample(&world_);
    world_.Place();
  }
  PlacementWorld world_;
};

TEST_F(ExplainTest, TextListsNodesInCreationOrderAndSumsUp) {
  const std::string text = ExplainText(world_.graph(), *world_.placement());
  EXPECT_TRUE(std::regex_search(
      text, std::regex("^node +op +asked +got +reason\nx +Const +- +GPU:0 ")))
      << text;
  EXPECT_TRUE(std::regex_search(
      text,
      std::regex("\ntext +AsString +/gpu:0 +CPU:0 +soft_fallback: GPU has no kernel")))
      << text;
  EXPECT_TRUE(
      std::regex_search(text, std::regex("\nelsewhere +Neg +\\S+ +none +unplaced")))
      << text;
  EXPECT_LT(text.find("\nw "), text.find("\ntext "));
  EXPECT_THAT(text, AllOf(HasSubstr("8 nodes"), HasSubstr("     1  on CPU:0"),
                          HasSubstr("     6  on GPU:0"), HasSubstr("     1  not placed"),
                          HasSubstr("/device:GPU:5 does not exist")));
}

TEST_F(ExplainTest, JsonHasEveryNodeWithItsRejections) {
  const json all = json::parse(ExplainJson(world_.graph(), *world_.placement()));
  ASSERT_EQ(all["nodes"].size(), 8u);
  const json& text = all["nodes"][5];
  EXPECT_EQ(text["name"], "text");
  EXPECT_EQ(text["op"], "AsString");
  EXPECT_EQ(text["requested"], "/gpu:0");
  EXPECT_EQ(text["device"], "/job:localhost/replica:0/task:0/device:CPU:0");
  EXPECT_EQ(text["reason"], "soft_fallback");
  ASSERT_EQ(text["rejected"].size(), 1u);
  EXPECT_EQ(text["rejected"][0]["device"], "GPU");
  EXPECT_EQ(text["rejected"][0]["code"], "no_kernel");
  EXPECT_THAT(text["rejected"][0]["message"].get<std::string>(), HasSubstr("AsString"));
  const json& lost = all["nodes"][7];
  EXPECT_EQ(lost["device"], "");
  EXPECT_THAT(lost["error"].get<std::string>(), HasSubstr("/job:other"));
  ASSERT_EQ(all["edges"].size(), 1u);
  EXPECT_EQ(all["edges"][0]["from"], "layer1/relu");
  EXPECT_EQ(all["edges"][0]["to"], "text");
  EXPECT_EQ(all["summary"]["nodes"], 8);
  EXPECT_EQ(all["summary"]["unplaced"], 1);
  EXPECT_EQ(all["summary"]["reasons"]["soft_absent"], 1);
  EXPECT_EQ(all["summary"]["devices"][1]["nodes"], 6);
  EXPECT_FALSE(all["summary"]["warnings"].empty());
  EXPECT_THAT(ExplainJson(world_.graph(), *world_.placement(), -1), Not(HasSubstr("\n")));
}

TEST_F(ExplainTest, PageStandsAloneAndNamesCannotBreakIt) {
  const std::string page =
      ExplainHtml(world_.graph(), *world_.placement(), "a <b> & </script>");
  EXPECT_THAT(page, AllOf(HasSubstr("<title>a &lt;b&gt; &amp; &lt;/script&gt;"),
                          HasSubstr("\\u003c/script"), Not(HasSubstr("http://")),
                          Not(HasSubstr("https://")), Not(HasSubstr("{{"))));
  const size_t begin = page.find("id=\"data\">") + 10;
  const json data =
      json::parse(page.substr(begin, page.find("</script>", begin) - begin));
  EXPECT_EQ(data["nodes"].size(), 8u);
  EXPECT_EQ(data["title"], "a <b> & </script>");
}

// For the test that opens them in a browser (explain_page_test.py).
TEST_F(ExplainTest, WritesPages) {
  const char* folder = std::getenv("BERTH_PAGE_DIR");
  const std::string path = folder != nullptr ? folder : ::testing::TempDir();
  std::ofstream(path + "/small.html")
      << ExplainHtml(world_.graph(), *world_.placement(), "sample net");
  PlacementWorld large;
  MakeLarge(5000, &large);
  large.Place();
  std::ofstream file(path + "/large.html");
  file << ExplainHtml(large.graph(), *large.placement(), "5,000 nodes");
  EXPECT_TRUE(file.good());
  EXPECT_GE(large.graph().num_nodes(), 5000);
}

TEST(LayeredLayoutTest, InputsAreAboveTheirConsumersAndNothingOverlaps) {
  std::vector<LayoutEdge> edges;
  for (int i = 1; i < 60; ++i) {
    edges.push_back({(i - 1) / 2, i});
    if (i > 5) edges.push_back({i - 5, i});
  }
  edges.push_back({59, 3});  // goes back: left out
  const std::vector<LayoutPoint> points = LayeredLayout(60, edges);
  std::set<std::pair<float, float>> taken;
  for (size_t i = 0; i < points.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      const bool same_row = points[i].y == points[j].y;
      EXPECT_FALSE(same_row && std::abs(points[i].x - points[j].x) < 0.99F) << i << j;
    }
  }
  for (const LayoutEdge& edge : edges) {
    // In one band, or in a band further right.
    if (edge.from < edge.to && points[edge.from].y >= points[edge.to].y) {
      EXPECT_LT(points[edge.from].x, points[edge.to].x);
    }
  }
}

TEST(LayeredLayoutTest, LongChainIsFoldedToAboutTheShapeOfAScreen) {
  std::vector<LayoutEdge> edges;
  for (int i = 1; i < 3000; ++i) edges.push_back({i - 1, i});
  float width = 0;
  float height = 0;
  for (const LayoutPoint& point : LayeredLayout(3000, edges)) {
    width = std::max(width, point.x);
    height = std::max(height, point.y);
  }
  EXPECT_GT(width * 3.2F / height, 0.7F);
  EXPECT_LT(width * 3.2F / height, 3.0F);
  EXPECT_TRUE(LayeredLayout(0, {}).empty());
  EXPECT_EQ(LayeredLayout(1, {}).size(), 1u);
}

}  // namespace
}  // namespace berth
