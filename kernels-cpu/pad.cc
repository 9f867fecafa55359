// pad.cc — Pad and PadV2 on the CPU, by the size of the element.
#include <array>
#include <cstring>

#include "kernels-cpu/common.h"
#include "kernels-cpu/families.h"
#include "kernels-cpu/word.h"

namespace berth::cpu {
namespace {

struct PadPlan {
  int rank = 0;
  std::array<int64_t, BERTH_MAX_RANK> in{};      // the input's sizes
  std::array<int64_t, BERTH_MAX_RANK> out{};     // the result's
  std::array<int64_t, BERTH_MAX_RANK> before{};  // cells in front of the input
};

Status MakePadPlan(PrepareContext& context, PadPlan* plan) {
  const berth_tensor& x = context.input(0);
  const berth_tensor& pads = context.input(1);
  if (x.rank > BERTH_MAX_RANK || pads.rank != 2 || pads.dims[0] != x.rank ||
      pads.dims[1] != 2) {
    return InvalidArgument(
        "paddings must be a matrix with 2 columns and a row for each "
        "of the input's axes: paddings " +
        ShapeString(pads) + ", input " + ShapeString(x));
  }
  // Axes without padding are one with the axis before them.
  int64_t dims[BERTH_MAX_RANK];
  for (int i = 0; i < x.rank; ++i) {
    const int64_t before = IndexAt(pads, int64_t{2} * i);
    const int64_t after = IndexAt(pads, int64_t{2} * i + 1);
    if (before < 0 || after < 0) {
      return InvalidArgument("Paddings must be non-negative: " + std::to_string(before) +
                             ", " + std::to_string(after));
    }
    dims[i] = x.dims[i] + before + after;
    const size_t last = static_cast<size_t>(plan->rank - 1);
    if (before == 0 && after == 0 && plan->rank > 0) {
      plan->in[last] *= x.dims[i];
      plan->out[last] *= x.dims[i];
      plan->before[last] *= x.dims[i];
      continue;
    }
    const size_t at = static_cast<size_t>(plan->rank++);
    plan->in[at] = x.dims[i];
    plan->out[at] = dims[i];
    plan->before[at] = before;
  }
  if (plan->rank == 0) {
    plan->rank = 1;
    plan->in[0] = plan->out[0] = 1;
  }
  SetShape(&context.output(0), dims, x.rank);
  return {};
}

class PadKernel {
 public:
  using Prepared = PadPlan;
  explicit PadKernel(const NodeView& node)
      : has_value_(node.num_inputs() == 3),
        size_(static_cast<int64_t>(sdk::DtypeSize(node.output(0).dtype))) {}
  static Result<std::unique_ptr<PadKernel>> Create(const NodeView& node, berth_device*) {
    return Make<PadKernel>(node);
  }
  Status Prepare(PrepareContext& context, PadPlan* plan) const {
    return MakePadPlan(context, plan);
  }
  Status Compute(const PadPlan& plan, ComputeContext& context) const {
    WithWord(size_, [&](auto word) { Run<decltype(word)>(plan, context); });
    return {};
  }

 private:
  template <typename Word>
  void Run(const PadPlan& plan, ComputeContext& context) const {
    const Word* x = context.In<Word>(0);
    Word* out = context.Out<Word>(0);
    Word value{};
    if (has_value_) value = *context.In<Word>(2);
    const size_t inner = static_cast<size_t>(plan.rank - 1);
    const int64_t n = plan.out[inner];
    const int64_t rows = Product(plan.out.data(), 0, plan.rank - 1);
    context.ParallelFor(rows, GrainFor(2 * n * size_), [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) {
        Word* to = out + row * n;
        const int64_t from = InputRow(plan, row);
        if (from < 0) {
          std::fill(to, to + n, value);
          continue;
        }
        const int64_t before = plan.before[inner];
        const int64_t count = plan.in[inner];
        std::fill(to, to + before, value);
        std::copy(x + from * count, x + (from + 1) * count, to + before);
        std::fill(to + before + count, to + n, value);
      }
    });
  }

  // The input's row that lies at the result's row, or -1 in the padding.
  static int64_t InputRow(const PadPlan& plan, int64_t row) {
    int64_t from = 0;
    int64_t scale = 1;
    for (int i = plan.rank - 2; i >= 0; --i) {
      const size_t axis = static_cast<size_t>(i);
      const int64_t at = row % plan.out[axis] - plan.before[axis];
      row /= plan.out[axis];
      if (at < 0 || at >= plan.in[axis]) return -1;
      from += at * scale;
      scale *= plan.in[axis];
    }
    return from;
  }

  bool has_value_;
  int64_t size_;
};

}  // namespace

void RegisterPad(KernelTable& table) {
  table.Op("Pad")
      .Type("T", kFixedSize)
      .Type("Tpaddings", kIndexTypes)
      .PrepareArg("paddings")
      .Use<PadKernel>();
  table.Op("PadV2")
      .Type("T", kFixedSize)
      .Type("Tpaddings", kIndexTypes)
      .PrepareArg("paddings")
      .HostArg("constant_values")
      .Use<PadKernel>();
}

}  // namespace berth::cpu
