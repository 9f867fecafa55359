// C[m][n] = sum over k of A[m][k] * B[k][n], with A read in place through two triples of
// strides: matrix products, convolutions over a padded input, and the gradient of a
// filter are all of this form. One work-item computes MR rows by NV vectors of VW
// columns, kept in registers; T is float or double.
//
// A row m is (m / (rows1 * rows2), m / rows2 % rows1, m % rows2), a depth k likewise. The
// third grid dimension cuts the slowest level of k into slices, each with a result of its
// own, which SumSlices adds up.

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define VEC JOIN(T, VW)
#define VLOAD JOIN(vload, VW)
#define VSTORE JOIN(vstore, VW)
#define TILE_N (VW * NV)

// One X for each row of the tile.
#if MR == 12
#define ROWS(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11)
#elif MR == 6
#define ROWS(X) X(0) X(1) X(2) X(3) X(4) X(5)
#else
#define ROWS(X) X(0) X(1) X(2) X(3)
#endif

typedef struct {
  int m;
  int n;
  int rows1;
  int rows2;
  int row_stride0;
  int row_stride1;
  int row_stride2;
  int slice;  // levels of k0 in one slice
  int k0;
  int k1;
  int k2;
  int k_stride0;
  int k_stride1;
  int k_stride2;
  int b_stride;
  int c_row;
  int c_column;
} Contraction;

inline size_t row_base(Contraction c, int m) {
  // Rows behind the last repeat it; they are not stored.
  const int row = min(m, c.m - 1);
  const int level = row / c.rows2;
  return (size_t)((level / c.rows1) * c.row_stride0 + (level % c.rows1) * c.row_stride1 +
                  (row - level * c.rows2) * c.row_stride2);
}

inline void store_vector(VEC value, __global T* c, Contraction s, int m, int n) {
  if (m >= s.m) return;
  __global T* to = c + (size_t)m * s.c_row + (size_t)n * s.c_column;
  if (n + VW <= s.n && s.c_column == 1) {
    VSTORE(value, 0, to);
    return;
  }
  T part[VW];
  VSTORE(value, 0, part);
  for (int i = 0; i < VW && n + i < s.n; ++i) to[(size_t)i * s.c_column] = part[i];
}

#if NV == 2
#define DECLARE_ROW(i)                               \
  __global const T* row##i = a + row_base(s, m + i); \
  VEC sum##i##_0 = (VEC)(0);                         \
  VEC sum##i##_1 = (VEC)(0);
#define MULTIPLY_ROW(i)                  \
  {                                      \
    const VEC x = (VEC)(row##i[at]);     \
    sum##i##_0 = fma(x, b0, sum##i##_0); \
    sum##i##_1 = fma(x, b1, sum##i##_1); \
  }
#define STORE_ROW(i)                        \
  store_vector(sum##i##_0, c, s, m + i, n); \
  store_vector(sum##i##_1, c, s, m + i, n + VW);
#else
#define DECLARE_ROW(i)                               \
  __global const T* row##i = a + row_base(s, m + i); \
  VEC sum##i##_0 = (VEC)(0);
#define MULTIPLY_ROW(i)                  \
  {                                      \
    const VEC x = (VEC)(row##i[at]);     \
    sum##i##_0 = fma(x, b0, sum##i##_0); \
  }
#define STORE_ROW(i) store_vector(sum##i##_0, c, s, m + i, n);
#endif

// B has at least TILE_N columns and c_slice elements lie between the results of slices.
__kernel void Contract(INPUT(T, a_in), INPUT(T, b_in), OUTPUT(T, c_out),
                       const ulong c_slice, const Contraction s) {
  __global const T* a = a_in + a_in_at;
  // The last tile of a row of tiles begins early where it would reach too far: it
  // computes some columns a second time, to the same values.
  const int tiles = (max(s.n, TILE_N) + TILE_N - 1) / TILE_N;
  const int tile = get_global_id(0);
  const int n = s.n < TILE_N ? 0 : min(tile * TILE_N, s.n - TILE_N);
  const int m = get_global_id(1) * MR;
  const int first = get_global_id(2) * s.slice;
  const int last = min(first + s.slice, s.k0);
  if (tile < tiles) {
    __global T* c = c_out + c_out_at + get_global_id(2) * c_slice;
    ROWS(DECLARE_ROW)
    __global const T* b = b_in + b_in_at + (size_t)first * s.k1 * s.k2 * s.b_stride + n;
    for (int k0 = first; k0 < last; ++k0) {
      for (int k1 = 0; k1 < s.k1; ++k1) {
        size_t at = (size_t)(k0 * s.k_stride0 + k1 * s.k_stride1);
        for (int k2 = 0; k2 < s.k2; ++k2) {
          const VEC b0 = VLOAD(0, b);
#if NV == 2
          const VEC b1 = VLOAD(1, b);
#endif
          ROWS(MULTIPLY_ROW)
          at += s.k_stride2;
          b += s.b_stride;
        }
      }
    }
    ROWS(STORE_ROW)
  }
}

// out[i] = sum of `slices` results that lie `n` elements apart.
__kernel void SumSlices(INPUT(T, in), OUTPUT(T, out), const ulong n, const int slices) {
  const ulong i = get_global_id(0);
  if (i < n) {
    T sum = in[in_at + i];
    for (int s = 1; s < slices; ++s) sum += in[in_at + s * n + i];
    out[out_at + i] = sum;
  }
}
