// What the logical devices of one physical device share: the OpenCL context and the
// programs compiled for it.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "plugins/opencl/cl_status.h"
#include "plugins/opencl/devices.h"
#include "sdk/cpp/host.h"

namespace berth::opencl {

// Which implementation multiplies matrices (plugin option "gemm").
enum class GemmChoice { kAuto, kBuiltin, kClBlast };

// The user's options, read when a context is made.
struct Settings {
  size_t max_group_size = 0;  // 0 = what device and kernel allow
  GemmChoice gemm = GemmChoice::kAuto;
  std::string build_options;  // appended to those of every program
  bool use_cache = true;      // keep compiled programs in the host's cache
};

// Reads the options "max_group_size", "gemm", "build_options" and "program_cache".
// INVALID_ARGUMENT says what an option may be.
Result<Settings> ReadSettings(const sdk::Host& host);

// One compiled kernel function. Lives as long as its context; immutable.
struct KernelRef {
  uint32_t id = 0;  // dense in its context; streams index their instances by it
  cl_program program = nullptr;
  std::string name;
  size_t max_group = 1;  // work-items of a group, by device, kernel and option
};

// Where a device-found error comes from, for its message.
struct ErrorSite {
  std::string node;
  std::string op;
};

// Thread-safe.
class Context {
 public:
  static Result<std::shared_ptr<Context>> Create(const PhysicalDevice& facts,
                                                 const Settings& settings,
                                                 const sdk::Host& host);

  const PhysicalDevice& facts() const { return facts_; }
  const Settings& settings() const { return settings_; }
  const sdk::Host& host() const { return host_; }
  cl_context cl() const { return context_.get(); }

  // The function `name` of kernels/<file>.cl, built with `options` on first use. A build
  // that fails gives its whole log, each time; other kernels are not touched by it.
  Result<const KernelRef*> Kernel(const char* file, const std::string& options,
                                  const char* name);
  // The options every program gets: OpenCL C 1.2, exact division where there is one.
  std::string CommonOptions() const;

  // A number for device-found errors of one node; give it back when the node goes.
  int32_t AddErrorSite(const char* node, const char* op);
  void RemoveErrorSite(int32_t site);
  ErrorSite FindErrorSite(int32_t site) const;

 private:
  struct Program {
    ClProgram program;
    Status status;
    std::map<std::string, KernelRef, std::less<>> kernels;
  };

  Context(const PhysicalDevice& facts, const Settings& settings, const sdk::Host& host)
      : facts_(facts), settings_(settings), host_(host) {}
  Result<KernelRef> MakeKernel(const Program& program, const char* name);

  const PhysicalDevice facts_;
  const Settings settings_;
  const sdk::Host host_;
  ClContext context_;

  std::mutex programs_mutex_;
  std::map<std::string, Program, std::less<>> programs_;  // by file and options
  uint32_t num_kernels_ = 0;

  mutable std::mutex sites_mutex_;
  std::unordered_map<int32_t, ErrorSite> sites_;
  int32_t next_site_ = 1;
};

}  // namespace berth::opencl
