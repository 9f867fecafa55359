// What a run found, and the forms in which it is told.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "conformance/suite/case.h"
#include "core/base/status.h"

namespace berth::conformance {

// A case without its function: what crosses from the worker that lists it.
struct CaseInfo {
  std::string name;
  std::string op;
  std::string dtype;
  Tier tier = Tier::kMandatory;
  double limit_seconds = 0;
};

struct CaseReport {
  CaseInfo info;
  CaseResult result;
  double seconds = 0;
  std::string output;  // what was written to stdout and stderr meanwhile, shortened
  std::string reason;  // of the entry in the expected-results file that matched
  std::string rerun;   // the command that runs this case alone
};

struct Summary {
  size_t passed = 0;
  size_t failed = 0;
  size_t expected = 0;
  size_t unsupported = 0;
  size_t crashed = 0;
  size_t hung = 0;

  size_t total() const {
    return passed + failed + expected + unsupported + crashed + hung;
  }
  size_t bad() const { return failed + crashed + hung; }
};

struct Report {
  SubjectInfo subject;
  std::string suite_version;
  uint64_t seed = 1;
  std::string date;  // of the start, "2026-01-31T12:00:00Z"
  double seconds = 0;
  bool interrupted = false;
  // Every mandatory and optional case of the suite has been run.
  bool complete = false;
  std::vector<std::string> notes;  // for a person
  std::vector<CaseReport> cases;   // in the order of the suite
};

// "passed", "mandatory": as in the reports.
const char* VerdictName(Verdict verdict);
const char* TierName(Tier tier);
Result<Verdict> ParseVerdict(const std::string& name);
Result<Tier> ParseTier(const std::string& name);

Summary Summarize(const Report& report);

// The forms. Text is the closing lines of a run; the schema of JSON is
// docs/conformance.schema.json.
std::string ReportText(const Report& report);
std::string ReportJson(const Report& report);
std::string ReportJunit(const Report& report);
std::string ReportHtml(const Report& report);

// Writes by way of a temporary file beside it; what is no regular file (a pipe) is
// written directly.
Status WriteReportFile(const std::string& path, const std::string& text);
// Whether that could work, without writing: to be asked before a long run.
Status CheckReportFile(const std::string& path);

}  // namespace berth::conformance
