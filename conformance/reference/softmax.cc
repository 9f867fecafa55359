// Softmax and LogSoftmax over the last axis.
//
// Bounds: d = x - max is rounded, which exp turns into a relative error of u|d|; S
// gathers those of all its terms, n roundings and the error of exp.
#include <cmath>
#include <limits>

#include "conformance/reference/evaluation.h"
#include "conformance/reference/families.h"
#include "conformance/reference/softmax_row.h"

namespace berth::conformance {

Real SoftmaxRow::Weighted(size_t i) const {
  return share[i] == 0 ? 0 : share[i] * std::fabs(centred[i]);
}

SoftmaxRow MakeSoftmaxRow(std::vector<Real> x) {
  SoftmaxRow row;
  Real most = -std::numeric_limits<Real>::infinity();
  for (const Real value : x) most = value > most || std::isnan(value) ? value : most;
  Real sum = 0;
  for (Real& value : x) {
    value -= most;
    row.share.push_back(std::exp(value));
    sum += row.share.back();
  }
  row.centred = std::move(x);
  row.log_sum = std::log(sum);
  for (size_t i = 0; i < row.share.size(); ++i) {
    row.share[i] /= sum;
    row.drift += row.Weighted(i);
  }
  return row;
}

namespace {

template <bool kLog>
Result<Outputs> EvaluateSoftmax(const OpCall& call) {
  BERTH_RETURN_IF_ERROR(ExpectInputs(call, 1));
  const HostTensor& x = call.input(0);
  if (x.rank() < 1) return InvalidArgument("logits must be at least a vector");
  const auto columns = static_cast<size_t>(x.dim(x.rank() - 1));
  const std::vector<Real> values = Reals(x);
  const Real u = FormatOf(AccumulationType(x.dtype)).unit_roundoff();
  Output output = SumOutput(x.dtype, x.dims, {}, {}, static_cast<int64_t>(columns));
  for (size_t first = 0; first < values.size(); first += columns) {
    const auto begin = values.begin() + static_cast<int64_t>(first);
    const SoftmaxRow row = MakeSoftmaxRow({begin, begin + static_cast<int64_t>(columns)});
    for (size_t i = 0; i < columns; ++i) {
      if (kLog) {
        const Real value = row.centred[i] - row.log_sum;
        output.values.push_back(value);
        output.magnitudes.push_back(1 + std::fabs(row.log_sum));
        output.slack.push_back(
            u * (std::fabs(row.centred[i]) + row.drift + std::fabs(value)));
      } else {
        output.values.push_back(row.share[i]);
        output.magnitudes.push_back(row.share[i]);
        output.slack.push_back(u * (row.Weighted(i) + row.share[i] * row.drift));
      }
    }
  }
  return Single(std::move(output));
}

}  // namespace

void RegisterSoftmax(ReferenceTable& table) {
  table.Add("Softmax", EvaluateSoftmax<false>);
  table.Add("LogSoftmax", EvaluateSoftmax<true>);
}

}  // namespace berth::conformance
