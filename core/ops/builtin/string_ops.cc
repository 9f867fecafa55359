// Strings.
#include "core/ops/builtin_ops.h"

namespace berth {
namespace {

constexpr OpSpec kStringOps[] = {
    {"AsString", "input: T -> output: string",
     "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, "
     "uint32, uint64, complex64, complex128, bool, variant, string}; precision: int = "
     "-1; scientific: bool = false; shortest: bool = false; width: int = -1; fill: "
     "string = ''"},
    {"StringJoin", "inputs: N * string -> output: string",
     "N: int >= 0; separator: string = ''"},
    {"StringLength", "input: string -> output: int32",
     "unit: {'BYTE', 'UTF8_CHAR'} = 'BYTE'"},
    {"StringLower", "input: string -> output: string", "encoding: string = ''"},
    {"StringUpper", "input: string -> output: string", "encoding: string = ''"},
    {"StringSplit",
     "input: string, delimiter: string -> indices: int64, values: string, shape: int64",
     "skip_empty: bool = true"},
    {"StringSplitV2",
     "input: string, sep: string -> indices: int64, values: string, shape: int64",
     "maxsplit: int = -1"},
    {"StringStrip", "input: string -> output: string"},
    {"StringToHashBucket", "string_tensor: string -> output: int64",
     "num_buckets: int >= 1"},
    {"StringToHashBucketFast", "input: string -> output: int64", "num_buckets: int >= 1"},
    {"Substr", "input: string, pos: T, len: T -> output: string",
     "T: index; unit: {'BYTE', 'UTF8_CHAR'} = 'BYTE'"},
    {"ReduceJoin", "inputs: string, reduction_indices: int32 -> output: string",
     "keep_dims: bool = false; separator: string = ''"},
    {"RegexReplace", "input: string, pattern: string, rewrite: string -> output: string",
     "replace_global: bool = true"},
    {"StaticRegexFullMatch", "input: string -> output: bool", "pattern: string"},
    {"EncodeBase64", "input: string -> output: string", "pad: bool = false"},
    {"DecodeBase64", "input: string -> output: string"},
};

}  // namespace

std::span<const OpSpec> StringOps() { return kStringOps; }

}  // namespace berth
