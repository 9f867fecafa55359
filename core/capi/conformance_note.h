// What the conformance report that lies beside a plugin's file says about that plugin.
#pragma once

#include <string>

namespace berth {

enum class ConformanceState {
  kNone,        // there is no report
  kConforms,    // all cases were run, all as expected
  kFails,       // some were not as expected
  kPartial,     // a selection of the cases was run, all of it as expected
  kStale,       // the report is of another build of the file
  kUnreadable,  // it is no report of a format that is known here
};
// "conforms"; "" for kNone.
const char* ConformanceStateName(ConformanceState state);

struct ConformanceNote {
  ConformanceState state = ConformanceState::kNone;
  std::string report;  // the path of the report
  std::string text;    // "conforms to ABI 0.1: 5,210 of 5,214, 4 expected"
};

// Reads PLUGIN.so.conformance.json, which `berth-conform --json` writes
// (docs/CONFORMANCE.md), and compares the hash in it with the file's. What is wrong with
// a report is said in the note, never an error.
ConformanceNote ReadConformanceNote(const std::string& plugin_path);

}  // namespace berth
