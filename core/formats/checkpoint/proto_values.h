// Shapes and slices as checkpoints of both formats store them.
#pragma once

#include "berth/proto/checkpoint.pb.h"
#include "core/base/shape.h"
#include "core/base/status.h"
#include "core/formats/checkpoint/tensor_slice.h"

namespace berth::formats {

// DATA_LOSS for a shape that no stored tensor has: unknown or negative sizes, an
// overflow.
Result<Shape> ParseStoredShape(const tf::TensorShapeProto& proto);
// DATA_LOSS for a negative extent.
Result<TensorSlice> ParseStoredSlice(const tf::TensorSliceProto& proto);

}  // namespace berth::formats
