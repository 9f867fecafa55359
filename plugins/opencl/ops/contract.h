// The register-tiled sum of products behind MatMul and the convolutions.
#pragma once

#include <array>
#include <cstdint>

#include "plugins/opencl/ops/op_kernel.h"

namespace berth::opencl {

// C[m][n] = sum over k of A[m][k] * B[k][n]; layout of `Contraction` in
// kernels/contract.cl, where it is explained. Strides count elements.
struct Contraction {
  int32_t m = 0;
  int32_t n = 0;
  int32_t rows1 = 1;
  int32_t rows2 = 1;
  std::array<int32_t, 3> row_stride = {};
  int32_t slice = 0;  // set by Contractor::Plan
  std::array<int32_t, 3> k = {1, 1, 1};
  std::array<int32_t, 3> k_stride = {};
  int32_t b_stride = 0;  // between rows of B; at least min_columns()
  int32_t c_row = 0;
  int32_t c_column = 1;
};

// A contraction with its grid and scratch.
struct ContractPlan {
  Contraction contraction;
  int32_t num_slices = 1;
  Grid grid;
  uint64_t scratch_bytes = 0;  // for the slices' results; 0 with one slice
};

// A view as the contraction's kernels take it.
struct Operand {
  const berth_tensor* tensor = nullptr;
  uint64_t byte_offset = 0;
};

// Plans and launches. Immutable; made once for each kernel object.
class Contractor {
 public:
  static Result<Contractor> Create(Context* context, int32_t dtype);
  Contractor() = default;

  // Columns that a row of B must have in memory, though C may have fewer.
  int32_t min_columns() const { return tile_n_; }
  // Cuts the depth into slices where there are too few tiles to keep the device busy, or
  // where a processor's cache does not hold what the tiles share.
  // REQUIRES: no empty dimension; c_row == n and c_column == 1 where slices are wanted.
  ContractPlan Plan(Contraction contraction) const;
  Status Run(const ComputeContext& context, const ContractPlan& plan, Operand a,
             Operand b, Operand c, Operand scratch) const;

 private:
  uint64_t SlicesForCache(const Contraction& contraction) const;

  int32_t tile_m_ = 0;
  int32_t tile_n_ = 0;
  size_t element_size_ = 4;
  uint64_t wanted_tiles_ = 1;
  uint64_t cache_bytes_ = 0;  // 0 = does not count
  size_t group_ = 1;
  const KernelRef* contract_ = nullptr;
  const KernelRef* sum_slices_ = nullptr;
};

}  // namespace berth::opencl
