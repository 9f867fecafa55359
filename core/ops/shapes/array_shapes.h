// Shape functions of builtin/array_ops.cc.
#pragma once

#include "core/ops/inference_context.h"

namespace berth {

Status ConstShape(InferenceContext& c);
Status PlaceholderShape(InferenceContext& c);
Status PlaceholderWithDefaultShape(InferenceContext& c);
Status EnsureShapeShape(InferenceContext& c);
Status ShapeOpShape(InferenceContext& c);  // Shape, ShapeN
Status ReshapeShape(InferenceContext& c);
Status SqueezeShape(InferenceContext& c);
Status ExpandDimsShape(InferenceContext& c);
Status PackShape(InferenceContext& c);
Status UnpackShape(InferenceContext& c);
Status ConcatShape(InferenceContext& c);
Status ConcatV2Shape(InferenceContext& c);
Status ConcatOffsetShape(InferenceContext& c);
Status SplitShape(InferenceContext& c);
Status SplitVShape(InferenceContext& c);
Status SliceShape(InferenceContext& c);
Status TileShape(InferenceContext& c);
Status TransposeShape(InferenceContext& c);
Status VectorToSameShape(InferenceContext& c);  // InvertPermutation
Status BroadcastToShape(InferenceContext& c);
Status BroadcastArgsShape(InferenceContext& c);
Status BroadcastGradientArgsShape(InferenceContext& c);
// The axes over which the gradient of an operand of shape `own` is summed, because it was
// broadcast there against `other`. REQUIRES: the shapes broadcast.
Elements BroadcastGradientAxes(const Elements& own, const Elements& other);
Status BitcastShape(InferenceContext& c);
Status RollShape(InferenceContext& c);

// rearrange_shapes.cc: axes that change their sizes.
Status PadShape(InferenceContext& c);
Status MirrorPadGradShape(InferenceContext& c);
Status DepthToSpaceShape(InferenceContext& c);
Status SpaceToDepthShape(InferenceContext& c);
Status SpaceToBatchNDShape(InferenceContext& c);
Status BatchToSpaceNDShape(InferenceContext& c);
Status ReverseShape(InferenceContext& c);
Status ReverseV2Shape(InferenceContext& c);
Status ReverseSequenceShape(InferenceContext& c);

}  // namespace berth
