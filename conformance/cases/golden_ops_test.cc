// Single ops against TensorFlow's recorded cases, on the plugins that are found.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "core/session/session.h"
#include "core/session/testing/golden_case.h"

namespace berth::testing {
namespace {

namespace fs = std::filesystem;

// Lines "NAME REST" of a list beside this file; '#' starts a comment.
std::map<std::string, std::string> ReadList(const char* file) {
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

std::vector<std::string> ListedOps() {
  std::vector<std::string> ops;
  for (const auto& [op, count] : ReadList("golden_ops.txt")) ops.push_back(op);
  return ops;
}

fs::path GoldenOps() { return fs::path(BERTH_GOLDEN_DIR) / "ops"; }

// Runs one case in a session of its own, in a copy of its folder.
GoldenOutcome RunCase(const fs::path& folder) {
  const fs::path copy = fs::path(::testing::TempDir()) / "golden_ops" /
                        folder.parent_path().filename() / folder.filename();
  fs::remove_all(copy);
  fs::create_directories(copy);
  fs::copy(folder, copy, fs::copy_options::recursive);
  SessionOptions options;
  options.optimize = false;
  // The recorded answers are those of TensorFlow's CPU; the lists beside this file too.
  options.default_device = "/cpu:0";
  Result<std::unique_ptr<Session>> session = Session::Create(options);
  if (!session.ok()) return {GoldenOutcome::kFailed, session.status().ToString()};
  const fs::path before = fs::current_path();
  fs::current_path(copy);
  const GoldenOutcome outcome = RunGoldenCase(session->get(), copy.string());
  fs::current_path(before);
  fs::remove_all(copy);
  return outcome;
}

class GoldenOpsTest : public ::testing::TestWithParam<std::string> {};

TEST_P(GoldenOpsTest, AgreesWithTensorFlow) {
  const std::string& op = GetParam();
  const std::map<std::string, std::string> deviations =
      ReadList("golden_ops_deviations.txt");
  std::set<fs::path> cases;
  for (const auto& entry : fs::directory_iterator(GoldenOps() / op)) {
    if (entry.is_directory()) cases.insert(entry.path());
  }
  int passed = 0;
  int declined = 0;
  int deviating = 0;
  std::string reasons;
  for (const fs::path& folder : cases) {
    const std::string name = op + "/" + folder.filename().string();
    const GoldenOutcome outcome = RunCase(folder);
    if (deviations.count(name) != 0) {
      ++deviating;
      EXPECT_NE(outcome.kind, GoldenOutcome::kPassed)
          << name << " passes: take it off golden_ops_deviations.txt";
      continue;
    }
    EXPECT_NE(outcome.kind, GoldenOutcome::kFailed) << name << ": " << outcome.text;
    passed += outcome.kind == GoldenOutcome::kPassed ? 1 : 0;
    if (outcome.kind == GoldenOutcome::kDeclined) {
      ++declined;
      if (std::getenv("BERTH_VERBOSE") != nullptr) {
        std::printf("%s: %s\n", name.c_str(), outcome.text.c_str());
      }
      reasons += name + ": " + outcome.text + "\n";
    }
  }
  std::printf("%-40s %3d passed %3d declined %3d deviate\n", op.c_str(), passed, declined,
              deviating);
  EXPECT_EQ(passed, std::atoi(ReadList("golden_ops.txt")[op].c_str())) << reasons;
}

INSTANTIATE_TEST_SUITE_P(Ops, GoldenOpsTest, ::testing::ValuesIn(ListedOps()),
                         [](const auto& op) { return op.param; });

TEST(GoldenOpsListTest, EveryDeviationIsACaseAndHasAReason) {
  for (const auto& [name, reason] : ReadList("golden_ops_deviations.txt")) {
    EXPECT_TRUE(fs::is_directory(GoldenOps() / name)) << name;
    EXPECT_FALSE(reason.empty()) << name;
  }
}

TEST(GoldenOpsListTest, ListsTheOpsOfTheModels) {
  // Ops of models.tar.xz that plugins run; the core's own are tested in core/session.
  for (const char* op : {"AddV2",
                         "ApplyAdam",
                         "ApplyMomentum",
                         "ArgMax",
                         "AvgPool",
                         "BiasAdd",
                         "BiasAddGrad",
                         "BroadcastGradientArgs",
                         "Cast",
                         "ConcatV2",
                         "Conv2D",
                         "Conv2DBackpropFilter",
                         "Conv2DBackpropInput",
                         "Equal",
                         "Fill",
                         "Floor",
                         "FloorMod",
                         "FusedBatchNormV3",
                         "GatherV2",
                         "GreaterEqual",
                         "L2Loss",
                         "MatMul",
                         "MaxPool",
                         "MaxPoolGrad",
                         "Mean",
                         "Mul",
                         "Neg",
                         "Pad",
                         "Pow",
                         "Prod",
                         "RandomUniform",
                         "RealDiv",
                         "Relu",
                         "ReluGrad",
                         "ResourceApplyMomentum",
                         "SelectV2",
                         "Softmax",
                         "SparseSoftmaxCrossEntropyWithLogits",
                         "Sub",
                         "Sum",
                         "Tile",
                         "TruncatedNormal",
                         "ZerosLike"}) {
    EXPECT_TRUE(ReadList("golden_ops.txt").count(op) != 0) << op;
  }
}

}  // namespace
}  // namespace berth::testing
