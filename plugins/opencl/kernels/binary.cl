// Element-wise ops of two operands. T is the operands' type. Each op has a flat kernel
// (equal shapes, or one operand a scalar) and a broadcasting one.

#define MODE_BOTH 0
#define MODE_SCALAR_A 1
#define MODE_SCALAR_B 2

#define BINARY(NAME, R, EXPR)                                                            \
  inline R NAME##_of(T a, T b) { return EXPR; }                                          \
  __kernel void NAME##_flat(INPUT(T, a), INPUT(T, b), OUTPUT(R, out), const ulong n,     \
                            const int mode) {                                            \
    const ulong i = get_global_id(0);                                                    \
    if (i < n) {                                                                         \
      const T x = a[a_at + (mode == MODE_SCALAR_A ? 0 : i)];                             \
      const T y = b[b_at + (mode == MODE_SCALAR_B ? 0 : i)];                             \
      out[out_at + i] = NAME##_of(x, y);                                                 \
    }                                                                                    \
  }                                                                                      \
  __kernel void NAME##_broadcast(INPUT(T, a), INPUT(T, b), OUTPUT(R, out), const uint n, \
                                 const Walk walk) {                                      \
    const uint i = get_global_id(0);                                                     \
    if (i < n) {                                                                         \
      WALK_OFFSETS(walk, i, int at_a = 0;                                                \
                   int at_b = 0, at_a += coordinate_ * walk.stride[0][d_];               \
                   at_b += coordinate_ * walk.stride[1][d_])                             \
      out[out_at + i] = NAME##_of(a[a_at + at_a], b[b_at + at_b]);                       \
    }                                                                                    \
  }

BINARY(Add, T, a + b)
BINARY(Sub, T, a - b)
BINARY(Mul, T, a* b)
BINARY(SquaredDifference, T, (a - b) * (a - b))
// NaN wins over everything.
BINARY(Maximum, T, a != a ? a : (a > b ? a : b))
BINARY(Minimum, T, a != a ? a : (a < b ? a : b))

#ifdef IS_FLOAT
BINARY(Div, T, a / b)
BINARY(Pow, T, pow(a, b))
// Gradients: a is the op's output y, b the incoming gradient.
BINARY(TanhGrad, T, b*((T)1 - a * a))
BINARY(SigmoidGrad, T, b* a*((T)1 - a))
BINARY(SqrtGrad, T, (T)0.5 * b / a)
BINARY(RsqrtGrad, T, (T)-0.5 * b * a * a * a)
BINARY(ReciprocalGrad, T, -b* a* a)
// Gradients: a is the incoming gradient, b the op's input.
BINARY(ReluGrad, T, b > (T)0 ? a : (T)0)
BINARY(Relu6Grad, T, b > (T)0 && b < (T)6 ? a : (T)0)
#endif
