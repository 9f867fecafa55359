// Shape functions of builtin/nn_ops.cc.
#pragma once

#include "core/ops/inference_context.h"

namespace berth {

// conv_shapes.cc
Status Conv2DShape(InferenceContext& c);
Status Conv3DShape(InferenceContext& c);
Status DepthwiseConv2DShape(InferenceContext& c);
Status ConvBackpropInputShape(InferenceContext& c);
Status Conv3DBackpropInputShape(InferenceContext& c);
Status ConvBackpropFilterShape(InferenceContext& c);
Status Conv3DBackpropFilterShape(InferenceContext& c);
Status DepthwiseBackpropInputShape(InferenceContext& c);
Status Dilation2DShape(InferenceContext& c);

// pool_shapes.cc
Status AvgPoolShape(InferenceContext& c);
Status MaxPoolShape(InferenceContext& c);
Status MaxPoolV2Shape(InferenceContext& c);
Status Pool3DShape(InferenceContext& c);
Status AvgPoolGradShape(InferenceContext& c);
Status AvgPool3DGradShape(InferenceContext& c);
Status MaxPoolGradShape(InferenceContext& c);
Status MaxPoolWithArgmaxShape(InferenceContext& c);

// nn_shapes.cc
Status BiasAddShape(InferenceContext& c);
Status BiasAddGradShape(InferenceContext& c);
Status LrnGradShape(InferenceContext& c);
Status BatchNormGlobalShape(InferenceContext& c);
Status FusedBatchNormShape(InferenceContext& c);
Status FusedBatchNormGradShape(InferenceContext& c);
Status SoftmaxCrossEntropyShape(InferenceContext& c);
Status SparseSoftmaxCrossEntropyShape(InferenceContext& c);

}  // namespace berth
