// Walks over the elements of several tensors at once, with as few dimensions as possible.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "plugins/opencl/cl_status.h"
#include "sdk/cpp/kernel.h"

namespace berth::opencl {

constexpr int kMaxWalkRank = BERTH_MAX_RANK;  // of what a kernel takes
// A walk has room for two dimensions where a tensor has one, before it is collapsed.
constexpr int kWalkRoom = 2 * BERTH_MAX_RANK;
constexpr int kMaxOperands = 4;

// Sizes, and for each operand its stride in elements, slowest dimension first. A stride
// of 0 repeats an operand along the dimension.
struct Walk {
  int num_operands = 0;
  int rank = 0;
  std::array<int64_t, kWalkRoom> size = {};
  std::array<std::array<int64_t, kWalkRoom>, kMaxOperands> stride = {};

  int64_t num_elements() const;
  // Adds a dimension behind the others. REQUIRES: rank < kWalkRoom.
  void Push(int64_t dimension, std::initializer_list<int64_t> strides);
  // Drops dimensions of size 1 and joins neighbours that every operand walks as one.
  void Collapse();
};

// Row-major strides of `dims`; 0 where the dimension is 1, so that it repeats.
std::vector<int64_t> BroadcastStrides(const int64_t* dims, int rank);
std::vector<int64_t> DenseStrides(const int64_t* dims, int rank);

// The walk over the broadcast of the given operands (shapes aligned at the last
// dimension, each 1 or equal), collapsed. INVALID_ARGUMENT names shapes that do not fit.
Result<Walk> BroadcastWalk(std::initializer_list<const berth_tensor*> operands);

// Division of 32-bit numbers by a fixed divisor as a multiplication. Layout of FastDiv in
// kernels/common.cl.
struct FastDiv {
  uint32_t divisor = 1;
  uint32_t multiplier = 0;
  uint32_t shift = 0;
};
FastDiv MakeFastDiv(uint32_t divisor);

// A walk in the form that kernels take: `Walk` of kernels/common.cl. Strides wrap in 32
// bits: only sums of them are used, which fit.
struct DeviceWalk {
  uint32_t rank = 0;
  std::array<FastDiv, kMaxWalkRank> size = {};
  std::array<std::array<int32_t, kMaxWalkRank>, kMaxOperands> stride = {};
};

// REQUIRES: at most kMaxWalkRank dimensions. INVALID_ARGUMENT when there are more
// elements than 32-bit indices reach.
Result<DeviceWalk> ToDevice(const Walk& walk);

}  // namespace berth::opencl
