// Updates of variables by gradients.
#include "core/ops/builtin_ops.h"
#include "core/ops/shapes/state_shapes.h"

namespace berth {
namespace {

constexpr OpSpec kTrainingOps[] = {
    {"ApplyAdaMax",
     "var: Ref(T), m: Ref(T), v: Ref(T), beta1_power: T, lr: T, beta1: T, beta2: T, "
     "epsilon: T, grad: T -> out: Ref(T)",
     "T: number; use_locking: bool = false", TrainingShape},
    {"ApplyAdadelta",
     "var: Ref(T), accum: Ref(T), accum_update: Ref(T), lr: T, rho: T, epsilon: T, grad: "
     "T -> out: Ref(T)",
     "T: number; use_locking: bool = false", TrainingShape},
    {"ApplyAdagrad", "var: Ref(T), accum: Ref(T), lr: T, grad: T -> out: Ref(T)",
     "T: number; use_locking: bool = false; update_slots: bool = true", TrainingShape},
    {"ApplyAdagradV2",
     "var: Ref(T), accum: Ref(T), lr: T, epsilon: T, grad: T -> out: Ref(T)",
     "T: number; use_locking: bool = false; update_slots: bool = true", TrainingShape},
    {"ApplyAdam",
     "var: Ref(T), m: Ref(T), v: Ref(T), beta1_power: T, beta2_power: T, lr: T, beta1: "
     "T, beta2: T, epsilon: T, grad: T -> out: Ref(T)",
     "T: number; use_locking: bool = false; use_nesterov: bool = false", TrainingShape},
    {"ApplyCenteredRMSProp",
     "var: Ref(T), mg: Ref(T), ms: Ref(T), mom: Ref(T), lr: T, rho: T, momentum: T, "
     "epsilon: T, grad: T -> out: Ref(T)",
     "T: number; use_locking: bool = false", TrainingShape},
    {"ApplyFtrl",
     "var: Ref(T), accum: Ref(T), linear: Ref(T), grad: T, lr: T, l1: T, l2: T, "
     "lr_power: T -> out: Ref(T)",
     "T: number; use_locking: bool = false; multiply_linear_by_lr: bool = false",
     TrainingShape},
    {"ApplyFtrlV2",
     "var: Ref(T), accum: Ref(T), linear: Ref(T), grad: T, lr: T, l1: T, l2: T, "
     "l2_shrinkage: T, lr_power: T -> out: Ref(T)",
     "T: number; use_locking: bool = false; multiply_linear_by_lr: bool = false",
     TrainingShape},
    {"ApplyGradientDescent", "var: Ref(T), alpha: T, delta: T -> out: Ref(T)",
     "T: number; use_locking: bool = false", TrainingShape},
    {"ApplyMomentum",
     "var: Ref(T), accum: Ref(T), lr: T, grad: T, momentum: T -> out: Ref(T)",
     "T: number; use_locking: bool = false; use_nesterov: bool = false", TrainingShape},
    {"ApplyRMSProp",
     "var: Ref(T), ms: Ref(T), mom: Ref(T), lr: T, rho: T, momentum: T, epsilon: T, "
     "grad: T -> out: Ref(T)",
     "T: number; use_locking: bool = false", TrainingShape},
    {"ResourceApplyAdaMax",
     "var: resource, m: resource, v: resource, beta1_power: T, lr: T, beta1: T, beta2: "
     "T, epsilon: T, grad: T",
     "T: number; use_locking: bool = false", TrainingShape, kStateful},
    {"ResourceApplyAdadelta",
     "var: resource, accum: resource, accum_update: resource, lr: T, rho: T, epsilon: T, "
     "grad: T",
     "T: number; use_locking: bool = false", TrainingShape, kStateful},
    {"ResourceApplyAdagrad", "var: resource, accum: resource, lr: T, grad: T",
     "T: number; use_locking: bool = false; update_slots: bool = true", TrainingShape,
     kStateful},
    {"ResourceApplyAdagradV2",
     "var: resource, accum: resource, lr: T, epsilon: T, grad: T",
     "T: number; use_locking: bool = false; update_slots: bool = true", TrainingShape,
     kStateful},
    {"ResourceApplyAdam",
     "var: resource, m: resource, v: resource, beta1_power: T, beta2_power: T, lr: T, "
     "beta1: T, beta2: T, epsilon: T, grad: T",
     "T: number; use_locking: bool = false; use_nesterov: bool = false", TrainingShape,
     kStateful},
    {"ResourceApplyCenteredRMSProp",
     "var: resource, mg: resource, ms: resource, mom: resource, lr: T, rho: T, momentum: "
     "T, epsilon: T, grad: T",
     "T: number; use_locking: bool = false", TrainingShape, kStateful},
    {"ResourceApplyFtrl",
     "var: resource, accum: resource, linear: resource, grad: T, lr: T, l1: T, l2: T, "
     "lr_power: T",
     "T: number; use_locking: bool = false; multiply_linear_by_lr: bool = false",
     TrainingShape, kStateful},
    {"ResourceApplyFtrlV2",
     "var: resource, accum: resource, linear: resource, grad: T, lr: T, l1: T, l2: T, "
     "l2_shrinkage: T, lr_power: T",
     "T: number; use_locking: bool = false; multiply_linear_by_lr: bool = false",
     TrainingShape, kStateful},
    {"ResourceApplyGradientDescent", "var: resource, alpha: T, delta: T",
     "T: number; use_locking: bool = false", TrainingShape, kStateful},
    {"ResourceApplyKerasMomentum",
     "var: resource, accum: resource, lr: T, grad: T, momentum: T",
     "T: number; use_locking: bool = false; use_nesterov: bool = false", TrainingShape,
     kStateful},
    {"ResourceApplyMomentum",
     "var: resource, accum: resource, lr: T, grad: T, momentum: T",
     "T: number; use_locking: bool = false; use_nesterov: bool = false", TrainingShape,
     kStateful},
    {"ResourceApplyRMSProp",
     "var: resource, ms: resource, mom: resource, lr: T, rho: T, momentum: T, epsilon: "
     "T, grad: T",
     "T: number; use_locking: bool = false", TrainingShape, kStateful},
    {"ResourceSparseApplyAdagrad",
     "var: resource, accum: resource, lr: T, grad: T, indices: Tindices",
     "T: number; Tindices: index; use_locking: bool = false; update_slots: bool = true",
     TrainingShape, kStateful},
    {"ResourceSparseApplyFtrl",
     "var: resource, accum: resource, linear: resource, grad: T, indices: Tindices, lr: "
     "T, l1: T, l2: T, lr_power: T",
     "T: number; Tindices: index; use_locking: bool = false; multiply_linear_by_lr: bool "
     "= false",
     TrainingShape, kStateful},
    {"ResourceSparseApplyMomentum",
     "var: resource, accum: resource, lr: T, grad: T, indices: Tindices, momentum: T",
     "T: number; Tindices: index; use_locking: bool = false; use_nesterov: bool = false",
     TrainingShape, kStateful},
    {"ResourceSparseApplyRMSProp",
     "var: resource, ms: resource, mom: resource, lr: T, rho: T, momentum: T, epsilon: "
     "T, grad: T, indices: Tindices",
     "T: number; Tindices: index; use_locking: bool = false", TrainingShape, kStateful},
    {"SparseApplyAdadelta",
     "var: Ref(T), accum: Ref(T), accum_update: Ref(T), lr: T, rho: T, epsilon: T, grad: "
     "T, indices: Tindices -> out: Ref(T)",
     "T: number; Tindices: index; use_locking: bool = false", TrainingShape},
    {"SparseApplyAdagrad",
     "var: Ref(T), accum: Ref(T), lr: T, grad: T, indices: Tindices -> out: Ref(T)",
     "T: number; Tindices: index; use_locking: bool = false; update_slots: bool = true",
     TrainingShape},
    {"SparseApplyFtrl",
     "var: Ref(T), accum: Ref(T), linear: Ref(T), grad: T, indices: Tindices, lr: T, l1: "
     "T, l2: T, lr_power: T -> out: Ref(T)",
     "T: number; Tindices: index; use_locking: bool = false; multiply_linear_by_lr: bool "
     "= false",
     TrainingShape},
    {"SparseApplyMomentum",
     "var: Ref(T), accum: Ref(T), lr: T, grad: T, indices: Tindices, momentum: T -> out: "
     "Ref(T)",
     "T: number; Tindices: index; use_locking: bool = false; use_nesterov: bool = false",
     TrainingShape},
    {"SparseApplyRMSProp",
     "var: Ref(T), ms: Ref(T), mom: Ref(T), lr: T, rho: T, momentum: T, epsilon: T, "
     "grad: T, indices: Tindices -> out: Ref(T)",
     "T: number; Tindices: index; use_locking: bool = false", TrainingShape},
};

}  // namespace

std::span<const OpSpec> TrainingOps() { return kTrainingOps; }

}  // namespace berth
