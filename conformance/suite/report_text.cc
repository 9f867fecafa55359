// The closing lines of a run.
#include <cstdio>

#include "conformance/suite/console.h"
#include "conformance/suite/report.h"

namespace berth::conformance {
namespace {

constexpr size_t kHashDigitsShown = 12;

std::string SubjectLine(const Report& report) {
  const SubjectInfo& subject = report.subject;
  std::string line = subject.plugin_name.empty()
                         ? subject.plugin_path
                         : subject.plugin_name + " " + subject.plugin_version;
  if (!subject.plugin_hash.empty()) {
    line += " (" + subject.plugin_hash.substr(0, kHashDigitsShown) + ")";
  }
  if (!subject.device_type.empty()) line += " on " + subject.device_type;
  if (!subject.device.empty()) line += " " + subject.device;
  if (!subject.driver.empty()) line += ", driver " + subject.driver;
  if (!subject.abi_version.empty()) line += ", ABI " + subject.abi_version;
  return line + ", berth-conform " + report.suite_version + ", seed " +
         std::to_string(report.seed) + "\n";
}

const CaseReport* LargestMargin(const Report& report) {
  const CaseReport* largest = nullptr;
  for (const CaseReport& one : report.cases) {
    if (one.result.verdict != Verdict::kPassed || one.result.margin < 0) continue;
    if (largest == nullptr || one.result.margin > largest->result.margin) largest = &one;
  }
  return largest;
}

}  // namespace

std::string ReportText(const Report& report) {
  const Summary summary = Summarize(report);
  char seconds[32];
  std::snprintf(seconds, sizeof(seconds), "%.1f s", report.seconds);
  std::string text = SubjectLine(report) + Grouped(summary.total()) +
                     (summary.total() == 1 ? " case in " : " cases in ") + seconds +
                     ": " + Grouped(summary.passed) + " passed, " +
                     Grouped(summary.failed) + " failed, " + Grouped(summary.expected) +
                     " expected, " + Grouped(summary.unsupported) + " unsupported, " +
                     Grouped(summary.crashed) + " crashed, " + Grouped(summary.hung) +
                     " hung\n";
  if (const CaseReport* largest = LargestMargin(report)) {
    char margin[32];
    std::snprintf(margin, sizeof(margin), "%.2f", largest->result.margin);
    text += "Largest error of a case that passed: " + std::string(margin) +
            " of its bound, " + largest->info.name + "\n";
  }
  for (const std::string& note : report.notes) text += "Note: " + note + "\n";
  if (report.interrupted)
    text += "Interrupted: the cases that had not ended are left out.\n";
  return text;
}

}  // namespace berth::conformance
