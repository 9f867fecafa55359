// Slice, StridedSlice and StridedSliceGrad: parts of tensors, to the bit.
#include <algorithm>

#include "conformance/reference/evaluation.h"
#include "conformance/reference/families.h"

namespace berth::conformance {
namespace {

// Inputs: the tensor, begin, size (-1: to the end).
Result<Outputs> EvaluateSlice(const OpCall& call) {
  BERTH_RETURN_IF_ERROR(ExpectInputs(call, 3));
  const HostTensor& x = call.input(0);
  const std::vector<int64_t> begin = Indices(call.input(1));
  std::vector<int64_t> size = Indices(call.input(2));
  if (begin.size() != x.dims.size() || size.size() != x.dims.size()) {
    return InvalidArgument("begin and size must have one entry for each axis of " +
                           x.ShapeString());
  }
  for (size_t i = 0; i < size.size(); ++i) {
    if (size[i] == -1) size[i] = x.dims[i] - begin[i];
    if (begin[i] < 0 || size[i] < 0 || begin[i] + size[i] > x.dims[i]) {
      return InvalidArgument("axis " + std::to_string(i) + " has no elements " +
                             std::to_string(begin[i]) + " to " +
                             std::to_string(begin[i] + size[i]));
    }
  }
  const std::vector<int64_t> steps = RowMajorStrides(x.dims);
  std::vector<int64_t> map;
  ForEachElement(size, [&](const std::vector<int64_t>& at, int64_t) {
    int64_t from = 0;
    for (size_t i = 0; i < at.size(); ++i) from += (begin[i] + at[i]) * steps[i];
    map.push_back(from);
  });
  return Single(Exact(Pick(x, std::move(size), map)));
}

// What a strided slice takes of one axis.
struct Taken {
  int64_t first = 0;
  int64_t stride = 1;
  int64_t count = 0;
};

struct StridedSlice {
  std::vector<Taken> axes;        // of the input
  std::vector<int64_t> dims;      // of the result: new axes in, shrunk ones out
  std::vector<int64_t> elements;  // of the input, for every element of the result
};

struct Masks {
  explicit Masks(const OpCall& call)
      : begin(call.Int("begin_mask")),
        end(call.Int("end_mask")),
        ellipsis(call.Int("ellipsis_mask")),
        new_axis(call.Int("new_axis_mask")),
        shrink(call.Int("shrink_axis_mask")) {}
  static bool Has(int64_t mask, size_t i) { return (mask >> i & 1) != 0; }
  int64_t begin;
  int64_t end;
  int64_t ellipsis;
  int64_t new_axis;
  int64_t shrink;
};

struct Range {
  int64_t begin = 0;
  int64_t end = 0;
  int64_t stride = 1;
};

Result<Taken> TakeOne(const Range& range, int64_t dim) {
  if (range.stride < 0) {
    return InvalidArgument("only stride 1 allowed on non-range indexing");
  }
  const int64_t at = range.begin < 0 ? range.begin + dim : range.begin;
  if (at < 0 || at >= dim) {
    return InvalidArgument("slice index " + std::to_string(range.begin) +
                           " of a dimension of size " + std::to_string(dim) +
                           " is out of bounds");
  }
  return Taken{at, 1, 1};
}

// As Python slices: negative ends count from the end, both are clamped.
Result<Taken> TakeRange(const Range& range, int64_t dim, bool begin_given,
                        bool end_given) {
  if (range.stride == 0) return InvalidArgument("strides must be non-zero");
  const bool forward = range.stride > 0;
  const int64_t low = forward ? 0 : -1;
  const int64_t high = forward ? dim : dim - 1;
  const auto clamp = [&](int64_t i) {
    return std::clamp(i < 0 ? i + dim : i, low, high);
  };
  const int64_t begin = begin_given ? clamp(range.begin) : (forward ? low : high);
  const int64_t end = end_given ? clamp(range.end) : (forward ? high : low);
  const int64_t distance = forward ? end - begin : begin - end;
  const int64_t step = forward ? range.stride : -range.stride;
  return Taken{begin, range.stride, distance <= 0 ? 0 : (distance - 1) / step + 1};
}

// Turns the sparse specification into one entry for each axis of `dims`.
Status TakeAxes(const Masks& masks, const std::vector<Range>& ranges,
                const std::vector<int64_t>& dims, StridedSlice* slice) {
  size_t named_after_ellipsis = 0;
  bool seen = false;
  for (size_t i = 0; i < ranges.size(); ++i) {
    if (seen && !Masks::Has(masks.new_axis, i)) ++named_after_ellipsis;
    if (!Masks::Has(masks.ellipsis, i)) continue;
    if (seen) return InvalidArgument("Multiple ellipses in slice spec not allowed");
    seen = true;
  }
  const auto take_whole = [&] {
    const int64_t dim = dims[slice->axes.size()];
    slice->axes.push_back({0, 1, dim});
    slice->dims.push_back(dim);
  };
  for (size_t i = 0; i < ranges.size(); ++i) {
    if (Masks::Has(masks.ellipsis, i)) {
      while (slice->axes.size() + named_after_ellipsis < dims.size()) take_whole();
    } else if (Masks::Has(masks.new_axis, i)) {
      slice->dims.push_back(1);
    } else if (slice->axes.size() >= dims.size()) {
      return InvalidArgument("the slice names more axes than " + DimsString(dims) +
                             " has");
    } else if (Masks::Has(masks.shrink, i)) {
      BERTH_ASSIGN_OR_RETURN(const Taken taken,
                             TakeOne(ranges[i], dims[slice->axes.size()]));
      slice->axes.push_back(taken);
    } else {
      BERTH_ASSIGN_OR_RETURN(
          const Taken taken,
          TakeRange(ranges[i], dims[slice->axes.size()], !Masks::Has(masks.begin, i),
                    !Masks::Has(masks.end, i)));
      slice->axes.push_back(taken);
      slice->dims.push_back(taken.count);
    }
  }
  while (slice->axes.size() < dims.size()) take_whole();
  return OkStatus();
}

// Out of begin, end and strides, the inputs from `first` on.
Result<StridedSlice> MakeStridedSlice(const OpCall& call, int first,
                                      const std::vector<int64_t>& dims) {
  const std::vector<int64_t> begin = Indices(call.input(first));
  const std::vector<int64_t> end = Indices(call.input(first + 1));
  const std::vector<int64_t> strides = Indices(call.input(first + 2));
  if (begin.size() != end.size() || begin.size() != strides.size()) {
    return InvalidArgument("begin, end and strides must have one length");
  }
  std::vector<Range> ranges;
  for (size_t i = 0; i < begin.size(); ++i) {
    ranges.push_back({begin[i], end[i], strides[i]});
  }
  StridedSlice slice;
  BERTH_RETURN_IF_ERROR(TakeAxes(Masks(call), ranges, dims, &slice));
  std::vector<int64_t> counts;
  for (const Taken& taken : slice.axes) counts.push_back(taken.count);
  const std::vector<int64_t> steps = RowMajorStrides(dims);
  ForEachElement(counts, [&](const std::vector<int64_t>& at, int64_t) {
    int64_t element = 0;
    for (size_t i = 0; i < at.size(); ++i) {
      element += (slice.axes[i].first + at[i] * slice.axes[i].stride) * steps[i];
    }
    slice.elements.push_back(element);
  });
  return slice;
}

Result<Outputs> EvaluateStridedSlice(const OpCall& call) {
  BERTH_RETURN_IF_ERROR(ExpectInputs(call, 4));
  const HostTensor& x = call.input(0);
  BERTH_ASSIGN_OR_RETURN(const StridedSlice slice, MakeStridedSlice(call, 1, x.dims));
  return Single(Exact(Pick(x, slice.dims, slice.elements)));
}

// Inputs: the shape of what was sliced, begin, end, strides, the gradient: zeros but
// where the slice was.
Result<Outputs> EvaluateStridedSliceGrad(const OpCall& call) {
  BERTH_RETURN_IF_ERROR(ExpectInputs(call, 5));
  const std::vector<int64_t> dims = Indices(call.input(0));
  BERTH_ASSIGN_OR_RETURN(const StridedSlice slice, MakeStridedSlice(call, 1, dims));
  const HostTensor& gradient = call.input(4);
  if (gradient.dims != slice.dims) {
    return InvalidArgument("the gradient should have shape " + DimsString(slice.dims) +
                           ", got " + gradient.ShapeString());
  }
  std::vector<int64_t> map(static_cast<size_t>(NumElements(dims)), kFill);
  int64_t i = 0;
  for (const int64_t element : slice.elements) map[static_cast<size_t>(element)] = i++;
  return Single(Exact(Pick(gradient, dims, map)));
}

}  // namespace

void RegisterSlice(ReferenceTable& table) {
  table.AddMoving("Slice", EvaluateSlice);
  table.AddMoving("StridedSlice", EvaluateStridedSlice);
  table.AddMoving("StridedSliceGrad", EvaluateStridedSliceGrad);
}

}  // namespace berth::conformance
