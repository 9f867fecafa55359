// How the op families of this folder meet the table in reference.cc.
#pragma once

#include <map>
#include <string>

#include "conformance/reference/reference.h"

namespace berth::conformance {

using Evaluator = Result<Outputs> (*)(const OpCall&);

// Op names and what computes them.
class ReferenceTable {
 public:
  struct Entry {
    Evaluator evaluator;
    bool takes_complex;
  };

  // An op of real numbers, integers and bools.
  void Add(const char* op, Evaluator evaluator) { entries_[op] = {evaluator, false}; }
  // An op that moves elements, complex ones included.
  void AddMoving(const char* op, Evaluator evaluator) {
    entries_[op] = {evaluator, true};
  }
  const std::map<std::string, Entry>& entries() const { return entries_; }

 private:
  std::map<std::string, Entry> entries_;
};

#define BERTH_FAMILY(name) void Register##name(ReferenceTable& table);
#include "conformance/reference/families.inc"
#undef BERTH_FAMILY

}  // namespace berth::conformance
