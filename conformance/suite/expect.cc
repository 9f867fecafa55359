#include "conformance/suite/expect.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

#include "conformance/suite/select.h"

namespace berth::conformance {
namespace {

using nlohmann::json;

constexpr std::array<const char*, 2> kLists = {"unsupported", "expected_failures"};

Status Bad(const std::string& path, const std::string& what) {
  return InvalidArgument("the expected results '" + path + "': " + what);
}

// The text of a field that must be there and say something.
Result<std::string> Field(const json& entry, const char* key, const std::string& where) {
  const auto found = entry.find(key);
  if (found == entry.end() || !found->is_string() ||
      found->get<std::string>().find_first_not_of(" \t\n") == std::string::npos) {
    return InvalidArgument(where + " needs a \"" + key + "\" that says something");
  }
  return found->get<std::string>();
}

Status CheckKeys(const json& object, const std::array<const char*, 2>& known,
                 const std::string& where) {
  for (const auto& item : object.items()) {
    if (std::find(known.begin(), known.end(), item.key()) == known.end()) {
      std::string text = where;
      text.append(" has a \"").append(item.key());
      text.append("\"; known are \"").append(known[0]);
      text.append("\" and \"").append(known[1]).append("\"");
      return InvalidArgument(std::move(text));
    }
  }
  return OkStatus();
}

}  // namespace

Result<Expectations> Expectations::Load(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return Bad(path, std::string("cannot be read: ") + std::strerror(errno));
  const std::string text{std::istreambuf_iterator<char>(file),
                         std::istreambuf_iterator<char>()};
  return Parse(text, path);
}

Result<Expectations> Expectations::Parse(const std::string& text,
                                         const std::string& path) {
  const json root = json::parse(text, nullptr, false);
  if (!root.is_object()) return Bad(path, "is no JSON object");
  if (Status keys = CheckKeys(root, kLists, "the file"); !keys.ok()) {
    return Bad(path, std::string(keys.message()));
  }
  Expectations expectations;
  expectations.path_ = path;
  for (const char* list : kLists) {
    const auto found = root.find(list);
    if (found == root.end()) continue;
    if (!found->is_array()) return Bad(path, std::string(list) + " is no list");
    for (size_t i = 0; i < found->size(); ++i) {
      const json& entry = (*found)[i];
      const std::string where = std::string(list) + "[" + std::to_string(i) + "]";
      if (!entry.is_object()) return Bad(path, where + " is no object");
      if (Status keys = CheckKeys(entry, {"match", "reason"}, where); !keys.ok()) {
        return Bad(path, std::string(keys.message()));
      }
      const Result<std::string> match = Field(entry, "match", where);
      if (!match.ok()) return Bad(path, std::string(match.status().message()));
      const Result<std::string> reason = Field(entry, "reason", where);
      if (!reason.ok()) return Bad(path, std::string(reason.status().message()));
      expectations.entries_.push_back({*match, *reason, list == kLists[0]});
    }
  }
  return expectations;
}

const Expectations::Entry* Expectations::Find(const std::string& name) const {
  for (const Entry& entry : entries_) {
    if (GlobMatches(entry.match, name)) return &entry;
  }
  return nullptr;
}

void Expectations::Apply(CaseReport* report) const {
  const Entry* entry = Find(report->info.name);
  CaseResult& result = report->result;
  if (entry != nullptr) report->reason = entry->reason;
  const auto fail = [&result](const char* fault, const std::string& message) {
    result.verdict = Verdict::kFailed;
    result.fault = fault;
    result.message = message;
  };
  if (result.verdict == Verdict::kUnsupported) {
    if (entry == nullptr && report->info.tier == Tier::kMandatory) {
      fail("unsupported, not declared",
           "the plugin refuses a mandatory case: " + result.message);
    }
    return;
  }
  if (entry == nullptr) return;
  const std::string declared =
      entry->unsupported ? "declared unsupported" : "declared as an expected failure";
  if (result.verdict == Verdict::kPassed) {
    fail("unexpected pass", declared + " (" + entry->reason +
                                "), but it passes: remove \"" + entry->match +
                                "\" from '" + path_ + "' or narrow it");
  } else if (entry->unsupported) {
    result.message += "; it is " + declared + ", so the plugin should refuse it";
  } else {
    result.verdict = Verdict::kExpected;
  }
}

std::vector<std::string> Expectations::Unmatched(const std::vector<CaseInfo>& all) const {
  std::vector<std::string> lines;
  for (const Entry& entry : entries_) {
    if (std::none_of(all.begin(), all.end(), [&](const CaseInfo& info) {
          return GlobMatches(entry.match, info.name);
        })) {
      lines.push_back("'" + path_ + "': the entry \"" + entry.match +
                      "\" fits no case: remove it");
    }
  }
  return lines;
}

}  // namespace berth::conformance
