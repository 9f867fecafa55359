// One row of a plugin's kernel table, read and checked.
#pragma once

#include <berth/kernel.h>

#include <string>
#include <vector>

#include "core/base/dtype.h"
#include "core/base/status.h"
#include "core/ops/op_schema.h"
#include "core/registry/kernel_registry.h"

namespace berth {

// What the registry keeps of a row.
struct KernelRow {
  struct Constraint {
    std::string attr;
    std::vector<DType> dtypes;
  };

  KernelEntry entry;  // entry.def points to `def`: a row does not move once registered
  berth_kernel_def def = {};
  std::vector<Constraint> constraints;
  // Type attributes that a kernel's row says nothing of. Any dtype will do for them but
  // those that cross the ABI only to rows that list them, or not at all.
  std::vector<std::string> open_types;
  std::string label;
  std::string op;

  bool is_conditional() const { return (def.flags & BERTH_KERNEL_CONDITIONAL) != 0; }
};

// Fills `row` (but for entry.def, plugin and order) from a row of any struct_size, or
// INVALID_ARGUMENT that says what is wrong with it.
Status ReadKernelRow(const berth_kernel_def* source, const OpRegistry& ops,
                     KernelRow* row);

}  // namespace berth
