// transcendental.cc — Exp, Expm1, Log, Log1p, Tanh, Sigmoid, Softplus, Softsign, Sin, Cos
// and gradients that are written with the result (TanhGrad, SigmoidGrad, SqrtGrad,
// RsqrtGrad, ReciprocalGrad, InvGrad) on the CPU. Eigen vectorises them.
#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels-cpu/elementwise.h"
#include "kernels-cpu/families.h"

namespace berth::cpu {
namespace {

template <typename T>
using In = Eigen::Map<const Eigen::Array<T, Eigen::Dynamic, 1>>;
template <typename T>
using Out = Eigen::Map<Eigen::Array<T, Eigen::Dynamic, 1>>;

// Eigen's vectors of exp and log are right where argument and result are normal numbers:
// beyond, exp stops short of its range and log takes the smallest normal number for a
// subnormal one. Blocks with such an argument go through the C library.
template <typename T, typename Vector, typename Scalar>
void RunInBlocks(const In<T>& x, Out<T>& y, T low, T high, const Vector& vector,
                 const Scalar& scalar) {
  constexpr Eigen::Index kBlock = 256;
  for (Eigen::Index at = 0; at < x.size(); at += kBlock) {
    const Eigen::Index size = std::min<Eigen::Index>(kBlock, x.size() - at);
    int plain = 1;  // not so for a NaN either
    for (Eigen::Index i = at; i < at + size; ++i) {
      plain &= static_cast<int>(x[i] >= low) & static_cast<int>(x[i] <= high);
    }
    if (plain != 0) {
      y.segment(at, size) = vector(x.segment(at, size));
    } else {
      for (Eigen::Index i = at; i < at + size; ++i) y[i] = scalar(x[i]);
    }
  }
}

struct ExpOf {
  template <typename T>
  static void Run(const In<T>& x, Out<T> y) {
    constexpr bool kIsDouble = sizeof(T) == 8;
    RunInBlocks(
        x, y, kIsDouble ? T{-708} : T{-87}, kIsDouble ? T{709} : T{88},
        [](const auto& block) { return block.exp(); }, [](T v) { return std::exp(v); });
  }
};
struct LogOf {
  template <typename T>
  static void Run(const In<T>& x, Out<T> y) {
    RunInBlocks(
        x, y, std::numeric_limits<T>::min(), std::numeric_limits<T>::max(),
        [](const auto& block) { return block.log(); }, [](T v) { return std::log(v); });
  }
};
struct TanhOf {
  template <typename T>
  static void Run(const In<T>& x, Out<T> y) {
    y = x.tanh();
  }
};
struct SigmoidOf {
  template <typename T>
  static void Run(const In<T>& x, Out<T> y) {
    y = T{1} / (T{1} + (-x).exp());
  }
};
struct SinOf {
  template <typename T>
  static void Run(const In<T>& x, Out<T> y) {
    y = x.sin();
  }
};
struct CosOf {
  template <typename T>
  static void Run(const In<T>& x, Out<T> y) {
    y = x.cos();
  }
};
struct Expm1Of {
  template <typename T>
  static void Run(const In<T>& x, Out<T> y) {
    for (Eigen::Index i = 0; i < x.size(); ++i) y[i] = std::expm1(x[i]);
  }
};
struct Log1pOf {
  template <typename T>
  static void Run(const In<T>& x, Out<T> y) {
    for (Eigen::Index i = 0; i < x.size(); ++i) y[i] = std::log1p(x[i]);
  }
};
struct SoftplusOf {
  template <typename T>
  static void Run(const In<T>& x, Out<T> y) {
    // max(x, 0) + log(1 + exp(-|x|)) neither overflows nor cancels.
    for (Eigen::Index i = 0; i < x.size(); ++i) {
      const T v = x[i];
      y[i] = (v > 0 ? v : (v != v ? v : T{0})) + std::log1p(std::exp(-std::fabs(v)));
    }
  }
};
struct SoftsignOf {
  template <typename T>
  static void Run(const In<T>& x, Out<T> y) {
    y = x / (T{1} + x.abs());
  }
};

// Time of an element, in units of a copied element: what splits work over threads.
constexpr uint8_t kCost = 8;

template <typename F>
struct Function {
  template <typename T>
  static void Run(const void* x, void* out, int64_t n) {
    F::template Run<T>(In<T>(static_cast<const T*>(x), n),
                       Out<T>(static_cast<T*>(out), n));
  }
  static UnaryLoop For(int32_t dtype) {
    if (dtype == kF32) return {&Run<float>, 4, 4, kCost};
    if (dtype == kF64) return {&Run<double>, 8, 8, kCost};
    return {};
  }
};

// Gradients: y is the op's result, dy what flows into it.
struct TanhGradArithmetic {
  template <typename T>
  static T Apply(T y, T dy) {
    return dy * (T{1} - y * y);
  }
};
struct SigmoidGradArithmetic {
  template <typename T>
  static T Apply(T y, T dy) {
    return dy * y * (T{1} - y);
  }
};
struct SqrtGradArithmetic {
  template <typename T>
  static T Apply(T y, T dy) {
    return dy * T{0.5} / y;
  }
};
struct RsqrtGradArithmetic {
  template <typename T>
  static T Apply(T y, T dy) {
    return T{-0.5} * dy * y * y * y;
  }
};
struct ReciprocalGradArithmetic {
  template <typename T>
  static T Apply(T y, T dy) {
    return -dy * y * y;
  }
};
// The inputs of these two are dy and x.
struct SoftplusGradArithmetic {
  template <typename T>
  static T Apply(T dy, T x) {
    return dy / (std::exp(-x) + T{1});
  }
};
struct SoftsignGradArithmetic {
  template <typename T>
  static T Apply(T dy, T x) {
    const T d = T{1} + std::fabs(x);
    return dy / (d * d);
  }
};

template <typename A>
struct Gradient {
  static BinaryLoops For(int32_t dtype) {
    if (dtype == kF32) return BinaryLoopsOf<A, float>::Loops();
    if (dtype == kF64) return BinaryLoopsOf<A, double>::Loops();
    return {};
  }
};

}  // namespace

void RegisterTranscendental(KernelTable& table) {
  const auto unary = [&](const char* op) {
    return std::move(table.Op(op).Type("T", {kF32, kF64}).InPlace(0, 0));
  };
  unary("Exp").Use<UnaryOp<Function<ExpOf>>>();
  unary("Expm1").Use<UnaryOp<Function<Expm1Of>>>();
  unary("Log").Use<UnaryOp<Function<LogOf>>>();
  unary("Log1p").Use<UnaryOp<Function<Log1pOf>>>();
  unary("Tanh").Use<UnaryOp<Function<TanhOf>>>();
  unary("Sigmoid").Use<UnaryOp<Function<SigmoidOf>>>();
  unary("Sin").Use<UnaryOp<Function<SinOf>>>();
  unary("Cos").Use<UnaryOp<Function<CosOf>>>();
  unary("Softplus").Use<UnaryOp<Function<SoftplusOf>>>();
  unary("Softsign").Use<UnaryOp<Function<SoftsignOf>>>();
  const auto gradient = [&](const char* op) {
    return std::move(table.Op(op).Type("T", {kF32, kF64}).InPlace(0, 0).InPlace(1, 0));
  };
  gradient("TanhGrad").Use<BinaryOp<Gradient<TanhGradArithmetic>>>();
  gradient("SigmoidGrad").Use<BinaryOp<Gradient<SigmoidGradArithmetic>>>();
  gradient("SqrtGrad").Use<BinaryOp<Gradient<SqrtGradArithmetic>>>();
  gradient("RsqrtGrad").Use<BinaryOp<Gradient<RsqrtGradArithmetic>>>();
  gradient("ReciprocalGrad").Use<BinaryOp<Gradient<ReciprocalGradArithmetic>>>();
  gradient("InvGrad").Use<BinaryOp<Gradient<ReciprocalGradArithmetic>>>();
  gradient("SoftplusGrad").Use<BinaryOp<Gradient<SoftplusGradArithmetic>>>();
  gradient("SoftsignGrad").Use<BinaryOp<Gradient<SoftsignGradArithmetic>>>();
}

}  // namespace berth::cpu
