// What a person sees while the cases run.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <string>

#include "conformance/suite/report.h"

namespace berth::conformance {

enum class Verbosity { kQuiet, kNormal, kVerbose };

// Failures at once, each with the line that reruns it; progress as one line that is
// written anew on a terminal, as a line for each tenth of the cases elsewhere. Not
// thread-safe.
class Console {
 public:
  Console(std::FILE* stream, Verbosity verbosity, size_t num_cases);
  // Takes the progress line away.
  ~Console();
  Console(const Console&) = delete;
  Console& operator=(const Console&) = delete;

  void OnCase(const CaseReport& report);
  // The same case again, with another verdict.
  void OnChanged(const CaseReport& report);

 private:
  void Show(const CaseReport& report);
  void Progress();
  void Clear();

  std::FILE* const stream_;
  const Verbosity verbosity_;
  const size_t num_cases_;
  const bool terminal_;
  size_t done_ = 0;
  size_t bad_ = 0;
  size_t next_line_;
  bool shown_ = false;
  std::chrono::steady_clock::time_point last_shown_;
};

// The lines about one case: verdict, fault, message, rerun, and its output when asked
// for.
std::string CaseText(const CaseReport& report, bool with_output);

// 5214 -> "5,214".
std::string Grouped(size_t number);

}  // namespace berth::conformance
