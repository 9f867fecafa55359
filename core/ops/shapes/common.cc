#include "core/ops/shapes/common.h"

#include <algorithm>
#include <string>

namespace berth {
namespace {

constexpr int64_t kUnknown = Shape::kUnknown;

Status TooLarge(const InferenceContext& c, int64_t a, const char* what, int64_t b) {
  return c.Error("Dimension size overflow: " + std::to_string(a) + what +
                 std::to_string(b));
}

Status UnchangedAtRank(InferenceContext& c, int rank) {
  BERTH_RETURN_IF_ERROR(c.WithRank(0, rank));
  c.set_output(0, c.input(0).has_rank() ? c.input(0) : Shape::UnknownDims(rank));
  return OkStatus();
}

}  // namespace

Result<int64_t> AddDims(const InferenceContext& c, int64_t a, int64_t b) {
  if (a == kUnknown || b == kUnknown) return kUnknown;
  int64_t out = 0;
  if (__builtin_add_overflow(a, b, &out)) return TooLarge(c, a, " + ", b);
  return out;
}

Result<int64_t> SubtractDims(const InferenceContext& c, int64_t a, int64_t b) {
  if (a == kUnknown || b == kUnknown) return kUnknown;
  if (a < b) {
    return c.Error("Negative dimension size caused by subtracting " + std::to_string(b) +
                   " from " + std::to_string(a));
  }
  return a - b;
}

Result<int64_t> MultiplyDims(const InferenceContext& c, int64_t a, int64_t b) {
  if (a == 0 || b == 0) return int64_t{0};
  if (a == kUnknown || b == kUnknown) return kUnknown;
  int64_t out = 0;
  if (__builtin_mul_overflow(a, b, &out)) return TooLarge(c, a, " * ", b);
  return out;
}

Result<int64_t> MultiplyDims(const InferenceContext& c, const Shape& shape, int begin,
                             int end) {
  int64_t out = 1;
  for (int i = begin; i < end; ++i) {
    BERTH_ASSIGN_OR_RETURN(out, MultiplyDims(c, out, shape.dim(i)));
  }
  return out;
}

Result<int64_t> DivideDims(const InferenceContext& c, int64_t a, int64_t b, bool evenly) {
  if (b == kUnknown) return kUnknown;
  if (b <= 0) return c.Error("Divisor must be positive but is " + std::to_string(b));
  if (a == kUnknown) return kUnknown;
  if (evenly && a % b != 0) {
    return c.Error("Dimension size must be evenly divisible by " + std::to_string(b) +
                   " but is " + std::to_string(a));
  }
  return a / b;
}

Shape SubShape(const Shape& shape, int begin, int end) {
  if (!shape.has_rank()) return Shape::UnknownRank();
  end = std::min(end, shape.rank());
  begin = std::min(begin, end);
  return {shape.dims() + begin, static_cast<size_t>(end - begin)};
}

Shape ConcatShapes(const Shape& a, const Shape& b) {
  if (!a.has_rank() || !b.has_rank()) return Shape::UnknownRank();
  std::vector<int64_t> dims = a.ToVector();
  dims.insert(dims.end(), b.dims(), b.dims() + b.rank());
  return Shape(dims);
}

Status CheckRank(const InferenceContext& c, const Shape& shape, int rank) {
  if (!shape.has_rank() || shape.rank() == rank) return OkStatus();
  return c.Error("Shape must be rank " + std::to_string(rank) + " but is rank " +
                 std::to_string(shape.rank()));
}

Status CheckRankAtLeast(const InferenceContext& c, const Shape& shape, int rank) {
  if (!shape.has_rank() || shape.rank() >= rank) return OkStatus();
  return c.Error("Shape must be at least rank " + std::to_string(rank) + " but is rank " +
                 std::to_string(shape.rank()));
}

Result<int> NormalizeAxis(const InferenceContext& c, int64_t axis, int rank) {
  if (axis < -rank || axis >= rank) {
    return c.Error("Invalid axis: " + std::to_string(axis) + "; must be in [" +
                   std::to_string(-rank) + "," + std::to_string(rank) + ")");
  }
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

Result<Shape> BroadcastShapes(const InferenceContext& c, const Shape& a, const Shape& b) {
  if (!a.has_rank() || !b.has_rank()) return Shape::UnknownRank();
  const int rank = std::max(a.rank(), b.rank());
  Shape out = Shape::UnknownDims(rank);
  for (int i = 0; i < rank; ++i) {
    const int ia = i - (rank - a.rank());
    const int ib = i - (rank - b.rank());
    const int64_t x = ia < 0 ? 1 : a.dim(ia);
    const int64_t y = ib < 0 ? 1 : b.dim(ib);
    if (x == y || y == 1) {
      out.set_dim(i, x);
    } else if (x == 1) {
      out.set_dim(i, y);
    } else if (x == kUnknown || y == kUnknown) {
      // The known size is above 1, so the other is that or 1.
      out.set_dim(i, x == kUnknown ? y : x);
    } else {
      return c.Error("Dimensions must be equal, but are " + std::to_string(x) + " and " +
                     std::to_string(y));
    }
  }
  return out;
}

Status UnchangedShape(InferenceContext& c) {
  for (int i = 0; i < c.num_outputs(); ++i) {
    c.set_output(i, c.input(i < c.num_inputs() ? i : 0));
  }
  return OkStatus();
}

Status UnchangedRank4(InferenceContext& c) { return UnchangedAtRank(c, 4); }
Status UnchangedRank5(InferenceContext& c) { return UnchangedAtRank(c, 5); }

Status UnchangedAtLeastRank1(InferenceContext& c) {
  BERTH_RETURN_IF_ERROR(c.WithRankAtLeast(0, 1));
  c.set_output(0, c.input(0));
  return OkStatus();
}

Status UnchangedAtLeastRank2(InferenceContext& c) {
  BERTH_RETURN_IF_ERROR(c.WithRankAtLeast(0, 2));
  c.set_output(0, c.input(0));
  return OkStatus();
}

Status ScalarShape(InferenceContext& c) {
  for (int i = 0; i < c.num_outputs(); ++i) c.set_output(i, Shape());
  return OkStatus();
}

Status ScalarInputsShape(InferenceContext& c) {
  for (int i = 0; i < c.num_inputs(); ++i) BERTH_RETURN_IF_ERROR(c.WithRank(i, 0));
  return ScalarShape(c);
}

Status UnknownVectorShape(InferenceContext& c) {
  for (int i = 0; i < c.num_outputs(); ++i) c.set_output(i, Shape({kUnknown}));
  return OkStatus();
}

Status MergeInputsShape(InferenceContext& c) {
  Shape out = Shape::UnknownRank();
  for (int i = 0; i < c.num_inputs(); ++i) {
    BERTH_ASSIGN_OR_RETURN(out, c.Merge(out, c.input(i)));
  }
  c.set_output(0, std::move(out));
  return OkStatus();
}

Status BroadcastBinaryShape(InferenceContext& c) {
  BERTH_ASSIGN_OR_RETURN(Shape out, BroadcastShapes(c, c.input(0), c.input(1)));
  c.set_output(0, std::move(out));
  return OkStatus();
}

Status ShapeFromFirstInput(InferenceContext& c) {
  BERTH_ASSIGN_OR_RETURN(Shape out, c.ShapeFromInput(0));
  c.set_output(0, std::move(out));
  return OkStatus();
}

Status ExplicitShapeAttr(InferenceContext& c) {
  if (const Shape* shape = c.attrs().GetShape("shape")) c.set_output(0, *shape);
  return OkStatus();
}

}  // namespace berth
