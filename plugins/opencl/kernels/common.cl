// Put in front of every kernel file: argument macros, index arithmetic, the error word.
// Kernels are OpenCL C 1.2 and use no barriers. A tensor argument is a buffer and an
// offset in elements: INPUT(float, x) declares both, and x[x_at + i] reads element i.

#define INPUT(T, x) __global const T *x, const ulong x##_at
#define OUTPUT(T, x) __global T *x, const ulong x##_at

#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

#define WALK_RANK 16
#define WALK_OPERANDS 4

// Division by a fixed number, as geometry.h makes it.
typedef struct {
  uint divisor;
  uint multiplier;
  uint shift;
} FastDiv;

typedef struct {
  uint rank;
  FastDiv size[WALK_RANK];
  int stride[WALK_OPERANDS][WALK_RANK];
} Walk;

inline uint fast_divide(uint n, FastDiv by) {
  if (by.divisor <= 1) return n;
  return (uint)(((ulong)mul_hi(n, by.multiplier) + n) >> by.shift);
}

// The offset of element `i` of the walk in operand `k`.
#define WALK_OFFSETS(walk, i, OFFSET_DECLS, STEP)                               \
  uint rest_ = (i);                                                             \
  OFFSET_DECLS;                                                                 \
  for (int d_ = (int)(walk).rank - 1; d_ >= 0; --d_) {                          \
    const uint quotient_ = fast_divide(rest_, (walk).size[d_]);                 \
    const int coordinate_ = (int)(rest_ - quotient_ * (walk).size[d_].divisor); \
    rest_ = quotient_;                                                          \
    STEP;                                                                       \
  }

// Codes of DeviceError in event.h. The first finder wins.
#define ERROR_LABEL_OUT_OF_RANGE 1
#define ERROR_DIVISION_BY_ZERO 2

inline void set_error(__global int* error, int code, int site, long a, long b) {
  if (atomic_cmpxchg((volatile __global int*)error, 0, code) != 0) return;
  error[1] = site;
  error[2] = (int)(a & 0xffffffffL);
  error[3] = (int)(a >> 32);
  error[4] = (int)(b & 0xffffffffL);
  error[5] = (int)(b >> 32);
}
