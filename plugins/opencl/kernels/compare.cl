// Comparisons of two operands; the result is a byte, 0 or 1. T is the operands' type.

#define MODE_SCALAR_A 1
#define MODE_SCALAR_B 2

#define COMPARE(NAME, EXPR)                                                              \
  inline uchar NAME##_of(T a, T b) { return (EXPR) ? 1 : 0; }                            \
  __kernel void NAME##_flat(INPUT(T, a), INPUT(T, b), OUTPUT(uchar, out), const ulong n, \
                            const int mode) {                                            \
    const ulong i = get_global_id(0);                                                    \
    if (i < n) {                                                                         \
      const T x = a[a_at + (mode == MODE_SCALAR_A ? 0 : i)];                             \
      const T y = b[b_at + (mode == MODE_SCALAR_B ? 0 : i)];                             \
      out[out_at + i] = NAME##_of(x, y);                                                 \
    }                                                                                    \
  }                                                                                      \
  __kernel void NAME##_broadcast(INPUT(T, a), INPUT(T, b), OUTPUT(uchar, out),           \
                                 const uint n, const Walk walk) {                        \
    const uint i = get_global_id(0);                                                     \
    if (i < n) {                                                                         \
      WALK_OFFSETS(walk, i, int at_a = 0;                                                \
                   int at_b = 0, at_a += coordinate_ * walk.stride[0][d_];               \
                   at_b += coordinate_ * walk.stride[1][d_])                             \
      out[out_at + i] = NAME##_of(a[a_at + at_a], b[b_at + at_b]);                       \
    }                                                                                    \
  }

COMPARE(Equal, a == b)
COMPARE(NotEqual, a != b)
COMPARE(Less, a < b)
COMPARE(LessEqual, a <= b)
COMPARE(Greater, a > b)
COMPARE(GreaterEqual, a >= b)
