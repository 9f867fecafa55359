// OpenCL result codes as Status, and RAII for OpenCL objects.
#pragma once

// Names up to OpenCL 2.0 are used where a device has them; queues are made as in 1.2,
// which every driver knows. Both macros are set by the build.
#include <CL/cl.h>

#include <string>
#include <utility>

#include "sdk/cpp/status.h"

namespace berth::opencl {

using sdk::Result;
using sdk::Status;

// "CL_INVALID_KERNEL_ARGS (-52)"; unknown numbers read "OpenCL error -9999".
std::string ClCodeName(cl_int code);

// OK for CL_SUCCESS. Memory that ran out becomes RESOURCE_EXHAUSTED, everything else
// INTERNAL; the text is "`call` failed: CODE [file:line]".
Status ClStatus(cl_int code, const char* call, const char* file, int line);

// Owns one reference of an OpenCL object.
template <typename T, cl_int(CL_API_CALL* kRelease)(T)>
class ClHandle {
 public:
  ClHandle() = default;
  explicit ClHandle(T object) : object_(object) {}
  ClHandle(ClHandle&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  ClHandle& operator=(ClHandle&& other) noexcept {
    if (this != &other) {
      reset();
      object_ = std::exchange(other.object_, nullptr);
    }
    return *this;
  }
  ~ClHandle() { reset(); }

  void reset(T object = nullptr) {
    if (object_ != nullptr) kRelease(object_);
    object_ = object;
  }
  T get() const { return object_; }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  T object_ = nullptr;
};

using ClContext = ClHandle<cl_context, clReleaseContext>;
using ClQueue = ClHandle<cl_command_queue, clReleaseCommandQueue>;
using ClProgram = ClHandle<cl_program, clReleaseProgram>;
using ClKernel = ClHandle<cl_kernel, clReleaseKernel>;
using ClBuffer = ClHandle<cl_mem, clReleaseMemObject>;
using ClEvent = ClHandle<cl_event, clReleaseEvent>;

}  // namespace berth::opencl

// Returns from the function when an OpenCL call fails.
#define BERTH_CL_RETURN_IF_ERROR(call)                                             \
  do {                                                                             \
    if (const cl_int berth_cl_code_ = (call); berth_cl_code_ != CL_SUCCESS) {      \
      return ::berth::opencl::ClStatus(berth_cl_code_, #call, __FILE__, __LINE__); \
    }                                                                              \
  } while (0)
