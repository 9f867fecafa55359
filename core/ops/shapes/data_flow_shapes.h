// Shape functions of queues, stacks, tensor arrays, tensor lists, tables and readers.
#pragma once

#include "core/ops/inference_context.h"

namespace berth {

Status RefHandleShape(InferenceContext& c);  // string references have two elements
Status QueueHandleShape(InferenceContext& c);
Status StackPushShape(InferenceContext& c);
Status TensorArrayShape(InferenceContext& c);
Status TensorArrayGradShape(InferenceContext& c);
Status TensorArrayReadShape(InferenceContext& c);
Status TensorArrayWriteShape(InferenceContext& c);
Status TensorArrayGatherShape(InferenceContext& c);
Status TensorArrayScatterShape(InferenceContext& c);
Status TensorArrayConcatShape(InferenceContext& c);
Status TensorListGetItemShape(InferenceContext& c);
Status TensorListStackShape(InferenceContext& c);
Status TensorListPopBackShape(InferenceContext& c);
Status TensorListConcatShape(InferenceContext& c);
Status TableFindShape(InferenceContext& c);
Status ReaderReadShape(InferenceContext& c);
Status ReaderReadUpToShape(InferenceContext& c);

}  // namespace berth
