// A suite without a plugin: its cases do to their process what bad plugins do. Options of
// the "plugin":
//   init=crash|hang|exit|throw|refuse, shutdown=crash|hang|exit, names=twice, passes=N,
//   noise=TEXT, loads=FILE (crashes in init from the second load on; FILE counts them),
//   shrinks=FILE (the case op/Refuse/float/0 is listed by the first load alone)
#include <sys/mman.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "conformance/suite/case.h"
#include "conformance/suite/wire.h"

namespace berth::conformance {
namespace {

constexpr size_t kBlock = size_t{64} << 20;

CaseResult Pass(double margin = -1) {
  CaseResult result;
  result.margin = margin;
  return result;
}

CaseResult Make(Verdict verdict, const char* fault, const std::string& message) {
  CaseResult result;
  result.verdict = verdict;
  result.fault = fault;
  result.message = message;
  return result;
}

CaseResult WrongValue() {
  CaseResult result = Make(Verdict::kFailed, "wrong value",
                           "element [0,3] is 1.5, the reference 1.25 <b>&\"quoted\"</b>");
  result.margin = 3.25;
  return result;
}

CaseResult Crash() {
  std::fputs("about to write where nothing may be written\n", stderr);
  void* page = mmap(nullptr, 1, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  *static_cast<volatile char*>(page) = 1;
  return Pass();
}

// Until the stack is used up; the volatile keeps the calls.
int Recurse(int depth) {
  volatile int here = depth;
  if (here < 0) return 0;
  return Recurse(depth + 1) + here;
}

CaseResult Abort() { std::abort(); }

CaseResult Hang() {
  std::puts("waiting for an event that never comes");
  for (;;) pause();
}

// Does not even end when it is told to.
CaseResult HangDeaf() {
  std::signal(SIGABRT, SIG_IGN);
  for (;;) pause();
}

CaseResult Exit() { std::exit(0); }

CaseResult Throw() { throw std::runtime_error("thrown on purpose"); }

std::vector<std::unique_ptr<char[]>> TakeAll() {
  std::vector<std::unique_ptr<char[]>> blocks;
  for (;;) blocks.emplace_back(new char[kBlock]);
}

CaseResult TakeMemory() {
  TakeAll();
  return Pass();
}

// A trampoline through which no exception gets.
CaseResult TakeMemoryNoexcept() noexcept {
  TakeAll();
  return Pass();
}

CaseResult Noise() {
  std::puts("first line of noise");
  for (int i = 0; i < 20000; ++i)
    std::fputs("noise on stderr, again and again\n", stderr);
  std::puts("last line of noise \xff");
  return Pass();
}

// Closes descriptors that it has not opened; the worker cannot go on afterwards.
CaseResult CloseAll() {
  close(kCommandFd);
  return Pass();
}

CaseResult WriteGarbage() {
  [[maybe_unused]] const ssize_t written = write(kReportFd, "{}garbage\n", 10);
  for (;;) pause();
}

// Starts a process that would outlive everybody and holds the worker's pipes.
CaseResult StartProcess(const std::string& pid_file) {
  const pid_t pid = fork();
  if (pid == 0) {
    for (;;) pause();
  }
  std::ofstream(pid_file) << pid << "\n";
  return Pass();
}

CaseResult Sleep(int milliseconds) {
  usleep(static_cast<useconds_t>(milliseconds) * 1000);
  return Pass();
}

// Fails where another case has left its mark in the process.
CaseResult Stateful(bool leaves_mark) {
  static bool marked = false;
  if (marked) return WrongValue();
  marked = leaves_mark;
  return Pass();
}

CaseResult Measure() {
  CaseResult result;
  result.metrics = {{"gflops", 12.5}, {"launch_us", 3}};
  return result;
}

class FakeSuite {
 public:
  explicit FakeSuite(const SuiteOptions& options) : options_(options) {}

  std::string Option(const std::string& key) const {
    const auto found = options_.plugin_options.find(key);
    return found == options_.plugin_options.end() ? "" : found->second;
  }

  void Add(const std::string& op, const std::string& dtype, const std::string& rest,
           std::function<CaseResult()> run, Tier tier = Tier::kMandatory) {
    Case one;
    one.name = "op/" + op + "/" + dtype + "/" + rest;
    one.op = op;
    one.dtype = dtype;
    one.tier = tier;
    one.run = std::move(run);
    suite_.cases.push_back(std::move(one));
  }

  Suite Make() {
    AddGood();
    AddBad();
    suite_.subject = {
        .plugin_path = options_.plugin_path,
        .plugin_name = "fake",
        .plugin_version = "1.2",
        .plugin_hash = "",
        .abi_version = "0.1",
        .device = "Fake <device>",
        .driver = "driver 7",
        .device_type = options_.device_type.empty() ? "FAKE" : options_.device_type};
    return std::move(suite_);
  }

 private:
  void AddGood() {
    const std::string passes = Option("passes");
    const int num_passes = passes.empty() ? 5 : std::stoi(passes);
    for (int i = 0; i < num_passes; ++i) {
      Add("Pass", i % 2 == 0 ? "float" : "half", std::to_string(i),
          [i] { return Pass(0.125 * (1 + i % 5)); });
    }
    Case contract;
    contract.name = "contract/memory/alignment";
    contract.run = [] { return Pass(); };
    suite_.cases.push_back(std::move(contract));
    const uint64_t seed = options_.seed;
    Add("Seed", "float", "drawn-" + std::to_string(seed), [] { return Pass(); });
    Add("Noise", "float", "0", &Noise);
    Add("Measure", "float", "0", &Measure, Tier::kPerformance);
    Add("Nan", "float", "0", [] {
      CaseResult result = WrongValue();
      result.margin = std::numeric_limits<double>::infinity();
      return result;
    });
    Add("Stateful", "float", "leaves", [] { return Stateful(true); });
    Add("Stateful", "float", "suffers", [] { return Stateful(false); });
    Add("Sleep", "float", "0", [] { return Sleep(30000); });
  }

  void AddBad() {
    Add("Wrong", "float", "0", &WrongValue);
    Add("Wrong", "half", "it's 'quoted'", &WrongValue);
    Add("Crash", "float", "segv", &Crash);
    Add("Crash", "int32", "abort", &Abort);
    Add("Recurse", "float", "0", [] { return Pass(Recurse(0)); });
    Add("Hang", "float", "0", &Hang);
    Add("Hang", "half", "deaf", &HangDeaf);
    Add("Hang", "int32", "own-limit", &Hang);
    suite_.cases.back().limit_seconds = 4;
    Add("Exit", "float", "0", &Exit);
    Add("Throw", "float", "0", &Throw);
    Add("Memory", "float", "throws", &TakeMemory);
    Add("Memory", "float", "noexcept", &TakeMemoryNoexcept);
    Add("Close", "float", "0", &CloseAll);
    Add("Garbage", "float", "0", &WriteGarbage);
    const std::string pid_file = Option("pid_file");
    Add("Fork", "float", "0", [pid_file] { return StartProcess(pid_file); });
    const auto refuse = [] {
      return ::berth::conformance::Make(Verdict::kUnsupported, "", "rank 5");
    };
    Add("Refuse", "float", "0", refuse);
    Add("Refuse", "half", "optional", refuse, Tier::kOptional);
  }

  const SuiteOptions& options_;
  Suite suite_;
};

std::string g_shutdown;

// Runs when the worker ends, as a plugin's own would.
void ShutDown() {
  if (g_shutdown == "crash") Crash();
  if (g_shutdown == "hang") Hang();
  if (g_shutdown == "exit") _exit(7);
}

Status DoInit(const std::string& what) {
  if (what == "crash") Crash();
  if (what == "hang") Hang();
  if (what == "exit") std::exit(4);
  if (what == "throw") throw std::runtime_error("thrown in init");
  if (what == "refuse") return Unavailable("needs driver 470 or newer");
  return OkStatus();
}

// How often this was called for the file before, in any process.
int CountLoads(const std::string& file) {
  if (file.empty()) return 0;
  int loads = 0;
  std::ifstream(file) >> loads;
  std::ofstream(file) << loads + 1;
  return loads;
}

}  // namespace

Result<Suite> MakeSuite(const SuiteOptions& options) {
  FakeSuite fake(options);
  std::printf("%s", fake.Option("noise").c_str());
  if (CountLoads(fake.Option("loads")) > 0) Crash();
  BERTH_RETURN_IF_ERROR(DoInit(fake.Option("init")));
  g_shutdown = fake.Option("shutdown");
  std::atexit(&ShutDown);
  Suite suite = fake.Make();
  if (CountLoads(fake.Option("shrinks")) > 0) {
    std::erase_if(suite.cases,
                  [](const Case& one) { return one.name == "op/Refuse/float/0"; });
  }
  if (fake.Option("names") == "twice") suite.cases.push_back(suite.cases.front());
  return suite;
}

}  // namespace berth::conformance
