#include "conformance/suite/child.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "conformance/suite/wire.h"

namespace berth::conformance {
namespace {

// Above the numbers that the worker's descriptors get, so that making those clobbers none
// of ours.
constexpr int kFirstFd = 10;

class Fd {
 public:
  Fd() = default;
  explicit Fd(int fd) : fd_(fd) {}
  ~Fd() {
    if (fd_ >= 0) close(fd_);
  }
  Fd(Fd&& other) noexcept : fd_(other.Release()) {}
  Fd& operator=(Fd&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  int get() const { return fd_; }
  int Release() {
    const int fd = fd_;
    fd_ = -1;
    return fd;
  }

 private:
  int fd_ = -1;
};

struct Pipe {
  Fd read;
  Fd write;
};

Status SystemError(const char* what) {
  return Unavailable(std::string("cannot start a worker: ") + what + ": " +
                     std::strerror(errno));
}

Status MakePipe(Pipe* out) {
  std::array<int, 2> ends = {-1, -1};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return SystemError("pipe");
  const Fd low_read(ends[0]);
  const Fd low_write(ends[1]);
  out->read = Fd(fcntl(ends[0], F_DUPFD_CLOEXEC, kFirstFd));
  out->write = Fd(fcntl(ends[1], F_DUPFD_CLOEXEC, kFirstFd));
  if (out->read.get() < 0 || out->write.get() < 0) return SystemError("dup");
  return OkStatus();
}

void SetNonBlocking(int fd) { fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK); }

// posix_spawn's two descriptions, released when done.
struct SpawnPlan {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;

  SpawnPlan(int command_fd, int report_fd, int output_fd) {
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files, output_fd, 1);
    posix_spawn_file_actions_adddup2(&files, output_fd, 2);
    posix_spawn_file_actions_adddup2(&files, command_fd, kCommandFd);
    posix_spawn_file_actions_adddup2(&files, report_fd, kReportFd);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setpgroup(&attributes, 0);
    // What the parent ignores would be ignored in the worker as well.
    sigset_t all;
    sigfillset(&all);
    posix_spawnattr_setsigdefault(&attributes, &all);
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF |
                                              POSIX_SPAWN_SETSIGMASK);
  }
  ~SpawnPlan() {
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
  }
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;
};

}  // namespace

std::string SignalText(int signal) {
  const char* name = sigabbrev_np(signal);
  const char* words = sigdescr_np(signal);
  if (name == nullptr || words == nullptr) return "signal " + std::to_string(signal);
  return std::string("SIG") + name + " (" + words + ")";
}

Result<std::unique_ptr<Child>> Child::Spawn(const std::vector<std::string>& arguments) {
  Pipe commands;
  Pipe reports;
  Pipe output;
  BERTH_RETURN_IF_ERROR(MakePipe(&commands));
  BERTH_RETURN_IF_ERROR(MakePipe(&reports));
  BERTH_RETURN_IF_ERROR(MakePipe(&output));
  std::string program(4096, '\0');
  const ssize_t size = readlink("/proc/self/exe", program.data(), program.size());
  if (size <= 0) return SystemError("/proc/self/exe");
  program.resize(static_cast<size_t>(size));

  std::vector<std::string> words = {program};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);

  std::unique_ptr<Child> child(new Child);
  const SpawnPlan plan(commands.read.get(), reports.write.get(), output.write.get());
  errno = posix_spawn(&child->pid_, program.c_str(), &plan.files, &plan.attributes,
                      argv.data(), environ);
  if (errno != 0) {
    child->pid_ = -1;
    return SystemError(program.c_str());
  }
  child->command_fd_ = commands.write.Release();
  child->report_fd_ = reports.read.Release();
  child->output_fd_ = output.read.Release();
  SetNonBlocking(child->report_fd_);
  SetNonBlocking(child->output_fd_);
  return child;
}

Child::~Child() {
  if (pid_ > 0) {
    KillGroup();
    while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  for (const int fd : {command_fd_, report_fd_, output_fd_}) {
    if (fd >= 0) close(fd);
  }
}

bool Child::Send(const std::string& line) {
  size_t written = 0;
  while (written < line.size()) {
    const ssize_t n = write(command_fd_, line.data() + written, line.size() - written);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    written += static_cast<size_t>(n);
  }
  return true;
}

void Child::CloseCommands() {
  if (command_fd_ >= 0) close(command_fd_);
  command_fd_ = -1;
}

void Child::Read(int* fd, std::string* to) {
  std::array<char, 65536> block;
  while (*fd >= 0) {
    const ssize_t n = read(*fd, block.data(), block.size());
    if (n > 0) {
      to->append(block.data(), static_cast<size_t>(n));
      // A plugin that never stops printing must not hold the parent here.
      if (to->size() >= 4 * block.size()) return;
    } else if (n < 0 && errno == EINTR) {
      continue;
    } else if (n < 0 && errno == EAGAIN) {
      return;
    } else {
      close(*fd);
      *fd = -1;
    }
  }
}

void Child::SendSignal(int signal) const {
  if (pid_ > 0) kill(pid_, signal);
}

void Child::KillGroup() const {
  if (pid_ > 0) kill(-pid_, SIGKILL);
}

std::optional<ChildExit> Child::TryWait() {
  if (pid_ <= 0) return std::nullopt;
  siginfo_t info = {};
  // The process is first left unburied: as long as it is, its group's number is nobody
  // else's.
  if (waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
      info.si_pid == 0) {
    return std::nullopt;
  }
  KillGroup();
  int status = 0;
  rusage usage = {};
  if (wait4(pid_, &status, 0, &usage) != pid_) return std::nullopt;
  pid_ = -1;
  ChildExit exit;
  exit.code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
  exit.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  exit.peak_kib = usage.ru_maxrss;
  return exit;
}

}  // namespace berth::conformance
