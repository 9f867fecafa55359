// Reading host inputs, and answering shapes, in Prepare.
#pragma once

#include <berth/tensor.h>

#include <cstdint>
#include <string>
#include <vector>

#include "sdk/cpp/tensor.h"

namespace berth::opencl {

// The values of a host tensor of int32 or int64.
inline std::vector<int64_t> HostInts(const berth_tensor& tensor) {
  const int64_t n = sdk::NumElements(tensor);
  std::vector<int64_t> values(static_cast<size_t>(n));
  for (int64_t i = 0; i < n; ++i) {
    values[static_cast<size_t>(i)] = tensor.dtype == BERTH_INT32
                                         ? sdk::Data<int32_t>(tensor)[i]
                                         : sdk::Data<int64_t>(tensor)[i];
  }
  return values;
}

inline void SetShape(berth_shape* shape, const std::vector<int64_t>& dims) {
  shape->rank = static_cast<int32_t>(dims.size());
  for (size_t i = 0; i < dims.size(); ++i) shape->dims[i] = dims[i];
}

}  // namespace berth::opencl
