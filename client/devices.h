// What there is to run on.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/status.h"

namespace berth::client {

// One logical device.
struct DeviceInfo {
  std::string name;  // "/device:OPENCL:0"; every function that takes a device accepts it
  std::string type;  // "OPENCL"
  std::string description;  // "NVIDIA H200, driver 580.1"
  std::string plugin;
  std::string physical_id;
  uint64_t memory_bytes = 0;  // 0 = unknown
};

// All devices of all plugins, the CPU first. Loads the plugins when nobody has.
std::vector<DeviceInfo> ListDevices();
// One line for each plugin that did not load or has no device: path, reason, remedy.
std::vector<std::string> PluginProblems();
// Loads one plugin; an error says how far it came, the system's text and what to do.
Status LoadPlugin(const std::string& path);

}  // namespace berth::client
