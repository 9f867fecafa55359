#include "plugins/opencl/ops/strided_copy.h"

#include <string>

namespace berth::opencl {
namespace {

// Bytes of the widest vector of OpenCL C that elements of 4 bytes fill.
constexpr size_t kWidestBytes = 64;

// True when every step of the walk keeps `lanes` neighbours together on both sides.
bool KeepsTogether(const Walk& walk, uint64_t from, uint64_t to, int64_t lanes) {
  if (lanes == 1) return true;
  const auto unsigned_lanes = static_cast<uint64_t>(lanes);
  if (walk.rank == 0 || from % unsigned_lanes != 0 || to % unsigned_lanes != 0) {
    return false;
  }
  const int last = walk.rank - 1;
  bool together = walk.size[last] % lanes == 0;
  for (int k = 0; k < 2; ++k) {
    together = together && walk.stride[k][last] == 1;
    for (int i = 0; i < last; ++i) together = together && walk.stride[k][i] % lanes == 0;
  }
  return together;
}

}  // namespace

Result<StridedCopier> StridedCopier::Create(Context* context, size_t element_size) {
  StridedCopier made;
  made.element_size_ = element_size;
  std::vector<size_t> lanes;
  if (element_size >= 4 && context->facts().is_cpu()) {
    lanes.push_back(kWidestBytes / element_size);
  }
  if (element_size == 4) lanes.push_back(4);
  lanes.push_back(1);
  for (const size_t width : lanes) {
    std::string options = RawTypeOptions(element_size);
    if (width > 1) options += std::to_string(width);  // "uint16" is a vector of 16
    BERTH_CL_ASSIGN_OR_RETURN(const KernelRef* function,
                              context->Kernel("move", options, "StridedCopy"));
    made.widths_.push_back({static_cast<int64_t>(width), function});
  }
  return made;
}

Result<CopyPlan> StridedCopier::Plan(Walk walk, uint64_t from, uint64_t to) const {
  CopyPlan plan;
  plan.from = from * element_size_;
  plan.to = to * element_size_;
  plan.num_items = static_cast<uint64_t>(walk.num_elements());
  if (plan.num_items == 0) return plan;
  walk.num_operands = 2;
  walk.Collapse();
  const Width* width = widths_.data();
  while (!KeepsTogether(walk, from, to, width->lanes)) ++width;
  plan.function = width->function;
  plan.lanes = static_cast<size_t>(width->lanes);
  if (plan.lanes > 1) {
    plan.num_items /= plan.lanes;
    for (int k = 0; k < 2; ++k) {
      for (int i = 0; i + 1 < walk.rank; ++i) walk.stride[k][i] /= width->lanes;
    }
    walk.size[walk.rank - 1] /= width->lanes;
  }
  BERTH_CL_ASSIGN_OR_RETURN(plan.walk, ToDevice(walk));
  return plan;
}

Status StridedCopier::Run(const ComputeContext& context, const CopyPlan& plan,
                          const berth_tensor& source, uint64_t source_bytes,
                          const berth_tensor& target, uint64_t target_bytes) const {
  if (plan.num_items == 0) return {};
  const size_t size = element_size_ * plan.lanes;
  Launch launch(context, *plan.function);
  launch.Memory(source, source_bytes + plan.from, size)
      .Memory(target, target_bytes + plan.to, size)
      .Value(static_cast<cl_uint>(plan.num_items))
      .Value(plan.walk);
  return launch.Run({plan.num_items});
}

}  // namespace berth::opencl
