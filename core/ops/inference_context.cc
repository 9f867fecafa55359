#include "core/ops/inference_context.h"

#include <algorithm>
#include <limits>

#include "core/ops/op_schema.h"

namespace berth {

InferenceContext::InferenceContext(const Args& args)
    : args_(args), outputs_(args.num_outputs, Shape::UnknownRank()) {}

Status InferenceContext::Error(std::string message) const {
  message += " for '" + std::string(args_.node_name) + "' (op: '" + args_.schema->name +
             "') with input shapes: ";
  for (int i = 0; i < num_inputs(); ++i) {
    if (i > 0) message += ", ";
    message += input(i).ToString();
  }
  return InvalidArgument(message + ".");
}

Status InferenceContext::UnimplementedError(std::string message) const {
  return Unimplemented(std::string(Error(std::move(message)).message()));
}

Status InferenceContext::WithRank(int input_index, int rank) const {
  const Shape& shape = input(input_index);
  if (!shape.has_rank() || shape.rank() == rank) return OkStatus();
  return Error("Shape must be rank " + std::to_string(rank) + " but is rank " +
               std::to_string(shape.rank()));
}

Status InferenceContext::WithRankAtLeast(int input_index, int rank) const {
  const Shape& shape = input(input_index);
  if (!shape.has_rank() || shape.rank() >= rank) return OkStatus();
  return Error("Shape must be at least rank " + std::to_string(rank) + " but is rank " +
               std::to_string(shape.rank()));
}

Result<Shape> InferenceContext::Merge(const Shape& a, const Shape& b) const {
  if (!a.has_rank()) return b;
  if (!b.has_rank()) return a;
  if (a.rank() != b.rank()) {
    return Error("Shapes must be equal rank, but are " + std::to_string(a.rank()) +
                 " and " + std::to_string(b.rank()));
  }
  Shape out = a;
  for (int i = 0; i < a.rank(); ++i) {
    if (b.dim(i) == Shape::kUnknown) continue;
    if (a.dim(i) != Shape::kUnknown && a.dim(i) != b.dim(i)) {
      return Error("Dimension " + std::to_string(i) +
                   " in both shapes must be equal, but are " + std::to_string(a.dim(i)) +
                   " and " + std::to_string(b.dim(i)) + ". Shapes are " + a.ToString() +
                   " and " + b.ToString());
    }
    out.set_dim(i, b.dim(i));
  }
  return out;
}

Status InferenceContext::WithRankAtMost(int input_index, int rank) const {
  const Shape& shape = input(input_index);
  if (shape.rank() <= rank) return OkStatus();
  return Error("Shape must be at most rank " + std::to_string(rank) + " but is rank " +
               std::to_string(shape.rank()));
}

Result<int64_t> InferenceContext::MergeDim(int64_t a, int64_t b) const {
  if (a == b || b == Shape::kUnknown) return a;
  if (a == Shape::kUnknown) return b;
  return Error("Dimensions must be equal, but are " + std::to_string(a) + " and " +
               std::to_string(b));
}

Status InferenceContext::WithDim(int64_t dim, int64_t size) const {
  if (dim == size || dim == Shape::kUnknown) return OkStatus();
  return Error("Dimension must be " + std::to_string(size) + " but is " +
               std::to_string(dim));
}

int64_t InferenceContext::input_dim(int i, int axis) const {
  const Shape& shape = input(i);
  if (!shape.has_rank()) return Shape::kUnknown;
  return shape.dim(axis < 0 ? axis + shape.rank() : axis);
}

void InferenceContext::set_output_handle(int i, HandleShape handle) {
  if (output_handles_.empty()) output_handles_.resize(outputs_.size());
  output_handles_[i] = std::move(handle);
}

Result<Shape> InferenceContext::ShapeFromInput(int i) const {
  return ReadShape(i, !at_run_time());
}

Result<Shape> InferenceContext::OpenShapeFromInput(int i) const {
  return ReadShape(i, true);
}

Result<Shape> InferenceContext::ReadShape(int i, bool may_be_open) const {
  BERTH_RETURN_IF_ERROR(WithRankAtMost(i, 1));
  const Tensor* value = input_value(i);
  if (value != nullptr && value->dtype() != BERTH_INT32 &&
      value->dtype() != BERTH_INT64) {
    return Error("A shape must be an int32 or int64 tensor, but input " +
                 std::to_string(i) + " is " + std::string(DTypeName(value->dtype())));
  }
  const std::optional<Elements> elements = ElementsFromInput(i);
  if (!elements) {
    const Shape& shape = input(i);
    if (shape.rank() == 1 && shape.dim(0) >= 0 && shape.dim(0) <= Shape::kMaxRank) {
      return Shape::UnknownDims(static_cast<int>(shape.dim(0)));
    }
    return Shape::UnknownRank();
  }
  Elements dims = *elements;
  if (input(i).rank() == 0) {
    // TensorFlow accepts the scalar -1 for "nothing is known".
    if (dims[0] == kUnknownElement || (dims[0] == Shape::kUnknown && may_be_open)) {
      return Shape::UnknownRank();
    }
    return Error("A shape must be a vector" +
                 std::string(may_be_open ? ", or the scalar -1" : "") + ", but input " +
                 std::to_string(i) + " is the scalar " + std::to_string(dims[0]));
  }
  if (dims.size() > static_cast<size_t>(Shape::kMaxRank)) {
    return Error("A shape may have at most " + std::to_string(Shape::kMaxRank) +
                 " dimensions, but input " + std::to_string(i) + " has " +
                 std::to_string(dims.size()));
  }
  for (int64_t& dim : dims) {
    if (dim == kUnknownElement) {
      dim = Shape::kUnknown;
    } else if (dim < (may_be_open ? Shape::kUnknown : 0)) {
      return Error("Dimension must be non-negative, but input " + std::to_string(i) +
                   " holds " + std::to_string(dim));
    }
  }
  return Shape(dims);
}

std::optional<Elements> InferenceContext::ElementsFromInput(int i) const {
  const Tensor* value = input_value(i);
  if (value != nullptr &&
      (value->dtype() == BERTH_INT32 || value->dtype() == BERTH_INT64)) {
    return value->ToInts();
  }
  const auto index = static_cast<size_t>(i);
  if (index < args_.input_elements.size() && args_.input_elements[index] != nullptr) {
    return *args_.input_elements[index];
  }
  return std::nullopt;
}

Result<std::optional<int64_t>> InferenceContext::IntFromInput(int i) const {
  BERTH_RETURN_IF_ERROR(WithRank(i, 0));
  const std::optional<Elements> elements = ElementsFromInput(i);
  if (!elements || elements->size() != 1 || (*elements)[0] == kUnknownElement) {
    return std::optional<int64_t>();
  }
  return std::optional<int64_t>((*elements)[0]);
}

}  // namespace berth
