#include "plugins/opencl/ops/strided_copy.h"

#include <string>

namespace berth::opencl {
namespace {

constexpr int64_t kWide = 4;

// True when every step of the walk keeps four neighbours together on both sides.
bool IsWide(const Walk& walk, uint64_t from, uint64_t to) {
  if (walk.rank == 0 || from % kWide != 0 || to % kWide != 0) return false;
  const int last = walk.rank - 1;
  bool wide = walk.size[last] % kWide == 0;
  for (int k = 0; k < 2; ++k) {
    wide = wide && walk.stride[k][last] == 1;
    for (int i = 0; i < last; ++i) wide = wide && walk.stride[k][i] % kWide == 0;
  }
  return wide;
}

}  // namespace

Result<StridedCopier> StridedCopier::Create(Context* context, size_t element_size) {
  StridedCopier made;
  made.element_size_ = element_size;
  BERTH_CL_ASSIGN_OR_RETURN(
      made.narrow_, context->Kernel("move", RawTypeOptions(element_size), "StridedCopy"));
  if (element_size == 4) {
    BERTH_CL_ASSIGN_OR_RETURN(made.wide_,
                              context->Kernel("move", "-DT=uint4", "StridedCopy"));
  }
  return made;
}

Result<CopyPlan> StridedCopier::Plan(Walk walk, uint64_t from, uint64_t to) const {
  CopyPlan plan;
  plan.from = from * element_size_;
  plan.to = to * element_size_;
  plan.num_elements = static_cast<uint64_t>(walk.num_elements());
  if (plan.num_elements == 0) return plan;
  walk.num_operands = 2;
  walk.Collapse();
  if (wide_ != nullptr && IsWide(walk, from, to)) {
    plan.wide = true;
    plan.num_elements /= kWide;
    for (int k = 0; k < 2; ++k) {
      for (int i = 0; i + 1 < walk.rank; ++i) walk.stride[k][i] /= kWide;
    }
    walk.size[walk.rank - 1] /= kWide;
  }
  BERTH_CL_ASSIGN_OR_RETURN(plan.walk, ToDevice(walk));
  return plan;
}

Status StridedCopier::Run(const ComputeContext& context, const CopyPlan& plan,
                          const berth_tensor& source, uint64_t source_bytes,
                          const berth_tensor& target, uint64_t target_bytes) const {
  if (plan.num_elements == 0) return {};
  const size_t size = plan.wide ? element_size_ * kWide : element_size_;
  Launch launch(context, plan.wide ? *wide_ : *narrow_);
  launch.Memory(source, source_bytes + plan.from, size)
      .Memory(target, target_bytes + plan.to, size)
      .Value(static_cast<cl_uint>(plan.num_elements))
      .Value(plan.walk);
  return launch.Run({plan.num_elements});
}

}  // namespace berth::opencl
