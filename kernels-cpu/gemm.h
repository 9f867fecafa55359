// Products of two matrices.
#pragma once

#include <cstdint>

#include "kernels-cpu/common.h"

namespace berth::cpu {

// One row-major product C[m,n] = op(A) op(B), every matrix dense.
struct Gemm {
  int64_t m = 0;
  int64_t n = 0;
  int64_t k = 0;
  bool transpose_a = false;  // A is stored [k,m]
  bool transpose_b = false;  // B is stored [n,k]
};

// A part of C: rows [row, row+rows), columns [column, column+columns).
struct GemmTile {
  int64_t row = 0;
  int64_t rows = 0;
  int64_t column = 0;
  int64_t columns = 0;
};

// Computes one tile on the calling thread. k = 0 gives zeros. False when oneDNN failed.
// REQUIRES: dtype is f32, f64, int32 or int64.
bool RunGemmTile(int32_t dtype, const Gemm& gemm, const GemmTile& tile, const void* a,
                 const void* b, void* c);

// Computes the whole of C, split over the pool.
Status RunGemm(int32_t dtype, const Gemm& gemm, const void* a, const void* b, void* c,
               const ComputeContext& context);

}  // namespace berth::cpu
