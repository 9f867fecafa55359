#include "conformance/suite/console.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <map>

namespace berth::conformance {
namespace {

constexpr std::chrono::milliseconds kBetweenUpdates{100};
constexpr size_t kTenths = 10;
// Fewer cases are over before anybody wonders.
constexpr size_t kFewestWithLines = 100;

// "gflops 12.5, launch_us 3".
std::string MetricsText(const std::map<std::string, double>& metrics) {
  std::string text;
  for (const auto& [name, value] : metrics) {
    char number[32];
    std::snprintf(number, sizeof(number), " %.4g", value);
    text += (text.empty() ? "" : ", ") + name + number;
  }
  return text;
}

std::string Indented(const std::string& text, const char* prefix) {
  std::string result;
  size_t start = 0;
  while (start < text.size()) {
    const size_t end = std::min(text.find('\n', start), text.size());
    result += prefix + text.substr(start, end - start) + "\n";
    start = end + 1;
  }
  return result;
}

bool IsBad(Verdict verdict) {
  return verdict == Verdict::kFailed || verdict == Verdict::kCrashed ||
         verdict == Verdict::kHung;
}

size_t Width(std::FILE* stream) {
  winsize size = {};
  if (ioctl(fileno(stream), TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return size.ws_col;
}

}  // namespace

std::string Grouped(size_t number) {
  std::string text = std::to_string(number);
  for (size_t at = text.size(); at > 3;) {
    at -= 3;
    text.insert(at, ",");
  }
  return text;
}

std::string CaseText(const CaseReport& report, bool with_output) {
  const CaseResult& result = report.result;
  std::string verdict = VerdictName(result.verdict);
  for (char& c : verdict)
    c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  std::string text = verdict + " " + report.info.name;
  if (!result.fault.empty()) text += ": " + result.fault;
  text += "\n" + Indented(result.message, "    ");
  if (!result.metrics.empty()) text += "    " + MetricsText(result.metrics) + "\n";
  if (!report.reason.empty()) text += "    declared: " + report.reason + "\n";
  if (with_output && !report.output.empty()) {
    text += "    output:\n" + Indented(report.output, "    | ");
  }
  if (IsBad(result.verdict)) text += "    rerun: " + report.rerun + "\n";
  return text;
}

Console::Console(std::FILE* stream, Verbosity verbosity, size_t num_cases)
    : stream_(stream),
      verbosity_(verbosity),
      num_cases_(num_cases),
      terminal_(isatty(fileno(stream)) != 0),
      next_line_((num_cases + kTenths - 1) / kTenths) {}

Console::~Console() { Clear(); }

void Console::OnCase(const CaseReport& report) {
  ++done_;
  Show(report);
}

void Console::OnChanged(const CaseReport& report) { Show(report); }

void Console::Show(const CaseReport& report) {
  const bool bad = IsBad(report.result.verdict);
  if (bad) ++bad_;
  const bool verbose = verbosity_ == Verbosity::kVerbose;
  const bool measured =
      verbosity_ == Verbosity::kNormal && !report.result.metrics.empty();
  if (bad || verbose || measured) {
    Clear();
    const std::string text = CaseText(report, bad || verbose);
    std::fwrite(text.data(), 1, text.size(), stream_);
  }
  if (verbosity_ == Verbosity::kNormal) Progress();
  std::fflush(stream_);
}

void Console::Progress() {
  std::string line = Grouped(done_) + " of " + Grouped(num_cases_) + " cases";
  if (bad_ > 0) line += ", " + Grouped(bad_) + " bad";
  if (terminal_) {
    const auto now = std::chrono::steady_clock::now();
    if (shown_ && now - last_shown_ < kBetweenUpdates) return;
    last_shown_ = now;
    shown_ = true;
    line.resize(std::min(line.size(), Width(stream_) - 1));
    std::fprintf(stream_, "\r\033[K%s", line.c_str());
  } else if (num_cases_ >= kFewestWithLines && done_ >= next_line_ &&
             done_ < num_cases_) {
    next_line_ += (num_cases_ + kTenths - 1) / kTenths;
    std::fprintf(stream_, "%s\n", line.c_str());
  }
}

void Console::Clear() {
  if (shown_) std::fputs("\r\033[K", stream_);
  shown_ = false;
}

}  // namespace berth::conformance
