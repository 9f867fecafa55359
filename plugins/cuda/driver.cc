#include "plugins/cuda/driver.h"

#include <cuda_runtime_api.h>
#include <dlfcn.h>

namespace berth::cuda_plugin {
namespace {

// "" when the driver's library can be loaded, else the loader's text. The CUDA runtime
// calls a missing driver "insufficient", which sends people the wrong way.
std::string WhyNoDriver() {
  void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return dlerror();
  dlclose(library);
  return "";
}

std::string VersionText(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

}  // namespace

std::vector<std::string> FindDevices(std::string* why_none) {
  const std::string no_driver = WhyNoDriver();
  if (!no_driver.empty()) {
    *why_none = "the NVIDIA driver is not installed: " + no_driver;
    return {};
  }
  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  if (error != cudaSuccess) {
    int driver = 0;
    int runtime = 0;
    (void)cudaDriverGetVersion(&driver);
    (void)cudaRuntimeGetVersion(&runtime);
    *why_none = std::string("the NVIDIA driver says: ") + cudaGetErrorString(error) +
                " (" + cudaGetErrorName(error) + "; driver for CUDA " +
                VersionText(driver) + ", plugin built for CUDA " + VersionText(runtime) +
                ")";
    return {};
  }
  if (count == 0) *why_none = "the NVIDIA driver is there but finds no GPU";
  std::vector<std::string> names;
  for (int i = 0; i < count; ++i) {
    cudaDeviceProp properties;
    const bool known = cudaGetDeviceProperties(&properties, i) == cudaSuccess;
    names.emplace_back(known ? properties.name : "GPU " + std::to_string(i));
  }
  return names;
}

}  // namespace berth::cuda_plugin
