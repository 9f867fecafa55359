#include "conformance/suite/report.h"

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <utility>

namespace berth::conformance {
namespace {

constexpr std::array<std::pair<Verdict, const char*>, 6> kVerdicts = {{
    {Verdict::kPassed, "passed"},
    {Verdict::kFailed, "failed"},
    {Verdict::kExpected, "expected"},
    {Verdict::kUnsupported, "unsupported"},
    {Verdict::kCrashed, "crashed"},
    {Verdict::kHung, "hung"},
}};
constexpr std::array<std::pair<Tier, const char*>, 3> kTiers = {{
    {Tier::kMandatory, "mandatory"},
    {Tier::kOptional, "optional"},
    {Tier::kPerformance, "performance"},
}};

template <typename Table, typename Value>
const char* NameIn(const Table& table, Value value) {
  for (const auto& [known, name] : table) {
    if (known == value) return name;
  }
  return "unknown";
}

template <typename Value, typename Table>
Result<Value> ValueIn(const Table& table, const std::string& wanted, const char* what) {
  std::string names;
  for (const auto& [value, name] : table) {
    if (wanted == name) return value;
    names += std::string(names.empty() ? "" : ", ") + name;
  }
  return InvalidArgument("there is no " + std::string(what) + " '" + wanted +
                         "'; there are " + names);
}

bool IsRegularOrAbsent(const std::string& path) {
  struct stat info = {};
  return stat(path.c_str(), &info) != 0 || S_ISREG(info.st_mode);
}

std::string FolderOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

Status CannotWrite(const std::string& path) {
  return FailedPrecondition("cannot write '" + path + "': " + std::strerror(errno));
}

}  // namespace

const char* VerdictName(Verdict verdict) { return NameIn(kVerdicts, verdict); }
const char* TierName(Tier tier) { return NameIn(kTiers, tier); }
Result<Verdict> ParseVerdict(const std::string& name) {
  return ValueIn<Verdict>(kVerdicts, name, "verdict");
}
Result<Tier> ParseTier(const std::string& name) {
  return ValueIn<Tier>(kTiers, name, "tier");
}

Summary Summarize(const Report& report) {
  Summary summary;
  for (const CaseReport& one : report.cases) {
    switch (one.result.verdict) {
      case Verdict::kPassed:
        ++summary.passed;
        break;
      case Verdict::kFailed:
        ++summary.failed;
        break;
      case Verdict::kExpected:
        ++summary.expected;
        break;
      case Verdict::kUnsupported:
        ++summary.unsupported;
        break;
      case Verdict::kCrashed:
        ++summary.crashed;
        break;
      case Verdict::kHung:
        ++summary.hung;
        break;
    }
  }
  return summary;
}

Status CheckReportFile(const std::string& path) {
  struct stat info = {};
  const bool there = stat(path.c_str(), &info) == 0;
  if (there && S_ISDIR(info.st_mode)) {
    return FailedPrecondition("cannot write '" + path + "': it is a folder");
  }
  const bool direct = there && !S_ISREG(info.st_mode);
  const std::string where = direct ? path : FolderOf(path);
  return access(where.c_str(), W_OK) == 0 ? OkStatus() : CannotWrite(path);
}

Status WriteReportFile(const std::string& path, const std::string& text) {
  const bool direct = !IsRegularOrAbsent(path);
  const std::string target = direct ? path : path + ".tmp";
  std::ofstream file(target, std::ios::binary | std::ios::trunc);
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  file.close();
  if (!file) return CannotWrite(target);
  if (!direct && std::rename(target.c_str(), path.c_str()) != 0) return CannotWrite(path);
  return OkStatus();
}

}  // namespace berth::conformance
