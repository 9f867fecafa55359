// add_n.cc — AddN and AccumulateNV2 on the CPU.
#include <algorithm>

#include "kernels-cpu/arithmetic.h"
#include "kernels-cpu/common.h"
#include "kernels-cpu/families.h"

namespace berth::cpu {
namespace {

class AddNKernel {
 public:
  explicit AddNKernel(const NodeView& node) : dtype_(node.output(0).dtype) {}
  static Result<std::unique_ptr<AddNKernel>> Create(const NodeView& node, berth_device*) {
    return Make<AddNKernel>(node);
  }
  Status Prepare(PrepareContext& context) const {
    for (int i = 1; i < context.num_inputs(); ++i) {
      if (sdk::SameShape(context.input(0), context.input(i))) continue;
      return InvalidArgument("Inputs to AddN must have the same shape: input 0 has " +
                             ShapeString(context.input(0)) + ", input " +
                             std::to_string(i) + " has " + ShapeString(context.input(i)));
    }
    return {};
  }
  Status Compute(ComputeContext& context) const {
    switch (dtype_) {
      case kF32:
        return Run<float>(context);
      case kF64:
        return Run<double>(context);
      case kI32:
        return Run<int32_t>(context);
      case kI64:
        return Run<int64_t>(context);
      default:
        return Run<uint8_t>(context);
    }
  }

 private:
  // Blocks of the sum stay in the cache while all inputs are added to them.
  static constexpr int64_t kBlock = 2048;

  template <typename T>
  static Status Run(ComputeContext& context) {
    T* out = context.Out<T>(0);
    const int num = context.num_inputs();
    const int64_t n = NumElements(context.output(0));
    const int64_t bytes = (num + 1) * static_cast<int64_t>(sizeof(T));
    context.ParallelFor(n, GrainFor(bytes), [&](int64_t begin, int64_t end) {
      for (int64_t at = begin; at < end; at += kBlock) {
        const int64_t count = std::min(kBlock, end - at);
        const T* first = context.In<T>(0) + at;
        T* sum = out + at;
        if (num == 1) std::copy(first, first + count, sum);
        for (int i = 1; i < num; ++i) {
          const T* x = context.In<T>(i) + at;
          for (int64_t j = 0; j < count; ++j) sum[j] = WrapAdd(first[j], x[j]);
          first = sum;
        }
      }
    });
    return {};
  }

  int32_t dtype_;
};

}  // namespace

void RegisterAddN(KernelTable& table) {
  const auto numbers = {kF32, kF64, kI32, kI64, kU8};
  table.Op("AddN").Type("T", numbers).InPlace(0, 0).Use<AddNKernel>();
  table.Op("AccumulateNV2").Type("T", numbers).InPlace(0, 0).Use<AddNKernel>();
}

}  // namespace berth::cpu
