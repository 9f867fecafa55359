// Copies in which every output element is an input element at an affine place:
// transposes, slices, tiles and broadcasts.
#pragma once

#include <array>
#include <cstdint>

#include "kernels-cpu/common.h"

namespace berth::cpu {

// Output axes, outermost first, with the input's element stride along each (0 repeats,
// negative runs backwards). Made once a shape; Run is re-entrant.
class StridedCopy {
 public:
  StridedCopy() = default;
  // `offset` is the input element of the first output element.
  StridedCopy(const int64_t* out_dims, const int64_t* in_strides, int rank,
              int64_t offset);

  // Copies elements of `size` bytes (1, 2, 4, 8 or 16), split over the pool. `extra` is
  // added to the offset.
  void Run(const void* in, void* out, int64_t size, const ComputeContext& context,
           int64_t extra = 0) const;

 private:
  template <typename Word>
  void RunWords(const Word* in, Word* out, const ComputeContext& context) const;
  template <typename Word>
  void CopyRows(const Word* in, Word* out, int64_t begin, int64_t end) const;
  template <typename Word>
  void CopyPlanes(const Word* in, Word* out, int64_t begin, int64_t end) const;

  // After merging axes that are contiguous in the input as well.
  int rank_ = 0;
  std::array<int64_t, BERTH_MAX_RANK> dims_{};
  std::array<int64_t, BERTH_MAX_RANK> strides_{};
  int64_t offset_ = 0;
  int64_t size_ = 1;
  // The axis along which the input is contiguous, when that is not the innermost: planes
  // of it and the innermost axis are copied in blocks. -1 = there is none.
  int plane_axis_ = -1;
};

// Element strides of a dense row-major shape.
void DenseStrides(const int64_t* dims, int rank, int64_t* strides);

}  // namespace berth::cpu
