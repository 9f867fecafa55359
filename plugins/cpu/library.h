// Finding and opening the kernel library of the processor's instruction set level.
#pragma once

#include <berth/kernel.h>

#include <string>
#include <vector>

#include "sdk/cpp/status.h"

namespace berth::cpu_plugin {

// The levels that this processor runs, best first: "v4", "v3", "v2".
std::vector<std::string> LevelsOfProcessor();

// Opens the library of the first of `levels` that lies beside the plugin, and lists its
// rows. The library stays open. NOT_FOUND names every file that was looked for, and what
// the system said about those that are there.
sdk::Result<std::vector<const berth_kernel_def*>> OpenKernels(
    const std::vector<std::string>& levels);

}  // namespace berth::cpu_plugin
