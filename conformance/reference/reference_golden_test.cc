// The reference against TensorFlow's recorded results: every one must lie within the
// policy's bound of the reference.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "conformance/golden/golden_case.h"
#include "conformance/reference/judge.h"

namespace berth::conformance {
namespace {

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

std::string GoldenOps() { return std::string(BERTH_GOLDEN_DIR) + "/ops"; }

// TensorFlow's CPU: its threads read and write subnormal numbers as zero.
DeviceRules TensorFlowRules() { return {DeviceClass::kCpu, true, true}; }

// TensorFlow computes in half and bfloat16 where a device is to compute in float: its
// results in them are no measure.
bool IsNarrow(DType dtype) { return AccumulationType(dtype) != dtype; }

bool IsNarrow(const GoldenCall& golden) {
  for (const HostTensor& input : golden.call.inputs) {
    if (IsNarrow(input.dtype)) return true;
  }
  for (const GoldenOutput& output : golden.outputs) {
    if (IsNarrow(output.tensor.dtype)) return true;
  }
  return false;
}

// Complex arithmetic is beyond the plugins' ops and the reference.
bool IsOutside(const GoldenCall& golden) {
  return Evaluate(golden.call).status().code() == Code::kUnimplemented;
}

// "" when the call's results agree; `margin` takes the largest error over its bound.
std::string Compare(const GoldenCall& golden, double* margin) {
  const Result<Outputs> reference = Evaluate(golden.call);
  if (!golden.error_class.empty()) {
    if (!reference.ok()) return "";
    return "the reference accepts what TensorFlow refuses: " + golden.error_message;
  }
  if (!reference.ok()) return reference.status().ToString();
  const Result<Outputs> flushed = Evaluate(WithSubnormalsFlushed(golden.call));
  for (const GoldenOutput& output : golden.outputs) {
    if (output.mode == "ignore") continue;
    const auto find = [&](const Outputs& outputs) -> const Output* {
      const auto index = static_cast<size_t>(output.index);
      if (!output.is_written_input) {
        return index < outputs.outputs.size() ? &outputs.outputs[index] : nullptr;
      }
      return index < outputs.written.size() ? &outputs.written[index].second : nullptr;
    };
    const Output* expected = find(*reference);
    if (expected == nullptr) return "no output " + std::to_string(output.index);
    const Bound bound = BoundOf(golden.call.op, *expected, TensorFlowRules());
    const Judgement judgement =
        Judge(*expected, output.tensor, bound, flushed.ok() ? find(*flushed) : nullptr);
    *margin = std::max(*margin, judgement.margin);
    if (!judgement.pass) return judgement.text;
  }
  return "";
}

class ReferenceGoldenTest : public ::testing::TestWithParam<std::string> {};

TEST_P(ReferenceGoldenTest, ContainsTensorFlowsResults) {
  const std::string& op = GetParam();
  const std::map<std::string, std::string> deviations = ReadList("golden_deviations.txt");
  int passed = 0;
  double largest = 0;
  for (const std::string& folder : GoldenCaseFolders(GoldenOps(), op)) {
    const std::string name = op + "/" + std::filesystem::path(folder).filename().string();
    const Result<std::vector<GoldenCall>> calls = ReadGoldenCase(folder);
    if (!calls.ok()) {
      ASSERT_EQ(calls.status().code(), Code::kUnimplemented)
          << name << ": " << calls.status().ToString();
      continue;
    }
    std::string difference;
    double margin = 0;
    int compared = 0;
    for (const GoldenCall& golden : *calls) {
      if (IsNarrow(golden) || IsOutside(golden)) continue;
      ++compared;
      if (difference.empty()) difference = Compare(golden, &margin);
    }
    if (deviations.count(name) != 0) {
      EXPECT_NE(difference, "") << name << " agrees: take it off golden_deviations.txt";
      continue;
    }
    EXPECT_EQ(difference, "") << name;
    if (difference.empty()) {
      passed += compared;
      largest = std::max(largest, margin);
    }
  }
  std::printf("%-40s %3d agree, largest error %.2f of the bound\n", op.c_str(), passed,
              largest);
  EXPECT_EQ(passed, std::atoi(ReadList("golden_counts.txt")[op].c_str()));
}

INSTANTIATE_TEST_SUITE_P(Ops, ReferenceGoldenTest, ::testing::ValuesIn(SupportedOps()),
                         [](const auto& op) { return op.param; });

TEST(ReferenceGoldenListTest, EveryDeviationIsACaseAndHasAReason) {
  for (const auto& [name, reason] : ReadList("golden_deviations.txt")) {
    EXPECT_TRUE(std::filesystem::is_directory(GoldenOps() + "/" + name)) << name;
    EXPECT_FALSE(reason.empty()) << name;
  }
}

TEST(ReferenceGoldenListTest, CountsNameOnlyOpsOfTheReference) {
  const std::vector<std::string> ops = SupportedOps();
  for (const auto& [op, count] : ReadList("golden_counts.txt")) {
    EXPECT_EQ(std::count(ops.begin(), ops.end(), op), 1) << op;
  }
}

}  // namespace
}  // namespace berth::conformance
