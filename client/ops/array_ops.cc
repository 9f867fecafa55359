#include "client/ops/array_ops.h"

#include <string>

namespace berth::client::ops {
namespace {

// Writes `value` as a scalar tensor of `dtype`.
Result<Tensor> ScalarTensor(DType dtype, double value) {
  switch (dtype) {
    case BERTH_FLOAT:
      return Tensor::Scalar<float>(dtype, static_cast<float>(value));
    case BERTH_DOUBLE:
      return Tensor::Scalar<double>(dtype, value);
    case BERTH_INT32:
      return Tensor::Scalar<int32_t>(dtype, static_cast<int32_t>(value));
    case BERTH_INT64:
      return Tensor::Scalar<int64_t>(dtype, static_cast<int64_t>(value));
    case BERTH_BOOL:
      return Tensor::Scalar<bool>(dtype, value != 0);
    default:
      return InvalidArgument("no scalar constant of type " +
                             std::string(DTypeName(dtype)) +
                             "; make a Tensor and use Const");
  }
}

}  // namespace

Output Const(const Scope& scope, const Tensor& value, std::string_view name) {
  return OpBuilder(scope, "Const", name)
      .Attr("value", value)
      .TypeAttr("dtype", value.dtype())
      .BuildOutput();
}

Output Ints(const Scope& scope, const std::vector<int64_t>& values,
            std::string_view name) {
  Result<Tensor> tensor =
      Tensor::Allocate(BERTH_INT32, {static_cast<int64_t>(values.size())});
  if (!tensor.ok()) {
    scope.Fail(tensor.status());
    return {};
  }
  for (size_t i = 0; i < values.size(); ++i) {
    tensor->mutable_data<int32_t>()[i] = static_cast<int32_t>(values[i]);
  }
  return Const(scope, *tensor, name);
}

Output Int(const Scope& scope, int64_t value, std::string_view name) {
  return Scalar(scope, BERTH_INT32, static_cast<double>(value), name);
}

Output Scalar(const Scope& scope, DType dtype, double value, std::string_view name) {
  Result<Tensor> tensor = ScalarTensor(dtype, value);
  if (!tensor.ok()) {
    scope.Fail(tensor.status());
    return {};
  }
  return Const(scope, *tensor, name);
}

Output String(const Scope& scope, std::string_view value, std::string_view name) {
  return Const(scope, Tensor::String(std::string(value)), name);
}

Output Strings(const Scope& scope, const std::vector<std::string>& values,
               std::string_view name) {
  Result<Tensor> tensor =
      Tensor::Allocate(BERTH_STRING, {static_cast<int64_t>(values.size())});
  if (!tensor.ok()) {
    scope.Fail(tensor.status());
    return {};
  }
  for (size_t i = 0; i < values.size(); ++i) tensor->mutable_strings()[i] = values[i];
  return Const(scope, *tensor, name);
}

Output Placeholder(const Scope& scope, std::string_view name, DType dtype,
                   const Shape& shape) {
  return OpBuilder(scope, "Placeholder", name)
      .TypeAttr("dtype", dtype)
      .Attr("shape", shape)
      .BuildOutput();
}

Output PlaceholderWithDefault(const Scope& scope, std::string_view name, Output value,
                              const Shape& shape) {
  return OpBuilder(scope, "PlaceholderWithDefault", name)
      .Input(value)
      .Attr("shape", shape)
      .BuildOutput();
}

Output Identity(const Scope& scope, Output x) {
  return OpBuilder(scope, "Identity").Input(x).BuildOutput();
}
Output StopGradient(const Scope& scope, Output x) {
  return OpBuilder(scope, "StopGradient").Input(x).BuildOutput();
}

Output Fill(const Scope& scope, Output shape, Output value) {
  return OpBuilder(scope, "Fill").Input(shape).Input(value).BuildOutput();
}
Output Fill(const Scope& scope, const Shape& shape, DType dtype, double value) {
  return Fill(scope, Ints(scope, shape.ToVector(), "shape"),
              Scalar(scope, dtype, value, "value"));
}
Output ZerosLike(const Scope& scope, Output x) {
  return OpBuilder(scope, "ZerosLike").Input(x).BuildOutput();
}
Output OnesLike(const Scope& scope, Output x) {
  return OpBuilder(scope, "OnesLike").Input(x).BuildOutput();
}

Output ShapeOf(const Scope& scope, Output x) {
  return OpBuilder(scope, "Shape").Input(x).BuildOutput();
}
Output SizeOf(const Scope& scope, Output x) {
  return OpBuilder(scope, "Size").Input(x).BuildOutput();
}

Output Reshape(const Scope& scope, Output x, Output shape) {
  return OpBuilder(scope, "Reshape").Input(x).Input(shape).BuildOutput();
}
Output Reshape(const Scope& scope, Output x, const std::vector<int64_t>& shape) {
  return Reshape(scope, x, Ints(scope, shape, "Reshape/shape"));
}
Output ExpandDims(const Scope& scope, Output x, int64_t axis) {
  const Output dim = Int(scope, axis, "ExpandDims/dim");
  return OpBuilder(scope, "ExpandDims").Input(x).Input(dim).BuildOutput();
}
Output Squeeze(const Scope& scope, Output x, const std::vector<int64_t>& axes) {
  return OpBuilder(scope, "Squeeze").Input(x).Attr("squeeze_dims", axes).BuildOutput();
}
Output Transpose(const Scope& scope, Output x, const std::vector<int64_t>& permutation) {
  const Output perm = Ints(scope, permutation, "transpose/perm");
  return OpBuilder(scope, "Transpose", "transpose").Input(x).Input(perm).BuildOutput();
}
Output Concat(const Scope& scope, const std::vector<Output>& values, int64_t axis) {
  const Output dim = Int(scope, axis, "concat/axis");
  return OpBuilder(scope, "ConcatV2", "concat").Inputs(values).Input(dim).BuildOutput();
}
Output Slice(const Scope& scope, Output x, Output begin, Output size) {
  return OpBuilder(scope, "Slice").Input(x).Input(begin).Input(size).BuildOutput();
}
Output Tile(const Scope& scope, Output x, Output multiples) {
  return OpBuilder(scope, "Tile").Input(x).Input(multiples).BuildOutput();
}
Output Pad(const Scope& scope, Output x, Output paddings) {
  return OpBuilder(scope, "Pad").Input(x).Input(paddings).BuildOutput();
}

Operation Group(const Scope& scope, const std::vector<Operation>& operations,
                std::string_view name) {
  OpBuilder builder(scope, "NoOp", name);
  for (const Operation& operation : operations) builder.After(operation);
  return builder.Build();
}

}  // namespace berth::client::ops
