// Building OpenCL programs from source or from the host's cache.
#pragma once

#include <string>
#include <string_view>

#include "plugins/opencl/cl_status.h"
#include "plugins/opencl/devices.h"
#include "sdk/cpp/host.h"

namespace berth::opencl {

// What to build. Views are loans for the call.
struct BuildRequest {
  cl_context context = nullptr;
  const PhysicalDevice* device = nullptr;
  std::string_view name;    // of the file, for messages and cache keys: "binary.cl"
  std::string_view source;  // whole text
  std::string_view options;
  const sdk::Host* host = nullptr;  // whose cache is used; NULL = no cache
};

// The built program. A failed build is INTERNAL and carries file, device, options, the
// code and the whole build log; a log that cannot be read never hides the failure.
Result<ClProgram> BuildProgram(const BuildRequest& request);

}  // namespace berth::opencl
