// Shape functions of builtin/index_ops.cc.
#pragma once

#include "core/ops/inference_context.h"

namespace berth {

Status GatherShape(InferenceContext& c);
Status GatherV2Shape(InferenceContext& c);
Status GatherNdShape(InferenceContext& c);
Status ScatterNdShape(InferenceContext& c);
Status TensorScatterShape(InferenceContext& c);
Status OneHotShape(InferenceContext& c);
Status WhereShape(InferenceContext& c);
Status UniqueShape(InferenceContext& c);    // Unique, UniqueWithCounts
Status UniqueV2Shape(InferenceContext& c);  // along an axis
Status ListDiffShape(InferenceContext& c);
Status SparseToDenseShape(InferenceContext& c);
Status TopKShape(InferenceContext& c);  // k is an attribute or input 1
Status InTopKShape(InferenceContext& c);
Status DiagShape(InferenceContext& c);
Status DiagPartShape(InferenceContext& c);
Status MatrixDiagShape(InferenceContext& c);
Status MatrixDiagPartShape(InferenceContext& c);
Status MatrixSetDiagShape(InferenceContext& c);
Status DynamicPartitionShape(InferenceContext& c);
Status DynamicStitchShape(InferenceContext& c);
Status BincountShape(InferenceContext& c);

}  // namespace berth
