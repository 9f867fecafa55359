// One row of a softmax with what the bounds of softmax and cross entropies need.
#pragma once

#include <vector>

#include "conformance/reference/host_tensor.h"

namespace berth::conformance {

// Of a row x: d = x - max x, S = sum of exp(d), p = exp(d) / S.
struct SoftmaxRow {
  std::vector<Real> centred;  // d
  std::vector<Real> share;    // p
  Real log_sum = 0;           // log S
  // The sum of p |d|: how the roundings of d move S, in units of roundoff.
  Real drift = 0;

  // p |d|, 0 where p is.
  Real Weighted(size_t i) const;
};

SoftmaxRow MakeSoftmaxRow(std::vector<Real> x);

}  // namespace berth::conformance
