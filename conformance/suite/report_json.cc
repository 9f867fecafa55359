// The schema is docs/conformance.schema.json.
#include "conformance/suite/report_json.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>

namespace berth::conformance {
namespace {

using Json = nlohmann::ordered_json;

// JSON has neither infinity nor NaN.
Json NumberOrNull(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

// Four digits are enough to compare margins and times by.
double Rounded(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.4g", value);
  return std::strtod(text, nullptr);
}

Json CaseValue(const CaseReport& one) {
  Json metrics = Json::object();
  for (const auto& [key, value] : one.result.metrics) metrics[key] = NumberOrNull(value);
  return {{"name", one.info.name},
          {"op", one.info.op},
          {"dtype", one.info.dtype},
          {"tier", TierName(one.info.tier)},
          {"verdict", VerdictName(one.result.verdict)},
          {"fault", one.result.fault},
          {"message", one.result.message},
          {"margin", one.result.margin < 0 ? Json(nullptr)
                                           : NumberOrNull(Rounded(one.result.margin))},
          {"metrics", std::move(metrics)},
          {"seconds", Rounded(one.seconds)},
          {"reason", one.reason},
          {"output", one.output},
          // Of a case that passed nobody asks it, and there are thousands.
          {"rerun", one.result.verdict == Verdict::kPassed ? "" : one.rerun}};
}

}  // namespace

Json ReportValue(const Report& report) {
  const Summary summary = Summarize(report);
  const SubjectInfo& subject = report.subject;
  Json cases = Json::array();
  for (const CaseReport& one : report.cases) cases.push_back(CaseValue(one));
  return {{"format", 1},
          {"suite_version", report.suite_version},
          {"abi_version", subject.abi_version},
          {"plugin",
           {{"path", subject.plugin_path},
            {"name", subject.plugin_name},
            {"version", subject.plugin_version},
            {"hash", subject.plugin_hash}}},
          {"device",
           {{"type", subject.device_type},
            {"name", subject.device},
            {"driver", subject.driver}}},
          {"seed", report.seed},
          {"date", report.date},
          {"seconds", Rounded(report.seconds)},
          {"complete", report.complete},
          {"interrupted", report.interrupted},
          {"summary",
           {{"passed", summary.passed},
            {"failed", summary.failed},
            {"expected", summary.expected},
            {"unsupported", summary.unsupported},
            {"crashed", summary.crashed},
            {"hung", summary.hung}}},
          {"notes", report.notes},
          {"cases", std::move(cases)}};
}

std::string DumpJson(const Json& value, int indent) {
  return value.dump(indent, ' ', false, Json::error_handler_t::replace);
}

std::string ReportJson(const Report& report) {
  return DumpJson(ReportValue(report), 1) + "\n";
}

}  // namespace berth::conformance
