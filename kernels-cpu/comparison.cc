// comparison.cc — Equal, NotEqual, Less, LessEqual, Greater, GreaterEqual, LogicalAnd,
// LogicalOr and LogicalNot on the CPU.
#include "kernels-cpu/elementwise.h"
#include "kernels-cpu/families.h"

namespace berth::cpu {
namespace {

struct EqualTo {
  template <typename T>
  static bool Apply(T a, T b) {
    return a == b;
  }
};
struct NotEqualTo {
  template <typename T>
  static bool Apply(T a, T b) {
    return a != b;
  }
};
struct LessThan {
  template <typename T>
  static bool Apply(T a, T b) {
    return a < b;
  }
};
struct LessOrEqual {
  template <typename T>
  static bool Apply(T a, T b) {
    return a <= b;
  }
};
struct GreaterThan {
  template <typename T>
  static bool Apply(T a, T b) {
    return a > b;
  }
};
struct GreaterOrEqual {
  template <typename T>
  static bool Apply(T a, T b) {
    return a >= b;
  }
};
// On bytes that hold 0 or 1.
struct And {
  static uint8_t Apply(uint8_t a, uint8_t b) { return a & b; }
};
struct Or {
  static uint8_t Apply(uint8_t a, uint8_t b) { return a | b; }
};
struct Not {
  static uint8_t Apply(uint8_t a) { return a ^ 1; }
};

template <typename C>
struct Compare {
  static BinaryLoops For(int32_t dtype) {
    switch (dtype) {
      case kF32:
        return BinaryLoopsOf<C, float, bool>::Loops();
      case kF64:
        return BinaryLoopsOf<C, double, bool>::Loops();
      case kI32:
        return BinaryLoopsOf<C, int32_t, bool>::Loops();
      case kI64:
        return BinaryLoopsOf<C, int64_t, bool>::Loops();
      case kI16:
        return BinaryLoopsOf<C, int16_t, bool>::Loops();
      case kI8:
        return BinaryLoopsOf<C, int8_t, bool>::Loops();
      case kU8:
      case kBool:  // bytes that hold 0 or 1
        return BinaryLoopsOf<C, uint8_t, bool>::Loops();
      case kU16:
        return BinaryLoopsOf<C, uint16_t, bool>::Loops();
      case kU32:
        return BinaryLoopsOf<C, uint32_t, bool>::Loops();
      case kU64:
        return BinaryLoopsOf<C, uint64_t, bool>::Loops();
      default:
        return {};
    }
  }
};

template <typename L>
struct Logical {
  static BinaryLoops For(int32_t dtype) {
    return dtype == kBool ? BinaryLoopsOf<L, uint8_t>::Loops() : BinaryLoops();
  }
};
struct LogicalNegation {
  static UnaryLoop For(int32_t dtype) {
    return dtype == kBool ? UnaryLoopOf<Not, uint8_t>::Loop() : UnaryLoop();
  }
};

}  // namespace

void RegisterComparison(KernelTable& table) {
  const auto numbers = {kF32, kF64, kI32, kI64, kI16, kI8, kU8, kU16, kU32, kU64};
  const auto all = {kF32, kF64, kI32, kI64, kI16, kI8, kU8, kU16, kU32, kU64, kBool};
  table.Op("Equal").Type("T", all).Use<BinaryOp<Compare<EqualTo>>>();
  table.Op("NotEqual").Type("T", all).Use<BinaryOp<Compare<NotEqualTo>>>();
  table.Op("Less").Type("T", numbers).Use<BinaryOp<Compare<LessThan>>>();
  table.Op("LessEqual").Type("T", numbers).Use<BinaryOp<Compare<LessOrEqual>>>();
  table.Op("Greater").Type("T", numbers).Use<BinaryOp<Compare<GreaterThan>>>();
  table.Op("GreaterEqual").Type("T", numbers).Use<BinaryOp<Compare<GreaterOrEqual>>>();
  table.Op("LogicalAnd").InPlace(0, 0).InPlace(1, 0).Use<BinaryOp<Logical<And>>>();
  table.Op("LogicalOr").InPlace(0, 0).InPlace(1, 0).Use<BinaryOp<Logical<Or>>>();
  table.Op("LogicalNot").InPlace(0, 0).Use<UnaryOp<LogicalNegation>>();
}

}  // namespace berth::cpu
