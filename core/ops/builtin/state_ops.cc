// Variables by reference and by resource handle, and updates of parts of them.
#include "core/ops/builtin_ops.h"

namespace berth {
namespace {

constexpr OpSpec kStateOps[] = {
    {"Variable", "-> ref: Ref(dtype)",
     "shape: shape; dtype: type; container: string = ''; shared_name: string = ''",
     nullptr, kStateful},
    {"VariableV2", "-> ref: Ref(dtype)",
     "shape: shape; dtype: type; container: string = ''; shared_name: string = ''",
     nullptr, kStateful},
    {"TemporaryVariable", "-> ref: Ref(dtype)",
     "shape: shape; dtype: type; var_name: string = ''", nullptr, kStateful},
    {"DestroyTemporaryVariable", "ref: Ref(T) -> value: T", "T: type; var_name: string"},
    {"IsVariableInitialized", "ref: Ref(dtype) -> is_initialized: bool", "dtype: type",
     nullptr, kUninitializedInput},
    {"Assign", "ref: Ref(T), value: T -> output_ref: Ref(T)",
     "T: type; validate_shape: bool = true; use_locking: bool = true", nullptr,
     kUninitializedInput},
    {"AssignAdd", "ref: Ref(T), value: T -> output_ref: Ref(T)",
     "T: number; use_locking: bool = false"},
    {"AssignSub", "ref: Ref(T), value: T -> output_ref: Ref(T)",
     "T: number; use_locking: bool = false"},
    {"CountUpTo", "ref: Ref(T) -> output: T", "limit: int; T: index"},
    {"StridedSliceAssign",
     "ref: Ref(T), begin: Index, end: Index, strides: Index, value: T -> output_ref: "
     "Ref(T)",
     "T: type; Index: index; begin_mask: int = 0; end_mask: int = 0; ellipsis_mask: int "
     "= 0; new_axis_mask: int = 0; shrink_axis_mask: int = 0"},
    {"VarHandleOp", "-> resource: resource",
     "container: string = ''; shared_name: string = ''; debug_name: string = ''; dtype: "
     "type; shape: shape; allowed_devices: list(string) = []",
     nullptr, kStateful},
    {"VarIsInitializedOp", "resource: resource -> is_initialized: bool", "", nullptr,
     kStateful},
    {"ReadVariableOp", "resource: resource -> value: dtype", "dtype: type", nullptr,
     kStateful},
    {"DisableCopyOnRead", "resource: resource", "", nullptr, kStateful},
    {"AssignVariableOp", "resource: resource, value: dtype",
     "dtype: type; validate_shape: bool = false", nullptr, kStateful},
    {"AssignAddVariableOp", "resource: resource, value: dtype", "dtype: type", nullptr,
     kStateful},
    {"AssignSubVariableOp", "resource: resource, value: dtype", "dtype: type", nullptr,
     kStateful},
    {"DestroyResourceOp", "resource: resource", "ignore_lookup_error: bool = true",
     nullptr, kStateful},
    {"VariableShape", "input: resource -> output: out_type", "out_type: index = int32",
     nullptr, kStateful},
    {"ResourceGather", "resource: resource, indices: Tindices -> output: dtype",
     "batch_dims: int = 0; validate_indices: bool = true; dtype: type; Tindices: index",
     nullptr, kStateful},
    {"ResourceStridedSliceAssign",
     "ref: resource, begin: Index, end: Index, strides: Index, value: T",
     "T: type; Index: index; begin_mask: int = 0; end_mask: int = 0; ellipsis_mask: int "
     "= 0; new_axis_mask: int = 0; shrink_axis_mask: int = 0",
     nullptr, kStateful},
    {"ResourceScatterAdd", "resource: resource, indices: Tindices, updates: dtype",
     "dtype: number; Tindices: index", nullptr, kStateful},
    {"ResourceScatterDiv", "resource: resource, indices: Tindices, updates: dtype",
     "dtype: number; Tindices: index", nullptr, kStateful},
    {"ResourceScatterMax", "resource: resource, indices: Tindices, updates: dtype",
     "dtype: number; Tindices: index", nullptr, kStateful},
    {"ResourceScatterMin", "resource: resource, indices: Tindices, updates: dtype",
     "dtype: number; Tindices: index", nullptr, kStateful},
    {"ResourceScatterMul", "resource: resource, indices: Tindices, updates: dtype",
     "dtype: number; Tindices: index", nullptr, kStateful},
    {"ResourceScatterNdUpdate", "ref: resource, indices: Tindices, updates: T",
     "T: type; Tindices: index; use_locking: bool = true; bad_indices_policy: string = "
     "''",
     nullptr, kStateful},
    {"ResourceScatterSub", "resource: resource, indices: Tindices, updates: dtype",
     "dtype: number; Tindices: index", nullptr, kStateful},
    {"ResourceScatterUpdate", "resource: resource, indices: Tindices, updates: dtype",
     "dtype: type; Tindices: index", nullptr, kStateful},
    {"ScatterAdd", "ref: Ref(T), indices: Tindices, updates: T -> output_ref: Ref(T)",
     "T: number; Tindices: index; use_locking: bool = false"},
    {"ScatterDiv", "ref: Ref(T), indices: Tindices, updates: T -> output_ref: Ref(T)",
     "T: number; Tindices: index; use_locking: bool = false"},
    {"ScatterMax", "ref: Ref(T), indices: Tindices, updates: T -> output_ref: Ref(T)",
     "T: {half, bfloat16, float, double, int32, int64}; Tindices: index; use_locking: "
     "bool = false"},
    {"ScatterMin", "ref: Ref(T), indices: Tindices, updates: T -> output_ref: Ref(T)",
     "T: {half, bfloat16, float, double, int32, int64}; Tindices: index; use_locking: "
     "bool = false"},
    {"ScatterMul", "ref: Ref(T), indices: Tindices, updates: T -> output_ref: Ref(T)",
     "T: number; Tindices: index; use_locking: bool = false"},
    {"ScatterNdAdd", "ref: Ref(T), indices: Tindices, updates: T -> output_ref: Ref(T)",
     "T: number; Tindices: index; use_locking: bool = false; bad_indices_policy: string "
     "= ''"},
    {"ScatterNdSub", "ref: Ref(T), indices: Tindices, updates: T -> output_ref: Ref(T)",
     "T: number; Tindices: index; use_locking: bool = false; bad_indices_policy: string "
     "= ''"},
    {"ScatterNdUpdate",
     "ref: Ref(T), indices: Tindices, updates: T -> output_ref: Ref(T)",
     "T: type; Tindices: index; use_locking: bool = true; bad_indices_policy: string = "
     "''"},
    {"ScatterSub", "ref: Ref(T), indices: Tindices, updates: T -> output_ref: Ref(T)",
     "T: number; Tindices: index; use_locking: bool = false"},
    {"ScatterUpdate", "ref: Ref(T), indices: Tindices, updates: T -> output_ref: Ref(T)",
     "T: type; Tindices: index; use_locking: bool = true"},
};

}  // namespace

std::span<const OpSpec> StateOps() { return kStateOps; }

}  // namespace berth
