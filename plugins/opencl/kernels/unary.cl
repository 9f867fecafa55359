// Element-wise ops of one operand. T is float or double.

#define UNARY(NAME, EXPR)                                           \
  __kernel void NAME(INPUT(T, in), OUTPUT(T, out), const ulong n) { \
    const ulong i = get_global_id(0);                               \
    if (i < n) {                                                    \
      const T x = in[in_at + i];                                    \
      out[out_at + i] = EXPR;                                       \
    }                                                               \
  }

UNARY(Neg, -x)
UNARY(Abs, fabs(x))
UNARY(Sign, x > (T)0 ? (T)1 : (x < (T)0 ? (T)-1 : (x == (T)0 ? (T)0 : x)))
UNARY(Exp, exp(x))
UNARY(Expm1, expm1(x))
UNARY(Log, log(x))
UNARY(Log1p, log1p(x))
UNARY(Sqrt, sqrt(x))
UNARY(Rsqrt, (T)1 / sqrt(x))
UNARY(Square, x* x)
UNARY(Reciprocal, (T)1 / x)
UNARY(Tanh, tanh(x))
UNARY(Sigmoid, (T)1 / ((T)1 + exp(-x)))
UNARY(Sin, sin(x))
UNARY(Cos, cos(x))
UNARY(Floor, floor(x))
UNARY(Ceil, ceil(x))
UNARY(Round, rint(x))
UNARY(Rint, rint(x))
// Written so that NaN stays NaN.
UNARY(Relu, x <= (T)0 ? (T)0 : x)
UNARY(Relu6, x <= (T)0 ? (T)0 : (x > (T)6 ? (T)6 : x))
UNARY(Elu, x < (T)0 ? expm1(x) : x)
UNARY(Softplus, fmax(x, (T)0) + log1p(exp(-fabs(x))))
UNARY(Softsign, x / ((T)1 + fabs(x)))
