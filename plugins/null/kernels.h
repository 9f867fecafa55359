// The support list of the null plugin.
#pragma once

#include "sdk/cpp/kernel.h"

namespace berth::null_plugin {

// Adds every row. In a larger plugin: one such function for each family of ops, called
// from one place.
void RegisterKernels(sdk::KernelTable& table);

}  // namespace berth::null_plugin
