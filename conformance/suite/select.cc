#include "conformance/suite/select.h"

#include <fnmatch.h>

#include <algorithm>
#include <set>

namespace berth::conformance {
namespace {

constexpr size_t kMostNamesInMessage = 12;

bool FitsOne(const std::vector<std::string>& patterns, const std::string& text) {
  return patterns.empty() ||
         std::any_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) {
           return GlobMatches(pattern, text);
         });
}

bool Fits(const Filter& filter, const CaseInfo& info) {
  const bool tier = filter.tiers.empty()
                        ? info.tier != Tier::kPerformance
                        : std::find(filter.tiers.begin(), filter.tiers.end(),
                                    info.tier) != filter.tiers.end();
  return tier && FitsOne(filter.ops, info.op) && FitsOne(filter.dtypes, info.dtype) &&
         FitsOne(filter.patterns, info.name);
}

std::string Join(const std::set<std::string>& names) {
  std::string text;
  size_t count = 0;
  for (const std::string& name : names) {
    if (name.empty()) continue;
    if (++count > kMostNamesInMessage) {
      return text + ", … (" + std::to_string(names.size()) + " in all)";
    }
    text += (text.empty() ? "" : ", ") + name;
  }
  return text.empty() ? "none" : text;
}

// The first pattern that fits none of the names, with what there is instead; "" when each
// fits one.
std::string Misfit(const char* flag, const std::vector<std::string>& patterns,
                   const std::set<std::string>& names) {
  for (const std::string& pattern : patterns) {
    if (std::none_of(names.begin(), names.end(), [&](const std::string& name) {
          return GlobMatches(pattern, name);
        })) {
      return std::string(flag) + " " + pattern +
             " fits nothing; there is: " + Join(names);
    }
  }
  return "";
}

Status NothingFits(const Filter& filter, const std::vector<CaseInfo>& all) {
  std::set<std::string> ops;
  std::set<std::string> dtypes;
  std::set<std::string> names;
  for (const CaseInfo& info : all) {
    ops.insert(info.op);
    dtypes.insert(info.dtype);
    names.insert(info.name);
  }
  for (const std::string& misfit :
       {Misfit("--op", filter.ops, ops), Misfit("--dtype", filter.dtypes, dtypes),
        Misfit("--match", filter.patterns, names)}) {
    if (!misfit.empty()) return NotFound("no case is selected: " + misfit);
  }
  return NotFound("no case is selected: none of the " + std::to_string(all.size()) +
                  " cases fits all of the filters (and by default the performance tier "
                  "is left out)");
}

}  // namespace

bool GlobMatches(const std::string& pattern, const std::string& text) {
  return fnmatch(pattern.c_str(), text.c_str(), 0) == 0;
}

Result<std::vector<CaseInfo>> Select(const Filter& filter,
                                     const std::vector<CaseInfo>& all) {
  std::vector<CaseInfo> fitting;
  for (const CaseInfo& info : all) {
    if (filter.case_name.empty() ? Fits(filter, info) : info.name == filter.case_name) {
      fitting.push_back(info);
    }
  }
  if (fitting.empty() && !filter.case_name.empty()) {
    return NotFound("there is no case '" + filter.case_name +
                    "' for this plugin, device and seed; --list names them");
  }
  if (fitting.empty()) return NothingFits(filter, all);
  std::vector<CaseInfo> selected;
  for (size_t i = static_cast<size_t>(filter.shard - 1); i < fitting.size();
       i += static_cast<size_t>(filter.num_shards)) {
    selected.push_back(fitting[i]);
  }
  if (selected.empty()) {
    return NotFound("shard " + std::to_string(filter.shard) + " of " +
                    std::to_string(filter.num_shards) + " is empty: only " +
                    std::to_string(fitting.size()) + " cases are selected");
  }
  return selected;
}

}  // namespace berth::conformance
