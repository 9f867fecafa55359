// The generated cases: enough of them for every op of the reference, the same for the
// same seed, and all within what the reference evaluates and the policy judges.
#include "conformance/cases/generate.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "conformance/cases/op_schema.h"
#include "conformance/reference/judge.h"

namespace berth::conformance {
namespace {

constexpr uint64_t kSeed = 1;
constexpr size_t kEnough = 20;

struct Subject {
  std::string op;
  DType dtype;
};

std::vector<Subject> AllSubjects() {
  std::vector<Subject> subjects;
  for (const OpSchema& schema : OpSchemas()) {
    for (const DType dtype : DTypesOf(schema)) subjects.push_back({schema.op, dtype});
  }
  return subjects;
}

std::string Name(const Subject& subject) {
  return subject.op + "/" + std::string(DTypeName(subject.dtype));
}

TEST(GenerateTest, EveryOpOfTheReferenceHasASchema) {
  std::vector<std::string> ops;
  for (const OpSchema& schema : OpSchemas()) ops.emplace_back(schema.op);
  EXPECT_EQ(ops, SupportedOps());
}

TEST(GenerateTest, EveryOpAndDTypeHasEnoughCases) {
  size_t total = 0;
  for (const Subject& subject : AllSubjects()) {
    size_t runs = 0;
    for (const OpCase& one : GenerateCases(subject.op, subject.dtype, kSeed)) {
      runs += one.must_fail ? 0 : 1;
    }
    EXPECT_GE(runs, kEnough) << Name(subject);
    total += runs;
  }
  std::printf("%zu cases that run\n", total);
  EXPECT_GE(total, 5000);
}

TEST(GenerateTest, NamesAreUniqueAndTheSameForEverySeed) {
  std::set<std::string> names;
  for (const Subject& subject : AllSubjects()) {
    const std::vector<OpCase> cases = GenerateCases(subject.op, subject.dtype, 1);
    const std::vector<OpCase> others = GenerateCases(subject.op, subject.dtype, 2);
    ASSERT_EQ(cases.size(), others.size());
    for (size_t i = 0; i < cases.size(); ++i) {
      EXPECT_TRUE(names.insert(cases[i].name).second) << cases[i].name;
      EXPECT_EQ(cases[i].name, others[i].name);
      EXPECT_EQ(cases[i].name.find_first_of(" \n*?"), std::string::npos) << cases[i].name;
    }
  }
}

TEST(GenerateTest, ACaseIsTheSameForTheSameSeedAndNotForAnother) {
  const auto bytes = [](uint64_t seed) {
    std::vector<std::vector<char>> all;
    for (const OpCase& one : GenerateCases("Conv2D", BERTH_FLOAT, seed)) {
      for (const HostTensor& input : one.make().inputs) all.push_back(input.bytes);
    }
    return all;
  };
  EXPECT_EQ(bytes(7), bytes(7));
  EXPECT_NE(bytes(7), bytes(8));
}

TEST(GenerateTest, UnknownOpsAndDTypesHaveNoCases) {
  EXPECT_TRUE(GenerateCases("NoSuchOp", BERTH_FLOAT, kSeed).empty());
  EXPECT_TRUE(GenerateCases("Exp", BERTH_INT32, kSeed).empty());
}

TEST(GenerateTest, CallsHaveTheAttributesOfTheirInputs) {
  const std::vector<OpCase> cases = GenerateCases("ConcatV2", BERTH_HALF, kSeed);
  const OpCall call = cases[1].make();
  EXPECT_EQ(call.Type("T"), BERTH_HALF);
  EXPECT_EQ(call.Type("Tidx"), call.inputs.back().dtype);
  EXPECT_EQ(call.Int("N"), call.num_inputs() - 1);
  const std::vector<InputInfo> inputs = InputsOf(call);
  EXPECT_EQ(inputs.front().name, "values");
  EXPECT_EQ(inputs.back().name, "axis");
  EXPECT_FALSE(inputs[0].is_variable);
}

TEST(GenerateTest, VariablesAreMarked) {
  const OpCall call =
      GenerateCases("ResourceApplyMomentum", BERTH_FLOAT, kSeed)[0].make();
  const std::vector<InputInfo> inputs = InputsOf(call);
  ASSERT_EQ(inputs.size(), 5U);
  EXPECT_TRUE(inputs[0].is_variable && inputs[1].is_variable);
  EXPECT_FALSE(inputs[2].is_variable || inputs[3].is_variable);
  EXPECT_EQ(inputs[3].name, "grad");
}

class GeneratedCasesTest : public ::testing::TestWithParam<std::string> {};

// What a perfect device answers: the reference, rounded once.
HostTensor Perfect(const Output& output) {
  if (output.is_exact()) return output.tensor;
  return FromReals(output.tensor.dtype, output.tensor.dims, output.values);
}

void CheckOutput(const OpCase& one, const OpCall& call, const Output& output) {
  if (output.any_value) return;
  ASSERT_TRUE(output.is_exact() ||
              output.values.size() == static_cast<size_t>(output.tensor.num_elements()) *
                                          (IsComplex(output.tensor.dtype) ? 2 : 1))
      << one.name;
  const Judgement judgement =
      Judge(output, Perfect(output), BoundOf(call.op, output, {}));
  EXPECT_TRUE(judgement.pass) << one.name << ": " << judgement.text;
}

TEST_P(GeneratedCasesTest, ReferenceEvaluatesThemAndAcceptsAPerfectDevice) {
  for (const DType dtype : DTypesOf(*FindSchema(GetParam()))) {
    for (const OpCase& one : GenerateCases(GetParam(), dtype, kSeed)) {
      const OpCall call = one.make();
      const Result<Outputs> outputs = Evaluate(call);
      if (one.must_fail) {
        EXPECT_EQ(outputs.status().code(), Code::kInvalidArgument) << one.name;
        continue;
      }
      ASSERT_TRUE(outputs.ok()) << one.name << ": " << outputs.status().ToString();
      EXPECT_FALSE(outputs->outputs.empty() && outputs->written.empty()) << one.name;
      for (const Output& output : outputs->outputs) CheckOutput(one, call, output);
      for (const auto& [input, output] : outputs->written) CheckOutput(one, call, output);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Ops, GeneratedCasesTest, ::testing::ValuesIn(SupportedOps()),
                         [](const auto& op) { return op.param; });

}  // namespace
}  // namespace berth::conformance
