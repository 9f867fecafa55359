#include "plugins/opencl/program.h"

#include <cstdint>
#include <cstring>
#include <vector>

namespace berth::opencl {
namespace {

uint64_t Fnv1a(std::string_view text, uint64_t seed) {
  uint64_t hash = 14695981039346656037ULL ^ seed;
  for (const char c : text) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  }
  return hash;
}

// Everything a binary depends on. It is stored in front of the binary and compared, so
// that a clash of hashes is a miss.
std::string Fingerprint(const BuildRequest& request) {
  std::string text = "berth-opencl-program-2\n";
  text += request.device->platform_name + "\n" + request.device->name + "\n" +
          request.device->driver + "\n";
  text += std::string(request.name) + "\n" + std::string(request.options) + "\n";
  text += std::to_string(Fnv1a(request.source, 0)) + " " +
          std::to_string(Fnv1a(request.source, 0x9e3779b97f4a7c15ULL)) + " " +
          std::to_string(request.source.size()) + "\n";
  return text;
}

std::string CacheKey(const std::string& fingerprint) {
  return "opencl-program-" + std::to_string(Fnv1a(fingerprint, 0)) + "-" +
         std::to_string(Fnv1a(fingerprint, 0x9e3779b97f4a7c15ULL));
}

// What stands between fingerprint and binary. Drivers crash on damaged binaries, so none
// is handed over that is not what was put in.
struct Seal {
  uint64_t size = 0;
  uint64_t hash = 0;
  bool operator==(const Seal&) const = default;
};

Seal SealOf(const unsigned char* binary, size_t size) {
  return {size, Fnv1a({reinterpret_cast<const char*>(binary), size}, 0)};
}

// The whole build log, or a sentence about why there is none.
std::string BuildLog(cl_program program, cl_device_id device) {
  size_t size = 0;
  cl_int code =
      clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0, nullptr, &size);
  if (code != CL_SUCCESS) return "(no build log: " + ClCodeName(code) + ")";
  std::string log(size, '\0');
  if (size > 0) {
    code = clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, size, log.data(),
                                 nullptr);
    if (code != CL_SUCCESS) return "(no build log: " + ClCodeName(code) + ")";
  }
  while (!log.empty() && (log.back() == '\0' || log.back() == '\n')) log.pop_back();
  return log.empty() ? "(the driver's build log is empty)" : log;
}

Status BuildFailure(const BuildRequest& request, cl_int code, const std::string& log) {
  return sdk::Internal("OpenCL kernel file \"" + std::string(request.name) +
                       "\" does not build: " + ClCodeName(code) +
                       "\n  device:  " + request.device->Describe() +
                       "\n  driver:  " + request.device->driver + "\n  options: " +
                       std::string(request.options) + "\n  build log:\n" + log);
}

// A program from its binary, or an empty handle where the driver does not take it.
ClProgram FromBinary(const BuildRequest& request, const unsigned char* binary,
                     size_t size) {
  cl_int code = CL_SUCCESS;
  cl_int status = CL_SUCCESS;
  ClProgram program(clCreateProgramWithBinary(request.context, 1, &request.device->device,
                                              &size, &binary, &status, &code));
  const std::string options(request.options);
  if (code != CL_SUCCESS || status != CL_SUCCESS ||
      clBuildProgram(program.get(), 1, &request.device->device, options.c_str(), nullptr,
                     nullptr) != CL_SUCCESS) {
    program.reset();
  }
  return program;
}

// The program of the host's cache, or an empty handle: every trouble is a miss.
ClProgram FromCache(const BuildRequest& request, const std::string& fingerprint) {
  const berth_host* host = request.host->abi();
  void* data = nullptr;
  uint64_t size = 0;
  if (host->cache_get(host->context, CacheKey(fingerprint).c_str(), &data, &size) !=
      BERTH_OK) {
    return {};
  }
  ClProgram program;
  const auto* bytes = static_cast<const unsigned char*>(data);
  const size_t head = fingerprint.size() + sizeof(Seal);
  if (size > head && std::memcmp(bytes, fingerprint.data(), fingerprint.size()) == 0) {
    Seal seal;
    std::memcpy(&seal, bytes + fingerprint.size(), sizeof(seal));
    const size_t binary_size = static_cast<size_t>(size) - head;
    if (SealOf(bytes + head, binary_size) == seal) {
      program = FromBinary(request, bytes + head, binary_size);
    }
  }
  host->free_temp(host->context, data);
  return program;
}

void ToCache(const BuildRequest& request, const std::string& fingerprint,
             cl_program program) {
  size_t size = 0;
  if (clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof(size), &size, nullptr) !=
          CL_SUCCESS ||
      size == 0) {
    return;
  }
  std::vector<unsigned char> value(fingerprint.begin(), fingerprint.end());
  value.resize(fingerprint.size() + sizeof(Seal) + size);
  unsigned char* binary = value.data() + fingerprint.size() + sizeof(Seal);
  if (clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof(binary), &binary, nullptr) !=
      CL_SUCCESS) {
    return;
  }
  const Seal seal = SealOf(binary, size);
  std::memcpy(value.data() + fingerprint.size(), &seal, sizeof(seal));
  const berth_host* host = request.host->abi();
  // A cache that cannot be written only costs the next start its time.
  (void)host->cache_put(host->context, CacheKey(fingerprint).c_str(), value.data(),
                        value.size());
}

}  // namespace

Result<ClProgram> BuildProgram(const BuildRequest& request) {
  std::string fingerprint;
  if (request.host != nullptr) {
    fingerprint = Fingerprint(request);
    ClProgram cached = FromCache(request, fingerprint);
    if (cached) return cached;
  }
  const char* text = request.source.data();
  const size_t size = request.source.size();
  cl_int code = CL_SUCCESS;
  ClProgram program(clCreateProgramWithSource(request.context, 1, &text, &size, &code));
  if (code != CL_SUCCESS) {
    return BuildFailure(request, code, "(the program could not be created)");
  }
  const std::string options(request.options);
  code = clBuildProgram(program.get(), 1, &request.device->device, options.c_str(),
                        nullptr, nullptr);
  if (code != CL_SUCCESS) {
    return BuildFailure(request, code, BuildLog(program.get(), request.device->device));
  }
  if (request.host != nullptr) ToCache(request, fingerprint, program.get());
  return program;
}

}  // namespace berth::opencl
