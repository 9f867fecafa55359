// The parts of the runner that need no process.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "conformance/suite/console.h"
#include "conformance/suite/expect.h"
#include "conformance/suite/output_capture.h"
#include "conformance/suite/select.h"
#include "conformance/suite/wire.h"

namespace berth::conformance {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

CaseInfo Info(const std::string& op, const std::string& dtype, const std::string& rest,
              Tier tier = Tier::kMandatory) {
  return {"op/" + op + "/" + dtype + "/" + rest, op, dtype, tier, 0};
}

std::vector<CaseInfo> All() {
  return {Info("Relu", "float", "0"), Info("Relu", "half", "0", Tier::kOptional),
          Info("Conv2D", "float", "a/b"),
          Info("Conv2D", "float", "speed", Tier::kPerformance)};
}

std::vector<std::string> Names(const Filter& filter) {
  const Result<std::vector<CaseInfo>> selected = Select(filter, All());
  EXPECT_TRUE(selected.ok()) << selected.status().ToString();
  std::vector<std::string> names;
  if (!selected.ok()) return names;
  for (const CaseInfo& info : *selected) names.push_back(info.name);
  return names;
}

TEST(SelectTest, WithoutFilterAllButPerformance) {
  EXPECT_THAT(Names({}),
              ElementsAre("op/Relu/float/0", "op/Relu/half/0", "op/Conv2D/float/a/b"));
}

TEST(SelectTest, FiltersAreAllApplied) {
  Filter filter;
  filter.ops = {"Re*", "Conv2D"};
  filter.dtypes = {"float"};
  EXPECT_THAT(Names(filter), ElementsAre("op/Relu/float/0", "op/Conv2D/float/a/b"));
  filter.patterns = {"op/*/b"};
  EXPECT_THAT(Names(filter), ElementsAre("op/Conv2D/float/a/b"));
}

TEST(SelectTest, TierAndCaseReachPerformance) {
  Filter tier;
  tier.tiers = {Tier::kPerformance};
  EXPECT_THAT(Names(tier), ElementsAre("op/Conv2D/float/speed"));
  Filter name;
  name.case_name = "op/Conv2D/float/speed";
  EXPECT_THAT(Names(name), ElementsAre("op/Conv2D/float/speed"));
}

TEST(SelectTest, ShardsPartTheSelection) {
  Filter first;
  first.num_shards = 2;
  Filter second = first;
  second.shard = 2;
  EXPECT_THAT(Names(first), ElementsAre("op/Relu/float/0", "op/Conv2D/float/a/b"));
  EXPECT_THAT(Names(second), ElementsAre("op/Relu/half/0"));
}

TEST(SelectTest, NothingSelectedSaysWhatThereIs) {
  Filter filter;
  filter.ops = {"Relu", "Conv3D"};
  filter.dtypes = {"int8"};
  const Result<std::vector<CaseInfo>> selected = Select(filter, All());
  ASSERT_FALSE(selected.ok());
  EXPECT_THAT(selected.status().message(),
              HasSubstr("--op Conv3D fits nothing; there is: Conv2D, Relu"));
  Filter shard;
  shard.num_shards = 9;
  shard.shard = 9;
  EXPECT_THAT(Select(shard, All()).status().message(),
              HasSubstr("shard 9 of 9 is empty: only 3 cases"));
}

constexpr const char* kFile = R"({
  "unsupported": [{"match": "op/Conv3D/*", "reason": "no 3-D convolution"}],
  "expected_failures": [{"match": "op/Exp/half/*", "reason": "ticket 12"},
                        {"match": "*", "reason": "never reached before"}]})";

CaseReport Applied(const CaseInfo& info, Verdict verdict, const char* file = kFile) {
  Result<Expectations> expectations = Expectations::Parse(file, "vendor.json");
  EXPECT_TRUE(expectations.ok()) << expectations.status().ToString();
  CaseReport report;
  report.info = info;
  report.result.verdict = verdict;
  report.result.fault = verdict == Verdict::kPassed ? "" : "wrong value";
  report.result.message = "said before";
  if (expectations.ok()) expectations->Apply(&report);
  return report;
}

TEST(ExpectTest, ADeclaredFailureIsExpectedHoweverItFails) {
  for (const Verdict verdict : {Verdict::kFailed, Verdict::kCrashed, Verdict::kHung}) {
    const CaseReport report = Applied(Info("Exp", "half", "0"), verdict);
    EXPECT_EQ(report.result.verdict, Verdict::kExpected);
    EXPECT_EQ(report.reason, "ticket 12");
    EXPECT_EQ(report.result.fault, "wrong value");
  }
}

TEST(ExpectTest, APassAgainstADeclarationFails) {
  for (const char* op : {"Exp", "Conv3D"}) {
    const CaseReport report = Applied(Info(op, "half", "0"), Verdict::kPassed);
    EXPECT_EQ(report.result.verdict, Verdict::kFailed) << op;
    EXPECT_EQ(report.result.fault, "unexpected pass");
    EXPECT_THAT(report.result.message, HasSubstr("vendor.json"));
  }
}

TEST(ExpectTest, ARefusalIsUnsupportedWhereDeclaredOrOptional) {
  EXPECT_EQ(Applied(Info("Conv3D", "half", "0"), Verdict::kUnsupported).result.verdict,
            Verdict::kUnsupported);
  EXPECT_EQ(
      Applied(Info("Abs", "half", "0", Tier::kOptional), Verdict::kUnsupported, "{}")
          .result.verdict,
      Verdict::kUnsupported);
  const CaseReport mandatory =
      Applied(Info("Abs", "half", "0"), Verdict::kUnsupported, "{}");
  EXPECT_EQ(mandatory.result.verdict, Verdict::kFailed);
  EXPECT_EQ(mandatory.result.fault, "unsupported, not declared");
  EXPECT_THAT(mandatory.result.message, HasSubstr("said before"));
}

TEST(ExpectTest, WhatIsDeclaredUnsupportedMayNotFail) {
  const CaseReport report = Applied(Info("Conv3D", "half", "0"), Verdict::kCrashed);
  EXPECT_EQ(report.result.verdict, Verdict::kCrashed);
  EXPECT_THAT(report.result.message, HasSubstr("the plugin should refuse it"));
}

TEST(ExpectTest, NamesEntriesThatFitNoCase) {
  const Result<Expectations> expectations = Expectations::Parse(kFile, "vendor.json");
  ASSERT_TRUE(expectations.ok());
  EXPECT_THAT(
      expectations->Unmatched({Info("Conv3D", "float", "0")}),
      ElementsAre(AllOf(HasSubstr("vendor.json"), HasSubstr("\"op/Exp/half/*\""))));
}

TEST(ExpectTest, ReasonsAreMandatoryAndFormIsChecked) {
  const std::pair<const char*, const char*> bad[] = {
      {R"({"unsupported": [{"match": "*"}]})", "unsupported[0] needs a \"reason\""},
      {R"({"expected_failures": [{"match": "*", "reason": "  "}]})",
       "expected_failures[0] needs a \"reason\""},
      {R"({"expected_failures": [{"reason": "x"}]})", "needs a \"match\""},
      {R"({"expected_failure": []})", "\"expected_failure\""},
      {R"({"unsupported": [{"match": "*", "reason": "x", "note": 1}]})", "\"note\""},
      {R"({"unsupported": {}})", "no list"},
      {R"({"unsupported": [3]})", "no object"},
      {"[]", "no JSON object"},
      {"{", "no JSON object"},
  };
  for (const auto& [text, part] : bad) {
    const Result<Expectations> result = Expectations::Parse(text, "vendor.json");
    ASSERT_FALSE(result.ok()) << text;
    EXPECT_THAT(result.status().message(),
                AllOf(HasSubstr("vendor.json"), HasSubstr(part)));
  }
}

TEST(OutputCaptureTest, KeepsBothEnds) {
  OutputCapture capture;
  const std::string head(OutputCapture::kPart, 'a');
  const std::string tail(OutputCapture::kPart, 'c');
  capture.Add(head.substr(1));
  capture.Add("a" + std::string(1000, 'b'));
  capture.Add(tail);
  const std::string text = capture.Take();
  EXPECT_THAT(text, StartsWith(head + "\n[… 1000 bytes left out …]\n"));
  EXPECT_THAT(text, EndsWith("]\n" + tail));
  EXPECT_EQ(capture.Take(), "");
  capture.Add("short");
  EXPECT_EQ(capture.Take(), "short");
}

TEST(WireTest, AResultCrossesWhole) {
  Message message;
  message.kind = MessageKind::kEnd;
  message.text = "op/Relu/float/0";
  message.result = {.verdict = Verdict::kHung,
                    .fault = "wrong value",
                    .message = "two\nlines \"quoted\"",
                    .margin = std::numeric_limits<double>::infinity(),
                    .metrics = {{"gflops", 1.0 / 3}}};
  const std::string line = EncodeMessage(message);
  EXPECT_EQ(line.find('\n'), line.size() - 1);
  const Result<Message> back =
      DecodeMessage(std::string_view(line).substr(0, line.size() - 1));
  ASSERT_TRUE(back.ok()) << back.status().ToString();
  EXPECT_EQ(back->kind, MessageKind::kEnd);
  EXPECT_EQ(back->text, message.text);
  EXPECT_EQ(back->result.verdict, Verdict::kHung);
  EXPECT_EQ(back->result.fault, message.result.fault);
  EXPECT_EQ(back->result.message, message.result.message);
  EXPECT_EQ(back->result.margin, message.result.margin);
  EXPECT_EQ(back->result.metrics, message.result.metrics);
}

TEST(WireTest, LinesOfHandlersAreMessages) {
  EXPECT_EQ(DecodeMessage(kMemoryLine)->kind, MessageKind::kMemory);
  std::string line(kSignalLine);
  line[kSignalDigits] = '1';
  line[kSignalDigits + 1] = '1';
  const Result<Message> message = DecodeMessage(line);
  ASSERT_TRUE(message.ok());
  EXPECT_EQ(message->kind, MessageKind::kSignal);
  EXPECT_EQ(message->number, 11);
}

TEST(WireTest, ForeignLinesAreErrors) {
  for (const char* line : {"", "{}", "garbage", "[1]", R"({"t":"sing"})",
                           R"({"t":"end","text":"x","verdict":"good"})",
                           R"({"t":"case","name":"x","tier":"top"})"}) {
    EXPECT_FALSE(DecodeMessage(line).ok()) << line;
  }
}

TEST(ConsoleTest, GroupsDigits) {
  EXPECT_EQ(Grouped(0), "0");
  EXPECT_EQ(Grouped(999), "999");
  EXPECT_EQ(Grouped(5214), "5,214");
  EXPECT_EQ(Grouped(1234567), "1,234,567");
}

}  // namespace
}  // namespace berth::conformance
