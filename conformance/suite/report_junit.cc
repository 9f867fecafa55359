// JUnit XML, as the common CI servers read it: a suite for each op (or part of the
// contract), declared failures and refusals as skipped.
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <vector>

#include "conformance/suite/report.h"
#include "conformance/suite/report_json.h"

namespace berth::conformance {
namespace {

// XML 1.0 has no form for most control characters; invalid UTF-8 is mended by way of
// JSON.
std::string Escaped(const std::string& text) {
  const std::string dumped = DumpJson(text, -1);
  const std::string valid = nlohmann::json::parse(dumped).get<std::string>();
  std::string escaped;
  for (const char c : valid) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\n':
        escaped += "&#10;";
        break;
      default:
        escaped += static_cast<unsigned char>(c) < 0x20 && c != '\t' ? '?' : c;
    }
  }
  return escaped;
}

std::string Attribute(const char* key, const std::string& value) {
  return std::string(" ") + key + "=\"" + Escaped(value) + "\"";
}

std::string Seconds(double seconds) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.3f", seconds);
  return text;
}

// "Conv2D", or the first two parts of the name of a case without an op.
std::string SuiteName(const CaseInfo& info) {
  if (!info.op.empty()) return info.op;
  return info.name.substr(0, info.name.find('/', info.name.find('/') + 1));
}

std::string Detail(const char* element, const CaseReport& one) {
  std::string text = std::string("      <") + element +
                     Attribute("type", one.result.fault) +
                     Attribute("message", one.result.fault + ": " + one.result.message) +
                     ">" + Escaped(one.rerun);
  return text + "</" + element + ">\n";
}

std::string CaseElement(const CaseReport& one) {
  std::string text =
      "    <testcase" + Attribute("name", one.info.name) +
      Attribute("classname", SuiteName(one.info) +
                                 (one.info.dtype.empty() ? "" : "." + one.info.dtype)) +
      Attribute("time", Seconds(one.seconds)) + ">\n";
  switch (one.result.verdict) {
    case Verdict::kPassed:
      break;
    case Verdict::kFailed:
      text += Detail("failure", one);
      break;
    case Verdict::kCrashed:
    case Verdict::kHung:
      text += Detail("error", one);
      break;
    case Verdict::kExpected:
    case Verdict::kUnsupported:
      text += "      <skipped" +
              Attribute("message",
                        std::string(VerdictName(one.result.verdict)) + ": " +
                            (one.reason.empty() ? one.result.message : one.reason)) +
              "/>\n";
      break;
  }
  if (!one.output.empty()) {
    text += "      <system-out>" + Escaped(one.output) + "</system-out>\n";
  }
  return text + "    </testcase>\n";
}

std::string Counts(const Summary& summary) {
  return Attribute("tests", std::to_string(summary.total())) +
         Attribute("failures", std::to_string(summary.failed)) +
         Attribute("errors", std::to_string(summary.crashed + summary.hung)) +
         Attribute("skipped", std::to_string(summary.expected + summary.unsupported));
}

std::string Properties(const Report& report) {
  const SubjectInfo& subject = report.subject;
  const std::vector<std::pair<const char*, std::string>> properties = {
      {"plugin", subject.plugin_path},
      {"plugin_name", subject.plugin_name},
      {"plugin_version", subject.plugin_version},
      {"plugin_hash", subject.plugin_hash},
      {"abi_version", subject.abi_version},
      {"device_type", subject.device_type},
      {"device", subject.device},
      {"driver", subject.driver},
      {"suite_version", report.suite_version},
      {"seed", std::to_string(report.seed)},
  };
  std::string text = "    <properties>\n";
  for (const auto& [name, value] : properties) {
    text +=
        "      <property" + Attribute("name", name) + Attribute("value", value) + "/>\n";
  }
  return text + "    </properties>\n";
}

}  // namespace

std::string ReportJunit(const Report& report) {
  std::map<std::string, Report> suites;
  for (const CaseReport& one : report.cases) {
    suites[SuiteName(one.info)].cases.push_back(one);
  }
  std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites" +
                     Attribute("name", "berth-conform") + Counts(Summarize(report)) +
                     Attribute("time", Seconds(report.seconds)) + ">\n";
  const std::string properties = Properties(report);
  for (const auto& [name, suite] : suites) {
    double seconds = 0;
    for (const CaseReport& one : suite.cases) seconds += one.seconds;
    text += "  <testsuite" + Attribute("name", name) + Counts(Summarize(suite)) +
            Attribute("time", Seconds(seconds)) + Attribute("timestamp", report.date) +
            ">\n" + properties;
    for (const CaseReport& one : suite.cases) text += CaseElement(one);
    text += "  </testsuite>\n";
  }
  return text + "</testsuites>\n";
}

}  // namespace berth::conformance
