// The ops that the core runs itself, against TensorFlow's recorded cases. No kernel is
// there: a case that needs one is declined, and the counts below say how many must not
// be.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "core/session/testing/fake_world.h"
#include "core/session/testing/golden_case.h"

namespace berth::testing {
namespace {

struct OpCases {
  const char* op;
  int least;  // cases that need nothing but the core
};

class GoldenCoreOpsTest : public ::testing::TestWithParam<OpCases> {};

TEST_P(GoldenCoreOpsTest, AgreesWithTensorFlow) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::path(BERTH_GOLDEN_DIR) / "ops" / GetParam().op;
  std::set<std::string> cases;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.is_directory()) cases.insert(entry.path().string());
  }
  int passed = 0;
  std::string declined;
  for (const std::string& name : cases) {
    // Cases may write beside themselves.
    const fs::path copy = fs::path(::testing::TempDir()) / "golden_core_ops" /
                          GetParam().op / fs::path(name).filename();
    fs::remove_all(copy);
    fs::create_directories(copy);
    fs::copy(name, copy, fs::copy_options::recursive);
    const fs::path before = fs::current_path();
    fs::current_path(copy);
    FakeWorld::Options options;
    options.session.optimize = false;
    FakeWorld world(options);
    const GoldenOutcome outcome = RunGoldenCase(&world.session(), copy.string());
    fs::current_path(before);
    EXPECT_NE(outcome.kind, GoldenOutcome::kFailed) << name << ": " << outcome.text;
    passed += outcome.kind == GoldenOutcome::kPassed ? 1 : 0;
    if (outcome.kind == GoldenOutcome::kDeclined)
      declined += name + ": " + outcome.text + "\n";
  }
  EXPECT_GE(passed, GetParam().least) << declined;
}

INSTANTIATE_TEST_SUITE_P(
    Ops, GoldenCoreOpsTest,
    ::testing::Values(
        OpCases{"Assign", 7}, OpCases{"AssignAdd", 3}, OpCases{"AssignSub", 2},
        OpCases{"AssignVariableOp", 1}, OpCases{"Bitcast", 1}, OpCases{"Const", 5},
        OpCases{"ExpandDims", 5}, OpCases{"Identity", 8}, OpCases{"IdentityN", 1},
        OpCases{"NoOp", 1}, OpCases{"Placeholder", 1},
        OpCases{"PlaceholderWithDefault", 1}, OpCases{"PreventGradient", 1},
        OpCases{"Rank", 2}, OpCases{"ReadVariableOp", 6}, OpCases{"Reshape", 8},
        OpCases{"SaveV2", 1}, OpCases{"Shape", 5}, OpCases{"ShapeN", 1},
        OpCases{"ShardedFilename", 1}, OpCases{"Size", 5}, OpCases{"Squeeze", 5},
        OpCases{"StopGradient", 5}, OpCases{"Variable", 1}, OpCases{"VariableV2", 1},
        OpCases{"Assert", 1}),
    [](const auto& param_info) { return std::string(param_info.param.op); });

}  // namespace
}  // namespace berth::testing
