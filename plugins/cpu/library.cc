#include "plugins/cpu/library.h"

#include <cpuid.h>
#include <dlfcn.h>
#include <unistd.h>

#include "kernels-cpu/kernels.h"

namespace berth::cpu_plugin {
namespace {

// An address in this plugin, to ask the system which file it came from.
const char kAnchor = 0;

// The folder of the kernel libraries: ".." of the one that holds this plugin.
std::string KernelFolder() {
  Dl_info info = {};
  if (dladdr(&kAnchor, &info) == 0 || info.dli_fname == nullptr) return "..";
  const std::string path = info.dli_fname;
  const size_t slash = path.rfind('/');
  return (slash == std::string::npos ? "." : path.substr(0, slash)) + "/..";
}

// Two features of x86-64-v3 that clang's __builtin_cpu_supports does not know by name.
bool HasF16cAndLzcnt() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0 || (c & bit_F16C) == 0) return false;
  return __get_cpuid(0x80000001, &a, &b, &c, &d) != 0 && (c & bit_LZCNT) != 0;
}

}  // namespace

std::vector<std::string> LevelsOfProcessor() {
  __builtin_cpu_init();
  std::vector<std::string> levels;
  const bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                  __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
                  HasF16cAndLzcnt();
  const bool v4 =
      v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl");
  if (v4) levels.emplace_back("v4");
  if (v3) levels.emplace_back("v3");
  if (__builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("popcnt")) {
    levels.emplace_back("v2");
  }
  return levels;
}

sdk::Result<std::vector<const berth_kernel_def*>> OpenKernels(
    const std::vector<std::string>& levels) {
  std::string tried;
  for (const std::string& level : levels) {
    const std::string path = KernelFolder() + "/libberth_kernels_cpu_" + level + ".so";
    if (access(path.c_str(), F_OK) != 0) {
      tried += "\n  " + path + ": no such file";
      continue;
    }
    void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    void* symbol = library ? dlsym(library, "berth_cpu_kernels") : nullptr;
    if (symbol == nullptr) {
      const char* text = dlerror();
      tried += "\n  " + path + ": " + (text != nullptr ? text : "no berth_cpu_kernels");
      continue;
    }
    const berth_kernel_def* const* defs = nullptr;
    uint32_t count = 0;
    reinterpret_cast<berth_cpu_kernels_fn>(symbol)(&defs, &count);
    return std::vector<const berth_kernel_def*>(defs, defs + count);
  }
  if (levels.empty()) {
    return sdk::Status(BERTH_NOT_FOUND,
                       "this processor runs none of x86-64-v2, -v3 and -v4");
  }
  return sdk::Status(BERTH_NOT_FOUND,
                     "no kernel library for this processor; looked for:" + tried +
                         "\nBuild with BERTH_CPU_LEVELS listing one of these levels, or "
                         "put the libraries beside the plugins' folder");
}

}  // namespace berth::cpu_plugin
