#include "core/formats/checkpoint/proto_values.h"

#include <utility>
#include <vector>

namespace berth::formats {

Result<TensorSlice> ParseStoredSlice(const tf::TensorSliceProto& proto) {
  std::vector<TensorSlice::Range> ranges;
  for (const auto& extent : proto.extent()) {
    const bool part = extent.has_length();
    if (part && (extent.start() < 0 || extent.length() < 0)) {
      return DataLoss("a slice with a negative extent");
    }
    ranges.push_back(
        {part ? extent.start() : 0, part ? extent.length() : TensorSlice::kFull});
  }
  return TensorSlice(std::move(ranges));
}

Result<Shape> ParseStoredShape(const tf::TensorShapeProto& proto) {
  if (proto.unknown_rank() || proto.dim_size() > Shape::kMaxRank) {
    return DataLoss("a shape that no tensor has");
  }
  std::vector<int64_t> dims;
  int64_t count = 1;
  for (const auto& dim : proto.dim()) {
    if (dim.size() < 0 || __builtin_mul_overflow(count, dim.size(), &count)) {
      return DataLoss("a shape that no tensor has");
    }
    dims.push_back(dim.size());
  }
  return Shape(dims);
}

}  // namespace berth::formats
