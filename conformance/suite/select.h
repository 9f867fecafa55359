// Which cases of the suite a run is about.
#pragma once

#include <string>
#include <vector>

#include "conformance/suite/report.h"

namespace berth::conformance {

// Patterns are shell globs over the whole text, where * also stands for '/'.
bool GlobMatches(const std::string& pattern, const std::string& text);

// A case is selected when it fits one entry of each list that is not empty. Without tiers
// the performance cases are left out.
struct Filter {
  std::string case_name;  // this one alone, whatever the rest says
  std::vector<std::string> ops;
  std::vector<std::string> dtypes;
  std::vector<std::string> patterns;
  std::vector<Tier> tiers;
  int shard = 1;  // of num_shards: each num_shards-th of those selected, from this one on
  int num_shards = 1;

  // Nothing is left out but the performance cases.
  bool everything() const {
    return case_name.empty() && ops.empty() && dtypes.empty() && patterns.empty() &&
           tiers.empty() && num_shards == 1;
  }
};

// The selected cases in their order. NOT_FOUND, saying what is there, for a filter that
// no case fits: a run of no case would prove nothing.
Result<std::vector<CaseInfo>> Select(const Filter& filter,
                                     const std::vector<CaseInfo>& all);

}  // namespace berth::conformance
