#include "plugins/opencl/ops/contract.h"

#include <algorithm>
#include <string>

namespace berth::opencl {
namespace {

// Rows and vectors of a tile that fit in the registers: 12 x 2 in 32 of 512 bits, 6 x 2
// in 16 smaller ones. A GPU's work-item has fewer and wants many neighbours.
struct TileShape {
  int32_t rows;
  int32_t vectors;
  int32_t width;  // elements of a vector
};

// Of a slice of B: a part of a core's second cache.
constexpr uint64_t kCacheBytes = 256 << 10;

TileShape ChooseTile(const PhysicalDevice& device, size_t element_size) {
  const int32_t scale = element_size == sizeof(double) ? 2 : 1;
  if (!device.is_cpu()) return {4, 1, 4};
  const auto width = static_cast<int32_t>(device.native_float_width);
  if (width >= 16) return {12, 2, 16 / scale};
  if (width >= 8) return {6, 2, 8 / scale};
  return {6, 2, std::max(4 / scale, 2)};
}

int32_t CeilDiv(int32_t a, int32_t b) { return (a + b - 1) / b; }

}  // namespace

Result<Contractor> Contractor::Create(Context* context, int32_t dtype) {
  Contractor made;
  const PhysicalDevice& device = context->facts();
  made.element_size_ = sdk::DtypeSize(dtype);
  const TileShape tile = ChooseTile(device, made.element_size_);
  made.tile_m_ = tile.rows;
  made.tile_n_ = tile.vectors * tile.width;
  // A processor's core takes a tile as one work-item of its own group.
  made.group_ = device.is_cpu() ? 1 : 64;
  made.wanted_tiles_ = uint64_t{device.compute_units} * (device.is_cpu() ? 8 : 512);
  made.cache_bytes_ = device.is_cpu() ? kCacheBytes : 0;
  const std::string options = TypeOptions(dtype) + " -DVW=" + std::to_string(tile.width) +
                              " -DMR=" + std::to_string(tile.rows) +
                              " -DNV=" + std::to_string(tile.vectors);
  BERTH_CL_ASSIGN_OR_RETURN(made.contract_,
                            context->Kernel("contract", options, "Contract"));
  BERTH_CL_ASSIGN_OR_RETURN(made.sum_slices_,
                            context->Kernel("contract", options, "SumSlices"));
  return made;
}

// Every row of tiles reads all of B: with a slice of it in the cache that costs little.
// The results of the slices should not be more than B itself.
uint64_t Contractor::SlicesForCache(const Contraction& contraction) const {
  if (cache_bytes_ == 0) return 1;
  const auto depth = static_cast<uint64_t>(contraction.k[0]) *
                     static_cast<uint64_t>(contraction.k[1]) *
                     static_cast<uint64_t>(contraction.k[2]);
  const uint64_t bytes =
      depth * static_cast<uint64_t>(contraction.b_stride) * element_size_;
  return std::max<uint64_t>(
      std::min(bytes / cache_bytes_, depth / static_cast<uint64_t>(contraction.m)), 1);
}

ContractPlan Contractor::Plan(Contraction contraction) const {
  ContractPlan plan;
  const int32_t tiles_m = CeilDiv(contraction.m, tile_m_);
  const int32_t tiles_n = CeilDiv(contraction.n, tile_n_);
  const uint64_t tiles = static_cast<uint64_t>(tiles_m) * static_cast<uint64_t>(tiles_n);
  uint64_t slices = 1;
  if (contraction.c_column == 1 && contraction.c_row == contraction.n) {
    slices = std::max((wanted_tiles_ + tiles - 1) / tiles, SlicesForCache(contraction));
    slices = std::min(slices, static_cast<uint64_t>(contraction.k[0]));
  }
  contraction.slice = CeilDiv(contraction.k[0], static_cast<int32_t>(slices));
  plan.num_slices = CeilDiv(contraction.k[0], contraction.slice);
  plan.contraction = contraction;
  plan.grid = {static_cast<size_t>(tiles_n), static_cast<size_t>(tiles_m),
               static_cast<size_t>(plan.num_slices)};
  if (plan.num_slices > 1) {
    plan.scratch_bytes = static_cast<uint64_t>(plan.num_slices) *
                         static_cast<uint64_t>(contraction.m) *
                         static_cast<uint64_t>(contraction.n) * element_size_;
  }
  return plan;
}

Status Contractor::Run(const ComputeContext& context, const ContractPlan& plan, Operand a,
                       Operand b, Operand c, Operand scratch) const {
  const Contraction& contraction = plan.contraction;
  const uint64_t per_slice =
      static_cast<uint64_t>(contraction.m) * static_cast<uint64_t>(contraction.n);
  const bool sliced = plan.num_slices > 1;
  const Operand target = sliced ? scratch : c;
  Launch launch(context, *contract_);
  launch.Memory(*a.tensor, a.byte_offset, element_size_)
      .Memory(*b.tensor, b.byte_offset, element_size_)
      .Memory(*target.tensor, target.byte_offset, element_size_)
      .Value<cl_ulong>(sliced ? per_slice : 0)
      .Value(contraction);
  BERTH_SDK_RETURN_IF_ERROR(launch.Run(plan.grid, group_));
  if (!sliced) return {};
  Launch sum(context, *sum_slices_);
  sum.Memory(*scratch.tensor, scratch.byte_offset, element_size_)
      .Memory(*c.tensor, c.byte_offset, element_size_)
      .Value<cl_ulong>(per_slice)
      .Value<cl_int>(plan.num_slices);
  return sum.Run({per_slice});
}

}  // namespace berth::opencl
