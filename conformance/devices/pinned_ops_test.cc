// TensorFlow's recorded single ops with every node pinned to one device: a case passes
// there, or the placer refuses it with the device's own reason.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>

#include "core/registry/kernel_registry.h"
#include "core/session/session.h"
#include "core/session/testing/golden_case.h"

namespace berth::testing {
namespace {

namespace fs = std::filesystem;

// Lines "NAME REST" of a file, none where there is no file; '#' starts a comment.
std::map<std::string, std::string> ReadList(const std::string& file) {
  std::map<std::string, std::string> entries;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    const size_t blank = line.find(' ');
    entries[line.substr(0, blank)] =
        blank == std::string::npos ? "" : line.substr(blank + 1);
  }
  return entries;
}

// "OPENCL", set by the build; the lists beside this file are named for it.
std::string DeviceType() {
  const char* type = std::getenv("BERTH_TEST_DEVICE_TYPE");
  return type != nullptr ? type : "UNSET";
}

std::string ListName(const std::string& what) {
  std::string name = DeviceType() + "_" + what + ".txt";
  std::transform(name.begin(), name.end(), name.begin(), ::tolower);
  return name;
}

Result<std::unique_ptr<Session>> OpenPinned() {
  SessionOptions options;
  options.optimize = false;
  options.default_device = "/device:" + DeviceType() + ":0";
  return Session::Create(options);
}

// Where the nodes of a case went.
struct Whereabouts {
  size_t nodes = 0;
  int elsewhere = 0;     // nodes on another device
  std::string refusals;  // of nodes without a device, one line each
  int unexplained = 0;   // refusals without the device's reason
};

Whereabouts Look(Session* session) {
  Whereabouts found;
  const Status status =
      session->ViewPlacement([&](const Graph& graph, const Placement& placement) {
        found.nodes = placement.nodes.size();
        for (size_t id = 0; id < placement.nodes.size(); ++id) {
          const NodePlacement& node = placement.nodes[id];
          if (node.device != nullptr) {
            found.elsewhere += node.device->type() == DeviceType() ? 0 : 1;
            continue;
          }
          std::string reason;
          for (const Rejection& rejection : node.rejected()) {
            if (rejection.device.find(DeviceType()) != std::string::npos) {
              reason = rejection.message;
            }
          }
          found.unexplained += reason.empty() ? 1 : 0;
          const Node& named = *graph.node(static_cast<int>(id));
          found.refusals += named.name() + " (" + named.op() + "): " + reason + "\n";
        }
      });
  EXPECT_TRUE(status.ok()) << status.ToString();
  return found;
}

class PinnedOpsTest : public ::testing::TestWithParam<std::string> {
 protected:
  // An open session keeps the device, and what was compiled for it, between the cases.
  static void SetUpTestSuite() {
    Result<std::unique_ptr<Session>> session = OpenPinned();
    ASSERT_TRUE(session.ok()) << session.status().ToString();
    keeper = session->release();
  }
  static void TearDownTestSuite() {
    delete keeper;
    keeper = nullptr;
  }

  // Runs a case; true when it ran and passed on the device.
  bool RunCase(const fs::path& folder) {
    const std::string name = GetParam() + "/" + folder.filename().string();
    Result<std::unique_ptr<Session>> session = OpenPinned();
    EXPECT_TRUE(session.ok()) << session.status().ToString();
    if (!session.ok()) return false;
    const GoldenOutcome outcome = RunGoldenCase(session->get(), folder.string());
    const Whereabouts where = Look(session->get());
    EXPECT_EQ(where.elsewhere, 0) << name << " ran on another device";
    if (!where.refusals.empty()) {
      EXPECT_EQ(where.unexplained, 0) << name << ": " << where.refusals;
      refused_ += name + ": " + where.refusals;
      return false;
    }
    if (deviations_.count(name) != 0) {
      EXPECT_NE(outcome.kind, GoldenOutcome::kPassed)
          << name << " passes: take it off the list of deviations";
      return false;
    }
    EXPECT_NE(outcome.kind, GoldenOutcome::kFailed) << name << ": " << outcome.text;
    // Placed, but not run: the files hold what this version cannot read.
    if (outcome.kind == GoldenOutcome::kDeclined)
      refused_ += name + ": " + outcome.text + "\n";
    // A case that wants an error and gets it when the graph is read runs nowhere.
    return outcome.kind == GoldenOutcome::kPassed && where.nodes > 0;
  }

  static Session* keeper;
  const std::map<std::string, std::string> deviations_ = ReadList(ListName("deviations"));
  std::string refused_;
};

Session* PinnedOpsTest::keeper = nullptr;

TEST_P(PinnedOpsTest, PassOrAreRefusedWhenPlaced) {
  int passed = 0;
  for (const auto& entry :
       fs::directory_iterator(fs::path(BERTH_GOLDEN_DIR) / "ops" / GetParam())) {
    if (entry.is_directory() && RunCase(entry.path())) ++passed;
  }
  if (std::getenv("BERTH_VERBOSE") != nullptr) std::printf("%s", refused_.c_str());
  std::printf("%s %d\n", GetParam().c_str(), passed);
  EXPECT_EQ(passed, std::atoi(ReadList(ListName("ops"))[GetParam()].c_str())) << refused_;
}

std::vector<std::string> ListedOps() {
  std::vector<std::string> ops;
  for (const auto& [op, count] : ReadList(ListName("ops"))) ops.push_back(op);
  return ops;
}
INSTANTIATE_TEST_SUITE_P(Ops, PinnedOpsTest, ::testing::ValuesIn(ListedOps()),
                         [](const auto& op) { return op.param; });

TEST(PinnedOpsListTest, NamesEveryOpOfTheDeviceThatWasRecorded) {
  const Result<std::unique_ptr<Session>> session = OpenPinned();
  ASSERT_TRUE(session.ok()) << session.status().ToString();
  std::set<std::string> recorded;
  for (const KernelEntry* row : KernelRegistry::Global()->AllRows()) {
    if (row->device_type != DeviceType() || row->def == nullptr) continue;
    if (fs::is_directory(fs::path(BERTH_GOLDEN_DIR) / "ops" / row->def->op)) {
      recorded.insert(row->def->op);
    }
  }
  const std::vector<std::string> listed = ListedOps();
  EXPECT_EQ(recorded, std::set<std::string>(listed.begin(), listed.end()));
}

TEST(PinnedOpsListTest, EveryDeviationIsACaseAndHasAReason) {
  for (const auto& [name, reason] : ReadList(ListName("deviations"))) {
    EXPECT_TRUE(fs::is_directory(fs::path(BERTH_GOLDEN_DIR) / "ops" / name)) << name;
    EXPECT_FALSE(reason.empty()) << name;
  }
}

}  // namespace
}  // namespace berth::testing
