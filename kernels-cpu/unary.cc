// unary.cc — Abs, Neg, Sign, Floor, Ceil, Rint, Round, Square, Reciprocal, Inv, Sqrt,
// Rsqrt, ZerosLike, OnesLike and the tests IsNan, IsInf, IsFinite on the CPU.
#include <cmath>
#include <cstring>

#include "kernels-cpu/arithmetic.h"
#include "kernels-cpu/elementwise.h"
#include "kernels-cpu/families.h"

namespace berth::cpu {
namespace {

struct NegArithmetic {
  template <typename T>
  static T Apply(T x) {
    if constexpr (std::is_integral_v<T>) {
      return WrapSub<T>(0, x);
    } else {
      return -x;
    }
  }
};
struct AbsArithmetic {
  template <typename T>
  static T Apply(T x) {
    if constexpr (std::is_integral_v<T>) {
      return x < 0 ? WrapSub<T>(0, x) : x;
    } else {
      return std::fabs(x);
    }
  }
};
struct SignArithmetic {
  template <typename T>
  static T Apply(T x) {
    if constexpr (std::is_floating_point_v<T>) {
      if (x != x) return x;
    }
    return static_cast<T>((x > 0) - (x < 0));
  }
};
struct SquareArithmetic {
  template <typename T>
  static T Apply(T x) {
    return WrapMul(x, x);
  }
};
struct FloorArithmetic {
  template <typename T>
  static T Apply(T x) {
    return std::floor(x);
  }
};
struct CeilArithmetic {
  template <typename T>
  static T Apply(T x) {
    return std::ceil(x);
  }
};
// Half-way cases go to the even neighbour, as TensorFlow's Round does too.
struct RintArithmetic {
  template <typename T>
  static T Apply(T x) {
    if constexpr (std::is_integral_v<T>) {
      return x;
    } else {
      return std::nearbyint(x);
    }
  }
};
struct SqrtArithmetic {
  template <typename T>
  static T Apply(T x) {
    return std::sqrt(x);
  }
};
struct RsqrtArithmetic {
  template <typename T>
  static T Apply(T x) {
    return T{1} / std::sqrt(x);
  }
};
struct ReciprocalArithmetic {
  template <typename T>
  static T Apply(T x) {
    return T{1} / x;
  }
};
struct OneArithmetic {
  template <typename T>
  static T Apply(T) {
    return T{1};
  }
};
struct IsNanTest {
  template <typename T>
  static bool Apply(T x) {
    return x != x;
  }
};
struct IsInfTest {
  template <typename T>
  static bool Apply(T x) {
    return std::isinf(x);
  }
};
struct IsFiniteTest {
  template <typename T>
  static bool Apply(T x) {
    return std::isfinite(x);
  }
};

template <typename A>
struct Reals {
  static UnaryLoop For(int32_t dtype) {
    if (dtype == kF32) return UnaryLoopOf<A, float>::Loop();
    if (dtype == kF64) return UnaryLoopOf<A, double>::Loop();
    return {};
  }
};
template <typename T>
struct Tests {
  static UnaryLoop For(int32_t dtype) {
    if (dtype == kF32) return UnaryLoopOf<T, float, bool>::Loop();
    if (dtype == kF64) return UnaryLoopOf<T, double, bool>::Loop();
    return {};
  }
};
template <typename A>
struct SignedNumbers {
  static UnaryLoop For(int32_t dtype) {
    switch (dtype) {
      case kI32:
        return UnaryLoopOf<A, int32_t>::Loop();
      case kI64:
        return UnaryLoopOf<A, int64_t>::Loop();
      case kI16:
        return UnaryLoopOf<A, int16_t>::Loop();
      case kI8:
        return UnaryLoopOf<A, int8_t>::Loop();
      default:
        return Reals<A>::For(dtype);
    }
  }
};

// Ones in every dtype, by the size of the element but for the floating ones.
struct Ones {
  static UnaryLoop For(int32_t dtype) {
    if (dtype == kF32 || dtype == kF64) return Reals<OneArithmetic>::For(dtype);
    switch (sdk::DtypeSize(dtype)) {
      case 1:
        return UnaryLoopOf<OneArithmetic, uint8_t>::Loop();
      case 2:
        return UnaryLoopOf<OneArithmetic, uint16_t>::Loop();
      case 4:
        return UnaryLoopOf<OneArithmetic, uint32_t>::Loop();
      case 8:
        return UnaryLoopOf<OneArithmetic, uint64_t>::Loop();
      default:
        return {};
    }
  }
};

// Zero bytes are zero in every dtype.
class ZerosLikeKernel {
 public:
  static Result<std::unique_ptr<ZerosLikeKernel>> Create(const NodeView&, berth_device*) {
    return std::make_unique<ZerosLikeKernel>();
  }
  Status Compute(ComputeContext& context) const {
    const berth_tensor& out = context.output(0);
    if (out.byte_size > 0) std::memset(out.host_data, 0, out.byte_size);
    return {};
  }
};

}  // namespace

void RegisterUnary(KernelTable& table) {
  const auto fixed_size = {kF32, kF64, kI32,  kI64,  kI16,  kI8,  kU8,  kU16,
                           kU32, kU64, kBool, kHalf, kBf16, kC64, kC128};
  const auto numbers = {kF32, kF64, kI32, kI64, kI16, kI8, kU8, kU16, kU32, kU64, kBool};
  const auto row = [&](const char* op, std::initializer_list<int32_t> dtypes) {
    return std::move(table.Op(op).Type("T", dtypes).InPlace(0, 0));
  };
  row("ZerosLike", fixed_size).Use<ZerosLikeKernel>();
  row("OnesLike", numbers).Use<UnaryOp<Ones>>();
  row("Neg", {kF32, kF64, kI32, kI64, kI16, kI8})
      .Use<UnaryOp<SignedNumbers<NegArithmetic>>>();
  row("Abs", {kF32, kF64, kI32, kI64, kI16, kI8})
      .Use<UnaryOp<SignedNumbers<AbsArithmetic>>>();
  row("Sign", {kF32, kF64, kI32, kI64, kI16, kI8})
      .Use<UnaryOp<SignedNumbers<SignArithmetic>>>();
  row("Square", {kF32, kF64, kI32, kI64}).Use<UnaryOp<SignedNumbers<SquareArithmetic>>>();
  row("Round", {kF32, kF64, kI32, kI64}).Use<UnaryOp<SignedNumbers<RintArithmetic>>>();
  row("Rint", {kF32, kF64}).Use<UnaryOp<Reals<RintArithmetic>>>();
  row("Floor", {kF32, kF64}).Use<UnaryOp<Reals<FloorArithmetic>>>();
  row("Ceil", {kF32, kF64}).Use<UnaryOp<Reals<CeilArithmetic>>>();
  row("Sqrt", {kF32, kF64}).Use<UnaryOp<Reals<SqrtArithmetic>>>();
  row("Rsqrt", {kF32, kF64}).Use<UnaryOp<Reals<RsqrtArithmetic>>>();
  row("Reciprocal", {kF32, kF64}).Use<UnaryOp<Reals<ReciprocalArithmetic>>>();
  row("Inv", {kF32, kF64}).Use<UnaryOp<Reals<ReciprocalArithmetic>>>();
  table.Op("IsNan").Type("T", {kF32, kF64}).Use<UnaryOp<Tests<IsNanTest>>>();
  table.Op("IsInf").Type("T", {kF32, kF64}).Use<UnaryOp<Tests<IsInfTest>>>();
  table.Op("IsFinite").Type("T", {kF32, kF64}).Use<UnaryOp<Tests<IsFiniteTest>>>();
}

}  // namespace berth::cpu
