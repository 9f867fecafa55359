// The compact form in which the built-in ops are written down.
#pragma once

#include "core/base/status.h"
#include "core/ops/op_schema.h"

namespace berth {

// Bits of OpSpec::flags.
enum OpFlags : int {
  kStateful = 1,
  kCommutative = 2,
  kAggregate = 4,
  kUninitializedInput = 8,
};

// One row of a family's table. All strings are literals.
//
// Signature: "ref: Ref(T), values: N * T, rest: Tlist, flag: bool -> out: T": arguments
// are a dtype, a type attribute, a list(type) attribute, or "number attribute * type".
//
// Attributes, split by ';': "T: {float, int32} = float; N: int >= 2; mode: {'a', 'b'};
// axes: list(int) = [0, 1]; shape: shape = ?". A set in braces limits a type or a string,
// list({…}) each entry of a list. Sets with a name:
//   number     the numeric types, quantized ones too
//   real       number without complex and quantized types
//   floating   half, bfloat16, float, double
//   inexact    floating and complex
//   index      int32, int64
//   index16    int16, int32, int64
struct OpSpec {
  const char* name = "";
  const char* signature = "";
  const char* attrs = "";
  ShapeFn shape = nullptr;
  int flags = 0;
  int deprecated_since = 0;
  const char* deprecation = "";
};

// INTERNAL, quoting the place, for text that is not in the form above.
Result<OpSchema> ParseOpSpec(const OpSpec& spec);

}  // namespace berth
