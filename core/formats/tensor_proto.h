// TensorProto and TensorShapeProto, decoded from the wire and encoded to it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/shape.h"
#include "core/base/status.h"
#include "core/base/tensor.h"

namespace berth::formats {

// A dtype's number as the wire has it; INVALID_ARGUMENT for numbers that berth does not
// know. Reference types pass.
Result<DType> CheckedDType(uint64_t number);

// A serialized TensorShapeProto, -1 = unknown size. `base` is where the bytes begin in
// their file (for messages). DATA_LOSS for bytes that are no message; INVALID_ARGUMENT
// for sizes below -1 and ranks above Shape::kMaxRank.
Result<Shape> DecodeShape(std::string_view proto, uint64_t base = 0);

// A serialized TensorProto as a host tensor of its own memory. Raw content and typed
// fields are understood; of the latter the last value repeats, none means zeros.
// DATA_LOSS or INVALID_ARGUMENT as above, also for content whose size does not fit the
// shape; UNIMPLEMENTED for resource and variant; RESOURCE_EXHAUSTED above 2 GiB, before
// any memory is taken.
Result<Tensor> DecodeTensor(std::string_view proto, uint64_t base = 0);

// Appends the serialized message. A shape of unknown rank says so.
void AppendShape(const Shape& shape, std::string* out);
// One element, and equal elements of more than 64 bytes, go out as one typed value;
// everything else as content. REQUIRES: a host tensor, or one without elements.
void AppendTensor(const Tensor& tensor, std::string* out);

// Appends field `number` with `bytes` as its content.
void AppendBytesField(uint32_t number, std::string_view bytes, std::string* out);
void AppendVarintField(uint32_t number, uint64_t value, std::string* out);

}  // namespace berth::formats
