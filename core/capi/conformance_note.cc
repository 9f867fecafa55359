#include "core/capi/conformance_note.h"

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/plugin/file_check.h"

namespace berth {
namespace {

using nlohmann::json;

constexpr int kKnownFormat = 1;

struct Counts {
  uint64_t passed = 0;
  uint64_t failed = 0;
  uint64_t expected = 0;
  uint64_t unsupported = 0;
  uint64_t crashed = 0;
  uint64_t hung = 0;

  // A case that is refused with a reason says nothing about conformance.
  uint64_t judged() const { return passed + failed + expected + crashed + hung; }
  uint64_t bad() const { return failed + crashed + hung; }
};

struct Facts {
  std::string hash;
  std::string abi_version;
  bool complete = false;
  Counts counts;
};

std::string Grouped(uint64_t number) {
  std::string text = std::to_string(number);
  for (size_t at = text.size(); at > 3;) {
    at -= 3;
    text.insert(at, ",");
  }
  return text;
}

// False for a report without the count.
bool ReadCount(const json& summary, const char* key, uint64_t* count) {
  const auto found = summary.find(key);
  if (found == summary.end() || !found->is_number_unsigned()) return false;
  *count = found->get<uint64_t>();
  return true;
}

std::optional<Counts> ReadCounts(const json& summary) {
  if (!summary.is_object()) return std::nullopt;
  Counts counts;
  const bool all = ReadCount(summary, "passed", &counts.passed) &&
                   ReadCount(summary, "failed", &counts.failed) &&
                   ReadCount(summary, "expected", &counts.expected) &&
                   ReadCount(summary, "unsupported", &counts.unsupported) &&
                   ReadCount(summary, "crashed", &counts.crashed) &&
                   ReadCount(summary, "hung", &counts.hung);
  return all ? std::optional<Counts>(counts) : std::nullopt;
}

// The report may come from anywhere: nothing in it is taken for granted.
std::optional<Facts> ReadFacts(const std::string& text) {
  // The cases are most of a report, and not asked for here.
  const auto keep = [](int depth, json::parse_event_t event, const json& value) {
    return depth != 1 || event != json::parse_event_t::key || value != "cases";
  };
  const json report = json::parse(text, keep, false);
  if (!report.is_object()) return std::nullopt;
  const json format = report.value("format", json());
  const json plugin = report.value("plugin", json());
  const json abi = report.value("abi_version", json());
  const json complete = report.value("complete", json());
  const std::optional<Counts> counts = ReadCounts(report.value("summary", json()));
  if (format != kKnownFormat || !plugin.is_object() || !abi.is_string() ||
      !complete.is_boolean() || !counts.has_value()) {
    return std::nullopt;
  }
  const json hash = plugin.value("hash", json());
  if (!hash.is_string()) return std::nullopt;
  return Facts{hash.get<std::string>(), abi.get<std::string>(), complete.get<bool>(),
               *counts};
}

ConformanceState Judge(const Facts& facts, const std::string& hash) {
  if (facts.hash != hash) return ConformanceState::kStale;
  if (facts.counts.bad() > 0) return ConformanceState::kFails;
  return facts.complete ? ConformanceState::kConforms : ConformanceState::kPartial;
}

// "5,210 of 5,214, 4 expected": the kinds that there are.
std::string CountsText(const Counts& counts) {
  std::string text = Grouped(counts.passed) + " of " + Grouped(counts.judged());
  const auto add = [&text](uint64_t count, const char* what) {
    if (count > 0) text += ", " + Grouped(count) + " " + what;
  };
  add(counts.failed, "failed");
  add(counts.crashed, "crashed");
  add(counts.hung, "hung");
  add(counts.expected, "expected");
  add(counts.unsupported, "unsupported");
  return text;
}

std::string NoteText(ConformanceState state, const Facts& facts) {
  const std::string counts =
      " ABI " + facts.abi_version + ": " + CountsText(facts.counts);
  switch (state) {
    case ConformanceState::kConforms:
      return "conforms to" + counts;
    case ConformanceState::kFails:
      return "does not conform to" + counts;
    case ConformanceState::kPartial:
      return "conformance tested in part," + counts;
    default:
      return "its conformance report is of another build of the file: run berth-conform "
             "again";
  }
}

}  // namespace

const char* ConformanceStateName(ConformanceState state) {
  switch (state) {
    case ConformanceState::kNone:
      return "";
    case ConformanceState::kConforms:
      return "conforms";
    case ConformanceState::kFails:
      return "fails";
    case ConformanceState::kPartial:
      return "partial";
    case ConformanceState::kStale:
      return "stale";
    case ConformanceState::kUnreadable:
      return "unreadable";
  }
  return "";
}

ConformanceNote ReadConformanceNote(const std::string& plugin_path) {
  ConformanceNote note;
  const std::string path = plugin_path + ".conformance.json";
  std::ifstream file(path, std::ios::binary);
  if (!file) return note;
  note.report = path;
  const std::string text{std::istreambuf_iterator<char>(file),
                         std::istreambuf_iterator<char>()};
  const std::optional<Facts> facts = ReadFacts(text);
  const Result<std::string> hash = HashFile(plugin_path);
  if (!facts.has_value() || !hash.ok()) {
    note.state = ConformanceState::kUnreadable;
    note.text = "its conformance report cannot be read: run berth-conform again";
    return note;
  }
  note.state = Judge(*facts, *hash);
  note.text = NoteText(note.state, *facts);
  return note;
}

}  // namespace berth
