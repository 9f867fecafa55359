#include "conformance/suite/lane.h"

#include <csignal>
#include <utility>

namespace berth::conformance {
namespace {

// For the worker to write down where it is, when it is told to end or has got a deadly
// signal.
constexpr double kLastWordsSeconds = 2;

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::string SecondsText(double seconds) {
  std::string text = std::to_string(seconds);
  text.resize(text.find('.') + 2);
  return text + " s";
}

}  // namespace

Status Lane::Start() {
  Reset();
  Result<std::unique_ptr<Child>> child = Child::Spawn(options_.worker_arguments);
  if (!child.ok()) return child.status();
  child_ = *std::move(child);
  state_ = State::kLoading;
  SetLimit(options_.load_limit_seconds);
  return OkStatus();
}

void Lane::Reset() {
  child_.reset();
  state_ = State::kEmpty;
  deadline_.reset();
  reports_.clear();
  output_.Take();
  begun_ = over_limit_ = stack_told_ = killed_ = refused_ = false;
  memory_failed_ = garbled_ = tainted_ = ran_a_case_ = false;
  told_signal_ = 0;
}

void Lane::SetLimit(double seconds) {
  limit_seconds_ = seconds;
  deadline_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                 std::chrono::duration<double>(seconds));
}

void Lane::List(Listing* listing) {
  listing_ = listing;
  *listing = Listing();
  state_ = State::kListing;
  SetLimit(options_.load_limit_seconds);
  child_->Send("list\n");
}

void Lane::Run(const std::string& name, double limit_seconds) {
  case_name_ = name;
  case_start_ = Clock::now();
  begun_ = memory_failed_ = false;
  state_ = State::kRunning;
  SetLimit(limit_seconds);
  // A worker that has died meanwhile does not hear it: then the case has not begun.
  child_->Send("run " + name + "\n");
}

void Lane::Close() {
  state_ = State::kClosing;
  SetLimit(options_.load_limit_seconds);
  child_->CloseCommands();
}

void Lane::Emit(LaneEventKind kind, CaseResult result) {
  LaneEvent event;
  event.kind = kind;
  event.result = std::move(result);
  event.seconds = kind == LaneEventKind::kCase ? SecondsSince(case_start_) : 0;
  event.output = output_.Take();
  events_.push_back(std::move(event));
}

std::optional<LaneEvent> Lane::TakeEvent() {
  if (events_.empty()) return std::nullopt;
  LaneEvent event = std::move(events_.front());
  events_.pop_front();
  return event;
}

void Lane::Advance() {
  if (child_ == nullptr) return;
  // In this order: what a process wrote before it died is read after its death is known.
  const std::optional<ChildExit> exit = child_->TryWait();
  ReadAll();
  if (exit.has_value()) {
    OnExit(*exit);
  } else if (garbled_ && !killed_) {
    killed_ = true;
    child_->KillGroup();
  } else if (deadline_.has_value() && Clock::now() >= *deadline_) {
    OnLimit();
  }
}

void Lane::ReadAll() {
  // Reports first: what a case printed before its end was told is in the other pipe by
  // then, and one call takes more than a pipe holds.
  child_->ReadReports(&reports_);
  std::string output;
  child_->ReadOutput(&output);
  output_.Add(output);
  size_t start = 0;
  for (size_t end = reports_.find('\n'); end != std::string::npos;
       end = reports_.find('\n', start)) {
    OnLine(std::string_view(reports_).substr(start, end - start));
    start = end + 1;
  }
  reports_.erase(0, start);
}

void Lane::OnLine(std::string_view line) {
  const Result<Message> message = DecodeMessage(line);
  if (message.ok()) {
    OnMessage(*message);
  } else {
    garbled_ = true;
  }
}

void Lane::OnMessage(const Message& message) {
  switch (message.kind) {
    case MessageKind::kReady:
      if (state_ != State::kLoading) break;
      state_ = State::kIdle;
      deadline_.reset();
      Emit(LaneEventKind::kLoaded);
      break;
    case MessageKind::kRefused: {
      refused_ = true;
      CaseResult result;
      result.verdict = Verdict::kFailed;
      result.fault = "not loaded";
      result.message = message.text;
      Emit(LaneEventKind::kRefused, std::move(result));
      break;
    }
    case MessageKind::kSubject:
      if (listing_ != nullptr) listing_->subject = message.subject;
      break;
    case MessageKind::kCase:
      if (listing_ != nullptr) listing_->cases.push_back(message.info);
      break;
    case MessageKind::kListed:
      listing_ = nullptr;
      state_ = State::kIdle;
      deadline_.reset();
      Emit(LaneEventKind::kListed);
      break;
    case MessageKind::kBegin:
      begun_ = state_ == State::kRunning && message.text == case_name_;
      break;
    case MessageKind::kEnd:
      OnEnd(message);
      break;
    case MessageKind::kSignal:
      if (over_limit_) {
        stack_told_ = true;
        break;
      }
      told_signal_ = message.number;
      SetLimit(kLastWordsSeconds);
      break;
    case MessageKind::kMemory:
      memory_failed_ = true;
      break;
  }
}

void Lane::OnEnd(const Message& message) {
  // One that came just before the limit was enforced is too late: the worker is dying.
  if (state_ != State::kRunning || message.text != case_name_ || over_limit_) return;
  ran_a_case_ = true;
  const bool crashed = message.result.verdict == Verdict::kCrashed;
  tainted_ = tainted_ || message.result.verdict != Verdict::kPassed;
  state_ = State::kIdle;
  deadline_.reset();
  Emit(LaneEventKind::kCase, message.result);
  // What an exception left behind is not known: the next case gets a fresh worker.
  if (crashed) Close();
}

void Lane::OnLimit() {
  if (over_limit_ || told_signal_ != 0) {
    killed_ = true;
    child_->KillGroup();
    deadline_.reset();
    return;
  }
  over_limit_ = true;
  // The worker's handler writes where it is and lets the process die.
  child_->SendSignal(SIGABRT);
  const double limit = limit_seconds_;
  SetLimit(kLastWordsSeconds);
  limit_seconds_ = limit;
}

std::string Lane::MemoryText(const ChildExit& exit) const {
  std::string text = "; peak memory " + std::to_string(exit.peak_kib / 1024) + " MiB";
  if (options_.memory_limit > 0) {
    text += ", limit " + std::to_string(options_.memory_limit >> 20) + " MiB";
  }
  return text;
}

// What ended the process, unless it ended as it should.
CaseResult Lane::Diagnose(const ChildExit& exit) const {
  CaseResult result;
  result.verdict = Verdict::kCrashed;
  const int signal = told_signal_ != 0 ? told_signal_ : exit.signal;
  if (over_limit_) {
    result.verdict = Verdict::kHung;
    result.fault = "hang";
    result.message = "not done after " + SecondsText(limit_seconds_) + ", the limit";
    if (stack_told_) {
      result.message += "; the output ends with the stack of the thread that was waiting";
    }
  } else if (garbled_) {
    result.fault = "broken channel";
    result.message =
        "something wrote to a descriptor that it had not opened: the runner's";
  } else if (signal == 0) {
    result.fault = "crash: exited";
    result.message =
        "the process ended by itself with exit code " + std::to_string(exit.code);
  } else if (memory_failed_) {
    result.fault = "out of memory";
    result.message =
        "an allocation failed, then " + SignalText(signal) + MemoryText(exit);
  } else if (signal == SIGKILL) {
    result.fault = "out of memory";
    result.message = "SIGKILL from outside, which is how the system takes memory back" +
                     MemoryText(exit);
  } else {
    result.fault = "crash";
    result.message = SignalText(signal) + MemoryText(exit);
  }
  return result;
}

void Lane::OnExit(const ChildExit& exit) {
  const State state = state_;
  CaseResult result = Diagnose(exit);
  const auto in = [&result](const char* what) {
    const char* kind = result.verdict == Verdict::kHung ? "hang in " : "crash in ";
    result.message = result.fault + ": " + result.message;
    result.fault = std::string(kind) + what;
  };
  switch (state) {
    case State::kLoading:
    case State::kListing:
      if (refused_) break;
      in("init");
      Emit(LaneEventKind::kLoadFailed, std::move(result));
      break;
    case State::kRunning:
      if (begun_ || !ran_a_case_) {
        Emit(LaneEventKind::kCase, std::move(result));
        break;
      }
      [[fallthrough]];
    case State::kIdle:
      result.message += ", after the case had ended";
      Emit(LaneEventKind::kDiedAfter, std::move(result));
      break;
    case State::kClosing:
      if (tainted_ || (exit.code == 0 && exit.signal == 0)) {
        result = CaseResult();
      } else {
        in("shutdown");
      }
      Emit(LaneEventKind::kClosed, std::move(result));
      break;
    case State::kEmpty:
      break;
  }
  std::deque<LaneEvent> events = std::move(events_);
  Reset();
  events_ = std::move(events);
}

}  // namespace berth::conformance
