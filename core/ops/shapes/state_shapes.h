// Shape functions of builtin/state_ops.cc and builtin/training_ops.cc.
#pragma once

#include "core/ops/inference_context.h"

namespace berth {

Status LegacyVariableShape(InferenceContext& c);  // a scalar "shape" means unknown
Status AssignShape(InferenceContext& c);
Status CountUpToShape(InferenceContext& c);
Status VarHandleShape(InferenceContext& c);
Status ReadVariableShape(InferenceContext& c);
Status AssignVariableShape(InferenceContext& c);
Status VariableShapeShape(InferenceContext& c);
Status ResourceGatherShape(InferenceContext& c);
Status ResourceStridedSliceAssignShape(InferenceContext& c);
Status ScatterUpdateShape(InferenceContext& c);
Status ResourceScatterShape(InferenceContext& c);
Status ScatterNdUpdateShape(InferenceContext& c);
Status ResourceScatterNdUpdateShape(InferenceContext& c);
// All Apply ops: the arguments' names say what they are.
Status TrainingShape(InferenceContext& c);

}  // namespace berth
