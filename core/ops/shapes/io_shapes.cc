#include "core/ops/shapes/io_shapes.h"

#include <string>

#include "core/ops/shapes/common.h"

namespace berth {
namespace {

constexpr int64_t kUnknown = Shape::kUnknown;

// The shape of a parsed dense feature: a size that is not fixed stays open.
std::vector<Shape> DenseShapes(const InferenceContext& c) {
  const AttrValue* value = c.attrs().Find("dense_shapes");
  const ListAttr* list = value != nullptr ? value->list() : nullptr;
  return list != nullptr ? list->shape : std::vector<Shape>();
}

// Sets `prefix` + its own for each dense value, from output `next` on.
Status SetDense(InferenceContext& c, const Shape& prefix, int count, int next) {
  const std::vector<Shape> dense = DenseShapes(c);
  if (static_cast<int>(dense.size()) != count) {
    return c.Error("dense_shapes has " + std::to_string(dense.size()) +
                   " entries, but there are " + std::to_string(count) +
                   " dense features");
  }
  for (int i = 0; i < count; ++i) c.set_output(next + i, ConcatShapes(prefix, dense[i]));
  return OkStatus();
}

// Indices, values and shapes of `count` sparse features, each `rank` indices wide.
int SetSparse(InferenceContext& c, int count, int64_t rank) {
  for (int i = 0; i < count; ++i) {
    c.set_output(i, Shape({kUnknown, rank}));
    c.set_output(count + i, Shape({kUnknown}));
    c.set_output(2 * count + i, Shape({rank}));
  }
  return 3 * count;
}

int ListSize(const InferenceContext& c, const char* name) {
  const AttrValue* value = c.attrs().Find(name);
  const ListAttr* list = value != nullptr ? value->list() : nullptr;
  return list != nullptr ? static_cast<int>(list->size()) : 0;
}

}  // namespace

Status ScalarsOnlyShape(InferenceContext& c) {
  for (int i = 0; i < c.num_inputs(); ++i) BERTH_RETURN_IF_ERROR(c.WithRank(i, 0));
  return OkStatus();
}

Status MatchingFilesShape(InferenceContext& c) {
  BERTH_RETURN_IF_ERROR(c.WithRankAtMost(0, 1));
  return UnknownVectorShape(c);
}

Status SaveShape(InferenceContext& c) {
  // prefix, tensor_names, shape_and_slices, tensors …
  BERTH_RETURN_IF_ERROR(c.WithRank(0, 0));
  BERTH_RETURN_IF_ERROR(c.WithRank(1, 1));
  BERTH_RETURN_IF_ERROR(c.WithRank(2, 1));
  BERTH_RETURN_IF_ERROR(c.WithDim(c.input_dim(1, 0), c.num_inputs() - 3));
  return c.WithDim(c.input_dim(2, 0), c.num_inputs() - 3);
}

Status RestoreShape(InferenceContext& c) {
  BERTH_RETURN_IF_ERROR(c.WithRank(0, 0));
  BERTH_RETURN_IF_ERROR(c.WithRank(1, 1));
  BERTH_RETURN_IF_ERROR(c.WithRank(2, 1));
  return c.MergeDim(c.input_dim(1, 0), c.input_dim(2, 0)).status();
}

Status StringJoinShape(InferenceContext& c) {
  // Scalars join with everything; the others must agree.
  Shape out;
  bool all_scalars = true;
  bool unknown = false;
  for (int i = 0; i < c.num_inputs(); ++i) {
    if (!c.input(i).has_rank()) unknown = true;
    if (c.input(i).rank() <= 0) continue;
    if (all_scalars) out = Shape::UnknownRank();
    all_scalars = false;
    BERTH_ASSIGN_OR_RETURN(out, c.Merge(out, c.input(i)));
  }
  if (all_scalars && unknown) out = Shape::UnknownRank();
  c.set_output(0, std::move(out));
  return OkStatus();
}

Status StringSplitShape(InferenceContext& c) {
  BERTH_RETURN_IF_ERROR(c.WithRank(0, 1));
  BERTH_RETURN_IF_ERROR(c.WithRank(1, 0));
  c.set_output(0, Shape({kUnknown, 2}));
  c.set_output(1, Shape({kUnknown}));
  c.set_output(2, Shape({2}));
  return OkStatus();
}

Status SubstrShape(InferenceContext& c) {
  BERTH_RETURN_IF_ERROR(c.Merge(c.input(1), c.input(2)).status());
  return BroadcastBinaryShape(c);
}

Status RegexReplaceShape(InferenceContext& c) {
  BERTH_RETURN_IF_ERROR(c.WithRank(1, 0));
  BERTH_RETURN_IF_ERROR(c.WithRank(2, 0));
  c.set_output(0, c.input(0));
  return OkStatus();
}

Status ParseExampleShape(InferenceContext& c) {
  BERTH_RETURN_IF_ERROR(c.WithRank(0, 1));
  const int num_sparse = static_cast<int>(c.attrs().GetInt("Nsparse"));
  const int next = SetSparse(c, num_sparse, 2);
  return SetDense(c, Shape({c.input_dim(0, 0)}), ListSize(c, "Tdense"), next);
}

Status ParseExampleV2Shape(InferenceContext& c) {
  BERTH_RETURN_IF_ERROR(c.WithRankAtMost(0, 1));
  const Shape& serialized = c.input(0);
  const int num_sparse = static_cast<int>(c.attrs().GetInt("num_sparse"));
  int next =
      SetSparse(c, num_sparse, serialized.has_rank() ? serialized.rank() + 1 : kUnknown);
  const int num_dense = ListSize(c, "Tdense");
  BERTH_RETURN_IF_ERROR(SetDense(c, serialized, num_dense, next));
  next += num_dense;
  const int num_ragged = ListSize(c, "ragged_value_types");
  for (int i = 0; i < num_ragged; ++i) {
    c.set_output(next + i, Shape({kUnknown}));
    // Row splits: one more than there are examples; none for a single example.
    int64_t splits = kUnknown;
    if (serialized.rank() == 0) splits = 0;
    if (serialized.rank() == 1 && serialized.dim(0) >= 0) splits = serialized.dim(0) + 1;
    c.set_output(next + num_ragged + i, Shape({splits}));
  }
  return OkStatus();
}

Status ParseSingleExampleShape(InferenceContext& c) {
  BERTH_RETURN_IF_ERROR(c.WithRank(0, 0));
  const int num_sparse = static_cast<int>(c.attrs().GetInt("num_sparse"));
  const int next = SetSparse(c, num_sparse, 1);
  return SetDense(c, Shape(), ListSize(c, "Tdense"), next);
}

Status ScalarInputShape(InferenceContext& c) { return c.WithRank(0, 0); }

Status DecodeCsvShape(InferenceContext& c) {
  for (int i = 1; i < c.num_inputs(); ++i) {
    BERTH_RETURN_IF_ERROR(c.WithRankAtMost(i, 1));
    if (c.input(i).rank() == 1 && c.input(i).dim(0) > 1) {
      return c.Error(
          "Shape of a default must be a length-0 or length-1 vector, or a "
          "scalar.");
    }
  }
  for (int i = 0; i < c.num_outputs(); ++i) c.set_output(i, c.input(0));
  return OkStatus();
}

Status DecodeRawShape(InferenceContext& c) {
  c.set_output(0, ConcatShapes(c.input(0), Shape({kUnknown})));
  return OkStatus();
}

}  // namespace berth
