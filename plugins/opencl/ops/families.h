// The families of kernels; each function lists its rows in the table.
#pragma once

#include "sdk/cpp/kernel.h"

namespace berth::opencl {

#define BERTH_FAMILY(name) void Register##name(sdk::KernelTable& table);
#include "plugins/opencl/ops/families.inc"
#undef BERTH_FAMILY

}  // namespace berth::opencl
