#include "kernels-cpu/kernels.h"

#include "kernels-cpu/families.h"

namespace berth::cpu {
namespace {

KernelTable* MakeTable() {
  auto* table = new KernelTable("CPU");
#define BERTH_FAMILY(name) Register##name(*table);
#include "kernels-cpu/families.inc"
#undef BERTH_FAMILY
  return table;
}

}  // namespace
}  // namespace berth::cpu

void berth_cpu_kernels(const berth_kernel_def* const** out_defs, uint32_t* out_count) {
  // Never destroyed: the host keeps pointers into it for the process's life.
  static const berth::cpu::KernelTable* const table = berth::cpu::MakeTable();
  *out_defs = table->defs().data();
  *out_count = static_cast<uint32_t>(table->defs().size());
}
