// select.cc — Select and SelectV2 on the CPU, by the size of the element.
#include <array>

#include "kernels-cpu/common.h"
#include "kernels-cpu/families.h"
#include "kernels-cpu/strided_copy.h"
#include "kernels-cpu/word.h"

namespace berth::cpu {
namespace {

// Output axes with the element strides of condition, then and else: 0 repeats.
struct SelectPlan {
  int rank = 1;
  int64_t size = 1;
  std::array<int64_t, BERTH_MAX_RANK> dims{};
  std::array<std::array<int64_t, BERTH_MAX_RANK>, 3> strides{};
};

Status Misfit(PrepareContext& context) {
  return InvalidArgument("condition " + ShapeString(context.input(0)) + ", then " +
                         ShapeString(context.input(1)) + " and else " +
                         ShapeString(context.input(2)) + " must be broadcastable");
}

// SelectV2: all three broadcast against one another.
Status BroadcastPlan(PrepareContext& context, SelectPlan* plan) {
  int rank = 0;
  for (int i = 0; i < 3; ++i) rank = std::max(rank, context.input(i).rank);
  if (rank > BERTH_MAX_RANK) return Misfit(context);
  std::array<int64_t, 3> stride{1, 1, 1};
  plan->rank = rank;
  for (int axis = rank - 1; axis >= 0; --axis) {
    int64_t dim = 1;
    std::array<int64_t, 3> have{};
    for (size_t i = 0; i < 3; ++i) {
      const berth_tensor& t = context.input(static_cast<int>(i));
      const int at = axis - (rank - t.rank);
      have[i] = at >= 0 ? t.dims[at] : 1;
      if (have[i] == 1) continue;
      if (dim != 1 && dim != have[i]) return Misfit(context);
      dim = have[i];
    }
    const size_t a = static_cast<size_t>(axis);
    plan->dims[a] = dim;
    plan->size *= dim;
    for (size_t i = 0; i < 3; ++i) {
      plan->strides[i][a] = have[i] == 1 ? 0 : stride[i];
      stride[i] *= have[i];
    }
  }
  return {};
}

// Select: then and else have one shape; the condition has it too, or is a scalar, or a
// vector that chooses whole rows.
Status RowPlan(PrepareContext& context, SelectPlan* plan) {
  const berth_tensor& condition = context.input(0);
  const berth_tensor& x = context.input(1);
  if (!sdk::SameShape(x, context.input(2))) {
    return InvalidArgument("'then' and 'else' must have the same size.  but received: " +
                           ShapeString(x) + " vs. " + ShapeString(context.input(2)));
  }
  const bool same = sdk::SameShape(condition, x);
  const bool rows = condition.rank == 1 && x.rank >= 1 && condition.dims[0] == x.dims[0];
  if (!same && !rows && condition.rank != 0) {
    return InvalidArgument(
        "'cond' must be a scalar, a vector with an element for each row "
        "of 'then', or of its shape: " +
        ShapeString(condition) + " vs. " + ShapeString(x));
  }
  plan->rank = 2;
  plan->size = NumElements(x);
  plan->dims = {rows && !same ? x.dims[0] : 1, 0};
  plan->dims[1] = plan->dims[0] == 0 ? 0 : plan->size / plan->dims[0];
  plan->strides[0] = {rows && !same ? 1 : 0, same ? 1 : 0};
  plan->strides[1] = plan->strides[2] = {plan->dims[1], 1};
  return {};
}

template <bool kBroadcasts>
class SelectKernel {
 public:
  using Prepared = SelectPlan;
  explicit SelectKernel(const NodeView& node)
      : size_(static_cast<int64_t>(sdk::DtypeSize(node.output(0).dtype))) {}
  static Result<std::unique_ptr<SelectKernel>> Create(const NodeView& node,
                                                      berth_device*) {
    return Make<SelectKernel>(node);
  }
  Status Prepare(PrepareContext& context, SelectPlan* plan) const {
    return kBroadcasts ? BroadcastPlan(context, plan) : RowPlan(context, plan);
  }
  Status Compute(const SelectPlan& plan, ComputeContext& context) const {
    WithWord(size_, [&](auto word) { Run<decltype(word)>(plan, context); });
    return {};
  }

 private:
  template <typename Word>
  static void Run(const SelectPlan& plan, ComputeContext& context) {
    const bool* condition = context.In<bool>(0);
    const Word* x = context.In<Word>(1);
    const Word* y = context.In<Word>(2);
    Word* out = context.Out<Word>(0);
    if (plan.size == 0) return;
    const size_t inner = static_cast<size_t>(std::max(0, plan.rank - 1));
    const int64_t n = plan.rank == 0 ? 1 : plan.dims[inner];
    const int64_t sc = plan.strides[0][inner];
    const int64_t sx = plan.strides[1][inner];
    const int64_t sy = plan.strides[2][inner];
    context.ParallelFor(plan.size / n,
                        GrainFor(n * 3 * static_cast<int64_t>(sizeof(Word))),
                        [&](int64_t begin, int64_t end) {
                          for (int64_t row = begin; row < end; ++row) {
                            std::array<int64_t, 3> at{};
                            int64_t rest = row;
                            for (int i = plan.rank - 2; i >= 0; --i) {
                              const size_t axis = static_cast<size_t>(i);
                              for (size_t k = 0; k < 3; ++k) {
                                at[k] += rest % plan.dims[axis] * plan.strides[k][axis];
                              }
                              rest /= plan.dims[axis];
                            }
                            Word* to = out + row * n;
                            const bool* c = condition + at[0];
                            const Word* a = x + at[1];
                            const Word* b = y + at[2];
                            if (sc == 1 && sx == 1 && sy == 1) {
                              for (int64_t i = 0; i < n; ++i) to[i] = c[i] ? a[i] : b[i];
                            } else {
                              for (int64_t i = 0; i < n; ++i)
                                to[i] = c[i * sc] ? a[i * sx] : b[i * sy];
                            }
                          }
                        });
  }

  int64_t size_;
};

}  // namespace

void RegisterSelect(KernelTable& table) {
  table.Op("Select").Type("T", kFixedSize).Use<SelectKernel<false>>();
  table.Op("SelectV2").Type("T", kFixedSize).Use<SelectKernel<true>>();
}

}  // namespace berth::cpu
