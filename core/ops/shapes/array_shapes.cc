#include "core/ops/shapes/array_shapes.h"

#include <algorithm>
#include <string>

#include "core/ops/shapes/common.h"

namespace berth {
namespace {

constexpr int64_t kUnknown = Shape::kUnknown;

// Fills the one unknown size of `out` from the number of elements. An empty tensor has
// its missing size from the sizes above zero on both sides: [0,3] as [-1,0] is [3,0].
Status FillReshapeDim(const InferenceContext& c, const Shape& in, Shape* out) {
  int unknown_axis = -1;
  bool has_zero = false;
  int64_t known = 1;  // without sizes of 0
  for (int i = 0; i < out->rank(); ++i) {
    if (out->dim(i) == kUnknown) {
      if (unknown_axis >= 0) {
        // The value of the shape may come later, but not later than in a run.
        if (!c.at_run_time() || c.input_value(1) == nullptr) return OkStatus();
        return c.Error("Only one input size may be -1, not both " +
                       std::to_string(unknown_axis) + " and " + std::to_string(i));
      }
      unknown_axis = i;
    } else if (out->dim(i) == 0) {
      has_zero = true;
    } else {
      BERTH_ASSIGN_OR_RETURN(known, MultiplyDims(c, known, out->dim(i)));
    }
  }
  BERTH_ASSIGN_OR_RETURN(const int64_t elements, MultiplyDims(c, in, 0, in.rank()));
  if (elements == kUnknown) return OkStatus();
  const std::string text = "Cannot reshape a tensor with " + std::to_string(elements) +
                           " elements to shape " + out->ToString() + " (" +
                           std::to_string(has_zero ? 0 : known) + " elements)";
  if (has_zero != (elements == 0) && (has_zero || unknown_axis < 0)) {
    return c.Error(text);
  }
  if (unknown_axis < 0) return has_zero || elements == known ? OkStatus() : c.Error(text);
  int64_t counted = elements;
  if (has_zero) {
    counted = 1;
    for (int i = 0; i < in.rank(); ++i) counted *= in.dim(i) == 0 ? 1 : in.dim(i);
  }
  if (counted % known != 0) return c.Error(text);
  out->set_dim(unknown_axis, counted / known);
  return OkStatus();
}

// All inputs in [begin, end) joined along `axis` (nullopt = not known).
Status JoinInputs(InferenceContext& c, int begin, int end, std::optional<int64_t> axis) {
  int rank = -1;
  for (int i = begin; i < end; ++i) {
    if (!c.input(i).has_rank()) continue;
    if (c.input(i).rank() == 0) {
      return c.Error("Can't concatenate scalars (use tf.stack instead)");
    }
    if (rank < 0) rank = c.input(i).rank();
    BERTH_RETURN_IF_ERROR(c.WithRank(i, rank));
  }
  if (rank < 0) return OkStatus();
  if (!axis) {
    c.set_output(0, Shape::UnknownDims(rank));
    return OkStatus();
  }
  BERTH_ASSIGN_OR_RETURN(const int at, NormalizeAxis(c, *axis, rank));
  Shape out = Shape::UnknownDims(rank);
  int64_t size = 0;
  for (int i = begin; i < end; ++i) {
    Shape part = c.input(i).has_rank() ? c.input(i) : Shape::UnknownDims(rank);
    BERTH_ASSIGN_OR_RETURN(size, AddDims(c, size, part.dim(at)));
    part.set_dim(at, kUnknown);
    Result<Shape> merged = c.Merge(out, part);
    if (!merged.ok()) {
      return std::move(merged).status().WithPrefix("Concatenation along axis " +
                                                   std::to_string(at) + ": ");
    }
    out = *std::move(merged);
  }
  out.set_dim(at, size);
  c.set_output(0, std::move(out));
  return OkStatus();
}

// The permutation in input 1, checked; empty when it is not known.
Result<std::vector<int>> ReadPermutation(const InferenceContext& c, int rank) {
  const std::optional<Elements> perm = c.ElementsFromInput(1);
  if (!perm) return std::vector<int>();
  std::vector<bool> seen(static_cast<size_t>(rank));
  std::vector<int> out;
  for (int64_t axis : *perm) {
    if (axis == kUnknownElement) return std::vector<int>();
    const int64_t written = axis;
    if (axis < 0) axis += rank;
    if (axis < 0 || axis >= rank) {
      return c.Error("perm dim " + std::to_string(written) +
                     " is out of range of input rank " + std::to_string(rank));
    }
    if (seen[axis]) {
      return c.Error("axis " + std::to_string(axis) + " stands twice in perm");
    }
    seen[axis] = true;
    out.push_back(static_cast<int>(axis));
  }
  return out;
}

}  // namespace

Status ConstShape(InferenceContext& c) {
  const Tensor* value = c.attrs().GetTensor("value");
  if (value == nullptr) return OkStatus();
  const DType dtype = c.attrs().GetType("dtype");
  if (value->dtype() != dtype) {
    return c.Error("the attribute 'value' is a tensor of " +
                   std::string(DTypeName(value->dtype())) + ", but 'dtype' is " +
                   std::string(DTypeName(dtype)));
  }
  c.set_output(0, value->shape());
  return OkStatus();
}

Status PlaceholderShape(InferenceContext& c) { return ExplicitShapeAttr(c); }

Status PlaceholderWithDefaultShape(InferenceContext& c) {
  BERTH_RETURN_IF_ERROR(ExplicitShapeAttr(c));
  BERTH_ASSIGN_OR_RETURN(Shape merged, c.Merge(c.input(0), c.output(0)));
  // A feed may have any shape that fits the attribute; the default has its own.
  if (c.at_run_time()) c.set_output(0, std::move(merged));
  return OkStatus();
}

Status EnsureShapeShape(InferenceContext& c) {
  const Shape* shape = c.attrs().GetShape("shape");
  if (shape == nullptr) return UnchangedShape(c);
  BERTH_ASSIGN_OR_RETURN(Shape out, c.Merge(c.input(0), *shape));
  c.set_output(0, std::move(out));
  return OkStatus();
}

Status ShapeOpShape(InferenceContext& c) {
  for (int i = 0; i < c.num_outputs(); ++i) {
    c.set_output(i, Shape({c.input(i).rank()}));  // -1 for an unknown rank
  }
  return OkStatus();
}

Status ReshapeShape(InferenceContext& c) {
  BERTH_ASSIGN_OR_RETURN(Shape out, c.OpenShapeFromInput(1));
  const Shape& in = c.input(0);
  if (out.has_rank() && in.has_rank()) {
    BERTH_RETURN_IF_ERROR(FillReshapeDim(c, in, &out));
  }
  c.set_output(0, std::move(out));
  return OkStatus();
}

Status SqueezeShape(InferenceContext& c) {
  const Shape& in = c.input(0);
  if (!in.has_rank()) return OkStatus();
  const std::vector<int64_t>& listed = c.attrs().GetInts("squeeze_dims");
  std::vector<bool> drop(static_cast<size_t>(in.rank()));
  for (size_t i = 0; i < listed.size(); ++i) {
    if (listed[i] < -in.rank() || listed[i] >= in.rank()) {
      return c.Error("squeeze_dims[" + std::to_string(i) + "] not in [-" +
                     std::to_string(in.rank()) + "," + std::to_string(in.rank()) + ").");
    }
    drop[listed[i] < 0 ? listed[i] + in.rank() : listed[i]] = true;
  }
  std::vector<int64_t> out;
  for (int i = 0; i < in.rank(); ++i) {
    if (listed.empty()) {
      // Whether an unknown size goes away cannot be said.
      if (in.dim(i) == kUnknown) return OkStatus();
      if (in.dim(i) != 1) out.push_back(in.dim(i));
    } else if (!drop[i]) {
      out.push_back(in.dim(i));
    } else if (in.dim(i) != 1 && in.dim(i) != kUnknown) {
      return c.Error("Can not squeeze dim[" + std::to_string(i) +
                     "], expected a dimension of 1, got " + std::to_string(in.dim(i)));
    }
  }
  c.set_output(0, Shape(out));
  return OkStatus();
}

Status ExpandDimsShape(InferenceContext& c) {
  if (const Shape& axis = c.input(1); axis.IsFullyDefined() && axis.num_elements() != 1) {
    return c.Error("'dim' must be a tensor with a single value");
  }
  const Shape& in = c.input(0);
  if (!in.has_rank()) return OkStatus();
  const std::optional<Elements> dim = c.ElementsFromInput(1);
  if (!dim || dim->size() != 1 || (*dim)[0] == kUnknownElement) {
    c.set_output(0, Shape::UnknownDims(in.rank() + 1));
    return OkStatus();
  }
  const int64_t written = (*dim)[0];
  if (written < -1 - in.rank() || written > in.rank()) {
    return c.Error("dim " + std::to_string(written) + " not in the interval [" +
                   std::to_string(-1 - in.rank()) + ", " + std::to_string(in.rank()) +
                   "].");
  }
  std::vector<int64_t> out = in.ToVector();
  out.insert(out.begin() + (written < 0 ? written + in.rank() + 1 : written), 1);
  c.set_output(0, Shape(out));
  return OkStatus();
}

Status PackShape(InferenceContext& c) {
  Shape part = Shape::UnknownRank();
  for (int i = c.num_inputs() - 1; i >= 0; --i) {
    Result<Shape> merged = c.Merge(c.input(i), part);
    if (!merged.ok()) {
      return std::move(merged).status().WithPrefix(
          "From merging shape " + std::to_string(i) + " with other shapes: ");
    }
    part = *std::move(merged);
  }
  if (!part.has_rank()) return OkStatus();
  BERTH_ASSIGN_OR_RETURN(const int axis,
                         NormalizeAxis(c, c.attrs().GetInt("axis"), part.rank() + 1));
  std::vector<int64_t> out = part.ToVector();
  out.insert(out.begin() + axis, c.num_inputs());
  c.set_output(0, Shape(out));
  return OkStatus();
}

Status UnpackShape(InferenceContext& c) {
  BERTH_RETURN_IF_ERROR(c.WithRankAtLeast(0, 1));
  const Shape& in = c.input(0);
  if (!in.has_rank()) return OkStatus();
  BERTH_ASSIGN_OR_RETURN(const int axis,
                         NormalizeAxis(c, c.attrs().GetInt("axis"), in.rank()));
  BERTH_RETURN_IF_ERROR(c.WithDim(in.dim(axis), c.attrs().GetInt("num")));
  const Shape part = ConcatShapes(SubShape(in, 0, axis), SubShape(in, axis + 1));
  for (int i = 0; i < c.num_outputs(); ++i) c.set_output(i, part);
  return OkStatus();
}

Status ConcatShape(InferenceContext& c) {
  BERTH_ASSIGN_OR_RETURN(const std::optional<int64_t> axis, c.IntFromInput(0));
  return JoinInputs(c, 1, c.num_inputs(), axis);
}

Status ConcatV2Shape(InferenceContext& c) {
  const int last = c.num_inputs() - 1;
  BERTH_ASSIGN_OR_RETURN(const std::optional<int64_t> axis, c.IntFromInput(last));
  return JoinInputs(c, 0, last, axis);
}

Status ConcatOffsetShape(InferenceContext& c) {
  for (int i = 1; i < c.num_inputs(); ++i) {
    BERTH_RETURN_IF_ERROR(c.WithRank(i, 1));
    c.set_output(i - 1, c.input(i));
  }
  return OkStatus();
}

Status SplitShape(InferenceContext& c) {
  BERTH_ASSIGN_OR_RETURN(const std::optional<int64_t> axis, c.IntFromInput(0));
  const Shape& in = c.input(1);
  Shape out = Shape::UnknownRank();
  if (in.has_rank()) {
    BERTH_RETURN_IF_ERROR(c.WithRankAtLeast(1, 1));
    out = Shape::UnknownDims(in.rank());
    if (axis) {
      BERTH_ASSIGN_OR_RETURN(const int at, NormalizeAxis(c, *axis, in.rank()));
      BERTH_ASSIGN_OR_RETURN(const int64_t size,
                             DivideDims(c, in.dim(at), c.num_outputs(), true));
      out = in;
      out.set_dim(at, size);
    }
  }
  for (int i = 0; i < c.num_outputs(); ++i) c.set_output(i, out);
  return OkStatus();
}

namespace {

// The sizes of SplitV's parts, -1 for what is not known.
Result<Elements> SplitSizes(const InferenceContext& c, int64_t total) {
  const auto count = static_cast<size_t>(c.num_outputs());
  std::optional<Elements> sizes = c.ElementsFromInput(1);
  if (!sizes || sizes->size() != count) return Elements(count, kUnknown);
  int64_t sum = 0;
  size_t open = count;
  for (size_t i = 0; i < count; ++i) {
    int64_t& size = (*sizes)[i];
    if (size == kUnknownElement) return Elements(count, kUnknown);
    if (size == kUnknown) {
      if (open != count) return c.Error("size_splits can only have one -1");
      open = i;
      continue;
    }
    if (size < 0) {
      return c.Error("size_splits[" + std::to_string(i) + "] is " + std::to_string(size) +
                     "; a size cannot be negative");
    }
    sum += size;
  }
  if (total == kUnknown) return *sizes;
  if (open == count ? sum != total : sum > total) {
    return c.Error(
        "Sum of output sizes must match the size of the original Tensor along "
        "the split dimension, but it is " +
        std::to_string(sum) + " and " + std::to_string(total));
  }
  if (open != count) (*sizes)[open] = total - sum;
  return *std::move(sizes);
}

}  // namespace

Status SplitVShape(InferenceContext& c) {
  BERTH_RETURN_IF_ERROR(c.WithRank(1, 1));
  BERTH_ASSIGN_OR_RETURN(const std::optional<int64_t> axis, c.IntFromInput(2));
  BERTH_RETURN_IF_ERROR(c.WithDim(c.input_dim(1, 0), c.num_outputs()));
  const Shape& in = c.input(0);
  if (!in.has_rank()) return OkStatus();
  BERTH_RETURN_IF_ERROR(c.WithRankAtLeast(0, 1));
  if (!axis) {
    const Shape unknown = c.num_outputs() == 1 ? in : Shape::UnknownDims(in.rank());
    for (int i = 0; i < c.num_outputs(); ++i) c.set_output(i, unknown);
    return OkStatus();
  }
  BERTH_ASSIGN_OR_RETURN(const int at, NormalizeAxis(c, *axis, in.rank()));
  BERTH_ASSIGN_OR_RETURN(const Elements sizes, SplitSizes(c, in.dim(at)));
  for (int i = 0; i < c.num_outputs(); ++i) {
    Shape part = in;
    part.set_dim(at, sizes[i]);
    c.set_output(i, std::move(part));
  }
  return OkStatus();
}

Status SliceShape(InferenceContext& c) {
  for (int i = 1; i <= 2; ++i) {
    BERTH_RETURN_IF_ERROR(c.WithRank(i, 1));
    const int64_t count = c.input_dim(i, 0);
    if (count != kUnknown) {
      BERTH_RETURN_IF_ERROR(c.WithRank(0, static_cast<int>(count)));
    }
  }
  const Shape& in = c.input(0);
  if (!in.has_rank()) return OkStatus();
  const std::optional<Elements> begin = c.ElementsFromInput(1);
  const std::optional<Elements> size = c.ElementsFromInput(2);
  Shape out = Shape::UnknownDims(in.rank());
  for (int i = 0; i < in.rank(); ++i) {
    const int64_t from = begin ? (*begin)[i] : kUnknownElement;
    int64_t count = size ? (*size)[i] : kUnknownElement;
    const int64_t dim = in.dim(i);
    const std::string axis = std::to_string(i);
    if (from != kUnknownElement && (from < 0 || (dim != kUnknown && from > dim))) {
      return c.Error("Expected begin[" + axis + "] in [0, " + std::to_string(dim) +
                     "], but got " + std::to_string(from));
    }
    if (count == kUnknown) {
      count = dim == kUnknown || from == kUnknownElement ? kUnknown : dim - from;
    } else if (count == kUnknownElement) {
      count = kUnknown;
    } else if (count < 0 ||
               (dim != kUnknown && from != kUnknownElement && count > dim - from)) {
      return c.Error(
          "Expected size[" + axis + "] in [0, " +
          std::to_string(dim == kUnknown ? dim : dim - std::max<int64_t>(from, 0)) +
          "], but got " + std::to_string(count));
    }
    out.set_dim(i, count);
  }
  c.set_output(0, std::move(out));
  return OkStatus();
}

Status TileShape(InferenceContext& c) {
  BERTH_RETURN_IF_ERROR(c.WithRank(1, 1));
  const int64_t count = c.input_dim(1, 0);
  if (count != kUnknown) BERTH_RETURN_IF_ERROR(c.WithRank(0, static_cast<int>(count)));
  const std::optional<Elements> multiples = c.ElementsFromInput(1);
  const Shape in = c.input(0).has_rank() || count == kUnknown
                       ? c.input(0)
                       : Shape::UnknownDims(static_cast<int>(count));
  if (!in.has_rank()) return OkStatus();
  Shape out = Shape::UnknownDims(in.rank());
  for (int i = 0; i < in.rank(); ++i) {
    const int64_t times = multiples ? (*multiples)[i] : kUnknownElement;
    if (times == kUnknownElement) continue;
    if (times < 0) {
      return c.Error("Expected multiples[" + std::to_string(i) + "] >= 0, but got " +
                     std::to_string(times));
    }
    BERTH_ASSIGN_OR_RETURN(const int64_t dim, MultiplyDims(c, in.dim(i), times));
    out.set_dim(i, dim);
  }
  c.set_output(0, std::move(out));
  return OkStatus();
}

Status TransposeShape(InferenceContext& c) {
  BERTH_RETURN_IF_ERROR(c.WithRank(1, 1));
  const Shape& in = c.input(0);
  const int64_t count = c.input_dim(1, 0);
  if (!in.has_rank()) {
    if (count != kUnknown) c.set_output(0, Shape::UnknownDims(static_cast<int>(count)));
    return OkStatus();
  }
  BERTH_RETURN_IF_ERROR(c.WithDim(count, in.rank()));
  BERTH_ASSIGN_OR_RETURN(const std::vector<int> perm, ReadPermutation(c, in.rank()));
  if (perm.empty()) {
    c.set_output(0, in.rank() <= 1 ? in : Shape::UnknownDims(in.rank()));
    return OkStatus();
  }
  Shape out = in;
  for (int i = 0; i < in.rank(); ++i) out.set_dim(i, in.dim(perm[i]));
  c.set_output(0, std::move(out));
  return OkStatus();
}

Status VectorToSameShape(InferenceContext& c) {
  BERTH_RETURN_IF_ERROR(c.WithRank(0, 1));
  c.set_output(0, c.input(0).has_rank() ? c.input(0) : Shape({kUnknown}));
  return OkStatus();
}

Status BroadcastToShape(InferenceContext& c) {
  BERTH_ASSIGN_OR_RETURN(Shape out, c.ShapeFromInput(1));
  const Shape& in = c.input(0);
  if (in.has_rank() && out.has_rank()) {
    const std::string text = "Incompatible shapes for broadcasting: " + in.ToString() +
                             " and " + out.ToString();
    if (in.rank() > out.rank()) return c.Error(text);
    for (int i = 0; i < in.rank(); ++i) {
      const int64_t to = out.dim(out.rank() - in.rank() + i);
      if (in.dim(i) > 1 && to != kUnknown && to != in.dim(i)) return c.Error(text);
      if (in.dim(i) > 1) out.set_dim(out.rank() - in.rank() + i, in.dim(i));
    }
  }
  c.set_output(0, std::move(out));
  return OkStatus();
}

Status BroadcastArgsShape(InferenceContext& c) {
  BERTH_RETURN_IF_ERROR(c.WithRank(0, 1));
  BERTH_RETURN_IF_ERROR(c.WithRank(1, 1));
  const int64_t a = c.input_dim(0, 0);
  const int64_t b = c.input_dim(1, 0);
  c.set_output(0, Shape({a == kUnknown || b == kUnknown ? kUnknown : std::max(a, b)}));
  return OkStatus();
}

Status BroadcastGradientArgsShape(InferenceContext& c) {
  BERTH_RETURN_IF_ERROR(c.WithRank(0, 1));
  BERTH_RETURN_IF_ERROR(c.WithRank(1, 1));
  BERTH_RETURN_IF_ERROR(UnknownVectorShape(c));
  if (c.input_value(0) == nullptr || c.input_value(1) == nullptr) return OkStatus();
  const Elements a = c.input_value(0)->ToInts();
  const Elements b = c.input_value(1)->ToInts();
  BERTH_RETURN_IF_ERROR(BroadcastShapes(c, Shape(a), Shape(b)).status());
  c.set_output(0, Shape({static_cast<int64_t>(BroadcastGradientAxes(a, b).size())}));
  c.set_output(1, Shape({static_cast<int64_t>(BroadcastGradientAxes(b, a).size())}));
  return OkStatus();
}

Elements BroadcastGradientAxes(const Elements& own, const Elements& other) {
  Elements axes;
  if (own == other) return axes;
  const size_t rank = std::max(own.size(), other.size());
  for (size_t axis = 0; axis < rank; ++axis) {
    const size_t missing = rank - own.size();
    // TensorFlow also sums over axes of size 1 on both sides.
    if (axis < missing || own[axis - missing] == 1) {
      axes.push_back(static_cast<int64_t>(axis));
    }
  }
  return axes;
}

Status BitcastShape(InferenceContext& c) {
  const auto from = static_cast<int64_t>(DTypeSize(c.attrs().GetType("T")));
  const auto to = static_cast<int64_t>(DTypeSize(c.attrs().GetType("type")));
  Shape out = c.input(0);
  if (!out.has_rank() || from == to) {
    c.set_output(0, std::move(out));
    return OkStatus();
  }
  if (from > to) {
    out.AddDim(from / to);
    c.set_output(0, std::move(out));
    return OkStatus();
  }
  if (out.rank() == 0 ||
      (out.dim(out.rank() - 1) != kUnknown && out.dim(out.rank() - 1) != to / from)) {
    return c.Error("Cannot bitcast: the last dimension must be " +
                   std::to_string(to / from));
  }
  c.set_output(0, SubShape(out, 0, out.rank() - 1));
  return OkStatus();
}

Status RollShape(InferenceContext& c) {
  BERTH_RETURN_IF_ERROR(c.WithRankAtLeast(0, 1));
  BERTH_RETURN_IF_ERROR(c.WithRankAtMost(1, 1));
  BERTH_RETURN_IF_ERROR(c.WithRankAtMost(2, 1));
  return UnchangedShape(c);
}

}  // namespace berth
