#include "core/capi/conformance_note.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "core/plugin/file_check.h"

namespace berth {
namespace {

class ConformanceNoteTest : public testing::Test {
 protected:
  ConformanceNoteTest() {
    std::string folder = testing::TempDir() + "conformance_note_XXXXXX";
    folder_ = mkdtemp(folder.data());
    plugin_ = folder_ + "/libx.so";
    Write(plugin_, "the plugin");
  }
  ~ConformanceNoteTest() override { std::filesystem::remove_all(folder_); }

  static void Write(const std::string& path, const std::string& text) {
    std::ofstream(path) << text;
  }
  // A report of the plugin's present file.
  std::string Report(const std::string& summary, bool complete = true) const {
    return R"({"format": 1, "abi_version": "0.1", "plugin": {"hash": ")" +
           *HashFile(plugin_) + R"("}, "complete": )" + (complete ? "true" : "false") +
           R"(, "cases": [{"summary": 1}], "summary": {)" + summary + "}}";
  }
  ConformanceNote Note(const std::string& report) const {
    Write(plugin_ + ".conformance.json", report);
    return ReadConformanceNote(plugin_);
  }

  std::string folder_;
  std::string plugin_;
};

constexpr const char* kGood =
    R"("passed": 5210, "failed": 0, "expected": 4, "unsupported": 0, "crashed": 0, "hung": 0)";

TEST_F(ConformanceNoteTest, WithoutAReportThereIsNone) {
  const ConformanceNote note = ReadConformanceNote(plugin_);
  EXPECT_EQ(note.state, ConformanceState::kNone);
  EXPECT_EQ(note.text, "");
  EXPECT_EQ(note.report, "");
}

TEST_F(ConformanceNoteTest, CountsWhatConforms) {
  const ConformanceNote note = Note(Report(kGood));
  EXPECT_EQ(note.state, ConformanceState::kConforms);
  EXPECT_EQ(note.text, "conforms to ABI 0.1: 5,210 of 5,214, 4 expected");
  EXPECT_EQ(note.report, plugin_ + ".conformance.json");
}

TEST_F(ConformanceNoteTest, RefusedCasesAreNotJudged) {
  EXPECT_EQ(Note(Report(R"("passed": 12, "failed": 0, "expected": 0, "unsupported": 3,
                           "crashed": 0, "hung": 0)"))
                .text,
            "conforms to ABI 0.1: 12 of 12, 3 unsupported");
}

TEST_F(ConformanceNoteTest, SaysWhatDoesNotConform) {
  const ConformanceNote note =
      Note(Report(R"("passed": 1000, "failed": 3, "expected": 0, "unsupported": 0,
                     "crashed": 2, "hung": 1)"));
  EXPECT_EQ(note.state, ConformanceState::kFails);
  EXPECT_EQ(note.text,
            "does not conform to ABI 0.1: 1,000 of 1,006, 3 failed, 2 crashed, 1 hung");
}

TEST_F(ConformanceNoteTest, ASelectionConformsInPart) {
  const ConformanceNote note = Note(Report(kGood, false));
  EXPECT_EQ(note.state, ConformanceState::kPartial);
  EXPECT_EQ(note.text, "conformance tested in part, ABI 0.1: 5,210 of 5,214, 4 expected");
}

TEST_F(ConformanceNoteTest, AReportOfAnotherBuildIsStale) {
  const std::string report = Report(kGood);
  Write(plugin_, "the plugin, built again");
  const ConformanceNote note = Note(report);
  EXPECT_EQ(note.state, ConformanceState::kStale);
  EXPECT_EQ(note.text,
            "its conformance report is of another build of the file: run berth-conform "
            "again");
}

TEST_F(ConformanceNoteTest, WhatIsNoReportIsUnreadable) {
  const std::string good = Report(kGood);
  ASSERT_EQ(Note(good).state, ConformanceState::kConforms);
  const std::pair<const char*, const char*> damages[] = {
      {"\"format\": 1", "\"format\": 2"},
      {"\"0.1\"", "1"},
      {"\"hash\"", "\"hush\""},
      {"\"plugin\": {", "\"plugin\": 3, \"x\": {"},
      {"\"complete\": true", "\"complete\": 1"},
      {"5210", "-1"},
      {"\"hung\": 0", "\"hanged\": 0"},
      {"\"summary\": {", "\"sum\": {"},
      {"}}", ""},
  };
  for (const auto& [from, to] : damages) {
    std::string damaged = good;
    const size_t at = damaged.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    damaged.replace(at, std::string(from).size(), to);
    EXPECT_EQ(Note(damaged).state, ConformanceState::kUnreadable) << damaged;
  }
  for (const char* text : {"", "null", "[]", "\"text\"", "\xff\xfe"}) {
    EXPECT_EQ(Note(text).state, ConformanceState::kUnreadable) << text;
  }
}

}  // namespace
}  // namespace berth
