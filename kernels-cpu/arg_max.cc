// arg_max.cc — ArgMax and ArgMin on the CPU. Among equals the lowest index wins. A NaN
// wins over nothing but other NaNs, as in TensorFlow.
#include "kernels-cpu/common.h"
#include "kernels-cpu/families.h"

namespace berth::cpu {
namespace {

struct Greater {
  template <typename T>
  static bool Beats(T a, T b) {
    return a > b;
  }
};
struct Less {
  template <typename T>
  static bool Beats(T a, T b) {
    return a < b;
  }
};

// The tensor as [outer, axis, inner].
struct AxisView {
  int64_t outer = 1;
  int64_t axis = 1;
  int64_t inner = 1;
};

template <typename C>
class ArgKernel {
 public:
  using Prepared = AxisView;
  explicit ArgKernel(const NodeView& node)
      : dtype_(node.input(0).dtype), out_dtype_(node.output(0).dtype) {}
  static Result<std::unique_ptr<ArgKernel>> Create(const NodeView& node, berth_device*) {
    return Make<ArgKernel>(node);
  }

  Status Prepare(PrepareContext& context, AxisView* view) const {
    const berth_tensor& t = context.input(0);
    const int64_t axis = IndexAt(context.input(1), 0);
    if (axis < -t.rank || axis >= t.rank) {
      return InvalidArgument("Expected dimension in the range [" +
                             std::to_string(-t.rank) + ", " + std::to_string(t.rank) +
                             "), but got " + std::to_string(axis));
    }
    const int at = static_cast<int>(axis < 0 ? axis + t.rank : axis);
    if (t.dims[at] == 0) {
      return InvalidArgument("Reduction axis " + std::to_string(at) +
                             " is empty in shape " + ShapeString(t));
    }
    *view = {Product(t.dims, 0, at), t.dims[at], Product(t.dims, at + 1, t.rank)};
    return {};
  }

  Status Compute(const AxisView& view, ComputeContext& context) const {
    switch (dtype_) {
      case kF32:
        return Run<float>(view, context);
      case kF64:
        return Run<double>(view, context);
      case kI32:
        return Run<int32_t>(view, context);
      case kI64:
        return Run<int64_t>(view, context);
      case kI16:
        return Run<int16_t>(view, context);
      case kI8:
        return Run<int8_t>(view, context);
      case kU16:
        return Run<uint16_t>(view, context);
      default:  // uint8, and bool as bytes
        return Run<uint8_t>(view, context);
    }
  }

 private:
  template <typename T>
  static int64_t Best(const T* x, int64_t count, int64_t stride) {
    int64_t best = 0;
    T value = x[0];
    for (int64_t i = 1; i < count; ++i) {
      const T candidate = x[i * stride];
      if (C::Beats(candidate, value) || (value != value && candidate == candidate)) {
        best = i;
        value = candidate;
      }
    }
    return best;
  }

  template <typename T>
  Status Run(const AxisView& view, ComputeContext& context) const {
    const T* x = context.In<T>(0);
    void* out = context.output(0).host_data;
    context.ParallelFor(view.outer * view.inner, GrainForFlops(2 * view.axis),
                        [&](int64_t begin, int64_t end) {
                          for (int64_t i = begin; i < end; ++i) {
                            const int64_t start =
                                i / view.inner * view.axis * view.inner + i % view.inner;
                            const int64_t best = Best(x + start, view.axis, view.inner);
                            switch (out_dtype_) {
                              case kI32:
                                static_cast<int32_t*>(out)[i] =
                                    static_cast<int32_t>(best);
                                break;
                              default:
                                static_cast<int64_t*>(out)[i] = best;
                            }
                          }
                        });
    return {};
  }

  int32_t dtype_;
  int32_t out_dtype_;
};

}  // namespace

void RegisterArgMax(KernelTable& table) {
  const auto row = [&](const char* op) {
    return std::move(table.Op(op)
                         .Type("T", {kF32, kF64, kI32, kI64, kI16, kI8, kU8, kU16, kBool})
                         .Type("Tidx", {kI32, kI64})
                         .Type("output_type", {kI32, kI64})
                         .PrepareArg("dimension"));
  };
  row("ArgMax").Use<ArgKernel<Greater>>();
  row("ArgMin").Use<ArgKernel<Less>>();
}

}  // namespace berth::cpu
