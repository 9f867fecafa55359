// Cross entropies of softmax, with dense and with sparse labels: the loss of each row and
// its gradient.
#include <cmath>

#include "conformance/reference/evaluation.h"
#include "conformance/reference/families.h"
#include "conformance/reference/softmax_row.h"

namespace berth::conformance {
namespace {

std::vector<Real> RowOf(const std::vector<Real>& values, const std::vector<int64_t>& map,
                        size_t first, size_t columns) {
  std::vector<Real> row;
  for (size_t i = 0; i < columns; ++i) {
    row.push_back(values[static_cast<size_t>(map[first + i])]);
  }
  return row;
}

// The gradient p - y of one row.
void AddGradient(const SoftmaxRow& row, const std::vector<Real>& labels, Real u,
                 Output* gradient) {
  for (size_t i = 0; i < labels.size(); ++i) {
    gradient->values.push_back(row.share[i] - labels[i]);
    gradient->magnitudes.push_back(row.share[i]);
    gradient->slack.push_back(u * (row.Weighted(i) + row.share[i] * row.drift +
                                   std::fabs(row.share[i] - labels[i])));
  }
}

struct Losses {
  Output loss;
  Output gradient;
};

Losses EmptyLosses(DType dtype, int64_t rows, int64_t columns) {
  return {SumOutput(dtype, {rows}, {}, {}, 2 * columns),
          SumOutput(dtype, {rows, columns}, {}, {}, columns)};
}

Outputs Both(Losses losses) {
  Outputs outputs = Single(std::move(losses.loss));
  outputs.outputs.push_back(std::move(losses.gradient));
  return outputs;
}

// Features and labels broadcast to each other.
Result<Outputs> EvaluateDense(const OpCall& call) {
  BERTH_RETURN_IF_ERROR(ExpectInputs(call, 2));
  const HostTensor& features = call.input(0);
  const HostTensor& labels = call.input(1);
  BERTH_ASSIGN_OR_RETURN(const std::vector<int64_t> dims,
                         BroadcastDims(features.dims, labels.dims));
  if (dims.size() != 2) return InvalidArgument("logits and labels must be matrices");
  const std::vector<int64_t> map_x = BroadcastMap(features.dims, dims);
  const std::vector<int64_t> map_y = BroadcastMap(labels.dims, dims);
  const std::vector<Real> x = Reals(features);
  const std::vector<Real> y = Reals(labels);
  const Real u = FormatOf(AccumulationType(features.dtype)).unit_roundoff();
  Losses losses = EmptyLosses(features.dtype, dims[0], dims[1]);
  const auto columns = static_cast<size_t>(dims[1]);
  for (int64_t r = 0; r < dims[0]; ++r) {
    const size_t first = static_cast<size_t>(r) * columns;
    const SoftmaxRow row = MakeSoftmaxRow(RowOf(x, map_x, first, columns));
    const std::vector<Real> weights = RowOf(y, map_y, first, columns);
    Real loss = 0;
    Real magnitude = 0;
    Real drift = 0;
    for (size_t i = 0; i < columns; ++i) {
      // A label of zero leaves a class out, unless the class is impossible: 0 * inf is
      // NaN.
      loss += weights[i] * (row.log_sum - row.centred[i]);
      if (weights[i] == 0) continue;
      magnitude += std::fabs(weights[i]) *
                   (1 + std::fabs(row.log_sum) + std::fabs(row.centred[i]));
      drift += std::fabs(weights[i]) * row.drift;
    }
    losses.loss.values.push_back(loss);
    losses.loss.magnitudes.push_back(magnitude);
    losses.loss.slack.push_back(u * drift);
    AddGradient(row, weights, u, &losses.gradient);
  }
  return Both(std::move(losses));
}

Result<Outputs> EvaluateSparse(const OpCall& call) {
  BERTH_RETURN_IF_ERROR(ExpectInputs(call, 2));
  const HostTensor& features = call.input(0);
  const HostTensor& labels = call.input(1);
  if (features.rank() != 2 || labels.rank() != 1 || labels.dim(0) != features.dim(0)) {
    return InvalidArgument("logits must be a matrix and labels a vector of its rows");
  }
  const int64_t classes = features.dim(1);
  const std::vector<Real> x = Reals(features);
  const std::vector<int64_t> targets = Indices(labels);
  const Real u = FormatOf(AccumulationType(features.dtype)).unit_roundoff();
  Losses losses = EmptyLosses(features.dtype, features.dim(0), classes);
  const auto columns = static_cast<size_t>(classes);
  for (size_t r = 0; r < targets.size(); ++r) {
    if (targets[r] < 0 || targets[r] >= classes) {
      return InvalidArgument("label " + std::to_string(targets[r]) + " is not in [0, " +
                             std::to_string(classes) + ")");
    }
    const auto begin = x.begin() + static_cast<int64_t>(r * columns);
    const SoftmaxRow row = MakeSoftmaxRow({begin, begin + classes});
    const auto target = static_cast<size_t>(targets[r]);
    losses.loss.values.push_back(row.log_sum - row.centred[target]);
    losses.loss.magnitudes.push_back(1 + std::fabs(row.log_sum) +
                                     std::fabs(row.centred[target]));
    losses.loss.slack.push_back(u * row.drift);
    std::vector<Real> one_hot(columns);
    one_hot[target] = 1;
    AddGradient(row, one_hot, u, &losses.gradient);
  }
  return Both(std::move(losses));
}

}  // namespace

void RegisterCrossEntropy(ReferenceTable& table) {
  table.Add("SoftmaxCrossEntropyWithLogits", EvaluateDense);
  table.Add("SparseSoftmaxCrossEntropyWithLogits", EvaluateSparse);
}

}  // namespace berth::conformance
