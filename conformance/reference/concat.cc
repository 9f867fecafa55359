// Concat, Pack, Unpack, Split and their kin: tensors joined and cut along an axis, to the
// bit.
#include "conformance/reference/evaluation.h"
#include "conformance/reference/families.h"

namespace berth::conformance {
namespace {

// `parts` side by side along the axis. REQUIRES: they agree on the other axes.
HostTensor Join(const std::vector<HostTensor>& parts, int axis) {
  std::vector<int64_t> dims = parts[0].dims;
  const auto at = static_cast<size_t>(axis);
  dims[at] = 0;
  for (const HostTensor& part : parts) dims[at] += part.dims[at];
  HostTensor out = ZeroTensor(parts[0].dtype, dims);
  out.bytes.clear();
  const int64_t outer = ProductOf(dims, 0, axis);
  for (int64_t o = 0; o < outer; ++o) {
    for (const HostTensor& part : parts) {
      const auto size = static_cast<int64_t>(part.bytes.size()) / outer;
      const auto begin = part.bytes.begin() + o * size;
      out.bytes.insert(out.bytes.end(), begin, begin + size);
    }
  }
  return out;
}

// Elements [begin, begin + size) of the axis.
HostTensor Cut(const HostTensor& from, int axis, int64_t begin, int64_t size) {
  std::vector<int64_t> dims = from.dims;
  dims[static_cast<size_t>(axis)] = size;
  const std::vector<int64_t> steps = RowMajorStrides(from.dims);
  std::vector<int64_t> map;
  ForEachElement(dims, [&](const std::vector<int64_t>& at, int64_t) {
    int64_t offset = begin * steps[static_cast<size_t>(axis)];
    for (size_t i = 0; i < at.size(); ++i) offset += at[i] * steps[i];
    map.push_back(offset);
  });
  return Pick(from, std::move(dims), map);
}

Result<int> AxisArgument(const HostTensor& argument, int rank) {
  if (argument.num_elements() != 1) return InvalidArgument("the axis must be a scalar");
  return CanonicalAxis(Indices(argument)[0], rank);
}

Result<Outputs> Concatenate(const std::vector<HostTensor>& parts,
                            const HostTensor& axis_argument) {
  if (parts.empty()) return InvalidArgument("there is nothing to join");
  BERTH_ASSIGN_OR_RETURN(const int axis, AxisArgument(axis_argument, parts[0].rank()));
  for (const HostTensor& part : parts) {
    std::vector<int64_t> dims = part.dims;
    if (part.rank() == parts[0].rank()) {
      dims[static_cast<size_t>(axis)] = parts[0].dim(axis);
    }
    if (dims == parts[0].dims) continue;
    return InvalidArgument(part.ShapeString() + " does not join " +
                           parts[0].ShapeString() + " along axis " +
                           std::to_string(axis));
  }
  return Single(Exact(Join(parts, axis)));
}

Result<Outputs> EvaluateConcat(const OpCall& call) {
  BERTH_RETURN_IF_ERROR(ExpectAtLeast(call, 2));
  return Concatenate({call.inputs.begin() + 1, call.inputs.end()}, call.input(0));
}

Result<Outputs> EvaluateConcatV2(const OpCall& call) {
  BERTH_RETURN_IF_ERROR(ExpectAtLeast(call, 2));
  return Concatenate({call.inputs.begin(), call.inputs.end() - 1}, call.inputs.back());
}

// Inputs: the axis and the shapes; for each the place where it begins in the whole.
Result<Outputs> EvaluateConcatOffset(const OpCall& call) {
  BERTH_RETURN_IF_ERROR(ExpectAtLeast(call, 2));
  const std::vector<int64_t> first = Indices(call.input(1));
  BERTH_ASSIGN_OR_RETURN(const int axis,
                         AxisArgument(call.input(0), static_cast<int>(first.size())));
  Outputs outputs;
  int64_t begin = 0;
  for (int i = 1; i < call.num_inputs(); ++i) {
    std::vector<int64_t> shape = Indices(call.input(i));
    if (shape.size() != first.size()) return InvalidArgument("the shapes differ in rank");
    const int64_t size = shape[static_cast<size_t>(axis)];
    shape[static_cast<size_t>(axis)] = first[static_cast<size_t>(axis)];
    if (shape != first) return InvalidArgument("the shapes differ off the axis");
    std::vector<Int> offsets(first.size());
    offsets[static_cast<size_t>(axis)] = begin;
    begin += size;
    outputs.outputs.push_back(
        Exact(FromInts(call.input(i).dtype, call.input(i).dims, offsets)));
  }
  return outputs;
}

Result<Outputs> EvaluatePack(const OpCall& call) {
  BERTH_RETURN_IF_ERROR(ExpectAtLeast(call, 1));
  std::vector<HostTensor> parts = call.inputs;
  BERTH_ASSIGN_OR_RETURN(const int axis,
                         CanonicalAxis(call.Int("axis"), parts[0].rank() + 1));
  for (HostTensor& part : parts) {
    if (part.dims != call.input(0).dims) {
      return InvalidArgument("all inputs must have one shape");
    }
    part.dims.insert(part.dims.begin() + axis, 1);
  }
  return Single(Exact(Join(parts, axis)));
}

Result<Outputs> EvaluateUnpack(const OpCall& call) {
  BERTH_RETURN_IF_ERROR(ExpectInputs(call, 1));
  const HostTensor& x = call.input(0);
  BERTH_ASSIGN_OR_RETURN(const int axis, CanonicalAxis(call.Int("axis"), x.rank()));
  if (x.dim(axis) != call.Int("num", x.dim(axis))) {
    return InvalidArgument("axis " + std::to_string(axis) + " of " + x.ShapeString() +
                           " does not make " + std::to_string(call.Int("num")));
  }
  Outputs outputs;
  for (int64_t i = 0; i < x.dim(axis); ++i) {
    HostTensor part = Cut(x, axis, i, 1);
    part.dims.erase(part.dims.begin() + axis);
    outputs.outputs.push_back(Exact(std::move(part)));
  }
  return outputs;
}

Outputs CutAll(const HostTensor& x, int axis, const std::vector<int64_t>& sizes) {
  Outputs outputs;
  int64_t begin = 0;
  for (const int64_t size : sizes) {
    outputs.outputs.push_back(Exact(Cut(x, axis, begin, size)));
    begin += size;
  }
  return outputs;
}

Result<Outputs> EvaluateSplit(const OpCall& call) {
  BERTH_RETURN_IF_ERROR(ExpectInputs(call, 2));
  const HostTensor& x = call.input(1);
  BERTH_ASSIGN_OR_RETURN(const int axis, AxisArgument(call.input(0), x.rank()));
  const int64_t count = call.Int("num_split", 1);
  if (count < 1 || x.dim(axis) % count != 0) {
    return InvalidArgument("axis " + std::to_string(axis) + " of " + x.ShapeString() +
                           " does not divide into " + std::to_string(count));
  }
  const std::vector<int64_t> sizes(static_cast<size_t>(count), x.dim(axis) / count);
  return CutAll(x, axis, sizes);
}

// Inputs: the tensor, sizes (one may be -1: the rest), the axis.
Result<Outputs> EvaluateSplitV(const OpCall& call) {
  BERTH_RETURN_IF_ERROR(ExpectInputs(call, 3));
  const HostTensor& x = call.input(0);
  std::vector<int64_t> sizes = Indices(call.input(1));
  BERTH_ASSIGN_OR_RETURN(const int axis, AxisArgument(call.input(2), x.rank()));
  int64_t left = x.dim(axis);
  int64_t* rest = nullptr;
  for (int64_t& size : sizes) {
    if (size == -1 && rest == nullptr) {
      rest = &size;
    } else if (size < 0) {
      return InvalidArgument("sizes must not be negative, but for one -1");
    } else {
      left -= size;
    }
  }
  if (rest != nullptr) {
    *rest = left;
    left = left < 0 ? left : 0;
  }
  if (left != 0) {
    return InvalidArgument("the sizes " + DimsString(sizes) + " do not add up to " +
                           std::to_string(x.dim(axis)));
  }
  return CutAll(x, axis, sizes);
}

}  // namespace

void RegisterConcat(ReferenceTable& table) {
  table.AddMoving("Concat", EvaluateConcat);
  table.AddMoving("ConcatV2", EvaluateConcatV2);
  table.Add("ConcatOffset", EvaluateConcatOffset);
  table.AddMoving("Pack", EvaluatePack);
  table.AddMoving("Unpack", EvaluateUnpack);
  table.AddMoving("Split", EvaluateSplit);
  table.AddMoving("SplitV", EvaluateSplitV);
}

}  // namespace berth::conformance
