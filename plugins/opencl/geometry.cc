#include "plugins/opencl/geometry.h"

#include <algorithm>
#include <limits>
#include <string>

#include "sdk/cpp/tensor.h"

namespace berth::opencl {

int64_t Walk::num_elements() const {
  int64_t n = 1;
  for (int i = 0; i < rank; ++i) n *= size[i];
  return n;
}

void Walk::Push(int64_t dimension, std::initializer_list<int64_t> strides) {
  size[rank] = dimension;
  num_operands = static_cast<int>(strides.size());
  int operand = 0;
  for (const int64_t s : strides) stride[operand++][rank] = s;
  ++rank;
}

void Walk::Collapse() {
  int kept = 0;  // dimensions [0, kept) are final
  for (int i = 0; i < rank; ++i) {
    if (size[i] == 1) continue;
    bool joins = kept > 0;
    for (int k = 0; joins && k < num_operands; ++k) {
      joins = stride[k][kept - 1] == stride[k][i] * size[i];
    }
    const int target = joins ? kept - 1 : kept;
    size[target] = joins ? size[target] * size[i] : size[i];
    for (int k = 0; k < num_operands; ++k) stride[k][target] = stride[k][i];
    if (!joins) ++kept;
  }
  rank = kept;
}

std::vector<int64_t> DenseStrides(const int64_t* dims, int rank) {
  std::vector<int64_t> strides(static_cast<size_t>(rank));
  int64_t stride = 1;
  for (int i = rank - 1; i >= 0; --i) {
    strides[i] = stride;
    stride *= dims[i];
  }
  return strides;
}

std::vector<int64_t> BroadcastStrides(const int64_t* dims, int rank) {
  std::vector<int64_t> strides = DenseStrides(dims, rank);
  for (int i = 0; i < rank; ++i) {
    if (dims[i] == 1) strides[i] = 0;
  }
  return strides;
}

Result<Walk> BroadcastWalk(std::initializer_list<const berth_tensor*> operands) {
  Walk walk;
  walk.num_operands = static_cast<int>(operands.size());
  for (const berth_tensor* operand : operands) {
    walk.rank = std::max(walk.rank, static_cast<int>(operand->rank));
  }
  if (walk.rank > kMaxWalkRank) {
    return sdk::InvalidArgument("a tensor of rank " + std::to_string(walk.rank) +
                                " is more than " + std::to_string(kMaxWalkRank));
  }
  walk.size.fill(1);
  int k = 0;
  for (const berth_tensor* operand : operands) {
    const std::vector<int64_t> strides = BroadcastStrides(operand->dims, operand->rank);
    const int shift = walk.rank - operand->rank;
    for (int i = 0; i < operand->rank; ++i) {
      walk.stride[k][shift + i] = strides[i];
      const int64_t dim = operand->dims[i];
      int64_t& size = walk.size[shift + i];
      if (dim != 1 && size != 1 && dim != size) {
        std::string text = "Incompatible shapes:";
        for (const berth_tensor* each : operands) {
          text += (each == *operands.begin() ? " " : " vs. ") + sdk::ShapeString(*each);
        }
        return sdk::InvalidArgument(text);
      }
      if (dim != 1) size = dim;
    }
    ++k;
  }
  walk.Collapse();
  return walk;
}

FastDiv MakeFastDiv(uint32_t divisor) {
  FastDiv fast;
  fast.divisor = divisor;
  if (divisor <= 1) return fast;
  // Rounded-up reciprocal with 33 bits: n / d = (mulhi(n, m) + n) >> shift, the sum taken
  // in 64 bits.
  uint32_t shift = 0;
  while (shift < 32 && (uint64_t{1} << shift) < divisor) ++shift;
  const uint64_t one = 1;
  fast.shift = shift;
  fast.multiplier =
      static_cast<uint32_t>(((one << 32) * ((one << shift) - divisor)) / divisor + 1);
  return fast;
}

Result<DeviceWalk> ToDevice(const Walk& walk) {
  DeviceWalk device;
  int64_t reach = walk.num_elements();
  for (int k = 0; k < walk.num_operands; ++k) {
    int64_t last = 0;
    for (int i = 0; i < walk.rank; ++i) {
      last += std::abs(walk.stride[k][i]) * std::max<int64_t>(walk.size[i] - 1, 0);
    }
    reach = std::max(reach, last + 1);
  }
  if (reach > std::numeric_limits<int32_t>::max()) {
    return sdk::InvalidArgument(
        "a tensor of " + std::to_string(reach) +
        " elements is more than the OpenCL kernels index (2147483647)");
  }
  device.rank = static_cast<uint32_t>(walk.rank);
  for (int i = 0; i < walk.rank; ++i) {
    device.size[i] = MakeFastDiv(static_cast<uint32_t>(walk.size[i]));
    for (int k = 0; k < walk.num_operands; ++k) {
      device.stride[k][i] = static_cast<int32_t>(walk.stride[k][i]);
    }
  }
  return device;
}

}  // namespace berth::opencl
