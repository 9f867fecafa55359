// Checks of attribute values against a schema.
#pragma once

#include "core/base/status.h"
#include "core/ops/op_schema.h"

namespace berth {

// The most tensors that one list argument may stand for: far above any real graph, and
// small enough that a damaged attribute cannot ask for all memory.
inline constexpr int64_t kMaxArgLength = 1 << 20;

// INVALID_ARGUMENT when `value` has the wrong kind, is none of the allowed values, is
// below the minimum, holds a NaN or a dtype that does not exist.
Status CheckAttrValue(const OpSchema& schema, const AttrSchema& attr,
                      const AttrValue& value);

}  // namespace berth
