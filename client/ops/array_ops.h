// Constants, placeholders, shapes and the movement of data.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "client/scope.h"

namespace berth::client::ops {

Output Const(const Scope& scope, const Tensor& value, std::string_view name = "Const");
// A vector or a scalar of int32: shapes, axes, permutations.
Output Ints(const Scope& scope, const std::vector<int64_t>& values,
            std::string_view name = "Const");
Output Int(const Scope& scope, int64_t value, std::string_view name = "Const");
// A scalar of a floating point or integer dtype.
Output Scalar(const Scope& scope, DType dtype, double value,
              std::string_view name = "Const");
Output String(const Scope& scope, std::string_view value,
              std::string_view name = "Const");
Output Strings(const Scope& scope, const std::vector<std::string>& values,
               std::string_view name = "Const");

// Fed at every run; -1 in the shape is free.
Output Placeholder(const Scope& scope, std::string_view name, DType dtype,
                   const Shape& shape);
// Fed, or `value` when not.
Output PlaceholderWithDefault(const Scope& scope, std::string_view name, Output value,
                              const Shape& shape);

Output Identity(const Scope& scope, Output x);
Output StopGradient(const Scope& scope, Output x);
Output Fill(const Scope& scope, const Shape& shape, DType dtype, double value);
Output Fill(const Scope& scope, Output shape, Output value);
Output ZerosLike(const Scope& scope, Output x);
Output OnesLike(const Scope& scope, Output x);

Output ShapeOf(const Scope& scope, Output x);  // int32 vector
Output SizeOf(const Scope& scope, Output x);   // int32 scalar
Output Reshape(const Scope& scope, Output x, Output shape);
// One size may be -1.
Output Reshape(const Scope& scope, Output x, const std::vector<int64_t>& shape);
Output ExpandDims(const Scope& scope, Output x, int64_t axis);
Output Squeeze(const Scope& scope, Output x, const std::vector<int64_t>& axes);
Output Transpose(const Scope& scope, Output x, const std::vector<int64_t>& permutation);
Output Concat(const Scope& scope, const std::vector<Output>& values, int64_t axis);
Output Slice(const Scope& scope, Output x, Output begin, Output size);
Output Tile(const Scope& scope, Output x, Output multiples);
Output Pad(const Scope& scope, Output x, Output paddings);

// Runs all operations; has no value.
Operation Group(const Scope& scope, const std::vector<Operation>& operations,
                std::string_view name = "group");

}  // namespace berth::client::ops
