// From serialized data to tensors.
#include "core/ops/builtin_ops.h"
#include "core/ops/shapes/common.h"
#include "core/ops/shapes/io_shapes.h"

namespace berth {
namespace {

constexpr OpSpec kParsingOps[] = {
    {"ParseExample",
     "serialized: string, names: string, sparse_keys: Nsparse * string, dense_keys: "
     "Ndense * string, dense_defaults: Tdense -> sparse_indices: Nsparse * int64, "
     "sparse_values: sparse_types, sparse_shapes: Nsparse * int64, dense_values: Tdense",
     "Nsparse: int >= 0; Ndense: int >= 0; sparse_types: list({float, int64, string}) >= "
     "0; Tdense: list({float, int64, string}) >= 0; dense_shapes: list(shape) >= 0",
     ParseExampleShape},
    {"ParseExampleV2",
     "serialized: string, names: string, sparse_keys: string, dense_keys: string, "
     "ragged_keys: string, dense_defaults: Tdense -> sparse_indices: num_sparse * int64, "
     "sparse_values: sparse_types, sparse_shapes: num_sparse * int64, dense_values: "
     "Tdense, ragged_values: ragged_value_types, ragged_row_splits: ragged_split_types",
     "Tdense: list({float, int64, string}) >= 0; num_sparse: int >= 0; sparse_types: "
     "list({float, int64, string}) >= 0; ragged_value_types: list({float, int64, "
     "string}) >= 0; ragged_split_types: list(index) >= 0; dense_shapes: list(shape) >= "
     "0",
     ParseExampleV2Shape},
    {"ParseSingleExample",
     "serialized: string, dense_defaults: Tdense -> sparse_indices: num_sparse * int64, "
     "sparse_values: sparse_types, sparse_shapes: num_sparse * int64, dense_values: "
     "Tdense",
     "num_sparse: int >= 0; sparse_keys: list(string) >= 0; dense_keys: list(string) >= "
     "0; sparse_types: list({float, int64, string}) >= 0; Tdense: list({float, int64, "
     "string}) >= 0; dense_shapes: list(shape) >= 0",
     ParseSingleExampleShape},
    {"ParseTensor", "serialized: string -> output: out_type", "out_type: type",
     ScalarInputShape},
    {"SerializeTensor", "tensor: T -> serialized: string", "T: type", ScalarShape},
    {"DecodeCSV", "records: string, record_defaults: OUT_TYPE -> output: OUT_TYPE",
     "OUT_TYPE: list({float, double, int32, int64, string}) >= 1; field_delim: string = "
     "','; use_quote_delim: bool = true; na_value: string = ''; select_cols: list(int) = "
     "[]",
     DecodeCsvShape},
    {"DecodeRaw", "bytes: string -> output: out_type",
     "out_type: {half, float, double, int32, uint16, uint8, int16, int8, int64, "
     "complex64, complex128, bool, bfloat16}; little_endian: bool = true",
     DecodeRawShape},
    {"DecodeJSONExample", "json_examples: string -> binary_examples: string", "",
     UnchangedShape},
    {"StringToNumber", "string_tensor: string -> output: out_type",
     "out_type: {float, double, int32, int64, uint32, uint64} = float", UnchangedShape},
};

}  // namespace

std::span<const OpSpec> ParsingOps() { return kParsingOps; }

}  // namespace berth
