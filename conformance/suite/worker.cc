#include "conformance/suite/worker.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <string>
#include <unordered_map>

#include "conformance/suite/crash_notes.h"
#include "conformance/suite/wire.h"

namespace berth::conformance {
namespace {

constexpr size_t kLongestMessage = 16384;

// The parent is gone or the plugin has closed the descriptor: nobody can be told.
[[noreturn]] void Unheard() { _exit(EXIT_FAILURE); }

void Say(const Message& message) {
  // What the plugin has printed so far belongs to what is told now.
  std::fflush(nullptr);
  const std::string line = EncodeMessage(message);
  size_t written = 0;
  while (written < line.size()) {
    const ssize_t n = write(kReportFd, line.data() + written, line.size() - written);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) Unheard();
    written += static_cast<size_t>(n);
  }
}

void Say(MessageKind kind, std::string text = "") {
  Message message;
  message.kind = kind;
  message.text = std::move(text);
  Say(message);
}

// Reads the parent's lines. False at their end.
class Commands {
 public:
  bool Next(std::string* line) {
    for (;;) {
      const size_t end = buffer_.find('\n');
      if (end != std::string::npos) {
        *line = buffer_.substr(0, end);
        buffer_.erase(0, end + 1);
        return true;
      }
      std::array<char, 4096> block;
      const ssize_t n = read(kCommandFd, block.data(), block.size());
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) return false;
      buffer_.append(block.data(), static_cast<size_t>(n));
    }
  }

 private:
  std::string buffer_;
};

void PrepareProcess(uint64_t memory_limit) {
  // However the parent dies, this process does not outlive it.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  fcntl(kCommandFd, F_SETFD, FD_CLOEXEC);
  fcntl(kReportFd, F_SETFD, FD_CLOEXEC);
  // A crash loses what stdio still holds.
  std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
  // Crashes are expected here; a core file each would fill a disk.
  const rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);
  if (memory_limit > 0) {
    const rlimit limit = {memory_limit, memory_limit};
    setrlimit(RLIMIT_AS, &limit);
  }
  InstallCrashNotes();
}

void List(const Suite& suite) {
  Message subject;
  subject.kind = MessageKind::kSubject;
  subject.subject = suite.subject;
  Say(subject);
  for (const Case& one : suite.cases) {
    Message message;
    message.kind = MessageKind::kCase;
    message.info = {one.name, one.op, one.dtype, one.tier, one.limit_seconds};
    Say(message);
  }
  Say(MessageKind::kListed);
}

void Run(const std::string& name, const Case* one) {
  Say(MessageKind::kBegin, name);
  Message end;
  end.kind = MessageKind::kEnd;
  end.text = name;
  if (one == nullptr) {
    end.result = {.verdict = Verdict::kFailed,
                  .fault = "unstable case list",
                  .message =
                      "the plugin gave another list of cases when it was loaded "
                      "again: this case is no longer in it",
                  .metrics = {}};
  } else {
    end.result = RunGuarded(*one);
  }
  if (end.result.message.size() > kLongestMessage) {
    end.result.message.resize(kLongestMessage);
    end.result.message += "…";
  }
  Say(end);
}

void Serve(const Suite& suite) {
  std::unordered_map<std::string, const Case*> by_name;
  for (const Case& one : suite.cases) by_name[one.name] = &one;
  Commands commands;
  std::string command;
  while (commands.Next(&command)) {
    if (command == "list") {
      List(suite);
    } else if (command.starts_with("run ")) {
      const std::string name = command.substr(4);
      const auto found = by_name.find(name);
      Run(name, found == by_name.end() ? nullptr : found->second);
    }
  }
}

}  // namespace

CaseResult RunGuarded(const Case& one) {
  CaseResult result;
  try {
    return one.run();
  } catch (const std::bad_alloc&) {
    result.fault = "out of memory";
    result.message = "an allocation failed with std::bad_alloc";
  } catch (const std::exception& e) {
    result.fault = "exception";
    result.message = std::string("an exception came out of the plugin: ") + e.what();
  } catch (...) {
    result.fault = "exception";
    result.message = "an exception came out of the plugin that is no std::exception";
  }
  result.verdict = Verdict::kCrashed;
  return result;
}

int WorkerMain(const WorkerOptions& options, MakeSuiteFunction make_suite) {
  PrepareProcess(options.memory_limit);
  {
    const Result<Suite> suite = make_suite(options.suite);
    if (!suite.ok()) {
      Say(MessageKind::kRefused, suite.status().ToString());
      return EXIT_FAILURE;
    }
    Say(MessageKind::kReady);
    Serve(*suite);
  }
  return EXIT_SUCCESS;
}

}  // namespace berth::conformance
