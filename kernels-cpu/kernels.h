// The one function that a kernel library exports.
#pragma once

#include <berth/kernel.h>

#include <cstdint>

extern "C" {

// The kernel rows for device type "CPU". Made at the first call, alive until the process
// ends. Safe from any thread.
BERTH_EXPORT void berth_cpu_kernels(const berth_kernel_def* const** out_defs,
                                    uint32_t* out_count);

using berth_cpu_kernels_fn = void (*)(const berth_kernel_def* const** out_defs,
                                      uint32_t* out_count);
}
