// Shape functions of builtin/image_ops.cc.
#pragma once

#include "core/ops/inference_context.h"

namespace berth {

Status DecodeImageFileShape(InferenceContext& c);  // DecodeJpeg, DecodePng, DecodeBmp
Status DecodeAndCropJpegShape(InferenceContext& c);
Status DecodeImageShape(InferenceContext& c);
Status EncodeJpegShape(InferenceContext& c);
Status EncodePngShape(InferenceContext& c);
Status ExtractJpegShapeShape(InferenceContext& c);
Status ExtractGlimpseShape(InferenceContext& c);
Status ResizeShape(InferenceContext& c);
Status ResizeGradShape(InferenceContext& c);
Status CropAndResizeShape(InferenceContext& c);
Status CropAndResizeGradImageShape(InferenceContext& c);
Status CropAndResizeGradBoxesShape(InferenceContext& c);
Status AdjustShape(InferenceContext& c);  // an image and a scalar
Status AdjustContrastShape(InferenceContext& c);
Status ColorspaceShape(InferenceContext& c);
Status DrawBoundingBoxesShape(InferenceContext& c);
Status NonMaxSuppressionShape(InferenceContext& c);

}  // namespace berth
