// Reductions, ArgMax and ArgMin. T is float or double; R is ArgMax's result type.
//
// A task is an output and a chunk: chunk c of `chunks` takes the reduced elements c,
// c + chunks, …; a second launch over the partial results finishes where there is more
// than one. Sums are taken in blocks, which keeps their rounding error small.

#define AXES_RANK 8
#define BLOCK 32

typedef struct {
  uint rank;
  FastDiv size[AXES_RANK];
  int stride[AXES_RANK];
} Axes;

typedef struct {
  uint outputs;
  uint chunks;
  uint reduced;      // elements behind one output
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
      T total = INITIAL;                                                                 \
      uint r = c;                                                                        \
      while (r < tasks.reduced) {                                                        \
        T a = INITIAL;                                                                   \
        for (int i = 0; i < BLOCK && r < tasks.reduced; ++i, r += tasks.chunks) {        \
          const long at =                                                                \
              reduced.rank <= 1 ? (long)r * reduced.stride[0] : axes_offset(reduced, r); \
          const T x = from[at];                                                          \
          const T b = MAP;                                                               \
          a = COMBINE;                                                                   \
        }                                                                                \
        const T b = a;                                                                   \
        a = total;                                                                       \
        total = COMBINE;                                                                 \
      }                                                                                  \
      out[out_at + (ulong)o * tasks.chunks + c] = total / divisor;                       \
    }                                                                                    \
  }

REDUCE(Sum, (T)0, x, a + b)
REDUCE(SumOfSquares, (T)0, x* x, a + b)
REDUCE(Prod, (T)1, x, a* b)
// NaN wins over everything.
REDUCE(Max, (T)-INFINITY, x, (b > a || b != b) ? b : a)
REDUCE(Min, (T)INFINITY, x, (b < a || b != b) ? b : a)
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
