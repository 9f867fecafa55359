#include "conformance/suite/conform.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <exception>
#include <map>
#include <set>

#include "conformance/suite/console.h"
#include "conformance/suite/expect.h"
#include "conformance/suite/options.h"
#include "conformance/suite/report.h"
#include "conformance/suite/runner.h"
#include "conformance/suite/worker.h"
#include "core/plugin/file_check.h"

namespace berth::conformance {
namespace {

// A plugin that fails everywhere fails alone as well; the first failures show it.
constexpr size_t kMostRunAlone = 16;

void Complain(const std::string& text) {
  std::fprintf(stderr, "berth-conform: %s\n", text.c_str());
}

int Complain(const Status& status, int exit_code) {
  Complain(std::string(status.message()));
  return exit_code;
}

std::string Now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts = {};
  gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

struct Form {
  const std::string* path;
  std::string (*make)(const Report&);
};

std::vector<Form> Forms(const Options& options) {
  std::vector<Form> forms = {{&options.json_path, &ReportJson},
                             {&options.junit_path, &ReportJunit},
                             {&options.html_path, &ReportHtml}};
  std::erase_if(forms, [](const Form& form) { return form.path->empty(); });
  return forms;
}

// One call of the program that runs cases.
class Conform {
 public:
  Conform(const Options& options, Expectations expectations)
      : options_(options), expectations_(std::move(expectations)) {
    report_.suite_version = BERTH_VERSION_STRING;
    report_.seed = options.suite.seed;
    report_.date = Now();
    report_.subject.plugin_path = options.suite.plugin_path;
    report_.subject.device_type = options.suite.device_type;
    // The worker opens the same file; what it is not is known without it.
    const Result<std::string> hash = HashFile(options.suite.plugin_path);
    if (hash.ok()) report_.subject.plugin_hash = *hash;
  }

  int RunInWorkers();
  int RunHere(MakeSuiteFunction make_suite);

 private:
  Status CheckNames() const;
  int Selected(Runner* runner, const std::vector<CaseInfo>& selected);
  int NotLoaded(const Finished& load);
  void TakeSubject(SubjectInfo subject);
  void RunAlone(Runner* runner, const std::vector<CaseInfo>& cases,
                std::map<size_t, CaseReport>* done);
  CaseReport MakeReport(const CaseInfo& info, Finished finished) const;
  void AddOwnCases(const Runner& runner, const std::vector<CaseInfo>& selected);
  int Finish();

  const Options& options_;
  const Expectations expectations_;
  Report report_;
  std::vector<CaseInfo> all_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

bool IsOwn(const std::string& name) { return name == kLoadCase || name == kUnloadCase; }

CaseInfo OwnCase(const char* name) {
  CaseInfo info;
  info.name = name;
  return info;
}

void Conform::TakeSubject(SubjectInfo subject) {
  subject.plugin_path = report_.subject.plugin_path;
  subject.plugin_hash = report_.subject.plugin_hash;
  if (!subject.device_type.empty()) {
    subject.device_type += ":" + std::to_string(options_.suite.device_index);
  }
  report_.subject = std::move(subject);
}

CaseReport Conform::MakeReport(const CaseInfo& info, Finished finished) const {
  CaseReport one;
  one.info = info;
  one.result = std::move(finished.result);
  one.seconds = finished.seconds;
  one.output = std::move(finished.output);
  one.rerun = RerunCommand(options_, info.name);
  expectations_.Apply(&one);
  return one;
}

// A name stands for one case everywhere: in selections, expectations and the rerun line.
Status Conform::CheckNames() const {
  std::set<std::string> names;
  for (const CaseInfo& info : all_) {
    if (info.name.empty() || info.name.find('\n') != std::string::npos ||
        !names.insert(info.name).second) {
      return Internal("the suite lists the case '" + info.name +
                      "' twice, or its name is none");
    }
  }
  return OkStatus();
}

int Conform::NotLoaded(const Finished& load) {
  const CaseReport one = MakeReport(OwnCase(kLoadCase), load);
  const std::string text = CaseText(one, true);
  std::fwrite(text.data(), 1, text.size(), stdout);
  report_.cases.push_back(one);
  report_.notes.emplace_back("the plugin could not be loaded: no case was run");
  const int finished = Finish();
  return finished == kExitUsage ? finished : kExitNotLoaded;
}

int Conform::RunInWorkers() {
  RunnerOptions runner_options;
  runner_options.lane.worker_arguments = WorkerArguments(options_);
  runner_options.lane.load_limit_seconds = options_.load_limit_seconds;
  runner_options.lane.memory_limit = options_.memory_limit;
  runner_options.case_limit_seconds = options_.case_limit_seconds;
  runner_options.jobs = options_.jobs;
  // Two cases at a time would measure each other.
  const std::vector<Tier>& tiers = options_.filter.tiers;
  if (std::find(tiers.begin(), tiers.end(), Tier::kPerformance) != tiers.end()) {
    runner_options.jobs = 1;
  }
  Runner runner(std::move(runner_options));
  std::optional<Listing> listing = runner.List();
  if (!listing.has_value()) {
    if (!Runner::interrupted()) return NotLoaded(runner.load());
    report_.interrupted = true;
    return Finish();
  }
  TakeSubject(std::move(listing->subject));
  all_ = {OwnCase(kLoadCase)};
  all_.insert(all_.end(), listing->cases.begin(), listing->cases.end());
  all_.push_back(OwnCase(kUnloadCase));
  if (const Status status = CheckNames(); !status.ok()) {
    return Complain(status, kExitNotLoaded);
  }
  report_.notes = expectations_.Unmatched(all_);
  const Result<std::vector<CaseInfo>> selected = Select(options_.filter, all_);
  if (!selected.ok()) return Complain(selected.status(), kExitUsage);
  if (!options_.list) return Selected(&runner, *selected);
  for (const CaseInfo& info : *selected) std::printf("%s\n", info.name.c_str());
  return kExitAsExpected;
}

int Conform::Selected(Runner* runner, const std::vector<CaseInfo>& selected) {
  std::vector<CaseInfo> cases;
  std::copy_if(selected.begin(), selected.end(), std::back_inserter(cases),
               [](const CaseInfo& info) { return !IsOwn(info.name); });
  std::map<size_t, CaseReport> done;
  {
    const Verbosity verbosity = options_.quiet     ? Verbosity::kQuiet
                                : options_.verbose ? Verbosity::kVerbose
                                                   : Verbosity::kNormal;
    Console console(stdout, verbosity, cases.size());
    runner->Run(cases, [&](Finished finished) {
      const size_t index = finished.index;
      CaseReport one = MakeReport(cases[index], std::move(finished));
      if (done.contains(index)) {
        console.OnChanged(one);
      } else {
        console.OnCase(one);
      }
      done[index] = std::move(one);
    });
  }
  RunAlone(runner, cases, &done);
  for (auto& [index, one] : done) report_.cases.push_back(std::move(one));
  report_.interrupted = Runner::interrupted();
  report_.complete =
      !report_.interrupted && options_.filter.everything() && done.size() == cases.size();
  AddOwnCases(*runner, selected);
  return Finish();
}

// The command that a failure prints is to show the failure. Where a case passes alone,
// its message says so, and that the cause lies elsewhere.
void Conform::RunAlone(Runner* runner, const std::vector<CaseInfo>& cases,
                       std::map<size_t, CaseReport>* done) {
  if (cases.size() < 2) return;
  size_t left = kMostRunAlone;
  for (auto& [index, one] : *done) {
    const Verdict verdict = one.result.verdict;
    const bool unexplained = verdict == Verdict::kFailed || verdict == Verdict::kCrashed;
    // With a reason: judged by what was declared.
    if (!unexplained || one.result.fault == kNotRun || !one.reason.empty()) continue;
    if (left-- == 0 || Runner::interrupted()) return;
    bool passes = false;
    runner->Run({cases[index]}, [&passes](const Finished& finished) {
      passes = finished.result.verdict == Verdict::kPassed;
    });
    if (!passes) continue;
    one.result.message +=
        "; it passes when it runs alone: it depends on what ran before it in the same "
        "process, or on chance";
    report_.notes.push_back(one.info.name + " passes when it runs alone");
  }
}

// Shown when they were selected, and in any case when they went wrong.
void Conform::AddOwnCases(const Runner& runner, const std::vector<CaseInfo>& selected) {
  const auto add = [&](const char* name, const Finished& finished, bool at_end) {
    const bool chosen =
        std::any_of(selected.begin(), selected.end(),
                    [name](const CaseInfo& info) { return info.name == name; });
    const bool good = finished.result.verdict == Verdict::kPassed;
    if (good && (!chosen || report_.interrupted)) return;
    CaseReport one = MakeReport(OwnCase(name), finished);
    if (one.result.verdict != Verdict::kPassed || options_.verbose) {
      const std::string text = CaseText(one, true);
      std::fwrite(text.data(), 1, text.size(), stdout);
    }
    report_.cases.insert(at_end ? report_.cases.end() : report_.cases.begin(),
                         std::move(one));
  };
  add(kLoadCase, runner.load(), false);
  add(kUnloadCase, runner.unload(), true);
}

int Conform::Finish() {
  report_.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  const Summary summary = Summarize(report_);
  const bool vacuous = summary.passed + summary.expected + summary.bad() == 0;
  if (vacuous && !report_.interrupted) {
    report_.notes.emplace_back(
        "every selected case is unsupported: nothing has been shown");
  }
  const std::string text = ReportText(report_);
  std::fwrite(text.data(), 1, text.size(), stdout);
  int exit_code = summary.bad() > 0 || vacuous ? kExitFailures : kExitAsExpected;
  if (report_.interrupted) exit_code = kExitInterrupted;
  for (const Form& form : Forms(options_)) {
    if (Status status = WriteReportFile(*form.path, form.make(report_)); !status.ok()) {
      exit_code = Complain(status, kExitUsage);
    }
  }
  if (std::fflush(stdout) != 0) exit_code = kExitUsage;
  return exit_code;
}

int Conform::RunHere(MakeSuiteFunction make_suite) {
  Result<Suite> suite = make_suite(options_.suite);
  if (!suite.ok()) return Complain(suite.status(), kExitNotLoaded);
  TakeSubject(suite->subject);
  for (const Case& one : suite->cases) {
    if (one.name != options_.filter.case_name) continue;
    Finished finished;
    finished.result = RunGuarded(one);
    const CaseInfo info = {one.name, one.op, one.dtype, one.tier, one.limit_seconds};
    report_.cases.push_back(MakeReport(info, std::move(finished)));
    const std::string text = CaseText(report_.cases.back(), true);
    std::fwrite(text.data(), 1, text.size(), stdout);
    return Finish();
  }
  return Complain(NotFound("there is no case '" + options_.filter.case_name +
                           "' for this plugin, device and seed; --list names them"),
                  kExitUsage);
}

int Run(int argc, char** argv, MakeSuiteFunction make_suite) {
  Options options;
  if (const std::optional<int> done = ParseOptions(argc, argv, &options)) return *done;
  if (options.worker) {
    return WorkerMain({options.suite, options.memory_limit}, make_suite);
  }
  Expectations expectations;
  if (!options.expect_path.empty()) {
    Result<Expectations> loaded = Expectations::Load(options.expect_path);
    if (!loaded.ok()) return Complain(loaded.status(), kExitUsage);
    expectations = *std::move(loaded);
  }
  for (const Form& form : Forms(options)) {
    if (Status status = CheckReportFile(*form.path); !status.ok()) {
      return Complain(status, kExitUsage);
    }
  }
  Conform conform(options, std::move(expectations));
  return options.in_process ? conform.RunHere(make_suite) : conform.RunInWorkers();
}

}  // namespace

int ConformMain(int argc, char** argv, MakeSuiteFunction make_suite) {
  try {
    return Run(argc, argv, make_suite);
  } catch (const std::exception& e) {
    Complain(e.what());
    return kExitFailures;
  }
}

}  // namespace berth::conformance
