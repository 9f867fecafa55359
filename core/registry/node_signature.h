// Bytes that are equal for nodes of which a kernel's supports() sees the same.
#pragma once

#include <span>
#include <string>

#include "core/base/shape.h"
#include "core/graph/attr_value.h"
#include "core/graph/graph.h"

namespace berth {

// Appends one attribute value. Tensors of more than 256 bytes go in as a 128-bit digest
// of their content.
void AppendAttrSignature(const AttrValue& value, std::string* key);

// Appends op, attributes (without those that NodeAbiView hides) and static shapes. Shapes
// that are missing count as unknown.
void AppendNodeSignature(const Node& node, std::span<const Shape> input_shapes,
                         std::string* key);

}  // namespace berth
