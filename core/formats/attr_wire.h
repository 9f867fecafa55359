// AttrValue, decoded from the wire and encoded to it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/status.h"
#include "core/graph/attr_value.h"

namespace berth::formats {

// A serialized AttrValue. `base` is where the bytes begin in their file (for messages).
// DATA_LOSS for bytes that are no message, INVALID_ARGUMENT for values that cannot be
// (see tensor_proto.h). A message without a value gives a value without one.
Result<AttrValue> DecodeAttrValue(std::string_view proto, uint64_t base = 0);

// Appends the serialized message. REQUIRES: tensors inside are on the host.
void AppendAttrValue(const AttrValue& value, std::string* out);

}  // namespace berth::formats
