// Variables by reference and by resource handle, and updates of parts of them.
#include "core/ops/builtin_ops.h"
#include "core/ops/shapes/common.h"
#include "core/ops/shapes/state_shapes.h"
#include "core/ops/shapes/strided_slice.h"

namespace berth {
namespace {

constexpr OpSpec kStateOps[] = {
    {"Variable", "-> ref: Ref(dtype)",
     "shape: shape; dtype: type; container: string = ''; shared_name: string = ''",
     LegacyVariableShape, kStateful},
    {"VariableV2", "-> ref: Ref(dtype)",
     "shape: shape; dtype: type; container: string = ''; shared_name: string = ''",
     ExplicitShapeAttr, kStateful},
    {"TemporaryVariable", "-> ref: Ref(dtype)",
     "shape: shape; dtype: type; var_name: string = ''", ExplicitShapeAttr, kStateful},
    {"DestroyTemporaryVariable", "ref: Ref(T) -> value: T", "T: type; var_name: string",
     UnchangedShape},
    {"IsVariableInitialized", "ref: Ref(dtype) -> is_initialized: bool", "dtype: type",
     ScalarShape, kUninitializedInput},
    {"Assign", "ref: Ref(T), value: T -> output_ref: Ref(T)",
     "T: type; validate_shape: bool = true; use_locking: bool = true", AssignShape,
     kUninitializedInput},
    {"AssignAdd", "ref: Ref(T), value: T -> output_ref: Ref(T)",
     "T: number; use_locking: bool = false", MergeInputsShape},
    {"AssignSub", "ref: Ref(T), value: T -> output_ref: Ref(T)",
     "T: number; use_locking: bool = false", MergeInputsShape},
    {"CountUpTo", "ref: Ref(T) -> output: T", "limit: int; T: index", CountUpToShape},
    {"StridedSliceAssign",
     "ref: Ref(T), begin: Index, end: Index, strides: Index, value: T -> output_ref: "
     "Ref(T)",
     "T: type; Index: index; begin_mask: int = 0; end_mask: int = 0; ellipsis_mask: int "
     "= 0; new_axis_mask: int = 0; shrink_axis_mask: int = 0",
     StridedSliceAssignShape},
    {"VarHandleOp", "-> resource: resource",
     "container: string = ''; shared_name: string = ''; debug_name: string = ''; dtype: "
     "type; shape: shape; allowed_devices: list(string) = []",
     VarHandleShape, kStateful},
    {"VarIsInitializedOp", "resource: resource -> is_initialized: bool", "", ScalarShape,
     kStateful},
    {"ReadVariableOp", "resource: resource -> value: dtype", "dtype: type",
     ReadVariableShape, kStateful},
    {"DisableCopyOnRead", "resource: resource", "", nullptr, kStateful},
    {"AssignVariableOp", "resource: resource, value: dtype",
     "dtype: type; validate_shape: bool = false", AssignVariableShape, kStateful},
    {"AssignAddVariableOp", "resource: resource, value: dtype", "dtype: type",
     AssignVariableShape, kStateful},
    {"AssignSubVariableOp", "resource: resource, value: dtype", "dtype: type",
     AssignVariableShape, kStateful},
    {"DestroyResourceOp", "resource: resource", "ignore_lookup_error: bool = true",
     nullptr, kStateful},
    {"VariableShape", "input: resource -> output: out_type", "out_type: index = int32",
     VariableShapeShape, kStateful},
    {"ResourceGather", "resource: resource, indices: Tindices -> output: dtype",
     "batch_dims: int = 0; validate_indices: bool = true; dtype: type; Tindices: index",
     ResourceGatherShape, kStateful},
    {"ResourceStridedSliceAssign",
     "ref: resource, begin: Index, end: Index, strides: Index, value: T",
     "T: type; Index: index; begin_mask: int = 0; end_mask: int = 0; ellipsis_mask: int "
     "= 0; new_axis_mask: int = 0; shrink_axis_mask: int = 0",
     ResourceStridedSliceAssignShape, kStateful},
    {"ResourceScatterAdd", "resource: resource, indices: Tindices, updates: dtype",
     "dtype: number; Tindices: index", ResourceScatterShape, kStateful},
    {"ResourceScatterDiv", "resource: resource, indices: Tindices, updates: dtype",
     "dtype: number; Tindices: index", ResourceScatterShape, kStateful},
    {"ResourceScatterMax", "resource: resource, indices: Tindices, updates: dtype",
     "dtype: number; Tindices: index", ResourceScatterShape, kStateful},
    {"ResourceScatterMin", "resource: resource, indices: Tindices, updates: dtype",
     "dtype: number; Tindices: index", ResourceScatterShape, kStateful},
    {"ResourceScatterMul", "resource: resource, indices: Tindices, updates: dtype",
     "dtype: number; Tindices: index", ResourceScatterShape, kStateful},
    {"ResourceScatterNdUpdate", "ref: resource, indices: Tindices, updates: T",
     "T: type; Tindices: index; use_locking: bool = true; bad_indices_policy: string = "
     "''",
     ResourceScatterNdUpdateShape, kStateful},
    {"ResourceScatterSub", "resource: resource, indices: Tindices, updates: dtype",
     "dtype: number; Tindices: index", ResourceScatterShape, kStateful},
    {"ResourceScatterUpdate", "resource: resource, indices: Tindices, updates: dtype",
     "dtype: type; Tindices: index", ResourceScatterShape, kStateful},
    {"ScatterAdd", "ref: Ref(T), indices: Tindices, updates: T -> output_ref: Ref(T)",
     "T: number; Tindices: index; use_locking: bool = false", ScatterUpdateShape},
    {"ScatterDiv", "ref: Ref(T), indices: Tindices, updates: T -> output_ref: Ref(T)",
     "T: number; Tindices: index; use_locking: bool = false", ScatterUpdateShape},
    {"ScatterMax", "ref: Ref(T), indices: Tindices, updates: T -> output_ref: Ref(T)",
     "T: {half, bfloat16, float, double, int32, int64}; Tindices: index; use_locking: "
     "bool = false",
     ScatterUpdateShape},
    {"ScatterMin", "ref: Ref(T), indices: Tindices, updates: T -> output_ref: Ref(T)",
     "T: {half, bfloat16, float, double, int32, int64}; Tindices: index; use_locking: "
     "bool = false",
     ScatterUpdateShape},
    {"ScatterMul", "ref: Ref(T), indices: Tindices, updates: T -> output_ref: Ref(T)",
     "T: number; Tindices: index; use_locking: bool = false", ScatterUpdateShape},
    {"ScatterNdAdd", "ref: Ref(T), indices: Tindices, updates: T -> output_ref: Ref(T)",
     "T: number; Tindices: index; use_locking: bool = false; bad_indices_policy: string "
     "= ''",
     ScatterNdUpdateShape},
    {"ScatterNdSub", "ref: Ref(T), indices: Tindices, updates: T -> output_ref: Ref(T)",
     "T: number; Tindices: index; use_locking: bool = false; bad_indices_policy: string "
     "= ''",
     ScatterNdUpdateShape},
    {"ScatterNdUpdate",
     "ref: Ref(T), indices: Tindices, updates: T -> output_ref: Ref(T)",
     "T: type; Tindices: index; use_locking: bool = true; bad_indices_policy: string = "
     "''",
     ScatterNdUpdateShape},
    {"ScatterSub", "ref: Ref(T), indices: Tindices, updates: T -> output_ref: Ref(T)",
     "T: number; Tindices: index; use_locking: bool = false", ScatterUpdateShape},
    {"ScatterUpdate", "ref: Ref(T), indices: Tindices, updates: T -> output_ref: Ref(T)",
     "T: type; Tindices: index; use_locking: bool = true", ScatterUpdateShape},
};

}  // namespace

std::span<const OpSpec> StateOps() { return kStateOps; }

}  // namespace berth
