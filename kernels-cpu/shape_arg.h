// Shapes that a node is given as values.
#pragma once

#include "kernels-cpu/common.h"

namespace berth::cpu {

// Writes the shape whose sizes are the elements of `dims`. INVALID_ARGUMENT for a size
// below zero, and for more axes than a kernel takes.
inline Status ShapeArg(const berth_tensor& dims, berth_shape* out) {
  const int64_t rank = NumElements(dims);
  if (rank > BERTH_MAX_RANK) {
    return InvalidArgument("a shape of rank " + std::to_string(rank) +
                           "; this kernel goes up to " + std::to_string(BERTH_MAX_RANK));
  }
  out->rank = static_cast<int32_t>(rank);
  for (int64_t i = 0; i < rank; ++i) {
    out->dims[i] = IndexAt(dims, i);
    if (out->dims[i] >= 0) continue;
    return InvalidArgument("Dimension " + std::to_string(out->dims[i]) + " must be >= 0");
  }
  return {};
}

}  // namespace berth::cpu
