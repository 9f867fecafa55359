// Shape functions of builtin/control_flow_ops.cc and builtin/functional_ops.cc.
#pragma once

#include "core/ops/inference_context.h"

namespace berth {

Status SwitchShape(InferenceContext& c);
Status MergeShape(InferenceContext& c);
Status LoopCondShape(InferenceContext& c);
Status PassThroughShape(InferenceContext& c);  // with the handle: Enter, Identity, …
Status RefSelectShape(InferenceContext& c);
Status OutputShapesAttr(InferenceContext& c);  // If, While
Status ListOfArraysShape(InferenceContext& c);

}  // namespace berth
