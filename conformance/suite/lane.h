// One lane of a run: a worker process, what it is doing and until when it may.
#pragma once

#include <chrono>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "conformance/suite/child.h"
#include "conformance/suite/output_capture.h"
#include "conformance/suite/wire.h"

namespace berth::conformance {

using Clock = std::chrono::steady_clock;

struct LaneOptions {
  std::vector<std::string> worker_arguments;
  double load_limit_seconds = 60;
  uint64_t memory_limit = 0;  // bytes; for messages
};

enum class LaneEventKind {
  kLoaded,      // the plugin is loaded; the lane is idle
  kRefused,     // the plugin said no: `result.message`
  kLoadFailed,  // it crashed or hung: `result`
  kListed,
  kCase,       // `result` of the case
  kDiedAfter,  // the worker died after the end of its last case: `result`
  kClosed,     // the worker has ended; not passed if it crashed or hung while it did
};

struct LaneEvent {
  LaneEventKind kind = LaneEventKind::kLoaded;
  CaseResult result;
  double seconds = 0;
  std::string output;
};

struct Listing {
  SubjectInfo subject;
  std::vector<CaseInfo> cases;
};

// Turns the life of one worker process at a time into events. After kRefused,
// kLoadFailed, kDiedAfter and kClosed, and after a kCase that leaves it empty, Start
// makes a new process. Not thread-safe.
class Lane {
 public:
  explicit Lane(LaneOptions options) : options_(std::move(options)) {}

  // REQUIRES: empty().
  Status Start();
  bool empty() const { return state_ == State::kEmpty; }
  bool idle() const { return state_ == State::kIdle; }

  // REQUIRES: idle(). The answer is an event.
  void List(Listing* listing);
  void Run(const std::string& name, double limit_seconds);
  void Close();

  // For poll: descriptors to read from (-1: none) and the time when Advance is to be
  // called again.
  int report_fd() const { return child_ == nullptr ? -1 : child_->report_fd(); }
  int output_fd() const { return child_ == nullptr ? -1 : child_->output_fd(); }
  std::optional<Clock::time_point> deadline() const { return deadline_; }

  // Reads what has come, sees whether the process has ended and enforces the limits.
  void Advance();
  std::optional<LaneEvent> TakeEvent();

 private:
  enum class State { kEmpty, kLoading, kIdle, kListing, kRunning, kClosing };

  void SetLimit(double seconds);
  void ReadAll();
  void OnLine(std::string_view line);
  void OnMessage(const Message& message);
  void OnEnd(const Message& message);
  void OnLimit();
  void OnExit(const ChildExit& exit);
  CaseResult Diagnose(const ChildExit& exit) const;
  std::string MemoryText(const ChildExit& exit) const;
  void Emit(LaneEventKind kind, CaseResult result = {});
  void Reset();

  const LaneOptions options_;
  std::unique_ptr<Child> child_;
  State state_ = State::kEmpty;
  std::optional<Clock::time_point> deadline_;
  std::string reports_;  // the beginning of a line that has not wholly come
  OutputCapture output_;
  std::deque<LaneEvent> events_;
  Listing* listing_ = nullptr;
  std::string case_name_;
  Clock::time_point case_start_;
  double limit_seconds_ = 0;
  bool begun_ = false;       // the worker has said that the case begins
  bool over_limit_ = false;  // and has been told to end
  bool stack_told_ = false;  // by the worker, when it was told to end
  bool killed_ = false;
  bool refused_ = false;
  bool memory_failed_ = false;
  bool garbled_ = false;  // somebody else wrote to the worker's descriptor
  bool tainted_ = false;  // a case went wrong: the worker's end tells nothing more
  int told_signal_ = 0;
  bool ran_a_case_ = false;
};

}  // namespace berth::conformance
