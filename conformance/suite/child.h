// A worker process as its parent sees it: started by exec of this program, never by a
// bare fork.
#pragma once

#include <sys/types.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/status.h"

namespace berth::conformance {

// How a process ended.
struct ChildExit {
  int code = 0;    // of exit, when signal is 0
  int signal = 0;  // that killed it, or 0
  long peak_kib = 0;
};

// "SIGSEGV (Segmentation fault)".
std::string SignalText(int signal);

// Owns the process and its pipes. The process leads a group of its own, so that a Ctrl-C
// of the terminal reaches the parent alone and what the plugin has started ends with the
// worker. Destroying a Child kills the group and waits for the process: nothing is left
// behind. Not thread-safe.
class Child {
 public:
  // Starts this program again with `arguments` (without argv[0]).
  static Result<std::unique_ptr<Child>> Spawn(const std::vector<std::string>& arguments);
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  // Ends of pipes, non-blocking, for poll; -1 once the other end is closed.
  int report_fd() const { return report_fd_; }
  int output_fd() const { return output_fd_; }

  // A line to the worker. False when it takes no more.
  bool Send(const std::string& line);
  // Tells the worker that there is nothing more to do.
  void CloseCommands();

  // Takes what has come, without waiting.
  void ReadReports(std::string* to) { Read(&report_fd_, to); }
  void ReadOutput(std::string* to) { Read(&output_fd_, to); }

  void SendSignal(int signal) const;  // to the worker alone
  void KillGroup() const;
  // The end of the process, once it has come; kills what is left of its group then.
  std::optional<ChildExit> TryWait();

 private:
  Child() = default;
  void Read(int* fd, std::string* to);

  pid_t pid_ = -1;  // -1 once it has been waited for
  int command_fd_ = -1;
  int report_fd_ = -1;
  int output_fd_ = -1;
};

}  // namespace berth::conformance
