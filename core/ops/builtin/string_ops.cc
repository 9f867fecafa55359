// Strings.
#include "core/ops/builtin_ops.h"
#include "core/ops/shapes/common.h"
#include "core/ops/shapes/io_shapes.h"
#include "core/ops/shapes/math_shapes.h"

namespace berth {
namespace {

constexpr OpSpec kStringOps[] = {
    {"AsString", "input: T -> output: string",
     "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, "
     "uint32, uint64, complex64, complex128, bool, variant, string}; precision: int = "
     "-1; scientific: bool = false; shortest: bool = false; width: int = -1; fill: "
     "string = ''",
     UnchangedShape},
    {"StringJoin", "inputs: N * string -> output: string",
     "N: int >= 0; separator: string = ''", StringJoinShape},
    {"StringLength", "input: string -> output: int32",
     "unit: {'BYTE', 'UTF8_CHAR'} = 'BYTE'", UnchangedShape},
    {"StringLower", "input: string -> output: string", "encoding: string = ''",
     UnchangedShape},
    {"StringUpper", "input: string -> output: string", "encoding: string = ''",
     UnchangedShape},
    {"StringSplit",
     "input: string, delimiter: string -> indices: int64, values: string, shape: int64",
     "skip_empty: bool = true", StringSplitShape},
    {"StringSplitV2",
     "input: string, sep: string -> indices: int64, values: string, shape: int64",
     "maxsplit: int = -1", StringSplitShape},
    {"StringStrip", "input: string -> output: string", "", UnchangedShape},
    {"StringToHashBucket", "string_tensor: string -> output: int64",
     "num_buckets: int >= 1", UnchangedShape},
    {"StringToHashBucketFast", "input: string -> output: int64", "num_buckets: int >= 1",
     UnchangedShape},
    {"Substr", "input: string, pos: T, len: T -> output: string",
     "T: index; unit: {'BYTE', 'UTF8_CHAR'} = 'BYTE'", SubstrShape},
    {"ReduceJoin", "inputs: string, reduction_indices: int32 -> output: string",
     "keep_dims: bool = false; separator: string = ''", ReductionShape},
    {"RegexReplace", "input: string, pattern: string, rewrite: string -> output: string",
     "replace_global: bool = true", RegexReplaceShape},
    {"StaticRegexFullMatch", "input: string -> output: bool", "pattern: string",
     UnchangedShape},
    {"EncodeBase64", "input: string -> output: string", "pad: bool = false",
     UnchangedShape},
    {"DecodeBase64", "input: string -> output: string", "", UnchangedShape},
};

}  // namespace

std::span<const OpSpec> StringOps() { return kStringOps; }

}  // namespace berth
