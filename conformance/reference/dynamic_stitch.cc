// DynamicStitch: rows of several tensors put where their indices say, the last one
// winning.
#include "conformance/reference/evaluation.h"
#include "conformance/reference/families.h"

namespace berth::conformance {
namespace {

Status CheckPart(const HostTensor& indices, const HostTensor& data,
                 const std::vector<int64_t>& row) {
  std::vector<int64_t> wanted = indices.dims;
  wanted.insert(wanted.end(), row.begin(), row.end());
  if (data.dims != wanted) {
    return InvalidArgument("data should have shape " + DimsString(wanted) + ", got " +
                           data.ShapeString());
  }
  for (const int64_t index : Indices(indices)) {
    if (index < 0) {
      return InvalidArgument("index " + std::to_string(index) + " is negative");
    }
  }
  return OkStatus();
}

// Inputs: N lists of indices, then N tensors.
Result<Outputs> EvaluateStitch(const OpCall& call) {
  const int count = call.num_inputs() / 2;
  BERTH_RETURN_IF_ERROR(ExpectAtLeast(call, 2));
  BERTH_RETURN_IF_ERROR(ExpectInputs(call, 2 * count));
  const HostTensor& first = call.input(count);
  if (first.rank() < call.input(0).rank()) {
    return InvalidArgument("data have fewer axes than their indices");
  }
  const std::vector<int64_t> row(first.dims.begin() + call.input(0).rank(),
                                 first.dims.end());
  int64_t rows = 0;
  HostTensor all = ZeroTensor(first.dtype, {0});
  for (int i = 0; i < count; ++i) {
    BERTH_RETURN_IF_ERROR(CheckPart(call.input(i), call.input(count + i), row));
    for (const int64_t index : Indices(call.input(i))) rows = std::max(rows, index + 1);
    const std::vector<char>& bytes = call.input(count + i).bytes;
    all.bytes.insert(all.bytes.end(), bytes.begin(), bytes.end());
  }
  std::vector<int64_t> dims = row;
  dims.insert(dims.begin(), rows);
  const int64_t width = NumElements(row);
  std::vector<int64_t> map(static_cast<size_t>(rows * width), kFill);
  int64_t from = 0;
  for (int i = 0; i < count; ++i) {
    for (const int64_t index : Indices(call.input(i))) {
      for (int64_t k = 0; k < width; ++k) {
        map[static_cast<size_t>(index * width + k)] = from++;
      }
    }
  }
  Output output = Exact(Pick(all, std::move(dims), map));
  // What no index names is whatever was in memory.
  for (const int64_t element : map) output.open.push_back(element == kFill);
  return Single(std::move(output));
}

}  // namespace

void RegisterDynamicStitch(ReferenceTable& table) {
  table.AddMoving("DynamicStitch", EvaluateStitch);
}

}  // namespace berth::conformance
