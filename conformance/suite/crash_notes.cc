#include "conformance/suite/crash_notes.h"

#include <execinfo.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <new>

#include "conformance/suite/wire.h"

namespace berth::conformance {
namespace {

constexpr std::array<int, 6> kDeadly = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGSYS};
constexpr int kMostFrames = 64;
constexpr size_t kStackSize = 1 << 16;

void WriteRaw(int fd, const char* text, size_t size) {
  // What cannot be told is not told: there is nobody else to tell.
  [[maybe_unused]] const ssize_t written = write(fd, text, size);
}

// Only calls that are safe in a signal handler, but for backtrace: were it to block, the
// parent, which has the line by then, would kill the process.
void OnDeadlySignal(int signal) {
  std::array<char, kSignalLine.size()> line;
  for (size_t i = 0; i < line.size(); ++i) line[i] = kSignalLine[i];
  line[kSignalDigits] = static_cast<char>('0' + signal / 10);
  line[kSignalDigits + 1] = static_cast<char>('0' + signal % 10);
  WriteRaw(kReportFd, line.data(), line.size());
  static std::array<void*, kMostFrames> frames;
  const int num_frames = backtrace(frames.data(), kMostFrames);
  backtrace_symbols_fd(frames.data(), num_frames, STDERR_FILENO);
  // SA_RESETHAND has put the default back: the process dies of the signal itself.
  raise(signal);
}

void OnFailedAllocation() {
  WriteRaw(kReportFd, kMemoryLine.data(), kMemoryLine.size());
  throw std::bad_alloc();
}

}  // namespace

void InstallCrashNotes() {
  // The first call loads a library, which a signal handler must not.
  std::array<void*, 1> frame;
  backtrace(frame.data(), 1);
  // A stack of its own: the usual one may be what has run out. It lasts as long as the
  // process.
  static std::array<char, kStackSize> stack;
  stack_t own = {};
  own.ss_sp = stack.data();
  own.ss_size = stack.size();
  sigaltstack(&own, nullptr);
  struct sigaction action = {};
  action.sa_handler = &OnDeadlySignal;
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_ONSTACK | SA_NODEFER);
  sigemptyset(&action.sa_mask);
  for (const int signal : kDeadly) sigaction(signal, &action, nullptr);
  std::set_new_handler(&OnFailedAllocation);
}

}  // namespace berth::conformance
