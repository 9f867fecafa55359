#include "kernels-cpu/strided_slice.h"

#include "kernels-cpu/strided_copy.h"

namespace berth::cpu {
namespace {

bool Bit(uint64_t mask, int64_t i) { return (mask >> i & 1) != 0; }

// One axis of the input.
struct Range {
  int64_t begin = 0;
  int64_t end = 0;
  int64_t stride = 1;
  bool begin_masked = true;
  bool end_masked = true;
  bool shrink = false;
};

// How many elements of an axis of size `dim` a range takes, and from where.
struct Taken {
  int64_t first = 0;
  int64_t count = 0;
};

Result<Taken> Resolve(const Range& r, int64_t dim, int axis) {
  if (r.stride == 0) {
    return InvalidArgument("strides[" + std::to_string(axis) + "] must be non-zero");
  }
  if (r.shrink) {
    if (r.stride < 0) {
      return InvalidArgument("only stride 1 allowed on non-range indexing.");
    }
    const int64_t at = r.begin < 0 ? r.begin + dim : r.begin;
    if (at < 0 || at >= dim) {
      return InvalidArgument("slice index " + std::to_string(r.begin) + " of dimension " +
                             std::to_string(axis) + " out of bounds.");
    }
    return Taken{at, 1};
  }
  const bool forward = r.stride > 0;
  // Positions before the first and after the last element, in the direction of travel.
  const int64_t low = forward ? 0 : -1;
  const int64_t high = forward ? dim : dim - 1;
  const auto place = [&](int64_t i) {
    return std::clamp(i < 0 ? i + dim : i, low, high);
  };
  const int64_t begin = r.begin_masked ? (forward ? low : high) : place(r.begin);
  const int64_t end = r.end_masked ? (forward ? high : low) : place(r.end);
  const int64_t distance = forward ? end - begin : begin - end;
  const int64_t step = forward ? r.stride : -r.stride;
  return Taken{begin, distance <= 0 ? 0 : (distance - 1) / step + 1};
}

}  // namespace

SliceMasks::SliceMasks(const NodeView& node)
    : begin(static_cast<uint64_t>(node.Int("begin_mask"))),
      end(static_cast<uint64_t>(node.Int("end_mask"))),
      ellipsis(static_cast<uint64_t>(node.Int("ellipsis_mask"))),
      new_axis(static_cast<uint64_t>(node.Int("new_axis_mask"))),
      shrink(static_cast<uint64_t>(node.Int("shrink_axis_mask"))) {}

Status MakeSliceSpec(const SliceMasks& masks, const int64_t* dims, int rank,
                     const berth_tensor& begin, const berth_tensor& end,
                     const berth_tensor& strides, SliceSpec* out) {
  const int64_t entries = NumElements(begin);
  if (rank > BERTH_MAX_RANK || entries > 32 || NumElements(end) != entries ||
      NumElements(strides) != entries) {
    return InvalidArgument(
        "begin, end and strides must have as many entries as one "
        "another, at most 32, and the input at most " +
        std::to_string(BERTH_MAX_RANK) + " axes");
  }
  // Axes that entries after the ellipsis name are counted from the end.
  int64_t named_after = 0;
  bool has_ellipsis = false;
  for (int64_t i = 0; i < entries; ++i) {
    if (has_ellipsis && !Bit(masks.new_axis, i)) ++named_after;
    if (Bit(masks.ellipsis, i)) {
      if (has_ellipsis)
        return InvalidArgument("Multiple ellipses in slice spec not allowed");
      has_ellipsis = true;
    }
  }
  int64_t dense[BERTH_MAX_RANK];
  DenseStrides(dims, rank, dense);
  *out = SliceSpec();
  int axis = 0;
  const auto emit = [&](int64_t size) {
    if (out->result_rank < BERTH_MAX_RANK) {
      out->result_dims[static_cast<size_t>(out->result_rank++)] = size;
    }
  };
  const auto take = [&](const Range& range) -> Status {
    Result<Taken> taken = Resolve(range, dims[axis], axis);
    if (!taken.ok()) return taken.status();
    const size_t at = static_cast<size_t>(axis);
    out->dims[at] = taken->count;
    out->strides[at] = dense[at] * range.stride;
    if (taken->count > 0) out->offset += taken->first * dense[at];
    if (!range.shrink) emit(taken->count);
    ++axis;
    return {};
  };
  for (int64_t i = 0; i < entries; ++i) {
    if (Bit(masks.ellipsis, i)) {
      while (axis < rank - named_after) BERTH_SDK_RETURN_IF_ERROR(take(Range()));
    } else if (Bit(masks.new_axis, i)) {
      emit(1);
    } else if (axis >= rank) {
      return InvalidArgument("Index out of range using input dim " +
                             std::to_string(axis) + "; input has only " +
                             std::to_string(rank) + " dims");
    } else {
      BERTH_SDK_RETURN_IF_ERROR(
          take({IndexAt(begin, i), IndexAt(end, i), IndexAt(strides, i),
                Bit(masks.begin, i), Bit(masks.end, i), Bit(masks.shrink, i)}));
    }
  }
  while (axis < rank) BERTH_SDK_RETURN_IF_ERROR(take(Range()));
  return {};
}

}  // namespace berth::cpu
