// The expected-results file of a plugin: what its vendor declares, each with a reason.
//
//   {"unsupported":       [{"match": "op/Conv3D/*", "reason": "no 3-D convolution"}],
//    "expected_failures": [{"match": "op/Exp/half/*", "reason": "wider than the bound:
//    ticket 12"}]}
//
// "match" is a glob over names of cases. Of several entries that fit, the first counts;
// unsupported ones come before expected failures.
#pragma once

#include <string>
#include <vector>

#include "conformance/suite/report.h"

namespace berth::conformance {

class Expectations {
 public:
  // No file: nothing is declared.
  Expectations() = default;
  // INVALID_ARGUMENT naming file and entry for what is not of the form above, an entry
  // without a reason included.
  static Result<Expectations> Load(const std::string& path);
  static Result<Expectations> Parse(const std::string& text, const std::string& path);

  // Turns what the worker found into the verdict of the report: a declared failure is
  // kExpected; a case that passes against its declaration fails as "unexpected pass"; so
  // does a mandatory case that is refused and not declared, as "unsupported, not
  // declared".
  void Apply(CaseReport* report) const;

  // One line for each entry that fits none of the cases.
  std::vector<std::string> Unmatched(const std::vector<CaseInfo>& all) const;

 private:
  struct Entry {
    std::string match;
    std::string reason;
    bool unsupported = false;
  };
  const Entry* Find(const std::string& name) const;

  std::string path_;
  std::vector<Entry> entries_;
};

}  // namespace berth::conformance
