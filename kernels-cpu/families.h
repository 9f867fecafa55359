// The functions that list each family's kernels (families.inc).
#pragma once

#include "kernels-cpu/common.h"

namespace berth::cpu {

#define BERTH_FAMILY(name) void Register##name(KernelTable& table);
#include "kernels-cpu/families.inc"
#undef BERTH_FAMILY

}  // namespace berth::cpu
