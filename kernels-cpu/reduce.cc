// reduce.cc — Sum, Mean, Prod, Max, Min, All, Any and L2Loss on the CPU.
#include <Eigen/Core>

#include "kernels-cpu/common.h"
#include "kernels-cpu/families.h"
#include "kernels-cpu/reduction.h"

namespace berth::cpu {
namespace {

// Bit i is set when axis i is among `axes`; a negative axis counts from the end.
Result<uint64_t> AxisBits(const berth_tensor& axes, int rank) {
  uint64_t bits = 0;
  for (int64_t i = 0; i < NumElements(axes); ++i) {
    const int64_t axis = IndexAt(axes, i);
    if (axis < -rank || axis >= rank) {
      return InvalidArgument("Invalid reduction dimension (" + std::to_string(axis) +
                             " for input with " + std::to_string(rank) + " dimension(s)");
    }
    const uint64_t bit = uint64_t{1} << (axis < 0 ? axis + rank : axis);
    if ((bits & bit) != 0) {
      return InvalidArgument(
          "Invalid reduction arguments: Axes contains duplicate "
          "dimension: " +
          std::to_string(axis));
    }
    bits |= bit;
  }
  return bits;
}

template <ReduceKind kKind>
class ReduceKernel {
 public:
  using Prepared = Reduction;
  explicit ReduceKernel(const NodeView& node) : dtype_(node.input(0).dtype) {}
  static Result<std::unique_ptr<ReduceKernel>> Create(const NodeView& node,
                                                      berth_device*) {
    return Make<ReduceKernel>(node);
  }
  Status Prepare(PrepareContext& context, Reduction* plan) const {
    Result<uint64_t> axes = AxisBits(context.input(1), context.input(0).rank);
    if (!axes.ok()) return axes.status();
    *plan = MakeReduction(context.input(0), *axes, context.num_threads());
    context.set_scratch_size(plan->ScratchSize(sdk::DtypeSize(dtype_)));
    return {};
  }
  Status Compute(const Reduction& plan, ComputeContext& context) const {
    RunReduction(kKind, dtype_, plan, context);
    return {};
  }

 private:
  int32_t dtype_;
};

// Half the sum of squares.
class L2LossKernel {
 public:
  explicit L2LossKernel(const NodeView& node) : dtype_(node.input(0).dtype) {}
  static Result<std::unique_ptr<L2LossKernel>> Create(const NodeView& node,
                                                      berth_device*) {
    return Make<L2LossKernel>(node);
  }
  // One number a block; the blocks are added in a fixed order.
  Status Prepare(PrepareContext& context) const {
    const int64_t blocks = (NumElements(context.input(0)) + kBlock - 1) / kBlock;
    context.set_scratch_size(static_cast<uint64_t>(blocks) * sizeof(double));
    return {};
  }
  Status Compute(ComputeContext& context) const {
    if (dtype_ == kF32) {
      Run<float>(context);
    } else {
      Run<double>(context);
    }
    return {};
  }

 private:
  static constexpr int64_t kBlock = 4096;

  template <typename T>
  static void Run(ComputeContext& context) {
    const T* x = context.In<T>(0);
    const int64_t n = NumElements(context.input(0));
    const int64_t blocks = (n + kBlock - 1) / kBlock;
    double* sums = static_cast<double*>(context.scratch());
    context.ParallelFor(blocks, 8, [&](int64_t begin, int64_t end) {
      for (int64_t b = begin; b < end; ++b) {
        using Map = Eigen::Map<const Eigen::Array<T, Eigen::Dynamic, 1>>;
        sums[b] = static_cast<double>(
            Map(x + b * kBlock, std::min(kBlock, n - b * kBlock)).square().sum());
      }
    });
    double total = 0;
    for (int64_t b = 0; b < blocks; ++b) total += sums[b];
    *context.Out<T>(0) = static_cast<T>(total / 2);
  }

  int32_t dtype_;
};

}  // namespace

void RegisterReduce(KernelTable& table) {
  const auto numbers = {kF32, kF64, kI32, kI64, kI16, kI8, kU8, kU16};
  const auto row = [&](const char* op) {
    return std::move(table.Op(op)
                         .Type("T", numbers)
                         .Type("Tidx", {kI32, kI64})
                         .PrepareArg("reduction_indices"));
  };
  row("Sum").Use<ReduceKernel<ReduceKind::kSum>>();
  row("Mean").Use<ReduceKernel<ReduceKind::kMean>>();
  row("Prod").Use<ReduceKernel<ReduceKind::kProd>>();
  row("Max").Use<ReduceKernel<ReduceKind::kMax>>();
  row("Min").Use<ReduceKernel<ReduceKind::kMin>>();
  const auto logical = [&](const char* op) {
    return std::move(
        table.Op(op).Type("Tidx", {kI32, kI64}).PrepareArg("reduction_indices"));
  };
  logical("All").Use<ReduceKernel<ReduceKind::kAll>>();
  logical("Any").Use<ReduceKernel<ReduceKind::kAny>>();
  table.Op("L2Loss").Type("T", {kF32, kF64}).Use<L2LossKernel>();
}

}  // namespace berth::cpu
