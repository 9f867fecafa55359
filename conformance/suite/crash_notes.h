// What a dying worker leaves for its parent.
#pragma once

namespace berth::conformance {

// From now on a deadly signal (a crash, or the SIGABRT with which the parent ends a case
// that hangs) is told on kReportFd and the stack of the thread that got it is written to
// stderr, before the process dies of that signal; and a failed `new` is told before
// std::bad_alloc is thrown.
void InstallCrashNotes();

}  // namespace berth::conformance
