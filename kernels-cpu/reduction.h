// Reductions over any set of axes, for Sum, Mean, Max, BiasAddGrad and their like.
#pragma once

#include <array>
#include <cstdint>

#include "kernels-cpu/common.h"

namespace berth::cpu {

enum class ReduceKind { kSum, kMean, kProd, kMax, kMin, kAll, kAny };

// A loop nest over at most BERTH_MAX_RANK axes, outermost first: sizes and element
// strides.
struct Nest {
  int rank = 0;
  int64_t size = 1;  // product of dims
  std::array<int64_t, BERTH_MAX_RANK> dims{};
  std::array<int64_t, BERTH_MAX_RANK> strides{};

  // Element offset of position `index`.
  int64_t Offset(int64_t index) const {
    int64_t offset = 0;
    for (int i = rank - 1; i >= 0; --i) {
      const size_t axis = static_cast<size_t>(i);
      offset += index % dims[axis] * strides[axis];
      index /= dims[axis];
    }
    return offset;
  }
};

// How one shape and set of axes is reduced. Neighbouring axes of one sort are merged. The
// innermost axis stands apart: reduced, it is a contiguous run; kept, it is a row of
// columns.
struct Reduction {
  Nest kept;     // but for the innermost axis
  Nest reduced;  // but for the innermost axis
  int64_t inner = 1;
  bool inner_reduced = true;
  int64_t count = 1;  // input elements an output element
  int64_t parts = 1;  // pieces that the reduced elements are split into, for threads

  int64_t out_row() const { return inner_reduced ? 1 : inner; }
  int64_t out_size() const { return kept.size * out_row(); }
  // Bytes for the partial results, which are at most 8 bytes each.
  uint64_t ScratchSize(size_t) const {
    return parts > 1 ? static_cast<uint64_t>(parts * out_size()) * 8 : 0;
  }
};

// Plans the reduction of `input` over the axes whose bits are set.
Reduction MakeReduction(const berth_tensor& input, uint64_t axes, int num_threads);

// Reduces input 0 of the context into its output 0. REQUIRES: kAll and kAny are for bool,
// the others for numbers; scratch as planned. What is empty becomes the kind's neutral
// element (kMean: NaN, 0 for integers; kMax and kMin: the lowest and highest value).
void RunReduction(ReduceKind kind, int32_t dtype, const Reduction& plan,
                  const ComputeContext& context);

}  // namespace berth::cpu
