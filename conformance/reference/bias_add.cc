// BiasAdd and its gradient. Channels are the last axis, or axis 1 where data_format is
// NCHW.
#include "conformance/reference/evaluation.h"
#include "conformance/reference/families.h"

namespace berth::conformance {
namespace {

// The channel of every element.
Result<std::vector<int64_t>> ChannelsOf(const OpCall& call, int64_t* channels) {
  const HostTensor& x = call.input(0);
  const bool first = call.String("data_format", "NHWC") == "NCHW";
  if (x.rank() < (first ? 3 : 2)) {
    return InvalidArgument("input must be at least " + std::string(first ? "3" : "2") +
                           "-dimensional, got " + x.ShapeString());
  }
  const auto axis = static_cast<size_t>(first ? 1 : x.rank() - 1);
  *channels = x.dims[axis];
  std::vector<int64_t> map;
  ForEachElement(
      x.dims, [&](const std::vector<int64_t>& at, int64_t) { map.push_back(at[axis]); });
  return map;
}

Result<Outputs> EvaluateBiasAdd(const OpCall& call) {
  BERTH_RETURN_IF_ERROR(ExpectInputs(call, 2));
  int64_t channels = 0;
  BERTH_ASSIGN_OR_RETURN(const std::vector<int64_t> map, ChannelsOf(call, &channels));
  const HostTensor& x = call.input(0);
  const HostTensor& bias = call.input(1);
  if (bias.rank() != 1 || bias.dim(0) != channels) {
    return InvalidArgument("the bias must have one value for each of " +
                           std::to_string(channels) + " channels");
  }
  if (!IsRealFloat(x.dtype)) {
    std::vector<Int> values = Ints(x);
    const std::vector<Int> b = Ints(bias);
    for (size_t i = 0; i < values.size(); ++i) {
      values[i] += b[static_cast<size_t>(map[i])];
    }
    return Single(Exact(FromInts(x.dtype, x.dims, values)));
  }
  std::vector<Real> values = Reals(x);
  const std::vector<Real> b = Reals(bias);
  for (size_t i = 0; i < values.size(); ++i) values[i] += b[static_cast<size_t>(map[i])];
  return Single(RealOutput(x.dtype, x.dims, std::move(values)));
}

Result<Outputs> EvaluateBiasAddGrad(const OpCall& call) {
  BERTH_RETURN_IF_ERROR(ExpectInputs(call, 1));
  int64_t channels = 0;
  BERTH_ASSIGN_OR_RETURN(const std::vector<int64_t> map, ChannelsOf(call, &channels));
  const HostTensor& g = call.input(0);
  const auto n = static_cast<size_t>(channels);
  if (!IsRealFloat(g.dtype)) {
    std::vector<Int> sums(n);
    const std::vector<Int> terms = Ints(g);
    for (size_t i = 0; i < terms.size(); ++i) {
      sums[static_cast<size_t>(map[i])] += terms[i];
    }
    return Single(Exact(FromInts(g.dtype, {channels}, sums)));
  }
  std::vector<Real> sums(n);
  std::vector<Real> magnitudes(n);
  const std::vector<Real> terms = Reals(g);
  for (size_t i = 0; i < terms.size(); ++i) {
    sums[static_cast<size_t>(map[i])] += terms[i];
    magnitudes[static_cast<size_t>(map[i])] += Size(terms[i]);
  }
  const int64_t length = channels == 0 ? 0 : g.num_elements() / channels;
  return Single(
      SumOutput(g.dtype, {channels}, std::move(sums), std::move(magnitudes), length));
}

}  // namespace

void RegisterBiasAdd(ReferenceTable& table) {
  table.Add("BiasAdd", EvaluateBiasAdd);
  table.Add("BiasAddV1", EvaluateBiasAdd);
  table.Add("BiasAddGrad", EvaluateBiasAddGrad);
}

}  // namespace berth::conformance
