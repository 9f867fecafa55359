// Element-wise arithmetic, comparisons, products and reductions.
#pragma once

#include <vector>

#include "client/scope.h"

namespace berth::client::ops {

// Binary ops broadcast as NumPy does; both sides have one dtype.
Output Add(const Scope& scope, Output x, Output y);
Output Sub(const Scope& scope, Output x, Output y);
Output Mul(const Scope& scope, Output x, Output y);
Output Div(const Scope& scope, Output x, Output y);  // RealDiv
Output Pow(const Scope& scope, Output x, Output y);
Output Maximum(const Scope& scope, Output x, Output y);
Output Minimum(const Scope& scope, Output x, Output y);
Output AddN(const Scope& scope, const std::vector<Output>& values);

Output Neg(const Scope& scope, Output x);
Output Abs(const Scope& scope, Output x);
Output Sign(const Scope& scope, Output x);
Output Exp(const Scope& scope, Output x);
Output Log(const Scope& scope, Output x);
Output Sqrt(const Scope& scope, Output x);
Output Rsqrt(const Scope& scope, Output x);
Output Square(const Scope& scope, Output x);
Output Tanh(const Scope& scope, Output x);
Output Sigmoid(const Scope& scope, Output x);
Output Floor(const Scope& scope, Output x);

Output Equal(const Scope& scope, Output x, Output y);
Output Greater(const Scope& scope, Output x, Output y);
Output GreaterEqual(const Scope& scope, Output x, Output y);
Output Less(const Scope& scope, Output x, Output y);
Output LessEqual(const Scope& scope, Output x, Output y);
// `x` where the condition holds, else `y` (Select: equal shapes).
Output Where(const Scope& scope, Output condition, Output x, Output y);
Output Cast(const Scope& scope, Output x, DType dtype);

Output MatMul(const Scope& scope, Output a, Output b, bool transpose_a = false,
              bool transpose_b = false);

// Over `axes`, or over all of them when empty; keep_dims leaves sizes of 1.
Output Sum(const Scope& scope, Output x, const std::vector<int64_t>& axes = {},
           bool keep_dims = false);
Output Mean(const Scope& scope, Output x, const std::vector<int64_t>& axes = {},
            bool keep_dims = false);
Output Max(const Scope& scope, Output x, const std::vector<int64_t>& axes = {},
           bool keep_dims = false);
// int64; the lowest index among equals.
Output ArgMax(const Scope& scope, Output x, int64_t axis);

}  // namespace berth::client::ops
