#include "core/graph/value_propagation.h"

#include <absl/container/flat_hash_map.h>
#include <absl/strings/string_view.h>

#include <algorithm>
#include <limits>

#include "core/ops/op_schema.h"
#include "core/ops/shapes/array_shapes.h"
#include "core/ops/shapes/strided_slice.h"

namespace berth {
namespace {

using Known = std::optional<Elements>;
using PropagateFn = Known (*)(const InferenceContext& c, int output);

bool AllKnown(const Elements& elements) {
  return std::find(elements.begin(), elements.end(), kUnknownElement) == elements.end();
}

// The single element, when it is known.
std::optional<int64_t> Scalar(const Known& elements) {
  if (!elements || elements->size() != 1 || (*elements)[0] == kUnknownElement) {
    return std::nullopt;
  }
  return (*elements)[0];
}

Known SameElements(const InferenceContext& c, int /*output*/) {
  return c.ElementsFromInput(0);
}

Known CastElements(const InferenceContext& c, int /*output*/) {
  // A bool or float source has no elements here; integers keep theirs unless they do not
  // fit.
  Known elements = c.ElementsFromInput(0);
  if (elements && c.attrs().GetType("DstT") == BERTH_INT32) {
    for (int64_t& value : *elements) {
      if (value != static_cast<int32_t>(value)) value = kUnknownElement;
    }
  }
  return elements;
}

Known ShapeElements(const InferenceContext& c, int output) {
  const Shape& shape = c.input(output);
  if (!shape.has_rank()) return std::nullopt;
  Elements out = shape.ToVector();
  std::replace(out.begin(), out.end(), Shape::kUnknown, kUnknownElement);
  return out;
}

Known SizeElements(const InferenceContext& c, int /*output*/) {
  if (!c.input(0).IsFullyDefined()) return std::nullopt;
  return Elements{c.input(0).num_elements()};
}

Known RankElements(const InferenceContext& c, int /*output*/) {
  if (!c.input(0).has_rank()) return std::nullopt;
  return Elements{c.input(0).rank()};
}

// Inputs [begin, end) one behind the other; an input of known length counts as unknown
// elements.
Known Chain(const InferenceContext& c, int begin, int end) {
  Elements out;
  for (int i = begin; i < end; ++i) {
    const Known part = c.ElementsFromInput(i);
    if (part) {
      out.insert(out.end(), part->begin(), part->end());
    } else if (c.input(i).rank() == 0) {
      out.push_back(kUnknownElement);
    } else if (c.input(i).rank() == 1 && c.input(i).dim(0) >= 0 &&
               c.input(i).dim(0) <= static_cast<int64_t>(kMaxElements)) {
      out.insert(out.end(), static_cast<size_t>(c.input(i).dim(0)), kUnknownElement);
    } else {
      return std::nullopt;
    }
    if (out.size() > kMaxElements) return std::nullopt;
  }
  return out;
}

Known PackElements(const InferenceContext& c, int /*output*/) {
  for (int i = 0; i < c.num_inputs(); ++i) {
    if (c.input(i).rank() != 0) return std::nullopt;
  }
  return Chain(c, 0, c.num_inputs());
}

Known ConcatElements(const InferenceContext& c, int /*output*/) {
  return Chain(c, 1, c.num_inputs());
}
Known ConcatV2Elements(const InferenceContext& c, int /*output*/) {
  return Chain(c, 0, c.num_inputs() - 1);
}

Known UnpackElements(const InferenceContext& c, int output) {
  const Known value = c.ElementsFromInput(0);
  if (!value || c.input(0).rank() != 1) return std::nullopt;
  return Elements{(*value)[output]};
}

Known GatherElements(const InferenceContext& c, int /*output*/) {
  const Known value = c.ElementsFromInput(0);
  const Known indices = c.ElementsFromInput(1);
  if (!value || !indices || c.input(0).rank() != 1) return std::nullopt;
  Elements out;
  for (const int64_t index : *indices) {
    const bool inside = index >= 0 && index < static_cast<int64_t>(value->size());
    out.push_back(inside ? (*value)[index] : kUnknownElement);
  }
  return out;
}

Known SliceElements(const InferenceContext& c, int /*output*/) {
  const Known value = c.ElementsFromInput(0);
  const std::optional<int64_t> begin = Scalar(c.ElementsFromInput(1));
  std::optional<int64_t> size = Scalar(c.ElementsFromInput(2));
  if (!value || c.input(0).rank() != 1 || !begin || !size) return std::nullopt;
  const auto length = static_cast<int64_t>(value->size());
  if (*begin < 0 || *begin > length) return std::nullopt;
  if (*size == -1) size = length - *begin;
  if (*size < 0 || *size > length - *begin) return std::nullopt;
  return Elements(value->begin() + *begin, value->begin() + *begin + *size);
}

Known StridedSliceElements(const InferenceContext& c, int /*output*/) {
  const Known value = c.ElementsFromInput(0);
  if (!value || c.input(0).rank() != 1) return std::nullopt;
  const Result<StridedSlicePlan> plan = PlanStridedSlice(c);
  if (!plan.ok() || !plan->values_known || plan->axes.size() != 1) return std::nullopt;
  // A new axis would make a matrix of it.
  if (c.attrs().GetInt("new_axis_mask") != 0) return std::nullopt;
  const SliceRange& range = plan->axes[0];
  Elements out;
  for (int64_t i = 0; i < range.size; ++i) {
    out.push_back((*value)[range.begin + i * range.stride]);
  }
  return out;
}

Known FillElements(const InferenceContext& c, int /*output*/) {
  const Known dims = c.ElementsFromInput(0);
  const std::optional<int64_t> value = Scalar(c.ElementsFromInput(1));
  if (!dims || !value || dims->size() > 1 || !AllKnown(*dims)) return std::nullopt;
  const int64_t count = dims->empty() ? 1 : (*dims)[0];
  if (count < 0 || count > static_cast<int64_t>(kMaxElements)) return std::nullopt;
  return Elements(static_cast<size_t>(count), *value);
}

Known RangeElements(const InferenceContext& c, int /*output*/) {
  const std::optional<int64_t> start = Scalar(c.ElementsFromInput(0));
  const std::optional<int64_t> limit = Scalar(c.ElementsFromInput(1));
  const std::optional<int64_t> delta = Scalar(c.ElementsFromInput(2));
  if (!start || !limit || !delta || *delta == 0) return std::nullopt;
  Elements out;
  for (int64_t v = *start; *delta > 0 ? v < *limit : v > *limit; v += *delta) {
    if (out.size() == kMaxElements) return std::nullopt;
    out.push_back(v);
  }
  return out;
}

template <int64_t (*F)(int64_t)>
Known UnaryElements(const InferenceContext& c, int /*output*/) {
  Known value = c.ElementsFromInput(0);
  if (!value) return std::nullopt;
  for (int64_t& v : *value) {
    if (v != kUnknownElement) v = F(v);
  }
  return value;
}
int64_t Negate(int64_t v) { return -v; }
int64_t Absolute(int64_t v) { return v < 0 ? -v : v; }
int64_t Zero(int64_t /*v*/) { return 0; }
int64_t One(int64_t /*v*/) { return 1; }

// F gives kUnknownElement for what it cannot say (overflow, division by zero).
template <int64_t (*F)(int64_t, int64_t)>
Known BinaryElements(const InferenceContext& c, int /*output*/) {
  const Known a = c.ElementsFromInput(0);
  const Known b = c.ElementsFromInput(1);
  if (!a || !b) return std::nullopt;
  const size_t size = a->size() == 1 ? b->size() : a->size();
  if ((a->size() != size && a->size() != 1) || (b->size() != size && b->size() != 1)) {
    return std::nullopt;
  }
  Elements out(size);
  for (size_t i = 0; i < size; ++i) {
    const int64_t x = (*a)[a->size() == 1 ? 0 : i];
    const int64_t y = (*b)[b->size() == 1 ? 0 : i];
    out[i] = x == kUnknownElement || y == kUnknownElement ? kUnknownElement : F(x, y);
  }
  return out;
}
int64_t Plus(int64_t a, int64_t b) {
  int64_t out = 0;
  return __builtin_add_overflow(a, b, &out) ? kUnknownElement : out;
}
int64_t Minus(int64_t a, int64_t b) {
  int64_t out = 0;
  return __builtin_sub_overflow(a, b, &out) ? kUnknownElement : out;
}
int64_t Times(int64_t a, int64_t b) {
  int64_t out = 0;
  return __builtin_mul_overflow(a, b, &out) ? kUnknownElement : out;
}
int64_t TruncateDiv(int64_t a, int64_t b) { return b == 0 ? kUnknownElement : a / b; }
int64_t FloorDiv(int64_t a, int64_t b) {
  if (b == 0) return kUnknownElement;
  return a / b - ((a % b != 0 && (a < 0) != (b < 0)) ? 1 : 0);
}
int64_t TruncateMod(int64_t a, int64_t b) { return b == 0 ? kUnknownElement : a % b; }
int64_t FloorMod(int64_t a, int64_t b) {
  return b == 0 ? kUnknownElement : a - FloorDiv(a, b) * b;
}
int64_t Larger(int64_t a, int64_t b) { return std::max(a, b); }
int64_t Smaller(int64_t a, int64_t b) { return std::min(a, b); }

// Over the only axis of a vector; F(first, next) folds.
template <int64_t (*F)(int64_t, int64_t), int64_t kInitial>
Known ReduceElements(const InferenceContext& c, int /*output*/) {
  const Known value = c.ElementsFromInput(0);
  const Known axes = c.ElementsFromInput(1);
  if (!value || !axes || !AllKnown(*axes)) return std::nullopt;
  if (axes->empty() || c.input(0).rank() == 0) return value;
  if (!AllKnown(*value)) return Elements{kUnknownElement};
  int64_t sum = kInitial;
  for (const int64_t v : *value) {
    sum = F(sum, v);
    if (sum == kUnknownElement) return Elements{kUnknownElement};
  }
  return Elements{sum};
}

Known InvertPermutationElements(const InferenceContext& c, int /*output*/) {
  const Known value = c.ElementsFromInput(0);
  if (!value) return std::nullopt;
  Elements out(value->size(), kUnknownElement);
  for (size_t i = 0; i < value->size(); ++i) {
    const int64_t to = (*value)[i];
    if (to < 0 || to >= static_cast<int64_t>(out.size())) return std::nullopt;
    out[to] = static_cast<int64_t>(i);
  }
  return out;
}

Known BroadcastGradientElements(const InferenceContext& c, int output) {
  const Known own = c.ElementsFromInput(output);
  const Known other = c.ElementsFromInput(1 - output);
  if (!own || !other || !AllKnown(*own) || !AllKnown(*other)) return std::nullopt;
  return BroadcastGradientAxes(*own, *other);
}

using Table = absl::flat_hash_map<absl::string_view, PropagateFn>;

const Table& Functions() {
  constexpr int64_t kLowest = std::numeric_limits<int64_t>::min() + 1;
  static const Table* const kTable = new Table{
      {"Identity", SameElements},
      {"StopGradient", SameElements},
      {"PreventGradient", SameElements},
      {"Snapshot", SameElements},
      {"GuaranteeConst", SameElements},
      {"EnsureShape", SameElements},
      {"Reshape", SameElements},
      {"Squeeze", SameElements},
      {"ExpandDims", SameElements},
      {"Cast", CastElements},
      {"Shape", ShapeElements},
      {"ShapeN", ShapeElements},
      {"Size", SizeElements},
      {"Rank", RankElements},
      {"Pack", PackElements},
      {"Concat", ConcatElements},
      {"ConcatV2", ConcatV2Elements},
      {"Unpack", UnpackElements},
      {"Gather", GatherElements},
      {"GatherV2", GatherElements},
      {"Slice", SliceElements},
      {"StridedSlice", StridedSliceElements},
      {"Fill", FillElements},
      {"Range", RangeElements},
      {"Neg", UnaryElements<Negate>},
      {"Abs", UnaryElements<Absolute>},
      {"ZerosLike", UnaryElements<Zero>},
      {"OnesLike", UnaryElements<One>},
      {"Add", BinaryElements<Plus>},
      {"AddV2", BinaryElements<Plus>},
      {"Sub", BinaryElements<Minus>},
      {"Mul", BinaryElements<Times>},
      {"Div", BinaryElements<TruncateDiv>},
      {"TruncateDiv", BinaryElements<TruncateDiv>},
      {"FloorDiv", BinaryElements<FloorDiv>},
      {"Mod", BinaryElements<TruncateMod>},
      {"TruncateMod", BinaryElements<TruncateMod>},
      {"FloorMod", BinaryElements<FloorMod>},
      {"Maximum", BinaryElements<Larger>},
      {"Minimum", BinaryElements<Smaller>},
      {"Sum", ReduceElements<Plus, 0>},
      {"Prod", ReduceElements<Times, 1>},
      {"Max", ReduceElements<Larger, kLowest>},
      {"Min", ReduceElements<Smaller, std::numeric_limits<int64_t>::max()>},
      {"InvertPermutation", InvertPermutationElements},
      {"BroadcastGradientArgs", BroadcastGradientElements},
  };
  return *kTable;
}

}  // namespace

std::optional<Elements> PropagateElements(const InferenceContext& c, int output) {
  const std::string& op = c.schema().name;
  const auto it = Functions().find(absl::string_view(op.data(), op.size()));
  if (it == Functions().end()) return std::nullopt;
  std::optional<Elements> elements = it->second(c, output);
  if (elements && elements->size() > kMaxElements) return std::nullopt;
  return elements;
}

}  // namespace berth
