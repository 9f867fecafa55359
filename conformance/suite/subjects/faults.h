// What the faulty plugin can do wrong; its option `fault` names one of them.
#pragma once

#include <string_view>

namespace berth::faulty {

enum class Fault {
  kNone,
  // In the plugin.
  kCrashInInit,
  kHangInInit,
  kThreadKept,
  // In the device.
  kOutOfMemory,
  kBusyStream,
  kLateError,
  kMisaligned,
  kStaleStatistics,
  kCopiesTooMuch,
  // In the kernel.
  kCrash,
  kHang,
  kAbort,
  kExit,
  kLiesAboutSupport,
  kWrongShape,
  kWrongValue,
  kOverrun,
  kUnderrun,
  kNotWritten,
  kLeak,
  kChangesInput,
  kNotDeterministic,
  kKeepsBuffer,
  kStartsThreads,
  kInPlace,
  kThrows,
  // In supports().
  kUnstableSupports,
  kPromisesTooMuch,
  kNoReason,
};

struct FaultName {
  Fault fault;
  std::string_view name;
};
inline constexpr FaultName kFaultNames[] = {
    {Fault::kNone, "none"},
    {Fault::kCrashInInit, "crash-in-init"},
    {Fault::kHangInInit, "hang-in-init"},
    {Fault::kThreadKept, "thread-kept"},
    {Fault::kOutOfMemory, "out-of-memory"},
    {Fault::kBusyStream, "busy-stream"},
    {Fault::kLateError, "late-error"},
    {Fault::kMisaligned, "misaligned"},
    {Fault::kStaleStatistics, "stale-statistics"},
    {Fault::kCopiesTooMuch, "copies-too-much"},
    {Fault::kCrash, "crash"},
    {Fault::kHang, "hang"},
    {Fault::kAbort, "abort"},
    {Fault::kExit, "exit"},
    {Fault::kLiesAboutSupport, "lies-about-support"},
    {Fault::kWrongShape, "wrong-shape"},
    {Fault::kWrongValue, "wrong-value"},
    {Fault::kOverrun, "overrun"},
    {Fault::kUnderrun, "underrun"},
    {Fault::kNotWritten, "not-written"},
    {Fault::kLeak, "leak"},
    {Fault::kChangesInput, "changes-input"},
    {Fault::kNotDeterministic, "not-deterministic"},
    {Fault::kKeepsBuffer, "keeps-buffer"},
    {Fault::kStartsThreads, "starts-threads"},
    {Fault::kInPlace, "in-place"},
    {Fault::kThrows, "throws"},
    {Fault::kUnstableSupports, "unstable-supports"},
    {Fault::kPromisesTooMuch, "promises-too-much"},
    {Fault::kNoReason, "no-reason"},
};

}  // namespace berth::faulty
