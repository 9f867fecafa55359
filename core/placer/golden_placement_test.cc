// TensorFlow's own placements (conformance/golden, "placement") against ours, case by
// case.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "core/formats/graphdef.h"
#include "core/ops/op_schema.h"
#include "core/placer/device_list.h"
#include "core/placer/placer.h"
#include "core/plugin/testing/fake_plugin.h"
#include "core/session/options.h"

namespace berth {
namespace {

using nlohmann::json;
using testing::FakeKernel;
using testing::FakePlugin;

const std::string kGolden = BERTH_GOLDEN_DIR;
const std::string kCases = kGolden + "/placement/cases/";

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file.good()) << path;
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

json ReadJson(const std::string& path) { return json::parse(ReadFile(path)); }

std::vector<std::string> CaseNames() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(kCases)) {
    names.push_back(entry.path().filename());
  }
  std::sort(names.begin(), names.end());
  return names;
}

// dtypes that berth does not have (float8, int4) are left out.
std::vector<DType> KnownTypes(const json& names) {
  std::vector<DType> types;
  for (const json& name : names) {
    const std::optional<DType> type = ParseDType(name.get<std::string>());
    if (type) types.push_back(*type);
  }
  return types;
}

// The rows of one kernels.json (`types`) or kernel_registry.json (`type_rows`) entry.
// DEFAULT rows of TensorFlow hold for every device type, below the type's own.
void AppendRows(const std::string& op, const json& row,
                const std::vector<std::string>& types, std::vector<FakeKernel>* rows) {
  FakeKernel kernel;
  kernel.op = op;
  if (row.contains("label")) kernel.label = row["label"];
  kernel.priority = row.value("priority", 0);
  // A row of TensorFlow's without types takes strings too: here the core moves them.
  kernel.runs_in_core = IsCoreOp(op);
  if (row.contains("host_memory")) {
    kernel.host_args = row["host_memory"].get<std::vector<std::string>>();
  }
  std::vector<FakeKernel> variants;
  if (row.contains("type_rows")) {
    for (const json& combination : row["type_rows"]) {
      variants.push_back(kernel);
      for (const auto& [attr, type] : combination.items()) {
        if (!type.is_string()) continue;
        variants.back().types.emplace_back(attr, KnownTypes(json::array({type})));
      }
    }
  } else {
    variants.push_back(kernel);
    const json constraints = row.value("types", json::object());
    for (const auto& [attr, names] : constraints.items()) {
      variants.back().types.emplace_back(attr, KnownTypes(names));
    }
  }
  const std::string device = row["device"];
  for (FakeKernel& variant : variants) {
    const auto unknown = [](const auto& entry) { return entry.second.empty(); };
    if (std::any_of(variant.types.begin(), variant.types.end(), unknown)) continue;
    if (device != "DEFAULT") {
      variant.device_type = device;
      rows->push_back(variant);
      continue;
    }
    variant.priority = -1;
    for (const std::string& type : types) {
      variant.device_type = type;
      rows->push_back(variant);
    }
  }
}

// What the devices of a case can run.
struct Kernels {
  std::unique_ptr<FakePlugin> plugin;
  KernelRegistry registry;
};

// The world that a case was recorded in: its devices, kernels, options and graph.
struct World {
  std::vector<std::unique_ptr<Device>> process;
  DeviceList list;
  Status list_status;
  std::shared_ptr<const Kernels> kernels;
  SessionOptions options;
  Graph graph{OpRegistry::Global()};
  Status import_status;
  json expected;
};

void AddDevices(const std::string& type, int count, int priority, World* world) {
  for (int i = 0; i < count; ++i) {
    DeviceDesc desc;
    desc.type = type;
    desc.index = i;
    desc.full_name =
        "/job:localhost/replica:0/task:0/device:" + type + ":" + std::to_string(i);
    desc.priority = priority;
    world->process.push_back(std::make_unique<Device>(std::move(desc), nullptr, i));
  }
}

std::shared_ptr<const Kernels> MakeKernels(const std::string& path,
                                           const std::vector<std::string>& types) {
  std::vector<FakeKernel> rows;
  const json registry = ReadJson(path);
  for (const auto& [op, op_rows] : registry.items()) {
    if (OpRegistry::Global()->Find(op) == nullptr) continue;
    for (const json& row : op_rows) AppendRows(op, row, types, &rows);
  }
  // TensorFlow has it on the CPU; the recorded registry leaves it out.
  if (types.size() == 1) {
    AppendRows("StaticRegexFullMatch", {{"device", "CPU"}}, types, &rows);
  }
  auto kernels = std::make_shared<Kernels>();
  kernels->plugin = std::make_unique<FakePlugin>(
      "golden", std::vector<testing::FakeDevices>{}, std::move(rows));
  for (const std::string& type : types) kernels->registry.SetCoreOpsListed(type, true);
  const Status registered = kernels->registry.RegisterPlugin(kernels->plugin->table());
  EXPECT_TRUE(registered.ok()) << registered.ToString().substr(0, 3000);
  return kernels;
}

// Those of TensorFlow's CPU, for the cases that have no list of their own.
std::shared_ptr<const Kernels> CpuKernels() {
  static const auto kernels = MakeKernels(kGolden + "/ops/kernel_registry.json", {"CPU"});
  return kernels;
}

std::unique_ptr<World> MakeWorld(const std::string& name) {
  auto world = std::make_unique<World>();
  const std::string folder = kCases + name;
  world->expected = ReadJson(folder + "/expected.json");
  std::vector<std::string> types = {"CPU"};
  AddDevices("CPU", 1, 70, world.get());
  if (name[0] == '1') {
    AddDevices("XLA_CPU", 1, 50, world.get());
    types.push_back("XLA_CPU");
  } else if (name[0] == '2') {
    AddDevices("GPU", 2, 210, world.get());
    types.push_back("GPU");
  }
  const std::string own = folder + "/kernels.json";
  world->kernels = std::filesystem::exists(own) ? MakeKernels(own, types) : CpuKernels();
  Result<SessionOptions> options =
      SessionOptions::FromConfigProto(ReadFile(folder + "/config.pb"));
  EXPECT_TRUE(options.ok()) << options.status().ToString();
  world->options = *options;
  world->import_status =
      ImportGraphDef(ReadFile(folder + "/graph.pb"), {}, &world->graph);

  std::vector<Device*> all;
  for (const auto& device : world->process) all.push_back(device.get());
  DeviceListRequest request;
  request.device_count = world->options.device_count;
  request.visible_device_list = world->options.visible_device_list;
  Result<DeviceList> list = MakeDeviceList(all, request);
  world->list_status = list.status();
  if (list.ok()) world->list = *std::move(list);
  return world;
}

std::vector<int> NeededBy(const Graph& graph, const json& run) {
  std::set<const Node*> seen;
  std::vector<const Node*> open;
  const auto visit = [&](const Node* node) {
    if (node != nullptr && seen.insert(node).second) open.push_back(node);
  };
  std::set<std::string> fed;
  for (const auto& [tensor, value] : run["feeds"].items()) fed.insert(tensor);
  for (const char* key : {"fetches", "targets"}) {
    for (const json& name : run[key]) {
      const std::string text = name.get<std::string>();
      visit(graph.FindNode(text.substr(0, text.find(':'))));
    }
  }
  while (!open.empty()) {
    const Node* node = open.back();
    open.pop_back();
    for (const OutputRef& input : node->inputs()) {
      if (input.node == nullptr) continue;
      const std::string tensor = input.node->name() + ":" + std::to_string(input.index);
      if (fed.count(tensor) == 0) visit(input.node);
    }
    for (const Node* control : node->control_inputs()) visit(control);
  }
  std::vector<int> ids;
  for (const Node* node : seen) ids.push_back(node->id());
  std::sort(ids.begin(), ids.end());
  return ids;
}

std::shared_ptr<const Placement> Place(const World& world) {
  PlacerOptions options;
  options.allow_soft_placement = world.options.allow_soft_placement;
  const std::vector<const Device*> devices(world.list.devices.begin(),
                                           world.list.devices.end());
  PlaceArgs args;
  std::vector<int> needed;
  if (world.options.place_pruned_graph) {
    needed = NeededBy(world.graph, world.expected["runs"][0]);
    args.nodes = needed;
  }
  return Placer(devices, &world.kernels->registry, options).Place(world.graph, args);
}

// Lines of nodes that only TensorFlow's runtime adds are left out.
std::vector<std::string> ExpectedLog(const json& expected) {
  std::vector<std::string> lines;
  for (const json& run : expected["runs"]) {
    for (const json& line : run["stdout"]) {
      const std::string text = line.get<std::string>();
      if (text.starts_with("_retval_") || text.starts_with("_arg_")) continue;
      lines.push_back(text);
    }
  }
  return lines;
}

bool HasError(const json& expected) {
  return std::any_of(expected["runs"].begin(), expected["runs"].end(),
                     [](const json& run) { return run.contains("error"); });
}

// The operation that TensorFlow's first error is about.
std::string FailingNode(const std::string& message) {
  static const std::regex kPatterns[] = {
      std::regex("Cannot assign a device for operation ([^:]+):"),
      std::regex("\\[\\[\\{\\{node ([^}]+)\\}\\}\\]\\]"),
      std::regex("used by \\{\\{node ([^}]+)\\}\\}"),
      std::regex("in node: \\{name:'([^']+)'"),
      std::regex("the dst node is name='([^']+)'"),
  };
  std::smatch match;
  for (const std::regex& pattern : kPatterns) {
    if (std::regex_search(message, match, pattern)) return match[1];
  }
  return {};
}

// What of `expected` our placement does not agree with; empty = nothing.
std::vector<std::string> Differences(const World& world, const json& expected,
                                     const Placement& placement) {
  std::vector<std::string> found;
  const std::vector<std::string> log = PlacementLogLines(world.graph, placement);
  const std::vector<std::string> wanted = ExpectedLog(expected);
  if (HasError(expected)) {
    // TensorFlow stops at its first error: what it logged before must be in ours, in
    // order.
    size_t next = 0;
    for (const std::string& line : log) {
      if (next < wanted.size() && line == wanted[next]) ++next;
    }
    if (next < wanted.size()) found.push_back("log: no line " + wanted[next]);
    return found;
  }
  for (const auto& [name, device] : expected["logged_placement"].items()) {
    if (name.starts_with("_retval_") || name.starts_with("_arg_")) continue;
    const Node* node = world.graph.FindNode(name);
    if (node == nullptr) {
      found.push_back(name + ": not in the graph");
      continue;
    }
    const NodePlacement& placed = placement.nodes[node->id()];
    const std::string got = placed.device == nullptr
                                ? "nowhere: " + std::string(placed.error.message())
                                : placed.device->name();
    if (got != device.get<std::string>()) {
      found.push_back(name + ": " + got + " instead of " + device.get<std::string>());
    }
  }
  for (size_t i = 0; i < std::max(log.size(), wanted.size()); ++i) {
    const std::string ours = i < log.size() ? log[i] : "(nothing)";
    const std::string theirs = i < wanted.size() ? wanted[i] : "(nothing)";
    if (ours == theirs) continue;
    found.push_back("log line " + std::to_string(i) + ": " + ours + " instead of " +
                    theirs);
    break;
  }
  return found;
}

std::string JoinLines(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

// The failing node is the one TensorFlow named, the code is its code, and the message
// names the device or kernel that its message is about.
void ExpectSameError(const World& world, const json& error, const Placement& placement) {
  const std::string message = error["message"];
  EXPECT_EQ(error["class"], "InvalidArgumentError");
  std::vector<int> all;
  for (int id = 0; id < world.graph.num_nodes(); ++id) all.push_back(id);
  const Status ours = PlacementErrors(world.graph, placement, all);
  ASSERT_FALSE(ours.ok()) << "TensorFlow says: " << message;
  EXPECT_EQ(ours.code(), Code::kInvalidArgument);
  const std::string failing = FailingNode(message);
  const Node* node = world.graph.FindNode(failing);
  ASSERT_NE(node, nullptr) << message;
  const Status& own = placement.nodes[node->id()].error;
  ASSERT_FALSE(own.ok()) << failing << ": TensorFlow says: " << message;
  const std::string text(own.message());
  EXPECT_THAT(text, ::testing::HasSubstr("'" + failing + "'"));
  EXPECT_THAT(text, ::testing::HasSubstr(node->op()));
  EXPECT_THAT(std::string(ours.message()), ::testing::HasSubstr(text));
  if (!node->requested_device().empty()) {
    EXPECT_THAT(text, ::testing::HasSubstr(node->requested_device()));
  }
  if (message.find("available devices are") != std::string::npos) {
    for (const json& device : world.expected["devices"]) {
      EXPECT_THAT(text, ::testing::HasSubstr(device["name"].get<std::string>()));
    }
  }
  if (message.find("Registered kernels") != std::string::npos) {
    EXPECT_THAT(text, ::testing::HasSubstr("CPU: "));
  }
}

// TensorFlow's client refused to build the graph, so the recorded one is empty: the node
// that its message is about is built here. Ours refuses the import, or the node.
void ExpectBuildError(World* world, const std::string& message) {
  std::smatch match;
  std::string node = "name: 'b' op: 'NoOp' ";
  if (std::regex_search(message, match,
                        std::regex("colocated with unknown node '(.*)'"))) {
    node += "attr { key: '_class' value { list { s: 'loc:@" + match[1].str() + "' } } }";
  } else {
    ASSERT_TRUE(std::regex_search(message, match, std::regex("device spec: '(.*)'")));
    node += "device: '" + match[1].str() + "'";
  }
  Status status = ImportGraphText("node { " + node + " }", {}, &world->graph);
  if (status.ok()) {
    const auto placement = Place(*world);
    std::vector<int> all;
    for (int id = 0; id < world->graph.num_nodes(); ++id) all.push_back(id);
    status = PlacementErrors(world->graph, *placement, all);
  }
  EXPECT_EQ(status.code(), Code::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), ::testing::HasSubstr(match[1].str()));
}

class GoldenPlacementTest : public ::testing::TestWithParam<std::string> {};

TEST_P(GoldenPlacementTest, AgreesWithTensorFlow) {
  const std::unique_ptr<World> world = MakeWorld(GetParam());
  const json& expected = world->expected;
  SCOPED_TRACE(expected["note"].get<std::string>());
  if (expected.contains("session_error")) {
    EXPECT_EQ(expected["session_error"]["class"], "NotFoundError");
    EXPECT_EQ(world->list_status.code(), Code::kNotFound);
    return;
  }
  ASSERT_TRUE(world->list_status.ok()) << world->list_status.ToString();
  std::vector<std::string> devices;
  for (const Device* device : world->list.devices) devices.push_back(device->name());
  std::vector<std::string> wanted_devices;
  for (const json& device : expected["devices"]) wanted_devices.push_back(device["name"]);
  EXPECT_EQ(devices, wanted_devices);

  if (expected.contains("build_error")) {
    ExpectBuildError(world.get(), expected["build_error"]["message"]);
    return;
  }
  ASSERT_TRUE(world->import_status.ok()) << world->import_status.ToString();
  const auto placement = Place(*world);
  EXPECT_EQ(JoinLines(Differences(*world, expected, *placement)), "");
  for (const json& run : expected["runs"]) {
    if (run.contains("error")) ExpectSameError(*world, run["error"], *placement);
  }
}

// "Ignoring device specification X for node 'N' because … from 'S' … set to Y": ours is
// about the same nodes and devices.
TEST_P(GoldenPlacementTest, WarnsOfTheSameMovedNodes) {
  const std::unique_ptr<World> world = MakeWorld(GetParam());
  if (!world->list_status.ok() || !world->import_status.ok()) return;
  const auto placement = Place(*world);
  static const std::regex kPattern(
      "Ignoring device specification (\\S+) for node '([^']+)' because the input edge "
      "from '([^']+)' .* set to (\\S+)");
  size_t wanted = 0;
  bool resource_moved = false;
  for (const json& run : world->expected["runs"]) {
    for (const json& line : run["stderr"]) {
      const std::string text = line.get<std::string>();
      resource_moved = resource_moved ||
                       text.find("changing the devices of some resources") != text.npos;
      std::smatch match;
      if (!std::regex_search(text, match, kPattern)) continue;
      ++wanted;
      const auto same = [&match](const std::string& warning) {
        return warning.starts_with("'" + match[2].str() + "' asked for " +
                                   match[1].str()) &&
               warning.find("'" + match[3].str() + "'") != std::string::npos &&
               warning.find(match[4].str()) != std::string::npos;
      };
      EXPECT_TRUE(
          std::any_of(placement->warnings.begin(), placement->warnings.end(), same))
          << text << "\nours:\n"
          << JoinLines(placement->warnings);
    }
  }
  size_t moved = 0;
  bool ours_moved = false;
  for (const std::string& warning : placement->warnings) {
    moved +=
        warning.find("takes a reference or resource of") != std::string::npos ? 1 : 0;
    ours_moved = ours_moved || warning.find("moves to") != std::string::npos;
  }
  // TensorFlow stops at its first error and warns of nothing behind it.
  if (!HasError(world->expected)) {
    EXPECT_EQ(moved, wanted) << JoinLines(placement->warnings);
    EXPECT_EQ(ours_moved, resource_moved) << JoinLines(placement->warnings);
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, GoldenPlacementTest, ::testing::ValuesIn(CaseNames()),
                         [](const auto& c) {
                           std::string name = c.param;
                           for (char& letter : name) {
                             if (!std::isalnum(static_cast<unsigned char>(letter)))
                               letter = '_';
                           }
                           return name;
                         });

TEST(GoldenPlacementCheckTest, AllCasesAreThere) { EXPECT_EQ(CaseNames().size(), 95u); }

// The comparison can fail: each made-up device, and a swapped pair of lines, is seen.
TEST(GoldenPlacementCheckTest, MadeUpDeviceMakesTheComparisonFail) {
  const std::unique_ptr<World> world = MakeWorld("221_gpu_two_towers");
  const auto placement = Place(*world);
  ASSERT_THAT(Differences(*world, world->expected, *placement), ::testing::IsEmpty());
  for (const auto& [name, device] : world->expected["logged_placement"].items()) {
    json changed = world->expected;
    const std::string text = device;
    changed["logged_placement"][name] =
        text.substr(0, text.size() - 1) + (text.back() == '0' ? '1' : '0');
    EXPECT_THAT(Differences(*world, changed, *placement), ::testing::SizeIs(1)) << name;
  }
  json swapped = world->expected;
  std::swap(swapped["runs"][0]["stdout"][0], swapped["runs"][0]["stdout"][1]);
  EXPECT_THAT(Differences(*world, swapped, *placement), ::testing::SizeIs(1));
}

}  // namespace
}  // namespace berth
