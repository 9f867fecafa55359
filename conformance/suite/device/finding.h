// What a check of a device finds wrong.
#pragma once

#include <string>
#include <utility>

namespace berth::conformance {

// Names of faults, as reports show them. They are stable: expected-results files and the
// suite's own tests match them.
namespace fault {
inline constexpr char kWrongValue[] = "wrong value";
inline constexpr char kWrongShape[] = "wrong shape";
inline constexpr char kRefusedAtRun[] = "refused at run time";
inline constexpr char kFails[] = "fails";
inline constexpr char kAcceptsBadInput[] = "accepts bad input";
inline constexpr char kOutOfBounds[] = "write out of bounds";
inline constexpr char kInputChanged[] = "input changed";
inline constexpr char kNotWritten[] = "output not written";
inline constexpr char kNotDeterministic[] = "not deterministic";
inline constexpr char kBufferKept[] = "buffer kept past its step";
inline constexpr char kInPlace[] = "wrong in place";
inline constexpr char kLeak[] = "leak";
inline constexpr char kThreads[] = "threads started";
inline constexpr char kUnstableSupports[] = "supports() not stable";
inline constexpr char kNoReason[] = "refusal without a reason";
inline constexpr char kLateError[] = "late error";
inline constexpr char kUnloadBusy[] = "unload while busy";
inline constexpr char kOutOfMemory[] = "out of memory";
inline constexpr char kContract[] = "contract broken";
}  // namespace fault

// One fault and a sentence about it; no fault where all is well.
struct Finding {
  std::string fault;
  std::string message;

  bool ok() const { return fault.empty(); }
};

}  // namespace berth::conformance
