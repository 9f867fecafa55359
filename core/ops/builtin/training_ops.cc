// Updates of variables by gradients.
#include "core/ops/builtin_ops.h"

namespace berth {
namespace {

constexpr OpSpec kTrainingOps[] = {
    {"ApplyAdaMax",
     "var: Ref(T), m: Ref(T), v: Ref(T), beta1_power: T, lr: T, beta1: T, beta2: T, "
     "epsilon: T, grad: T -> out: Ref(T)",
     "T: number; use_locking: bool = false"},
    {"ApplyAdadelta",
     "var: Ref(T), accum: Ref(T), accum_update: Ref(T), lr: T, rho: T, epsilon: T, grad: "
     "T -> out: Ref(T)",
     "T: number; use_locking: bool = false"},
    {"ApplyAdagrad", "var: Ref(T), accum: Ref(T), lr: T, grad: T -> out: Ref(T)",
     "T: number; use_locking: bool = false; update_slots: bool = true"},
    {"ApplyAdagradV2",
     "var: Ref(T), accum: Ref(T), lr: T, epsilon: T, grad: T -> out: Ref(T)",
     "T: number; use_locking: bool = false; update_slots: bool = true"},
    {"ApplyAdam",
     "var: Ref(T), m: Ref(T), v: Ref(T), beta1_power: T, beta2_power: T, lr: T, beta1: "
     "T, beta2: T, epsilon: T, grad: T -> out: Ref(T)",
     "T: number; use_locking: bool = false; use_nesterov: bool = false"},
    {"ApplyCenteredRMSProp",
     "var: Ref(T), mg: Ref(T), ms: Ref(T), mom: Ref(T), lr: T, rho: T, momentum: T, "
     "epsilon: T, grad: T -> out: Ref(T)",
     "T: number; use_locking: bool = false"},
    {"ApplyFtrl",
     "var: Ref(T), accum: Ref(T), linear: Ref(T), grad: T, lr: T, l1: T, l2: T, "
     "lr_power: T -> out: Ref(T)",
     "T: number; use_locking: bool = false; multiply_linear_by_lr: bool = false"},
    {"ApplyFtrlV2",
     "var: Ref(T), accum: Ref(T), linear: Ref(T), grad: T, lr: T, l1: T, l2: T, "
     "l2_shrinkage: T, lr_power: T -> out: Ref(T)",
     "T: number; use_locking: bool = false; multiply_linear_by_lr: bool = false"},
    {"ApplyGradientDescent", "var: Ref(T), alpha: T, delta: T -> out: Ref(T)",
     "T: number; use_locking: bool = false"},
    {"ApplyMomentum",
     "var: Ref(T), accum: Ref(T), lr: T, grad: T, momentum: T -> out: Ref(T)",
     "T: number; use_locking: bool = false; use_nesterov: bool = false"},
    {"ApplyRMSProp",
     "var: Ref(T), ms: Ref(T), mom: Ref(T), lr: T, rho: T, momentum: T, epsilon: T, "
     "grad: T -> out: Ref(T)",
     "T: number; use_locking: bool = false"},
    {"ResourceApplyAdaMax",
     "var: resource, m: resource, v: resource, beta1_power: T, lr: T, beta1: T, beta2: "
     "T, epsilon: T, grad: T",
     "T: number; use_locking: bool = false", nullptr, kStateful},
    {"ResourceApplyAdadelta",
     "var: resource, accum: resource, accum_update: resource, lr: T, rho: T, epsilon: T, "
     "grad: T",
     "T: number; use_locking: bool = false", nullptr, kStateful},
    {"ResourceApplyAdagrad", "var: resource, accum: resource, lr: T, grad: T",
     "T: number; use_locking: bool = false; update_slots: bool = true", nullptr,
     kStateful},
    {"ResourceApplyAdagradV2",
     "var: resource, accum: resource, lr: T, epsilon: T, grad: T",
     "T: number; use_locking: bool = false; update_slots: bool = true", nullptr,
     kStateful},
    {"ResourceApplyAdam",
     "var: resource, m: resource, v: resource, beta1_power: T, beta2_power: T, lr: T, "
     "beta1: T, beta2: T, epsilon: T, grad: T",
     "T: number; use_locking: bool = false; use_nesterov: bool = false", nullptr,
     kStateful},
    {"ResourceApplyCenteredRMSProp",
     "var: resource, mg: resource, ms: resource, mom: resource, lr: T, rho: T, momentum: "
     "T, epsilon: T, grad: T",
     "T: number; use_locking: bool = false", nullptr, kStateful},
    {"ResourceApplyFtrl",
     "var: resource, accum: resource, linear: resource, grad: T, lr: T, l1: T, l2: T, "
     "lr_power: T",
     "T: number; use_locking: bool = false; multiply_linear_by_lr: bool = false", nullptr,
     kStateful},
    {"ResourceApplyFtrlV2",
     "var: resource, accum: resource, linear: resource, grad: T, lr: T, l1: T, l2: T, "
     "l2_shrinkage: T, lr_power: T",
     "T: number; use_locking: bool = false; multiply_linear_by_lr: bool = false", nullptr,
     kStateful},
    {"ResourceApplyGradientDescent", "var: resource, alpha: T, delta: T",
     "T: number; use_locking: bool = false", nullptr, kStateful},
    {"ResourceApplyKerasMomentum",
     "var: resource, accum: resource, lr: T, grad: T, momentum: T",
     "T: number; use_locking: bool = false; use_nesterov: bool = false", nullptr,
     kStateful},
    {"ResourceApplyMomentum",
     "var: resource, accum: resource, lr: T, grad: T, momentum: T",
     "T: number; use_locking: bool = false; use_nesterov: bool = false", nullptr,
     kStateful},
    {"ResourceApplyRMSProp",
     "var: resource, ms: resource, mom: resource, lr: T, rho: T, momentum: T, epsilon: "
     "T, grad: T",
     "T: number; use_locking: bool = false", nullptr, kStateful},
    {"ResourceSparseApplyAdagrad",
     "var: resource, accum: resource, lr: T, grad: T, indices: Tindices",
     "T: number; Tindices: index; use_locking: bool = false; update_slots: bool = true",
     nullptr, kStateful},
    {"ResourceSparseApplyFtrl",
     "var: resource, accum: resource, linear: resource, grad: T, indices: Tindices, lr: "
     "T, l1: T, l2: T, lr_power: T",
     "T: number; Tindices: index; use_locking: bool = false; multiply_linear_by_lr: bool "
     "= false",
     nullptr, kStateful},
    {"ResourceSparseApplyMomentum",
     "var: resource, accum: resource, lr: T, grad: T, indices: Tindices, momentum: T",
     "T: number; Tindices: index; use_locking: bool = false; use_nesterov: bool = false",
     nullptr, kStateful},
    {"ResourceSparseApplyRMSProp",
     "var: resource, ms: resource, mom: resource, lr: T, rho: T, momentum: T, epsilon: "
     "T, grad: T, indices: Tindices",
     "T: number; Tindices: index; use_locking: bool = false", nullptr, kStateful},
    {"SparseApplyAdadelta",
     "var: Ref(T), accum: Ref(T), accum_update: Ref(T), lr: T, rho: T, epsilon: T, grad: "
     "T, indices: Tindices -> out: Ref(T)",
     "T: number; Tindices: index; use_locking: bool = false"},
    {"SparseApplyAdagrad",
     "var: Ref(T), accum: Ref(T), lr: T, grad: T, indices: Tindices -> out: Ref(T)",
     "T: number; Tindices: index; use_locking: bool = false; update_slots: bool = true"},
    {"SparseApplyFtrl",
     "var: Ref(T), accum: Ref(T), linear: Ref(T), grad: T, indices: Tindices, lr: T, l1: "
     "T, l2: T, lr_power: T -> out: Ref(T)",
     "T: number; Tindices: index; use_locking: bool = false; multiply_linear_by_lr: bool "
     "= false"},
    {"SparseApplyMomentum",
     "var: Ref(T), accum: Ref(T), lr: T, grad: T, indices: Tindices, momentum: T -> out: "
     "Ref(T)",
     "T: number; Tindices: index; use_locking: bool = false; use_nesterov: bool = false"},
    {"SparseApplyRMSProp",
     "var: Ref(T), ms: Ref(T), mom: Ref(T), lr: T, rho: T, momentum: T, epsilon: T, "
     "grad: T, indices: Tindices -> out: Ref(T)",
     "T: number; Tindices: index; use_locking: bool = false"},
};

}  // namespace

std::span<const OpSpec> TrainingOps() { return kTrainingOps; }

}  // namespace berth
