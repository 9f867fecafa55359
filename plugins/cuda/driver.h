// What the CUDA driver says about the devices of this machine.
#pragma once

#include <string>
#include <vector>

namespace berth::cuda_plugin {

// The names of the devices that the driver offers; when there is none, `why_none` gets
// the reason in the driver's words. Takes a moment the first time: it starts the driver.
std::vector<std::string> FindDevices(std::string* why_none);

}  // namespace berth::cuda_plugin
