#include "plugins/opencl/cl_status.h"

#include <cstring>
#include <string_view>

namespace berth::opencl {
namespace {

struct CodeName {
  cl_int code;
  const char* name;
};

#define BERTH_CL_CODE_(name) \
  { name, #name }

constexpr CodeName kCodeNames[] = {
    BERTH_CL_CODE_(CL_DEVICE_NOT_FOUND),
    BERTH_CL_CODE_(CL_DEVICE_NOT_AVAILABLE),
    BERTH_CL_CODE_(CL_COMPILER_NOT_AVAILABLE),
    BERTH_CL_CODE_(CL_MEM_OBJECT_ALLOCATION_FAILURE),
    BERTH_CL_CODE_(CL_OUT_OF_RESOURCES),
    BERTH_CL_CODE_(CL_OUT_OF_HOST_MEMORY),
    BERTH_CL_CODE_(CL_PROFILING_INFO_NOT_AVAILABLE),
    BERTH_CL_CODE_(CL_MEM_COPY_OVERLAP),
    BERTH_CL_CODE_(CL_BUILD_PROGRAM_FAILURE),
    BERTH_CL_CODE_(CL_MAP_FAILURE),
    BERTH_CL_CODE_(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST),
    BERTH_CL_CODE_(CL_COMPILE_PROGRAM_FAILURE),
    BERTH_CL_CODE_(CL_LINKER_NOT_AVAILABLE),
    BERTH_CL_CODE_(CL_LINK_PROGRAM_FAILURE),
    BERTH_CL_CODE_(CL_INVALID_VALUE),
    BERTH_CL_CODE_(CL_INVALID_DEVICE_TYPE),
    BERTH_CL_CODE_(CL_INVALID_PLATFORM),
    BERTH_CL_CODE_(CL_INVALID_DEVICE),
    BERTH_CL_CODE_(CL_INVALID_CONTEXT),
    BERTH_CL_CODE_(CL_INVALID_QUEUE_PROPERTIES),
    BERTH_CL_CODE_(CL_INVALID_COMMAND_QUEUE),
    BERTH_CL_CODE_(CL_INVALID_HOST_PTR),
    BERTH_CL_CODE_(CL_INVALID_MEM_OBJECT),
    BERTH_CL_CODE_(CL_INVALID_BINARY),
    BERTH_CL_CODE_(CL_INVALID_BUILD_OPTIONS),
    BERTH_CL_CODE_(CL_INVALID_PROGRAM),
    BERTH_CL_CODE_(CL_INVALID_PROGRAM_EXECUTABLE),
    BERTH_CL_CODE_(CL_INVALID_KERNEL_NAME),
    BERTH_CL_CODE_(CL_INVALID_KERNEL_DEFINITION),
    BERTH_CL_CODE_(CL_INVALID_KERNEL),
    BERTH_CL_CODE_(CL_INVALID_ARG_INDEX),
    BERTH_CL_CODE_(CL_INVALID_ARG_VALUE),
    BERTH_CL_CODE_(CL_INVALID_ARG_SIZE),
    BERTH_CL_CODE_(CL_INVALID_KERNEL_ARGS),
    BERTH_CL_CODE_(CL_INVALID_WORK_DIMENSION),
    BERTH_CL_CODE_(CL_INVALID_WORK_GROUP_SIZE),
    BERTH_CL_CODE_(CL_INVALID_WORK_ITEM_SIZE),
    BERTH_CL_CODE_(CL_INVALID_GLOBAL_OFFSET),
    BERTH_CL_CODE_(CL_INVALID_EVENT_WAIT_LIST),
    BERTH_CL_CODE_(CL_INVALID_EVENT),
    BERTH_CL_CODE_(CL_INVALID_OPERATION),
    BERTH_CL_CODE_(CL_INVALID_BUFFER_SIZE),
    BERTH_CL_CODE_(CL_INVALID_GLOBAL_WORK_SIZE),
    BERTH_CL_CODE_(CL_INVALID_PROPERTY),
    // Of the ICD loader: no platform is installed.
    {-1001, "CL_PLATFORM_NOT_FOUND_KHR"},
};

#undef BERTH_CL_CODE_

}  // namespace

std::string ClCodeName(cl_int code) {
  for (const CodeName& entry : kCodeNames) {
    if (entry.code == code) {
      return std::string(entry.name) + " (" + std::to_string(code) + ")";
    }
  }
  return "OpenCL error " + std::to_string(code);
}

Status ClStatus(cl_int code, const char* call, const char* file, int line) {
  if (code == CL_SUCCESS) return {};
  const bool exhausted = code == CL_MEM_OBJECT_ALLOCATION_FAILURE ||
                         code == CL_OUT_OF_HOST_MEMORY || code == CL_OUT_OF_RESOURCES;
  // Only the function's name and the file's own name are of use to a reader.
  const std::string_view text(call);
  const std::string name(text.substr(0, text.find('(')));
  const char* slash = std::strrchr(file, '/');
  return {exhausted ? BERTH_RESOURCE_EXHAUSTED : BERTH_INTERNAL,
          name + " failed: " + ClCodeName(code) + " [" +
              (slash != nullptr ? slash + 1 : file) + ":" + std::to_string(line) + "]"};
}

}  // namespace berth::opencl
