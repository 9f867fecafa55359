#include "core/ops/shapes/state_shapes.h"

#include <algorithm>
#include <string>

#include "core/ops/op_schema.h"
#include "core/ops/shapes/common.h"
#include "core/ops/shapes/index_shapes.h"
#include "core/ops/shapes/strided_slice.h"

namespace berth {
namespace {

// The shape of the variable behind input `i`: a reference's own, or the handle's.
Shape VariableOf(const InferenceContext& c, int i) {
  if (c.schema().inputs[i].is_ref) return c.input(i);
  const HandleShape* handle = c.input_handle(i);
  return handle != nullptr ? handle->shape : Shape::UnknownRank();
}

// updates must be indices.shape + variable.shape[1:], or a scalar for all.
Status CheckScatter(const InferenceContext& c, const Shape& variable) {
  const Shape& indices = c.input(1);
  const Shape& updates = c.input(2);
  if (updates.rank() == 0) return OkStatus();
  BERTH_RETURN_IF_ERROR(CheckRankAtLeast(c, variable, 1));
  return c.Merge(updates, ConcatShapes(indices, SubShape(variable, 1))).status();
}

Status CheckScatterNdUpdate(const InferenceContext& c, const Shape& variable) {
  const Shape& indices = c.input(1);
  const Shape& updates = c.input(2);
  BERTH_RETURN_IF_ERROR(CheckRankAtLeast(c, indices, 1));
  if (!indices.has_rank() || !variable.has_rank()) return OkStatus();
  const int64_t depth = indices.dim(indices.rank() - 1);
  if (depth == Shape::kUnknown) return OkStatus();
  if (depth > variable.rank()) {
    return c.Error("The last dimension of indices, " + std::to_string(depth) +
                   ", is larger than the variable's rank " +
                   std::to_string(variable.rank()));
  }
  return c
      .Merge(updates, ConcatShapes(SubShape(indices, 0, indices.rank() - 1),
                                   SubShape(variable, static_cast<int>(depth))))
      .status();
}

int FindInput(const OpSchema& schema, std::string_view name) {
  for (size_t i = 0; i < schema.inputs.size(); ++i) {
    if (schema.inputs[i].name == name) return static_cast<int>(i);
  }
  return -1;
}

}  // namespace

Status LegacyVariableShape(InferenceContext& c) {
  const Shape* shape = c.attrs().GetShape("shape");
  if (shape != nullptr && shape->rank() > 0) c.set_output(0, *shape);
  return OkStatus();
}

Status AssignShape(InferenceContext& c) {
  if (!c.attrs().GetBool("validate_shape", true)) {
    c.set_output(0, c.input(1));
    return OkStatus();
  }
  BERTH_ASSIGN_OR_RETURN(Shape out, c.Merge(c.input(0), c.input(1)));
  c.set_output(0, std::move(out));
  return OkStatus();
}

Status CountUpToShape(InferenceContext& c) {
  BERTH_RETURN_IF_ERROR(c.WithRank(0, 0));
  return ScalarShape(c);
}

Status VarHandleShape(InferenceContext& c) {
  c.set_output(0, Shape());
  const Shape* shape = c.attrs().GetShape("shape");
  c.set_output_handle(0, {.shape = shape != nullptr ? *shape : Shape::UnknownRank(),
                          .dtype = c.attrs().GetType("dtype")});
  return OkStatus();
}

Status ReadVariableShape(InferenceContext& c) {
  const HandleShape* handle = c.input_handle(0);
  if (handle == nullptr) return OkStatus();
  const DType wanted = c.attrs().GetType("dtype");
  if (handle->dtype != BERTH_INVALID_DTYPE && handle->dtype != wanted) {
    return c.Error("Trying to read variable with wrong dtype. Expected " +
                   std::string(DTypeName(handle->dtype)) + " got " +
                   std::string(DTypeName(wanted)));
  }
  c.set_output(0, handle->shape);
  return OkStatus();
}

Status AssignVariableShape(InferenceContext& c) {
  const HandleShape* handle = c.input_handle(0);
  if (handle == nullptr) return OkStatus();
  const DType dtype = c.attrs().GetType("dtype");
  if (handle->dtype != BERTH_INVALID_DTYPE && handle->dtype != dtype) {
    return c.Error("Trying to assign variable with wrong dtype. Expected " +
                   std::string(DTypeName(handle->dtype)) + " got " +
                   std::string(DTypeName(dtype)));
  }
  return c.Merge(handle->shape, c.input(1)).status();
}

Status VariableShapeShape(InferenceContext& c) {
  c.set_output(0, Shape({VariableOf(c, 0).rank()}));
  return OkStatus();
}

Status ResourceGatherShape(InferenceContext& c) {
  const Shape variable = VariableOf(c, 0);
  BERTH_RETURN_IF_ERROR(CheckRankAtLeast(c, variable, 1));
  const Shape& indices = c.input(1);
  const auto batch = static_cast<int>(c.attrs().GetInt("batch_dims"));
  if (!variable.has_rank() || !indices.has_rank()) return OkStatus();
  if (batch < 0 || batch > indices.rank() || batch >= variable.rank()) {
    return c.Error("batch_dims " + std::to_string(batch) +
                   " does not fit the variable and the indices");
  }
  const Shape head = ConcatShapes(SubShape(variable, 0, batch), SubShape(indices, batch));
  c.set_output(0, ConcatShapes(head, SubShape(variable, batch + 1)));
  return OkStatus();
}

Status ResourceStridedSliceAssignShape(InferenceContext& c) {
  return PlanStridedSlice(c, VariableOf(c, 0), 1).status();
}

Status ScatterUpdateShape(InferenceContext& c) {
  BERTH_RETURN_IF_ERROR(CheckScatter(c, c.input(0)));
  c.set_output(0, c.input(0));
  return OkStatus();
}

Status ResourceScatterShape(InferenceContext& c) {
  return CheckScatter(c, VariableOf(c, 0));
}

Status ScatterNdUpdateShape(InferenceContext& c) {
  BERTH_RETURN_IF_ERROR(CheckScatterNdUpdate(c, c.input(0)));
  c.set_output(0, c.input(0));
  return OkStatus();
}

Status ResourceScatterNdUpdateShape(InferenceContext& c) {
  return CheckScatterNdUpdate(c, VariableOf(c, 0));
}

Status TrainingShape(InferenceContext& c) {
  const OpSchema& schema = c.schema();
  const int indices = FindInput(schema, "indices");
  Shape variable = VariableOf(c, 0);
  for (int i = 1; i < c.num_inputs(); ++i) {
    const ArgSchema& arg = schema.inputs[i];
    if (arg.is_ref || arg.dtype == BERTH_RESOURCE) {
      BERTH_ASSIGN_OR_RETURN(variable, c.Merge(variable, VariableOf(c, i)));
    } else if (i == indices) {
      BERTH_RETURN_IF_ERROR(c.WithRank(i, 1));
    } else if (arg.name != "grad" && arg.name != "delta") {
      BERTH_RETURN_IF_ERROR(c.WithRank(i, 0));
    }
  }
  const int grad = std::max(FindInput(schema, "grad"), FindInput(schema, "delta"));
  if (grad >= 0 && indices < 0) {
    BERTH_ASSIGN_OR_RETURN(variable, c.Merge(variable, c.input(grad)));
  } else if (grad >= 0) {
    BERTH_RETURN_IF_ERROR(CheckRankAtLeast(c, variable, 1));
    BERTH_RETURN_IF_ERROR(
        c.MergeDim(c.input(grad).rank() > 0 ? c.input(grad).dim(0) : Shape::kUnknown,
                   c.input_dim(indices, 0))
            .status());
    BERTH_RETURN_IF_ERROR(
        c.Merge(SubShape(c.input(grad), 1), SubShape(variable, 1)).status());
  }
  if (c.num_outputs() > 0) c.set_output(0, std::move(variable));
  return OkStatus();
}

}  // namespace berth
