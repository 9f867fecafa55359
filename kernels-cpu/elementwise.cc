#include "kernels-cpu/elementwise.h"

namespace berth::cpu {

Status BinaryBase::Prepare(PrepareContext& context, Broadcast* plan) const {
  Status status = MakeBroadcast(context.input(0), context.input(1), plan);
  if (status.ok() || !mismatch_is_unequal_) return status;
  // One element of each side is compared with itself below; what matters is the answer
  // "not equal", which ComputeLarge writes.
  *plan = Broadcast();
  plan->kind = Broadcast::Kind::kGeneral;
  plan->size = -1;
  return {};
}

Status BinaryBase::ComputeLarge(const Broadcast& plan, ComputeContext& context) const {
  const char* a = static_cast<const char*>(context.input(0).host_data);
  const char* b = static_cast<const char*>(context.input(1).host_data);
  char* out = static_cast<char*>(context.output(0).host_data);
  if (plan.size < 0) {
    // Shapes that do not fit: Equal is false and NotEqual is true, which an element that
    // differs from another gives.
    const uint64_t one = 0x0101010101010101;
    const uint64_t zero = 0;
    loops_.same(&one, &zero, out, 1);
    return {};
  }
  const int64_t in_size = loops_.in_size;
  const int64_t out_size = loops_.out_size;
  std::atomic<bool> failed{false};
  if (plan.kind != Broadcast::Kind::kGeneral) {
    const BinaryLoops::Loop loop = loops_.Of(plan.kind);
    const int64_t step_a = plan.kind == Broadcast::Kind::kScalarLeft ? 0 : in_size;
    const int64_t step_b = plan.kind == Broadcast::Kind::kScalarRight ? 0 : in_size;
    context.ParallelFor(plan.size, grain_, [&](int64_t begin, int64_t end) {
      if (!loop(a + begin * step_a, b + begin * step_b, out + begin * out_size,
                end - begin)) {
        failed.store(true, std::memory_order_relaxed);
      }
    });
  } else if (plan.size > 0) {
    const BinaryLoops::Loop loop = loops_.Of(plan.inner_kind);
    const int64_t rows = plan.size / plan.inner;
    context.ParallelFor(
        rows, std::max<int64_t>(1, grain_ / plan.inner), [&](int64_t begin, int64_t end) {
          BroadcastRows walk(plan, begin);
          for (int64_t row = begin; row < end; ++row, walk.Next()) {
            if (!loop(a + walk.offset_a() * in_size, b + walk.offset_b() * in_size,
                      out + row * plan.inner * out_size, plan.inner)) {
              failed.store(true, std::memory_order_relaxed);
            }
          }
        });
  }
  if (failed.load(std::memory_order_relaxed)) return InvalidArgument(loops_.failure);
  return {};
}

}  // namespace berth::cpu
