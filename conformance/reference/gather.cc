// Gather, GatherV2 and ResourceGather: slices by index, to the bit. An index out of range
// is INVALID_ARGUMENT on every device.
#include "conformance/reference/evaluation.h"
#include "conformance/reference/families.h"

namespace berth::conformance {
namespace {

Result<Outputs> GatherAlong(const OpCall& call, int64_t wanted_axis, int64_t batch_dims) {
  const HostTensor& params = call.input(0);
  const HostTensor& indices = call.input(1);
  if (params.rank() < 1) return InvalidArgument("params must be at least a vector");
  BERTH_ASSIGN_OR_RETURN(const int axis, CanonicalAxis(wanted_axis, params.rank()));
  const int batch =
      static_cast<int>(batch_dims < 0 ? batch_dims + indices.rank() : batch_dims);
  if (batch < 0 || batch > axis || batch > indices.rank()) {
    return InvalidArgument("batch_dims " + std::to_string(batch_dims) +
                           " does not fit axis " + std::to_string(axis));
  }
  for (int i = 0; i < batch; ++i) {
    if (params.dim(i) != indices.dim(i)) {
      return InvalidArgument("params and indices differ in batch axis " +
                             std::to_string(i));
    }
  }
  const std::vector<int64_t> at = Indices(indices);
  const int64_t limit = params.dim(axis);
  for (const int64_t index : at) {
    if (index >= 0 && index < limit) continue;
    return InvalidArgument("index " + std::to_string(index) + " is not in [0, " +
                           std::to_string(limit) + ")");
  }
  // Result: batch, params up to the axis, indices after the batch, params after the axis.
  std::vector<int64_t> dims(params.dims.begin(), params.dims.begin() + axis);
  dims.insert(dims.end(), indices.dims.begin() + batch, indices.dims.end());
  dims.insert(dims.end(), params.dims.begin() + axis + 1, params.dims.end());
  const int64_t batches = ProductOf(params.dims, 0, batch);
  const int64_t outer = ProductOf(params.dims, batch, axis);
  const int64_t inner = ProductOf(params.dims, axis + 1, params.rank());
  const int64_t each = ProductOf(indices.dims, batch, indices.rank());
  std::vector<int64_t> map;
  for (int64_t b = 0; b < batches; ++b) {
    for (int64_t o = 0; o < outer; ++o) {
      for (int64_t k = 0; k < each; ++k) {
        const int64_t row =
            (b * outer + o) * limit + at[static_cast<size_t>(b * each + k)];
        for (int64_t i = 0; i < inner; ++i) map.push_back(row * inner + i);
      }
    }
  }
  return Single(Exact(Pick(params, std::move(dims), map)));
}

Result<Outputs> EvaluateGather(const OpCall& call) {
  BERTH_RETURN_IF_ERROR(ExpectInputs(call, 2));
  return GatherAlong(call, 0, call.Int("batch_dims"));
}

Result<Outputs> EvaluateGatherV2(const OpCall& call) {
  BERTH_RETURN_IF_ERROR(ExpectInputs(call, 3));
  return GatherAlong(call, Indices(call.input(2))[0], call.Int("batch_dims"));
}

}  // namespace

void RegisterGather(ReferenceTable& table) {
  table.AddMoving("Gather", EvaluateGather);
  table.AddMoving("ResourceGather", EvaluateGather);
  table.AddMoving("GatherV2", EvaluateGatherV2);
}

}  // namespace berth::conformance
