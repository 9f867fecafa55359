#include "conformance/suite/runner.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <utility>

namespace berth::conformance {
namespace {

// A plugin that loaded once and then fails as often in a row will not load again.
constexpr int kMostFailedLoads = 3;
// Limits of cases are given for this default and scale with the one that the run uses.
constexpr double kDefaultCaseLimit = 20;
constexpr int kLongestWaitMs = 1000;

constexpr std::array<int, 4> kSignals = {SIGCHLD, SIGINT, SIGTERM, SIGHUP};
std::array<struct sigaction, kSignals.size()> g_former;
struct sigaction g_former_pipe;
// Wakes poll from a signal handler.
std::array<int, 2> g_wake = {-1, -1};
volatile std::sig_atomic_t g_interrupted = 0;

void OnSignal(int signal) {
  const int error = errno;
  if (signal != SIGCHLD) g_interrupted = 1;
  const char byte = 0;
  // A full pipe wakes poll as well.
  [[maybe_unused]] const ssize_t written = write(g_wake[1], &byte, 1);
  errno = error;
}

void TakeSignals() {
  if (pipe2(g_wake.data(), O_CLOEXEC | O_NONBLOCK) != 0) g_wake = {-1, -1};
  struct sigaction action = {};
  action.sa_handler = &OnSignal;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  for (size_t i = 0; i < kSignals.size(); ++i) {
    sigaction(kSignals[i], &action, &g_former[i]);
  }
  // A worker that has died is noticed by its death, not by writing to it.
  action.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &action, &g_former_pipe);
}

void GiveSignalsBack() {
  for (size_t i = 0; i < kSignals.size(); ++i) {
    sigaction(kSignals[i], &g_former[i], nullptr);
  }
  sigaction(SIGPIPE, &g_former_pipe, nullptr);
  for (int& fd : g_wake) {
    if (fd >= 0) close(fd);
    fd = -1;
  }
}

void Drain(int fd) {
  std::array<char, 256> bytes;
  while (read(fd, bytes.data(), bytes.size()) > 0) {
  }
}

double LimitOf(const CaseInfo& info, double case_limit) {
  if (info.limit_seconds <= 0) return case_limit;
  return info.limit_seconds * case_limit / kDefaultCaseLimit;
}

}  // namespace

struct Runner::Seat {
  explicit Seat(const LaneOptions& options) : lane(options) {}
  Lane lane;
  std::optional<size_t> running;
  std::optional<Finished> last;  // that passed, in the present worker
};

Runner::Runner(RunnerOptions options) : options_(std::move(options)) {
  g_interrupted = 0;
  TakeSignals();
  seats_.emplace_back(options_.lane);
}

Runner::~Runner() {
  seats_.clear();
  GiveSignalsBack();
}

bool Runner::interrupted() { return g_interrupted != 0; }

std::optional<Listing> Runner::List() {
  Listing listing;
  Seat& seat = seats_.front();
  if (const Status started = seat.lane.Start(); !started.ok()) {
    load_.result.verdict = Verdict::kFailed;
    load_.result.fault = "not loaded";
    load_.result.message = started.ToString();
    return std::nullopt;
  }
  const Clock::time_point start = Clock::now();
  bool asked = false;
  while (!listed_ && !interrupted() && load_.result.verdict == Verdict::kPassed) {
    Wait();
    seat.lane.Advance();
    while (std::optional<LaneEvent> event = seat.lane.TakeEvent()) {
      OnEvent(&seat, *std::move(event));
    }
    if (seat.lane.idle() && !asked) {
      seat.lane.List(&listing);
      asked = true;
    }
  }
  load_.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  if (!listed_) return std::nullopt;
  return listing;
}

void Runner::Run(const std::vector<CaseInfo>& cases,
                 const std::function<void(Finished)>& done) {
  done_ = done;
  for (size_t i = 0; i < cases.size(); ++i) pending_.push_back(i);
  const size_t most = std::clamp<size_t>(cases.size(), 1, std::max(1, options_.jobs));
  while (seats_.size() < most) seats_.emplace_back(options_.lane);
  for (Seat& seat : seats_) Feed(&seat, cases);
  while (!interrupted() && !AllEmpty()) {
    Wait();
    for (Seat& seat : seats_) {
      seat.lane.Advance();
      while (std::optional<LaneEvent> event = seat.lane.TakeEvent()) {
        OnEvent(&seat, *std::move(event));
      }
      Feed(&seat, cases);
    }
  }
  // What an interrupt left running is killed with its lane.
  if (interrupted()) seats_.clear();
}

bool Runner::AllEmpty() const {
  return std::all_of(seats_.begin(), seats_.end(),
                     [](const Seat& seat) { return seat.lane.empty(); });
}

void Runner::Feed(Seat* seat, const std::vector<CaseInfo>& cases) {
  if (interrupted()) return;
  if (seat->lane.empty() && !pending_.empty()) {
    seat->last.reset();
    if (const Status started = seat->lane.Start(); !started.ok()) {
      LaneEvent event;
      event.result.verdict = Verdict::kFailed;
      event.result.message = started.ToString();
      failed_loads_ = kMostFailedLoads;
      OnLoadFailed(std::move(event));
    }
  }
  if (!seat->lane.idle()) return;
  if (pending_.empty()) {
    seat->lane.Close();
    return;
  }
  const size_t index = pending_.front();
  pending_.pop_front();
  seat->running = index;
  seat->lane.Run(cases[index].name, LimitOf(cases[index], options_.case_limit_seconds));
}

void Runner::OnEvent(Seat* seat, LaneEvent event) {
  switch (event.kind) {
    case LaneEventKind::kLoaded:
      if (!listed_) load_.output = std::move(event.output);
      break;
    case LaneEventKind::kListed:
      listed_ = true;
      break;
    case LaneEventKind::kRefused:
    case LaneEventKind::kLoadFailed:
      OnLoadFailed(std::move(event));
      break;
    case LaneEventKind::kCase: {
      failed_loads_ = 0;
      Finished finished;
      finished.index = *seat->running;
      finished.result = std::move(event.result);
      finished.seconds = event.seconds;
      finished.output = std::move(event.output);
      seat->running.reset();
      seat->last = finished;
      done_(std::move(finished));
      break;
    }
    case LaneEventKind::kDiedAfter:
      OnDiedAfter(seat, std::move(event));
      break;
    case LaneEventKind::kClosed:
      if (event.result.verdict != Verdict::kPassed) {
        unload_.result = std::move(event.result);
        unload_.output = std::move(event.output);
      }
      break;
  }
}

// A thread or a callback of the plugin brought the process down when no case was running:
// the last one left it behind, and the next, which has not begun, is not to blame.
void Runner::OnDiedAfter(Seat* seat, LaneEvent event) {
  if (seat->running.has_value()) pending_.push_front(*seat->running);
  seat->running.reset();
  if (!seat->last.has_value()) {
    OnLoadFailed(std::move(event));
    return;
  }
  Finished finished = *std::exchange(seat->last, std::nullopt);
  if (finished.result.verdict != Verdict::kPassed) return;
  event.result.margin = finished.result.margin;
  finished.result = std::move(event.result);
  finished.output += event.output;
  done_(std::move(finished));
}

void Runner::OnLoadFailed(LaneEvent event) {
  load_.result = std::move(event.result);
  load_.output = std::move(event.output);
  if (load_.result.verdict == Verdict::kCrashed && load_.result.fault == "crash") {
    load_.result.fault = "crash in init";
  }
  if (!listed_) return;
  load_.result.message += "; other workers had loaded the plugin before";
  if (++failed_loads_ >= kMostFailedLoads) GiveUp();
}

void Runner::GiveUp() {
  for (const size_t index : std::exchange(pending_, {})) {
    Finished finished;
    finished.index = index;
    finished.result.verdict = Verdict::kFailed;
    finished.result.fault = kNotRun;
    finished.result.message = "the plugin no longer loads: " + load_.result.message;
    done_(std::move(finished));
  }
}

// Until something can be read, a process has ended, a limit has passed or a signal has
// come.
void Runner::Wait() {
  std::vector<pollfd> fds = {{g_wake[0], POLLIN, 0}};
  std::optional<Clock::time_point> first;
  for (const Seat& seat : seats_) {
    for (const int fd : {seat.lane.report_fd(), seat.lane.output_fd()}) {
      if (fd >= 0) fds.push_back({fd, POLLIN, 0});
    }
    const std::optional<Clock::time_point> deadline = seat.lane.deadline();
    if (deadline.has_value() && (!first.has_value() || *deadline < *first))
      first = deadline;
  }
  int wait_ms = kLongestWaitMs;
  if (first.has_value()) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(*first - Clock::now()).count();
    wait_ms = static_cast<int>(std::clamp<int64_t>(left, 0, kLongestWaitMs));
  }
  poll(fds.data(), fds.size(), wait_ms);
  Drain(g_wake[0]);
}

}  // namespace berth::conformance
