// The one kernel that moves elements, for all families.
#pragma once

#include <vector>

#include "plugins/opencl/geometry.h"
#include "plugins/opencl/ops/op_kernel.h"

namespace berth::opencl {

// A copy along a walk, ready to launch. Offsets in bytes.
struct CopyPlan {
  uint64_t from = 0;
  uint64_t to = 0;
  uint64_t num_items = 0;  // vectors of `lanes` elements
  const KernelRef* function = nullptr;
  size_t lanes = 1;
  DeviceWalk walk;
};

// Copies along walks of two operands (0 = source, 1 = target).
class StridedCopier {
 public:
  static Result<StridedCopier> Create(Context* context, size_t element_size);
  StridedCopier() = default;

  // `from` and `to` are offsets in elements. The walk is collapsed here.
  Result<CopyPlan> Plan(Walk walk, uint64_t from, uint64_t to) const;
  // Offsets of the plan count from `source` and `target`, which begin at multiples of the
  // device's base alignment wherever the plan has lanes.
  Status Run(const ComputeContext& context, const CopyPlan& plan,
             const berth_tensor& source, uint64_t source_bytes,
             const berth_tensor& target, uint64_t target_bytes) const;

 private:
  struct Width {
    int64_t lanes = 1;
    const KernelRef* function = nullptr;
  };

  size_t element_size_ = 0;
  std::vector<Width> widths_;  // widest first; the last takes single elements
};

}  // namespace berth::opencl
