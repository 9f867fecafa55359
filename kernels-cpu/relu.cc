// relu.cc — Relu, Relu6, LeakyRelu, Elu, Selu and their gradients on the CPU. A NaN stays
// NaN.
#include <cmath>
#include <limits>

#include "kernels-cpu/elementwise.h"
#include "kernels-cpu/families.h"
#include "kernels-cpu/half.h"

namespace berth::cpu {
namespace {

// In 16 bits a negative zero stays, as in TensorFlow.
template <typename H>
H ShortRelu(H x, float limit, H largest) {
  const float value = ToFloat(x);
  if (value < 0) return H{0};
  return value > limit ? largest : x;
}
constexpr float kNoLimit = std::numeric_limits<float>::infinity();

// NaN stays NaN; a zero of either sign becomes a positive one.
struct ReluArithmetic {
  static Half Apply(Half x) { return ShortRelu(x, kNoLimit, x); }
  static Bfloat16 Apply(Bfloat16 x) { return ShortRelu(x, kNoLimit, x); }
  template <typename T>
  static T Apply(T x) {
    return x > 0 || x != x ? x : T{0};
  }
};
struct Relu6Arithmetic {
  static Half Apply(Half x) { return ShortRelu(x, 6.0F, HalfFromFloat(6.0F)); }
  static Bfloat16 Apply(Bfloat16 x) {
    return ShortRelu(x, 6.0F, Bfloat16FromFloat(6.0F));
  }
  template <typename T>
  static T Apply(T x) {
    const T low = x > 0 || x != x ? x : T{0};
    return low > 6 ? T{6} : low;
  }
};
struct EluArithmetic {
  template <typename T>
  static T Apply(T x) {
    return x < 0 ? std::expm1(x) : x;
  }
};
// The constants of "Self-Normalizing Neural Networks" (2017).
constexpr double kSeluScale = 1.0507009873554804934193349852946;
constexpr double kSeluScaleAlpha = 1.7580993408473768599402175208123;
struct SeluArithmetic {
  template <typename T>
  static T Apply(T x) {
    return x < 0 ? T(kSeluScaleAlpha) * std::expm1(x) : T(kSeluScale) * x;
  }
};

// Gradients of (dy, x) or, for Elu and Selu, (dy, y).
struct ReluGradArithmetic {
  template <typename T>
  static T Apply(T dy, T x) {
    return x > 0 ? dy : T{0};
  }
};
struct Relu6GradArithmetic {
  template <typename T>
  static T Apply(T dy, T x) {
    return x > 0 && x < 6 ? dy : T{0};
  }
};
struct EluGradArithmetic {
  template <typename T>
  static T Apply(T dy, T y) {
    return y < 0 ? (y + T{1}) * dy : dy;
  }
};
struct SeluGradArithmetic {
  template <typename T>
  static T Apply(T dy, T y) {
    return y < 0 ? dy * (y + T(kSeluScaleAlpha)) : dy * T(kSeluScale);
  }
};

template <typename A>
struct Numbers {
  static UnaryLoop For(int32_t dtype) {
    switch (dtype) {
      case kF32:
        return UnaryLoopOf<A, float>::Loop();
      case kF64:
        return UnaryLoopOf<A, double>::Loop();
      case kI32:
        return UnaryLoopOf<A, int32_t>::Loop();
      case kI64:
        return UnaryLoopOf<A, int64_t>::Loop();
      case kI16:
        return UnaryLoopOf<A, int16_t>::Loop();
      case kI8:
        return UnaryLoopOf<A, int8_t>::Loop();
      case kU8:
        return UnaryLoopOf<A, uint8_t>::Loop();
      case kU16:
        return UnaryLoopOf<A, uint16_t>::Loop();
      case kU32:
        return UnaryLoopOf<A, uint32_t>::Loop();
      case kU64:
        return UnaryLoopOf<A, uint64_t>::Loop();
      case kHalf:
        return UnaryLoopOf<A, Half>::Loop();
      case kBf16:
        return UnaryLoopOf<A, Bfloat16>::Loop();
      default:
        return {};
    }
  }
};
template <typename A>
struct Reals {
  static UnaryLoop For(int32_t dtype) {
    if (dtype == kF32) return UnaryLoopOf<A, float>::Loop(8);
    if (dtype == kF64) return UnaryLoopOf<A, double>::Loop(8);
    return {};
  }
};
template <typename A>
struct GradientNumbers {
  static BinaryLoops For(int32_t dtype) {
    switch (dtype) {
      case kF32:
        return BinaryLoopsOf<A, float>::Loops();
      case kF64:
        return BinaryLoopsOf<A, double>::Loops();
      case kI32:
        return BinaryLoopsOf<A, int32_t>::Loops();
      case kI64:
        return BinaryLoopsOf<A, int64_t>::Loops();
      default:
        return {};
    }
  }
};

// alpha is an attribute, so that it cannot be a functor of two operands.
template <typename T>
void LeakyRun(const T* x, T* y, int64_t n, T alpha) {
  for (int64_t i = 0; i < n; ++i) y[i] = x[i] < 0 ? x[i] * alpha : x[i];
}
template <typename T>
void LeakyGradRun(const T* dy, const T* x, T* dx, int64_t n, T alpha) {
  for (int64_t i = 0; i < n; ++i) dx[i] = x[i] > 0 ? dy[i] : dy[i] * alpha;
}

class LeakyReluKernel {
 public:
  explicit LeakyReluKernel(const NodeView& node)
      : alpha_(node.Float("alpha", 0.2F)),
        gradient_(node.num_inputs() == 2),
        dtype_(node.input(0).dtype) {}
  static Result<std::unique_ptr<LeakyReluKernel>> Create(const NodeView& node,
                                                         berth_device*) {
    return Make<LeakyReluKernel>(node);
  }
  Status Compute(ComputeContext& context) const {
    return dtype_ == kF32 ? Run<float>(context) : Run<double>(context);
  }

 private:
  template <typename T>
  Status Run(ComputeContext& context) const {
    const T* a = context.In<T>(0);
    T* out = context.Out<T>(0);
    const T alpha = static_cast<T>(alpha_);
    const int64_t n = NumElements(context.output(0));
    const int64_t grain = GrainFor(3 * sizeof(T));
    if (gradient_) {
      const T* x = context.In<T>(1);
      context.ParallelFor(n, grain, [&](int64_t begin, int64_t end) {
        LeakyGradRun(a + begin, x + begin, out + begin, end - begin, alpha);
      });
    } else {
      context.ParallelFor(n, grain, [&](int64_t begin, int64_t end) {
        LeakyRun(a + begin, out + begin, end - begin, alpha);
      });
    }
    return {};
  }

  float alpha_;
  bool gradient_;
  int32_t dtype_;
};

}  // namespace

void RegisterRelu(KernelTable& table) {
  const auto all = {kF32, kF64, kI32, kI64, kI16,  kI8,
                    kU8,  kU16, kU32, kU64, kHalf, kBf16};
  const auto unary = [&](const char* op, std::initializer_list<int32_t> dtypes) {
    return std::move(table.Op(op).Type("T", dtypes).InPlace(0, 0));
  };
  const auto gradient = [&](const char* op, std::initializer_list<int32_t> dtypes) {
    return std::move(table.Op(op).Type("T", dtypes).InPlace(0, 0).InPlace(1, 0));
  };
  unary("Relu", all).Use<UnaryOp<Numbers<ReluArithmetic>>>();
  unary("Relu6", all).Use<UnaryOp<Numbers<Relu6Arithmetic>>>();
  unary("Elu", {kF32, kF64}).Use<UnaryOp<Reals<EluArithmetic>>>();
  unary("Selu", {kF32, kF64}).Use<UnaryOp<Reals<SeluArithmetic>>>();
  unary("LeakyRelu", {kF32, kF64}).Use<LeakyReluKernel>();
  const auto common = {kF32, kF64, kI32, kI64};
  gradient("ReluGrad", common).Use<BinaryOp<GradientNumbers<ReluGradArithmetic>>>();
  gradient("Relu6Grad", common).Use<BinaryOp<GradientNumbers<Relu6GradArithmetic>>>();
  gradient("EluGrad", {kF32, kF64}).Use<BinaryOp<GradientNumbers<EluGradArithmetic>>>();
  gradient("SeluGrad", {kF32, kF64}).Use<BinaryOp<GradientNumbers<SeluGradArithmetic>>>();
  gradient("LeakyReluGrad", {kF32, kF64}).Use<LeakyReluKernel>();
}

}  // namespace berth::cpu
