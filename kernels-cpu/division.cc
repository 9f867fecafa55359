// division.cc — Div, FloorDiv, TruncateDiv, Mod, FloorMod, TruncateMod, DivNoNan and Pow
// on the CPU. An integer divided by zero is INVALID_ARGUMENT; the lowest value divided by
// -1 wraps.
#include <cmath>

#include "kernels-cpu/arithmetic.h"
#include "kernels-cpu/elementwise.h"
#include "kernels-cpu/families.h"

namespace berth::cpu {
namespace {

constexpr char kDivisionByZero[] = "Integer division by zero";

struct TruncateDivArithmetic {
  template <typename T>
  static T Apply(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
      return TruncatedQuotient(a, b);
    } else {
      return a / b;
    }
  }
};
struct FloorDivArithmetic {
  template <typename T>
  static T Apply(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
      const T q = TruncatedQuotient(a, b);
      const bool rounded_up = TruncatedRemainder(a, b) != 0 && (a < 0) != (b < 0);
      return static_cast<T>(rounded_up ? q - 1 : q);
    } else {
      return std::floor(a / b);
    }
  }
};
struct TruncateModArithmetic {
  template <typename T>
  static T Apply(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
      return TruncatedRemainder(a, b);
    } else {
      return std::fmod(a, b);
    }
  }
};
struct FloorModArithmetic {
  template <typename T>
  static T Apply(T a, T b) {
    const T r = TruncateModArithmetic::Apply(a, b);
    return r != 0 && (r < 0) != (b < 0) ? static_cast<T>(r + b) : r;
  }
};
struct DivNoNanArithmetic {
  template <typename T>
  static T Apply(T a, T b) {
    return b == 0 ? T{0} : a / b;
  }
};
struct RealPowArithmetic {
  template <typename T>
  static T Apply(T a, T b) {
    return std::pow(a, b);
  }
};

// Loops over integers that stop at a zero divisor.
template <typename A, typename T>
struct CheckedLoops {
  static bool Run(const T* a, int64_t step_a, const T* b, int64_t step_b, T* out,
                  int64_t n) {
    bool ok = true;
    for (int64_t i = 0; i < n; ++i) {
      const T divisor = b[i * step_b];
      ok = ok && divisor != 0;
      out[i] = A::Apply(a[i * step_a], divisor != 0 ? divisor : T{1});
    }
    return ok;
  }
  static bool Same(const void* a, const void* b, void* out, int64_t n) {
    return Run(static_cast<const T*>(a), 1, static_cast<const T*>(b), 1,
               static_cast<T*>(out), n);
  }
  static bool ScalarLeft(const void* a, const void* b, void* out, int64_t n) {
    const T x = *static_cast<const T*>(a);
    return Run(&x, 0, static_cast<const T*>(b), 1, static_cast<T*>(out), n);
  }
  static bool ScalarRight(const void* a, const void* b, void* out, int64_t n) {
    const T y = *static_cast<const T*>(b);
    return Run(static_cast<const T*>(a), 1, &y, 0, static_cast<T*>(out), n);
  }
  static constexpr BinaryLoops Loops() {
    return {&Same, &ScalarLeft, &ScalarRight, sizeof(T), sizeof(T), kDivisionByZero};
  }
};

// Powers of integers by squaring, wrapping. A negative exponent has no integer result.
template <typename T>
struct IntegerPower {
  static T Power(T base, T exponent) {
    T result = 1;
    for (; exponent > 0; exponent = static_cast<T>(exponent >> 1)) {
      if (exponent & 1) result = WrapMul(result, base);
      base = WrapMul(base, base);
    }
    return result;
  }
  static bool Run(const T* a, int64_t step_a, const T* b, int64_t step_b, T* out,
                  int64_t n) {
    bool ok = true;
    for (int64_t i = 0; i < n; ++i) {
      const T exponent = b[i * step_b];
      ok = ok && exponent >= 0;
      out[i] = Power(a[i * step_a], exponent);
    }
    return ok;
  }
  static bool Same(const void* a, const void* b, void* out, int64_t n) {
    return Run(static_cast<const T*>(a), 1, static_cast<const T*>(b), 1,
               static_cast<T*>(out), n);
  }
  static bool ScalarLeft(const void* a, const void* b, void* out, int64_t n) {
    const T x = *static_cast<const T*>(a);
    return Run(&x, 0, static_cast<const T*>(b), 1, static_cast<T*>(out), n);
  }
  static bool ScalarRight(const void* a, const void* b, void* out, int64_t n) {
    const T y = *static_cast<const T*>(b);
    return Run(static_cast<const T*>(a), 1, &y, 0, static_cast<T*>(out), n);
  }
  static constexpr BinaryLoops Loops() {
    return {&Same,        &ScalarLeft,
            &ScalarRight, sizeof(T),
            sizeof(T),    "Integers to negative integer powers are not allowed"};
  }
};

template <typename A>
struct DivisionLoops {
  static BinaryLoops For(int32_t dtype) {
    switch (dtype) {
      case kF32:
        return BinaryLoopsOf<A, float>::Loops();
      case kF64:
        return BinaryLoopsOf<A, double>::Loops();
      case kI32:
        return CheckedLoops<A, int32_t>::Loops();
      case kI64:
        return CheckedLoops<A, int64_t>::Loops();
      case kI16:
        return CheckedLoops<A, int16_t>::Loops();
      case kI8:
        return CheckedLoops<A, int8_t>::Loops();
      case kU8:
        return CheckedLoops<A, uint8_t>::Loops();
      case kU16:
        return CheckedLoops<A, uint16_t>::Loops();
      case kU32:
        return CheckedLoops<A, uint32_t>::Loops();
      case kU64:
        return CheckedLoops<A, uint64_t>::Loops();
      default:
        return {};
    }
  }
};

struct PowLoops {
  static BinaryLoops For(int32_t dtype) {
    switch (dtype) {
      case kF32:
        return BinaryLoopsOf<RealPowArithmetic, float>::Loops();
      case kF64:
        return BinaryLoopsOf<RealPowArithmetic, double>::Loops();
      case kI32:
        return IntegerPower<int32_t>::Loops();
      case kI64:
        return IntegerPower<int64_t>::Loops();
      default:
        return {};
    }
  }
};

struct DivNoNanLoops {
  static BinaryLoops For(int32_t dtype) {
    if (dtype == kF32) return BinaryLoopsOf<DivNoNanArithmetic, float>::Loops();
    if (dtype == kF64) return BinaryLoopsOf<DivNoNanArithmetic, double>::Loops();
    return {};
  }
};

}  // namespace

void RegisterDivision(KernelTable& table) {
  const auto all = {kF32, kF64, kI32, kI64, kI16, kI8, kU8, kU16, kU32, kU64};
  const auto integers = {kI32, kI64, kI16, kI8, kU8, kU16, kU32, kU64};
  const auto row = [&](const char* op, std::initializer_list<int32_t> dtypes) {
    return std::move(table.Op(op).Type("T", dtypes).InPlace(0, 0).InPlace(1, 0));
  };
  row("Div", all).Use<BinaryOp<DivisionLoops<TruncateDivArithmetic>>>();
  row("TruncateDiv", integers).Use<BinaryOp<DivisionLoops<TruncateDivArithmetic>>>();
  row("FloorDiv", all).Use<BinaryOp<DivisionLoops<FloorDivArithmetic>>>();
  row("Mod", {kF32, kF64, kI32, kI64})
      .Use<BinaryOp<DivisionLoops<TruncateModArithmetic>>>();
  row("TruncateMod", {kF32, kF64, kI32, kI64})
      .Use<BinaryOp<DivisionLoops<TruncateModArithmetic>>>();
  row("FloorMod", all).Use<BinaryOp<DivisionLoops<FloorModArithmetic>>>();
  row("DivNoNan", {kF32, kF64}).Use<BinaryOp<DivNoNanLoops>>();
  row("Pow", {kF32, kF64, kI32, kI64}).Use<BinaryOp<PowLoops>>();
}

}  // namespace berth::cpu
