#include "core/ops/shapes/math_shapes.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>

#include "core/ops/shapes/common.h"

namespace berth {
namespace {

constexpr int64_t kUnknown = Shape::kUnknown;

Result<Shape> BatchMatMulOf(const InferenceContext& c, const Shape& batch) {
  const bool adj_x = c.attrs().GetBool("adj_x");
  const bool adj_y = c.attrs().GetBool("adj_y");
  const int64_t inner_x = c.input_dim(0, adj_x ? -2 : -1);
  const int64_t inner_y = c.input_dim(1, adj_y ? -1 : -2);
  BERTH_RETURN_IF_ERROR(c.MergeDim(inner_x, inner_y).status());
  return ConcatShapes(
      batch, Shape({c.input_dim(0, adj_x ? -1 : -2), c.input_dim(1, adj_y ? -2 : -1)}));
}

double HalfToDouble(uint16_t bits) {
  const int exponent = (bits >> 10) & 0x1F;
  const int fraction = bits & 0x3FF;
  const double sign = (bits & 0x8000) != 0 ? -1.0 : 1.0;
  if (exponent == 0x1F) return fraction == 0 ? sign * INFINITY : NAN;
  if (exponent == 0) return sign * std::ldexp(fraction, -24);
  return sign * std::ldexp(1024 + fraction, exponent - 25);
}

// The value of a scalar of any number type, as the kernel will see it.
std::optional<double> NumberFromInput(const InferenceContext& c, int i) {
  const Tensor* value = c.input_value(i);
  if (value == nullptr || value->shape().rank() != 0) return std::nullopt;
  switch (value->dtype()) {
    case BERTH_FLOAT:
      return static_cast<double>(*value->data<float>());
    case BERTH_DOUBLE:
      return *value->data<double>();
    case BERTH_HALF:
      return HalfToDouble(*value->data<uint16_t>());
    case BERTH_BFLOAT16:
      return static_cast<double>(
          std::bit_cast<float>(static_cast<uint32_t>(*value->data<uint16_t>()) << 16));
    default:
      return std::nullopt;
  }
}

Result<int64_t> RangeSize(const InferenceContext& c) {
  const std::string text = "Range needs a delta that leads from start to limit";
  const std::optional<Elements> start = c.ElementsFromInput(0);
  const std::optional<Elements> limit = c.ElementsFromInput(1);
  const std::optional<Elements> delta = c.ElementsFromInput(2);
  if (start && limit && delta) {
    const int64_t from = (*start)[0];
    const int64_t to = (*limit)[0];
    const int64_t step = (*delta)[0];
    if (from == kUnknownElement || to == kUnknownElement || step == kUnknownElement) {
      return kUnknown;
    }
    if (step == 0) return c.Error("Requires delta != 0");
    if (from != to && (from > to) != (step < 0)) {
      return c.Error(std::string(step > 0 ? "Requires start <= limit when delta > 0: "
                                          : "Requires start >= limit when delta < 0: ") +
                     std::to_string(from) + " and " + std::to_string(to));
    }
    const double size =
        std::ceil(std::abs((static_cast<double>(to) - static_cast<double>(from)) /
                           static_cast<double>(step)));
    if (size > 0x1p62) return c.Error(text + " in less than 2^62 steps");
    const auto span = static_cast<uint64_t>(to) - static_cast<uint64_t>(from);
    const uint64_t length = from > to ? ~span + 1 : span;
    const uint64_t stride =
        step < 0 ? ~static_cast<uint64_t>(step) + 1 : static_cast<uint64_t>(step);
    return static_cast<int64_t>(length / stride + (length % stride != 0 ? 1 : 0));
  }
  const std::optional<double> from = NumberFromInput(c, 0);
  const std::optional<double> to = NumberFromInput(c, 1);
  const std::optional<double> step = NumberFromInput(c, 2);
  if (!from || !to || !step) return kUnknown;
  if (*step == 0) return c.Error("Requires delta != 0");
  if (*from != *to && (*from > *to) != (*step < 0)) {
    return c.Error(*step > 0 ? "Requires start <= limit when delta > 0"
                             : "Requires start >= limit when delta < 0");
  }
  const double size = std::ceil(std::abs((*to - *from) / *step));
  if (!(size <= 0x1p62)) return c.Error(text + " in less than 2^62 steps");
  return static_cast<int64_t>(size);
}

}  // namespace

Status ReductionShape(InferenceContext& c) {
  const Shape& in = c.input(0);
  const bool keep = c.attrs().GetBool("keep_dims");
  const std::optional<Elements> axes = c.ElementsFromInput(1);
  if (!in.has_rank()) return OkStatus();
  if (!axes || std::find(axes->begin(), axes->end(), kUnknownElement) != axes->end()) {
    if (keep) c.set_output(0, Shape::UnknownDims(in.rank()));
    if (in.rank() == 0) c.set_output(0, Shape());
    return OkStatus();
  }
  std::vector<bool> reduced(static_cast<size_t>(in.rank()));
  for (const int64_t axis : *axes) {
    if (axis < -in.rank() || axis >= in.rank()) {
      return c.Error("Invalid reduction dimension " + std::to_string(axis) +
                     " for input with " + std::to_string(in.rank()) + " dimensions");
    }
    const int64_t at = axis < 0 ? axis + in.rank() : axis;
    if (reduced[at]) {
      return c.Error("Invalid reduction arguments: Axes contains duplicate dimension: " +
                     std::to_string(at));
    }
    reduced[at] = true;
  }
  std::vector<int64_t> out;
  for (int i = 0; i < in.rank(); ++i) {
    if (!reduced[i]) {
      out.push_back(in.dim(i));
    } else if (keep) {
      out.push_back(1);
    }
  }
  c.set_output(0, Shape(out));
  return OkStatus();
}

Status ArgReductionShape(InferenceContext& c) {
  BERTH_ASSIGN_OR_RETURN(const std::optional<int64_t> axis, c.IntFromInput(1));
  const Shape& in = c.input(0);
  if (!in.has_rank()) return OkStatus();
  if (!axis) {
    if (in.rank() > 0) c.set_output(0, Shape::UnknownDims(in.rank() - 1));
    return OkStatus();
  }
  if (*axis < -in.rank() || *axis >= in.rank()) {
    return c.Error("Dimension (" + std::to_string(*axis) + ") must be in the range [" +
                   std::to_string(-in.rank()) + ", " + std::to_string(in.rank()) +
                   "), where " + std::to_string(in.rank()) +
                   " is the number of dimensions in the input.");
  }
  const int at = static_cast<int>(*axis < 0 ? *axis + in.rank() : *axis);
  c.set_output(0, ConcatShapes(SubShape(in, 0, at), SubShape(in, at + 1)));
  return OkStatus();
}

Status ScanShape(InferenceContext& c) {
  BERTH_ASSIGN_OR_RETURN(const std::optional<int64_t> axis, c.IntFromInput(1));
  if (axis && c.input(0).has_rank()) {
    BERTH_RETURN_IF_ERROR(NormalizeAxis(c, *axis, c.input(0).rank()).status());
  }
  c.set_output(0, c.input(0));
  return OkStatus();
}

Status RangeShape(InferenceContext& c) {
  for (int i = 0; i < 3; ++i) BERTH_RETURN_IF_ERROR(c.WithRank(i, 0));
  BERTH_ASSIGN_OR_RETURN(const int64_t size, RangeSize(c));
  c.set_output(0, Shape({size}));
  return OkStatus();
}

Status LinSpaceShape(InferenceContext& c) {
  BERTH_RETURN_IF_ERROR(c.WithRank(0, 0));
  BERTH_RETURN_IF_ERROR(c.WithRank(1, 0));
  BERTH_ASSIGN_OR_RETURN(const std::optional<int64_t> num, c.IntFromInput(2));
  if (num && *num <= 0) {
    return c.Error("Requires num > 0: " + std::to_string(*num));
  }
  c.set_output(0, Shape({num.value_or(kUnknown)}));
  return OkStatus();
}

Status MatMulShape(InferenceContext& c) {
  BERTH_RETURN_IF_ERROR(c.WithRank(0, 2));
  BERTH_RETURN_IF_ERROR(c.WithRank(1, 2));
  const bool transpose_a = c.attrs().GetBool("transpose_a");
  const bool transpose_b = c.attrs().GetBool("transpose_b");
  BERTH_RETURN_IF_ERROR(
      c.MergeDim(c.input_dim(0, transpose_a ? 0 : 1), c.input_dim(1, transpose_b ? 1 : 0))
          .status());
  c.set_output(0, Shape({c.input_dim(0, transpose_a ? 1 : 0),
                         c.input_dim(1, transpose_b ? 0 : 1)}));
  return OkStatus();
}

Status BatchMatMulShape(InferenceContext& c) {
  BERTH_RETURN_IF_ERROR(c.WithRankAtLeast(0, 2));
  BERTH_RETURN_IF_ERROR(c.WithRankAtLeast(1, 2));
  const Shape& x = c.input(0);
  const Shape& y = c.input(1);
  BERTH_ASSIGN_OR_RETURN(const Shape batch,
                         c.Merge(SubShape(x, 0, std::max(0, x.rank() - 2)),
                                 SubShape(y, 0, std::max(0, y.rank() - 2))));
  BERTH_ASSIGN_OR_RETURN(Shape out, BatchMatMulOf(c, batch));
  c.set_output(0, std::move(out));
  return OkStatus();
}

Status BatchMatMulV2Shape(InferenceContext& c) {
  BERTH_RETURN_IF_ERROR(c.WithRankAtLeast(0, 2));
  BERTH_RETURN_IF_ERROR(c.WithRankAtLeast(1, 2));
  const Shape& x = c.input(0);
  const Shape& y = c.input(1);
  BERTH_ASSIGN_OR_RETURN(const Shape batch,
                         BroadcastShapes(c, SubShape(x, 0, std::max(0, x.rank() - 2)),
                                         SubShape(y, 0, std::max(0, y.rank() - 2))));
  BERTH_ASSIGN_OR_RETURN(Shape out, BatchMatMulOf(c, batch));
  c.set_output(0, std::move(out));
  return OkStatus();
}

Status QrShape(InferenceContext& c) {
  BERTH_RETURN_IF_ERROR(c.WithRankAtLeast(0, 2));
  const Shape& in = c.input(0);
  if (!in.has_rank()) return OkStatus();
  const Shape batch = SubShape(in, 0, in.rank() - 2);
  const int64_t m = in.dim(in.rank() - 2);
  const int64_t n = in.dim(in.rank() - 1);
  const int64_t p = m == kUnknown || n == kUnknown ? kUnknown : std::min(m, n);
  const bool full = c.attrs().GetBool("full_matrices");
  c.set_output(0, ConcatShapes(batch, Shape({m, full ? m : p})));
  c.set_output(1, ConcatShapes(batch, Shape({full ? m : p, n})));
  return OkStatus();
}

Status SegmentShape(InferenceContext& c) {
  BERTH_RETURN_IF_ERROR(c.WithRankAtLeast(0, 1));
  BERTH_RETURN_IF_ERROR(c.WithRank(1, 1));
  BERTH_RETURN_IF_ERROR(c.MergeDim(c.input_dim(0, 0), c.input_dim(1, 0)).status());
  // Ids ascend, so the last one says how many segments there are.
  int64_t count = kUnknown;
  if (const std::optional<Elements> ids = c.ElementsFromInput(1);
      ids && (ids->empty() || ids->back() != kUnknownElement)) {
    count = ids->empty() ? 0 : std::max<int64_t>(ids->back() + 1, 0);
  }
  c.set_output(0, ConcatShapes(Shape({count}), SubShape(c.input(0), 1)));
  return OkStatus();
}

Status UnsortedSegmentShape(InferenceContext& c) {
  BERTH_ASSIGN_OR_RETURN(const std::optional<int64_t> count, c.IntFromInput(2));
  if (count && *count < 0) {
    return c.Error("num_segments must be non-negative, but is " + std::to_string(*count));
  }
  const Shape& data = c.input(0);
  const Shape& ids = c.input(1);
  if (!data.has_rank() || !ids.has_rank()) return OkStatus();
  BERTH_RETURN_IF_ERROR(c.WithRankAtLeast(0, ids.rank()));
  for (int i = 0; i < ids.rank(); ++i) {
    BERTH_RETURN_IF_ERROR(c.MergeDim(data.dim(i), ids.dim(i)).status());
  }
  c.set_output(
      0, ConcatShapes(Shape({count.value_or(kUnknown)}), SubShape(data, ids.rank())));
  return OkStatus();
}

Status SparseSegmentShape(InferenceContext& c) {
  BERTH_RETURN_IF_ERROR(c.WithRankAtLeast(0, 1));
  BERTH_RETURN_IF_ERROR(c.WithRank(1, 1));
  BERTH_RETURN_IF_ERROR(c.WithRank(2, 1));
  BERTH_RETURN_IF_ERROR(c.MergeDim(c.input_dim(1, 0), c.input_dim(2, 0)).status());
  int64_t count = kUnknown;
  if (const std::optional<Elements> ids = c.ElementsFromInput(2);
      ids && (ids->empty() || ids->back() != kUnknownElement)) {
    count = ids->empty() ? 0 : std::max<int64_t>(ids->back() + 1, 0);
  }
  c.set_output(0, ConcatShapes(Shape({count}), SubShape(c.input(0), 1)));
  return OkStatus();
}

}  // namespace berth
