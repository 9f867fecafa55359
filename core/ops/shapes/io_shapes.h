// Shape functions of files and checkpoints, strings, parsing and logging.
#pragma once

#include "core/ops/inference_context.h"

namespace berth {

// Files and checkpoints.
Status ScalarsOnlyShape(InferenceContext& c);  // no output; every input is a scalar
Status MatchingFilesShape(InferenceContext& c);
Status SaveShape(InferenceContext& c);
Status RestoreShape(InferenceContext& c);

// Strings.
Status StringJoinShape(InferenceContext& c);
Status StringSplitShape(InferenceContext& c);
Status SubstrShape(InferenceContext& c);
Status RegexReplaceShape(InferenceContext& c);

// Parsing.
Status ParseExampleShape(InferenceContext& c);
Status ParseExampleV2Shape(InferenceContext& c);
Status ParseSingleExampleShape(InferenceContext& c);
Status ScalarInputShape(InferenceContext& c);  // ParseTensor: a scalar in, unknown out
Status DecodeCsvShape(InferenceContext& c);
Status DecodeRawShape(InferenceContext& c);

}  // namespace berth
