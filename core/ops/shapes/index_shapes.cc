#include "core/ops/shapes/index_shapes.h"

#include <algorithm>
#include <string>

#include "core/ops/shapes/common.h"

namespace berth {
namespace {

constexpr int64_t kUnknown = Shape::kUnknown;

// updates.shape must be indices.shape[:-1] + target.shape[indices.shape[-1]:].
Status CheckScatterNd(const InferenceContext& c, const Shape& indices,
                      const Shape& updates, const Shape& target) {
  BERTH_RETURN_IF_ERROR(CheckRankAtLeast(c, target, 1));
  BERTH_RETURN_IF_ERROR(CheckRankAtLeast(c, indices, 1));
  if (!indices.has_rank() || !updates.has_rank() || !target.has_rank()) return OkStatus();
  const int64_t depth = indices.dim(indices.rank() - 1);
  if (depth == kUnknown) return OkStatus();
  if (depth > target.rank()) {
    return c.Error("The last dimension of indices, " + std::to_string(depth) +
                   ", is larger than the output's rank " + std::to_string(target.rank()));
  }
  const Shape expected = ConcatShapes(SubShape(indices, 0, indices.rank() - 1),
                                      SubShape(target, static_cast<int>(depth)));
  if (!expected.IsCompatibleWith(updates)) {
    return c.Error("updates must have the shape " + expected.ToString() +
                   " (indices.shape[:-1] + shape[indices.shape[-1]:]), but have " +
                   updates.ToString());
  }
  return OkStatus();
}

}  // namespace

Status GatherShape(InferenceContext& c) {
  BERTH_RETURN_IF_ERROR(c.WithRankAtLeast(0, 1));
  c.set_output(0, ConcatShapes(c.input(1), SubShape(c.input(0), 1)));
  return OkStatus();
}

Status GatherV2Shape(InferenceContext& c) {
  BERTH_RETURN_IF_ERROR(c.WithRankAtLeast(0, 1));
  BERTH_ASSIGN_OR_RETURN(const std::optional<int64_t> axis, c.IntFromInput(2));
  const Shape& params = c.input(0);
  const Shape& indices = c.input(1);
  if (!params.has_rank() || !indices.has_rank()) return OkStatus();
  int64_t batch_dims = c.attrs().GetInt("batch_dims");
  if (batch_dims < 0) batch_dims += indices.rank();
  if (batch_dims < 0 || batch_dims > indices.rank() || batch_dims >= params.rank()) {
    return c.Error("batch_dims " + std::to_string(c.attrs().GetInt("batch_dims")) +
                   " does not fit params and indices");
  }
  if (!axis) {
    c.set_output(0, Shape::UnknownDims(indices.rank() + params.rank() - 1 -
                                       static_cast<int>(batch_dims)));
    return OkStatus();
  }
  BERTH_ASSIGN_OR_RETURN(const int at, NormalizeAxis(c, *axis, params.rank()));
  const int batch = static_cast<int>(batch_dims);
  if (at < batch) {
    return c.Error("axis " + std::to_string(at) + " is less than batch_dims " +
                   std::to_string(batch));
  }
  BERTH_ASSIGN_OR_RETURN(const Shape shared, c.Merge(SubShape(params, 0, batch),
                                                     SubShape(indices, 0, batch)));
  Shape out = ConcatShapes(shared, SubShape(params, batch, at));
  out = ConcatShapes(out, SubShape(indices, batch));
  c.set_output(0, ConcatShapes(out, SubShape(params, at + 1)));
  return OkStatus();
}

Status GatherNdShape(InferenceContext& c) {
  BERTH_RETURN_IF_ERROR(c.WithRankAtLeast(0, 1));
  BERTH_RETURN_IF_ERROR(c.WithRankAtLeast(1, 1));
  const Shape& params = c.input(0);
  const Shape& indices = c.input(1);
  if (!params.has_rank() || !indices.has_rank()) return OkStatus();
  const int64_t depth = indices.dim(indices.rank() - 1);
  if (depth == kUnknown) return OkStatus();
  if (depth > params.rank()) {
    return c.Error("indices.shape[-1] must be <= params.rank, but saw indices shape: " +
                   indices.ToString() + " and params shape: " + params.ToString());
  }
  c.set_output(0, ConcatShapes(SubShape(indices, 0, indices.rank() - 1),
                               SubShape(params, static_cast<int>(depth))));
  return OkStatus();
}

Status ScatterNdShape(InferenceContext& c) {
  BERTH_ASSIGN_OR_RETURN(Shape out, c.ShapeFromInput(2));
  BERTH_RETURN_IF_ERROR(CheckScatterNd(c, c.input(0), c.input(1), out));
  c.set_output(0, std::move(out));
  return OkStatus();
}

Status TensorScatterShape(InferenceContext& c) {
  BERTH_RETURN_IF_ERROR(CheckScatterNd(c, c.input(1), c.input(2), c.input(0)));
  c.set_output(0, c.input(0));
  return OkStatus();
}

Status OneHotShape(InferenceContext& c) {
  BERTH_ASSIGN_OR_RETURN(const std::optional<int64_t> depth, c.IntFromInput(1));
  BERTH_RETURN_IF_ERROR(c.WithRank(2, 0));
  BERTH_RETURN_IF_ERROR(c.WithRank(3, 0));
  if (depth && *depth < 0) {
    return c.Error("depth must be non-negative, got: " + std::to_string(*depth));
  }
  const int64_t axis = c.attrs().GetInt("axis", -1);
  if (axis < -1) return c.Error("axis must be >= -1, but is " + std::to_string(axis));
  const Shape& indices = c.input(0);
  if (!indices.has_rank()) return OkStatus();
  if (axis > indices.rank()) {
    return c.Error("axis must be at most " + std::to_string(indices.rank()) +
                   ", but is " + std::to_string(axis));
  }
  std::vector<int64_t> out = indices.ToVector();
  out.insert(axis == -1 ? out.end() : out.begin() + axis, depth.value_or(kUnknown));
  c.set_output(0, Shape(out));
  return OkStatus();
}

Status WhereShape(InferenceContext& c) {
  c.set_output(0, Shape({kUnknown, c.input(0).rank()}));
  return OkStatus();
}

Status UniqueShape(InferenceContext& c) {
  BERTH_RETURN_IF_ERROR(c.WithRank(0, 1));
  c.set_output(0, Shape({kUnknown}));
  c.set_output(1, c.input(0).has_rank() ? c.input(0) : Shape({kUnknown}));
  for (int i = 2; i < c.num_outputs(); ++i) c.set_output(i, Shape({kUnknown}));
  return OkStatus();
}

Status UniqueV2Shape(InferenceContext& c) {
  const Shape& in = c.input(0);
  const std::optional<Elements> axis = c.ElementsFromInput(1);
  c.set_output(1, Shape({kUnknown}));
  if (!in.has_rank() || !axis || axis->size() > 1) return OkStatus();
  if (axis->empty()) {
    BERTH_RETURN_IF_ERROR(c.WithRank(0, 1));
    return UniqueShape(c);
  }
  if ((*axis)[0] == kUnknownElement) return OkStatus();
  BERTH_ASSIGN_OR_RETURN(const int at, NormalizeAxis(c, (*axis)[0], in.rank()));
  Shape out = in;
  out.set_dim(at, kUnknown);
  c.set_output(0, std::move(out));
  c.set_output(1, Shape({in.dim(at)}));
  return OkStatus();
}

Status ListDiffShape(InferenceContext& c) {
  BERTH_RETURN_IF_ERROR(c.WithRank(0, 1));
  BERTH_RETURN_IF_ERROR(c.WithRank(1, 1));
  return UnknownVectorShape(c);
}

Status SparseToDenseShape(InferenceContext& c) {
  BERTH_RETURN_IF_ERROR(c.WithRankAtMost(0, 2));
  BERTH_RETURN_IF_ERROR(c.WithRankAtMost(2, 1));
  BERTH_RETURN_IF_ERROR(c.WithRank(3, 0));
  BERTH_ASSIGN_OR_RETURN(Shape out, c.ShapeFromInput(1));
  c.set_output(0, std::move(out));
  return OkStatus();
}

Status TopKShape(InferenceContext& c) {
  BERTH_RETURN_IF_ERROR(c.WithRankAtLeast(0, 1));
  int64_t k = kUnknown;
  if (c.num_inputs() > 1) {
    BERTH_ASSIGN_OR_RETURN(const std::optional<int64_t> value, c.IntFromInput(1));
    if (value && *value < 0) {
      return c.Error("Need k >= 0, got " + std::to_string(*value));
    }
    k = value.value_or(kUnknown);
  } else {
    k = c.attrs().GetInt("k");
  }
  const Shape& in = c.input(0);
  if (!in.has_rank()) return OkStatus();
  const int64_t last = in.dim(in.rank() - 1);
  if (last != kUnknown && k > last) {
    return c.Error("input must have last dimension >= k = " + std::to_string(k) +
                   " but is " + std::to_string(last));
  }
  Shape out = in;
  out.set_dim(in.rank() - 1, k);
  c.set_output(0, out);
  c.set_output(1, std::move(out));
  return OkStatus();
}

Status InTopKShape(InferenceContext& c) {
  BERTH_RETURN_IF_ERROR(c.WithRank(0, 2));
  BERTH_RETURN_IF_ERROR(c.WithRank(1, 1));
  if (c.num_inputs() > 2) BERTH_RETURN_IF_ERROR(c.WithRank(2, 0));
  BERTH_ASSIGN_OR_RETURN(const int64_t batch,
                         c.MergeDim(c.input_dim(0, 0), c.input_dim(1, 0)));
  c.set_output(0, Shape({batch}));
  return OkStatus();
}

Status DiagShape(InferenceContext& c) {
  BERTH_RETURN_IF_ERROR(c.WithRankAtLeast(0, 1));
  c.set_output(0, ConcatShapes(c.input(0), c.input(0)));
  return OkStatus();
}

Status DiagPartShape(InferenceContext& c) {
  const Shape& in = c.input(0);
  if (!in.has_rank()) return OkStatus();
  if (in.rank() % 2 != 0 || in.rank() == 0) {
    return c.Error("Input must have even and non-zero rank, input rank is " +
                   std::to_string(in.rank()));
  }
  BERTH_ASSIGN_OR_RETURN(
      Shape out, c.Merge(SubShape(in, 0, in.rank() / 2), SubShape(in, in.rank() / 2)));
  c.set_output(0, std::move(out));
  return OkStatus();
}

Status MatrixDiagShape(InferenceContext& c) {
  BERTH_RETURN_IF_ERROR(c.WithRankAtLeast(0, 1));
  Shape out = c.input(0);
  if (out.has_rank()) out.AddDim(out.dim(out.rank() - 1));
  c.set_output(0, std::move(out));
  return OkStatus();
}

Status MatrixDiagPartShape(InferenceContext& c) {
  BERTH_RETURN_IF_ERROR(c.WithRankAtLeast(0, 2));
  const Shape& in = c.input(0);
  if (!in.has_rank()) return OkStatus();
  const int64_t rows = in.dim(in.rank() - 2);
  const int64_t columns = in.dim(in.rank() - 1);
  Shape out = SubShape(in, 0, in.rank() - 2);
  out.AddDim(rows == kUnknown || columns == kUnknown ? kUnknown
                                                     : std::min(rows, columns));
  c.set_output(0, std::move(out));
  return OkStatus();
}

Status MatrixSetDiagShape(InferenceContext& c) {
  BERTH_RETURN_IF_ERROR(c.WithRankAtLeast(0, 2));
  BERTH_RETURN_IF_ERROR(c.WithRankAtLeast(1, 1));
  if (c.input(0).has_rank()) {
    BERTH_RETURN_IF_ERROR(c.WithRank(1, c.input(0).rank() - 1));
    const Shape& in = c.input(0);
    const int64_t rows = in.dim(in.rank() - 2);
    const int64_t columns = in.dim(in.rank() - 1);
    if (rows != kUnknown && columns != kUnknown && c.input(1).has_rank()) {
      BERTH_RETURN_IF_ERROR(c.WithDim(c.input_dim(1, -1), std::min(rows, columns)));
    }
  }
  c.set_output(0, c.input(0));
  return OkStatus();
}

Status DynamicPartitionShape(InferenceContext& c) {
  const Shape& data = c.input(0);
  const Shape& partitions = c.input(1);
  if (!data.has_rank() || !partitions.has_rank()) return OkStatus();
  BERTH_RETURN_IF_ERROR(c.WithRankAtLeast(0, partitions.rank()));
  BERTH_RETURN_IF_ERROR(
      c.Merge(SubShape(data, 0, partitions.rank()), partitions).status());
  const Shape out = ConcatShapes(Shape({kUnknown}), SubShape(data, partitions.rank()));
  for (int i = 0; i < c.num_outputs(); ++i) c.set_output(i, out);
  return OkStatus();
}

Status DynamicStitchShape(InferenceContext& c) {
  const int count = c.num_inputs() / 2;
  Shape rest = Shape::UnknownRank();
  int64_t largest = -1;
  bool all_known = true;
  for (int i = 0; i < count; ++i) {
    const Tensor* indices = c.input_value(i);
    all_known = all_known && indices != nullptr;
    if (indices != nullptr) {
      for (const int64_t index : indices->ToInts()) largest = std::max(largest, index);
    }
    const Shape& shape = c.input(i);
    const Shape& data = c.input(count + i);
    if (!shape.has_rank() || !data.has_rank()) continue;
    BERTH_RETURN_IF_ERROR(c.WithRankAtLeast(count + i, shape.rank()));
    BERTH_RETURN_IF_ERROR(c.Merge(SubShape(data, 0, shape.rank()), shape).status());
    BERTH_ASSIGN_OR_RETURN(rest, c.Merge(rest, SubShape(data, shape.rank())));
  }
  c.set_output(0, ConcatShapes(Shape({all_known ? largest + 1 : kUnknown}), rest));
  return OkStatus();
}

Status BincountShape(InferenceContext& c) {
  BERTH_ASSIGN_OR_RETURN(const std::optional<int64_t> size, c.IntFromInput(1));
  if (size && *size < 0) {
    return c.Error("size (" + std::to_string(*size) + ") must be non-negative");
  }
  c.set_output(0, Shape({size.value_or(kUnknown)}));
  return OkStatus();
}

}  // namespace berth
