#include "core/executor/steps.h"

#include <cstring>
#include <string>

#include "core/executor/frame.h"

namespace berth::executor {
namespace {

using RunFn = Status (*)(Frame& frame, const Item& item);

template <RunFn kRun>
berth_status_code Trampoline(const berth_kernel* kernel, const berth_prepared*,
                             berth_compute_context* context, berth_error*) {
  const Item& item = *reinterpret_cast<const Item*>(kernel);
  Frame& frame = *static_cast<Frame*>(HostComputeContext::From(context).owner);
  Status status = kRun(frame, item);
  if (status.ok()) [[likely]] {
    return BERTH_OK;
  }
  return frame.Fail(std::move(status));
}

}  // namespace

decltype(berth_kernel_def::compute) StepOf(ItemKind kind) {
  switch (kind) {
    case ItemKind::kKernel:
      return nullptr;
    case ItemKind::kAsyncKernel:
      return &Trampoline<RunAsyncKernel>;
    case ItemKind::kLockedKernel:
      return &Trampoline<RunLockedKernel>;
    case ItemKind::kRuntimeKernel:
      return &Trampoline<RunRuntimeKernel>;
    case ItemKind::kHostOp:
      return &Trampoline<RunHostOp>;
    case ItemKind::kBind:
      return &Trampoline<RunBind>;
    case ItemKind::kRead:
      return &Trampoline<RunRead>;
    case ItemKind::kAssign:
      return &Trampoline<RunAssign>;
    case ItemKind::kUpdate:
      return &Trampoline<RunUpdate>;
    case ItemKind::kIsInit:
      return &Trampoline<RunIsInit>;
    case ItemKind::kDestroy:
      return &Trampoline<RunDestroy>;
    case ItemKind::kRelease:
      return &Trampoline<RunRelease>;
    case ItemKind::kRebind:
      return &Trampoline<RunRebind>;
    case ItemKind::kReshape:
      return &Trampoline<RunReshape>;
    case ItemKind::kShapeOf:
      return &Trampoline<RunShapeOf>;
    case ItemKind::kCopy:
      return &Trampoline<RunCopy>;
    case ItemKind::kRuntimeCopy:
      return &Trampoline<RunRuntimeCopy>;
    case ItemKind::kWait:
      return &Trampoline<RunWait>;
  }
  return nullptr;
}

void CopyHost(DType dtype, const void* from, void* to, uint64_t size) {
  if (size == 0 || from == to) return;
  if (dtype == BERTH_STRING) {
    const auto* source = static_cast<const std::string*>(from);
    auto* target = static_cast<std::string*>(to);
    std::copy(source, source + size / sizeof(std::string), target);
    return;
  }
  std::memcpy(to, from, size);
}

}  // namespace berth::executor
