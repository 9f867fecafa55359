#include "core/ops/shapes/strided_slice.h"

#include <algorithm>
#include <bit>
#include <string>

#include "core/ops/shapes/common.h"

namespace berth {
namespace {

constexpr int kNewAxis = -2;
constexpr int kShrinkAxis = -1;

// The attributes as written: one bit an entry of begin.
struct Masks {
  uint64_t begin, end, ellipsis, new_axis, shrink;
};

// One axis of the input after the ellipsis was spelled out.
struct DenseAxis {
  int64_t begin = kUnknownElement;
  int64_t end = kUnknownElement;
  int64_t stride = 1;
  bool begin_masked = true;
  bool end_masked = true;
  bool shrink = false;
};

struct DenseSpec {
  std::vector<DenseAxis> axes;
  std::vector<int> gather;  // for each output axis: an input axis, or one of the above
};

Masks ReadMasks(const AttrMap& attrs) {
  const auto mask = [&](const char* name) {
    return static_cast<uint64_t>(attrs.GetInt(name));
  };
  return {mask("begin_mask"), mask("end_mask"), mask("ellipsis_mask"),
          mask("new_axis_mask"), mask("shrink_axis_mask")};
}

struct SparseSpec {
  int size = 0;
  std::optional<Elements> begin, end;
  Elements strides;
};

// Spells out the ellipsis (an implicit one at the end when there is none).
Result<DenseSpec> MakeDense(const InferenceContext& c, const SparseSpec& sparse,
                            const Masks& masks, int rank) {
  if (std::popcount(masks.ellipsis) > 1) {
    return c.Error("Multiple ellipses in slice spec not allowed");
  }
  int new_axes_after_ellipsis = 0;
  bool seen = false;
  for (int i = 0; i < sparse.size; ++i) {
    if (seen && ((masks.new_axis >> i) & 1) != 0) ++new_axes_after_ellipsis;
    if (((masks.ellipsis >> i) & 1) != 0) seen = true;
  }
  DenseSpec dense;
  const auto add_full_axes = [&](int end) {
    while (static_cast<int>(dense.axes.size()) < end) {
      dense.gather.push_back(static_cast<int>(dense.axes.size()));
      dense.axes.emplace_back();
    }
  };
  for (int i = 0; i < sparse.size; ++i) {
    const auto bit = [i](uint64_t mask) { return ((mask >> i) & 1) != 0; };
    if (bit(masks.ellipsis)) {
      add_full_axes(
          std::min(rank - (sparse.size - i) + 1 + new_axes_after_ellipsis, rank));
    } else if (bit(masks.new_axis)) {
      dense.gather.push_back(kNewAxis);
    } else {
      const int axis = static_cast<int>(dense.axes.size());
      if (axis == rank) {
        return c.Error("Index out of range using input dim " + std::to_string(axis) +
                       "; input has only " + std::to_string(rank) + " dims");
      }
      dense.gather.push_back(bit(masks.shrink) ? kShrinkAxis : axis);
      dense.axes.push_back({.begin = sparse.begin ? (*sparse.begin)[i] : kUnknownElement,
                            .end = sparse.end ? (*sparse.end)[i] : kUnknownElement,
                            .stride = sparse.strides[i],
                            .begin_masked = bit(masks.begin),
                            .end_masked = bit(masks.end),
                            .shrink = bit(masks.shrink)});
    }
  }
  add_full_axes(rank);
  return dense;
}

// Where a begin or end lies on an axis of known size.
int64_t Clamp(int64_t x, int64_t dim, int64_t stride) {
  const int64_t lowest = stride > 0 ? 0 : -1;
  const int64_t highest = stride > 0 ? dim : dim - 1;
  return std::clamp(x < 0 ? dim + x : x, lowest, highest);
}

Result<SliceRange> RangeOf(const InferenceContext& c, const DenseAxis& axis, int64_t dim,
                           int number) {
  if (axis.stride == 0) {
    return c.Error("strides[" + std::to_string(number) + "] must be non-zero");
  }
  if (axis.stride == kUnknownElement) {
    return SliceRange{.size = axis.shrink ? 1 : Shape::kUnknown};
  }
  if (axis.shrink && axis.stride <= 0) {
    return c.Error("only stride 1 allowed on non-range indexing.");
  }
  if (dim == Shape::kUnknown) {
    return SliceRange{.size = axis.shrink ? 1 : Shape::kUnknown};
  }
  if (axis.shrink) {
    if (axis.begin == kUnknownElement) return SliceRange{.size = 1};
    const int64_t begin = axis.begin < 0 ? dim + axis.begin : axis.begin;
    if (begin < 0 || begin >= dim) {
      return c.Error("slice index " + std::to_string(axis.begin) + " of dimension " +
                     std::to_string(number) + " out of bounds.");
    }
    return SliceRange{.begin = begin, .stride = 1, .size = 1};
  }
  if ((!axis.begin_masked && axis.begin == kUnknownElement) ||
      (!axis.end_masked && axis.end == kUnknownElement)) {
    return SliceRange{};
  }
  const bool forward = axis.stride > 0;
  const int64_t begin =
      axis.begin_masked ? (forward ? 0 : dim - 1) : Clamp(axis.begin, dim, axis.stride);
  const int64_t end =
      axis.end_masked ? (forward ? dim : -1) : Clamp(axis.end, dim, axis.stride);
  const int64_t length = end - begin;
  int64_t size = 0;
  if (length != 0 && (length < 0) == (axis.stride < 0)) {
    size = length / axis.stride + (length % axis.stride != 0 ? 1 : 0);
  }
  return SliceRange{.begin = begin, .stride = axis.stride, .size = size};
}

}  // namespace

Result<StridedSlicePlan> PlanStridedSlice(const InferenceContext& c, const Shape& input,
                                          int first_index) {
  Shape spec = Shape::UnknownRank();
  for (int i = first_index; i < first_index + 3; ++i) {
    BERTH_RETURN_IF_ERROR(c.WithRank(i, 1));
    BERTH_ASSIGN_OR_RETURN(spec, c.Merge(spec, c.input(i)));
  }
  StridedSlicePlan plan;
  plan.processing = Shape::UnknownRank();
  plan.output = Shape::UnknownRank();
  const std::optional<Elements> strides = c.ElementsFromInput(first_index + 2);
  if (!input.has_rank() || spec.rank() != 1 || spec.dim(0) < 0 || !strides) return plan;
  if (spec.dim(0) > 32) {
    return c.Error("a slice names at most 32 axes, not " + std::to_string(spec.dim(0)));
  }
  const SparseSpec sparse{.size = static_cast<int>(spec.dim(0)),
                          .begin = c.ElementsFromInput(first_index),
                          .end = c.ElementsFromInput(first_index + 1),
                          .strides = *strides};
  BERTH_ASSIGN_OR_RETURN(const DenseSpec dense,
                         MakeDense(c, sparse, ReadMasks(c.attrs()), input.rank()));
  plan.values_known = true;
  plan.processing = Shape::UnknownDims(input.rank());
  for (int i = 0; i < input.rank(); ++i) {
    BERTH_ASSIGN_OR_RETURN(const SliceRange range,
                           RangeOf(c, dense.axes[i], input.dim(i), i));
    const DenseAxis& axis = dense.axes[i];
    const bool begin_known = axis.begin_masked || axis.begin != kUnknownElement;
    plan.values_known = plan.values_known && range.size >= 0 && begin_known &&
                        (!axis.shrink || axis.begin != kUnknownElement);
    plan.processing.set_dim(i, range.size);
    plan.axes.push_back(range);
  }
  std::vector<int64_t> output;
  for (const int source : dense.gather) {
    if (source == kNewAxis) output.push_back(1);
    if (source >= 0) output.push_back(plan.processing.dim(source));
  }
  plan.output = Shape(output);
  return plan;
}

Status StridedSliceShape(InferenceContext& c) {
  BERTH_ASSIGN_OR_RETURN(StridedSlicePlan plan, PlanStridedSlice(c));
  c.set_output(0, std::move(plan.output));
  return OkStatus();
}

Status StridedSliceGradShape(InferenceContext& c) { return ShapeFromFirstInput(c); }

Status StridedSliceAssignShape(InferenceContext& c) {
  BERTH_ASSIGN_OR_RETURN(const StridedSlicePlan plan, PlanStridedSlice(c));
  if (plan.values_known && c.input(4).has_rank()) {
    BERTH_ASSIGN_OR_RETURN(const Shape merged,
                           BroadcastShapes(c, plan.output, c.input(4)));
    if (!merged.IsCompatibleWith(plan.output)) {
      return c.Error("The value's shape " + c.input(4).ToString() +
                     " does not fit the slice's shape " + plan.output.ToString());
    }
  }
  c.set_output(0, c.input(0));
  return OkStatus();
}

}  // namespace berth
