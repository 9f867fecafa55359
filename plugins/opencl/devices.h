// Which OpenCL devices there are, in which order, and which of them the user wants.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "plugins/opencl/cl_status.h"
#include "sdk/cpp/device.h"

namespace berth::opencl {

// Facts of one physical device, read once. Immutable afterwards.
struct PhysicalDevice {
  cl_platform_id platform = nullptr;
  cl_device_id device = nullptr;
  cl_device_type type = 0;  // CL_DEVICE_TYPE_*
  std::string name;
  std::string platform_name;
  std::string driver;       // platform, device and driver version
  std::string physical_id;  // "pci:0000:3b:00.0", "uuid:…", "cpu:0", "opencl:…"
  uint64_t memory_bytes = 0;
  uint64_t largest_allocation = 0;
  uint32_t base_alignment = 64;  // bytes
  uint32_t compute_units = 1;
  uint32_t native_float_width = 1;  // floats in a vector register
  size_t max_group_size = 1;        // of the device and of its first dimension
  bool unified_memory = false;
  bool fp64 = false;
  bool exact_divide = false;  // takes -cl-fp32-correctly-rounded-divide-sqrt
  bool fine_grained_svm = false;

  bool is_cpu() const { return (type & CL_DEVICE_TYPE_CPU) != 0; }
  // "PoCL: Intel … [CPU]", for logs and error lists.
  std::string Describe() const;
};

// All devices of all platforms, accelerators before CPUs, otherwise in the drivers'
// order. A platform that fails is left out with a line in `problems`. When nothing is
// found, `why_none` says the reason. Creates no context.
std::vector<PhysicalDevice> ListPhysicalDevices(std::vector<std::string>* problems,
                                                std::string* why_none);

// Puts GPUs first, then other accelerators, then CPUs; stable.
void SortDevices(std::vector<PhysicalDevice>* devices);

// Keeps the devices that a selector names, in the selector's order: entries separated by
// commas, each an index into `devices` or a part of a name (case does not matter, the
// first device that has it). "" keeps all. INVALID_ARGUMENT lists what there is to
// choose.
Result<std::vector<PhysicalDevice>> SelectDevices(
    const std::vector<PhysicalDevice>& devices, std::string_view selector);

// The logical devices: `per_physical` for each physical one, sharing its memory equally.
std::vector<sdk::DeviceInfo> LogicalDevices(const std::vector<PhysicalDevice>& devices,
                                            int per_physical);

}  // namespace berth::opencl
