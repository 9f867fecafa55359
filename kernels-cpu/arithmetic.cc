// arithmetic.cc — Add, AddV2, Sub, Mul, SquaredDifference, Maximum, Minimum, RealDiv and
// the gradients of unary ops on the CPU.
#include "kernels-cpu/arithmetic.h"

#include <cmath>

#include "kernels-cpu/elementwise.h"
#include "kernels-cpu/families.h"

namespace berth::cpu {
namespace {

struct AddArithmetic {
  template <typename T>
  static T Apply(T a, T b) {
    return WrapAdd(a, b);
  }
};
struct SubArithmetic {
  template <typename T>
  static T Apply(T a, T b) {
    return WrapSub(a, b);
  }
};
struct MulArithmetic {
  template <typename T>
  static T Apply(T a, T b) {
    return WrapMul(a, b);
  }
};
struct SquaredDifferenceArithmetic {
  template <typename T>
  static T Apply(T a, T b) {
    const T d = WrapSub(a, b);
    return WrapMul(d, d);
  }
};
// A NaN on either side stays NaN.
struct MaximumArithmetic {
  template <typename T>
  static T Apply(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
      const T larger = a < b ? b : a;
      return b != b ? b : larger;
    } else {
      return a < b ? b : a;
    }
  }
};
struct MinimumArithmetic {
  template <typename T>
  static T Apply(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
      const T smaller = b < a ? b : a;
      return b != b ? b : smaller;
    } else {
      return b < a ? b : a;
    }
  }
};
struct RealDivArithmetic {
  template <typename T>
  static T Apply(T a, T b) {
    return a / b;
  }
};

// The loops of arithmetic `A` in every numeric dtype.
template <typename A>
struct AllNumbers {
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
      case kI16:
        return BinaryLoopsOf<A, int16_t>::Loops();
      case kI8:
        return BinaryLoopsOf<A, int8_t>::Loops();
      case kU8:
        return BinaryLoopsOf<A, uint8_t>::Loops();
      case kU16:
        return BinaryLoopsOf<A, uint16_t>::Loops();
      case kU32:
        return BinaryLoopsOf<A, uint32_t>::Loops();
      case kU64:
        return BinaryLoopsOf<A, uint64_t>::Loops();
      default:
        return {};
    }
  }
};

template <typename A>
struct RealNumbers {
  static BinaryLoops For(int32_t dtype) {
    if (dtype == kF32) return BinaryLoopsOf<A, float>::Loops();
    if (dtype == kF64) return BinaryLoopsOf<A, double>::Loops();
    return {};
  }
};

}  // namespace

void RegisterArithmetic(KernelTable& table) {
  const auto all = {kF32, kF64, kI32, kI64, kI16, kI8, kU8, kU16, kU32, kU64};
  const auto add = [&](const char* op) -> KernelTable::Row {
    return std::move(table.Op(op).Type("T", all).InPlace(0, 0).InPlace(1, 0));
  };
  add("Add").Use<BinaryOp<AllNumbers<AddArithmetic>>>();
  add("AddV2").Use<BinaryOp<AllNumbers<AddArithmetic>>>();
  add("Sub").Use<BinaryOp<AllNumbers<SubArithmetic>>>();
  add("Mul").Use<BinaryOp<AllNumbers<MulArithmetic>>>();
  add("Maximum").Use<BinaryOp<AllNumbers<MaximumArithmetic>>>();
  add("Minimum").Use<BinaryOp<AllNumbers<MinimumArithmetic>>>();
  table.Op("SquaredDifference")
      .Type("T", {kF32, kF64, kI32, kI64})
      .InPlace(0, 0)
      .InPlace(1, 0)
      .Use<BinaryOp<AllNumbers<SquaredDifferenceArithmetic>>>();
  table.Op("RealDiv")
      .Type("T", {kF32, kF64})
      .InPlace(0, 0)
      .InPlace(1, 0)
      .Use<BinaryOp<RealNumbers<RealDivArithmetic>>>();
}

}  // namespace berth::cpu
