// Reductions, ArgMax and ArgMin. T is float or double; R is ArgMax's result type.
//
// A task is V neighbouring outputs and a chunk of the reduced elements: a run of them, or
// where neighbouring work-items should read neighbours, every chunks-th. A second launch
// over the partial results finishes where there is more than one chunk. Sums are taken in
// blocks, which keeps their rounding error small.

#define AXES_RANK 8
#define BLOCK 32

#if V == 1
#define VEC T
#define LOAD(p, at) (p)[at]
#define STORE(value, p, at) (p)[at] = (value)
#else
#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define VEC JOIN(T, V)
#define LOAD(p, at) JOIN(vload, V)(0, (p) + (at))
#define STORE(value, p, at) JOIN(vstore, V)(value, 0, (p) + (at))
#endif

typedef struct {
  uint rank;
  FastDiv size[AXES_RANK];
  int stride[AXES_RANK];
} Axes;

typedef struct {
  uint outputs;  // vectors of V
  uint chunks;
  uint reduced;      // elements behind one output
  uint run;          // elements of a chunk that is a run; 0 = every chunks-th element
  int chunks_first;  // neighbouring work-items take neighbouring chunks, not outputs
} Tasks;

inline long axes_offset(Axes axes, uint i) {
  long offset = 0;
  for (int d = (int)axes.rank - 1; d >= 0; --d) {
    const uint quotient = fast_divide(i, axes.size[d]);
    offset += (long)(i - quotient * axes.size[d].divisor) * axes.stride[d];
    i = quotient;
  }
  return offset;
}

#ifdef IS_FLOAT
#define REDUCE(NAME, INITIAL, MAP, COMBINE)                                              \
  __kernel void NAME(INPUT(T, in), OUTPUT(T, out), const Tasks tasks, const Axes kept,   \
                     const Axes reduced, const T divisor) {                              \
    const uint task = get_global_id(0);                                                  \
    if (task < tasks.outputs * tasks.chunks) {                                           \
      const uint by = tasks.chunks_first ? tasks.chunks : tasks.outputs;                 \
      const uint slow = task / by;                                                       \
      const uint fast = task - slow * by;                                                \
      const uint o = tasks.chunks_first ? slow : fast;                                   \
      const uint c = tasks.chunks_first ? fast : slow;                                   \
      __global const T* from = in + in_at + axes_offset(kept, o);                        \
      const uint step = tasks.run > 0 ? 1 : tasks.chunks;                                \
      const uint end =                                                                   \
          tasks.run > 0 ? min((c + 1) * tasks.run, tasks.reduced) : tasks.reduced;       \
      VEC total = (VEC)(INITIAL);                                                        \
      uint r = tasks.run > 0 ? c * tasks.run : c;                                        \
      while (r < end) {                                                                  \
        VEC a = (VEC)(INITIAL);                                                          \
        for (int i = 0; i < BLOCK && r < end; ++i, r += step) {                          \
          const long at = reduced.rank <= 1 ? (long)r * reduced.stride[0]                \
                                            : axes_offset(reduced, r);                   \
          const VEC x = LOAD(from, at);                                                  \
          const VEC b = MAP;                                                             \
          a = COMBINE;                                                                   \
        }                                                                                \
        const VEC b = a;                                                                 \
        a = total;                                                                       \
        total = COMBINE;                                                                 \
      }                                                                                  \
      STORE(total / divisor, out + out_at, ((ulong)o * tasks.chunks + c) * V);           \
    }                                                                                    \
  }

REDUCE(Sum, (T)0, x, a + b)
REDUCE(SumOfSquares, (T)0, x* x, a + b)
REDUCE(Prod, (T)1, x, a* b)
// NaN wins over everything.
REDUCE(Max, (T)-INFINITY, x, ((b > a) | (b != b)) ? b : a)
REDUCE(Min, (T)INFINITY, x, ((b < a) | (b != b)) ? b : a)
#endif

#ifdef R
// Integers begin with the first element; for floating point NaN is passed over.
#ifdef IS_FLOAT
#define BEGIN(x) (T)(x)
#else
#define BEGIN(x) from[0]
#endif

#define ARG(NAME, WORST, BETTER)                                              \
  __kernel void NAME(INPUT(T, in), OUTPUT(R, out), const uint outputs,        \
                     const uint reduced, const int stride, const Axes kept) { \
    const uint o = get_global_id(0);                                          \
    if (o < outputs) {                                                        \
      __global const T* from = in + in_at + axes_offset(kept, o);             \
      T best = BEGIN(WORST);                                                  \
      uint at = 0;                                                            \
      for (uint r = 0; r < reduced; ++r) {                                    \
        const T x = from[(long)r * stride];                                   \
        if (BETTER) {                                                         \
          best = x;                                                           \
          at = r;                                                             \
        }                                                                     \
      }                                                                       \
      out[out_at + o] = (R)at;                                                \
    }                                                                         \
  }

// The first of equals wins.
ARG(ArgMax, -INFINITY, x > best)
ARG(ArgMin, INFINITY, x < best)
#endif
