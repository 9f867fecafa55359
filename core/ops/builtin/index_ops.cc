// Gathering, scattering and looking for elements.
#include "core/ops/builtin_ops.h"

namespace berth {
namespace {

constexpr OpSpec kIndexOps[] = {
    {"Gather", "params: Tparams, indices: Tindices -> output: Tparams",
     "validate_indices: bool = true; Tparams: type; Tindices: index"},
    {"GatherV2", "params: Tparams, indices: Tindices, axis: Taxis -> output: Tparams",
     "batch_dims: int = 0; Tparams: type; Tindices: index16; Taxis: index"},
    {"GatherNd", "params: Tparams, indices: Tindices -> output: Tparams",
     "Tparams: type; Tindices: index16; bad_indices_policy: string = ''"},
    {"ScatterNd", "indices: Tindices, updates: T, shape: Tindices -> output: T",
     "T: type; Tindices: index16; bad_indices_policy: string = ''"},
    {"TensorScatterUpdate", "tensor: T, indices: Tindices, updates: T -> output: T",
     "T: type; Tindices: {int16, int32, int64, uint16}; bad_indices_policy: string = ''"},
    {"TensorScatterAdd", "tensor: T, indices: Tindices, updates: T -> output: T",
     "T: type; Tindices: index; bad_indices_policy: string = ''"},
    {"OneHot", "indices: TI, depth: int32, on_value: T, off_value: T -> output: T",
     "axis: int = -1; T: type; TI: {uint8, int8, int32, int64} = int64"},
    {"Where", "input: T -> index: int64",
     "T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, "
     "qint32, bfloat16, qint16, quint16, uint16, complex128, half, uint32, uint64, bool} "
     "= bool"},
    {"Unique", "x: T -> y: T, idx: out_idx", "T: type; out_idx: index = int32"},
    {"UniqueV2", "x: T, axis: Taxis -> y: T, idx: out_idx",
     "T: type; Taxis: index = int64; out_idx: index = int32"},
    {"UniqueWithCounts", "x: T -> y: T, idx: out_idx, count: out_idx",
     "T: type; out_idx: index = int32"},
    {"ListDiff", "x: T, y: T -> out: T, idx: out_idx", "T: type; out_idx: index = int32"},
    {"SparseToDense",
     "sparse_indices: Tindices, output_shape: Tindices, sparse_values: T, default_value: "
     "T -> dense: T",
     "validate_indices: bool = true; T: type; Tindices: index"},
    {"TopK", "input: T -> values: T, indices: int32",
     "k: int >= 0; sorted: bool = true; T: real", nullptr, 0, 7, "Use TopKV2 instead"},
    {"TopKV2", "input: T, k: Tk -> values: T, indices: index_type",
     "sorted: bool = true; T: real; Tk: index16 = int32; index_type: index16 = int32"},
    {"InTopK", "predictions: float, targets: T -> precision: bool",
     "k: int; T: index = int32"},
    {"InTopKV2", "predictions: float, targets: T, k: T -> precision: bool",
     "T: index = int32"},
    {"Diag", "diagonal: T -> output: T",
     "T: {bfloat16, half, float, double, int32, int64, complex64, complex128}"},
    {"DiagPart", "input: T -> diagonal: T",
     "T: {bfloat16, half, float, double, int32, int64, complex64, complex128}"},
    {"MatrixDiag", "diagonal: T -> output: T", "T: type"},
    {"MatrixDiagPart", "input: T -> diagonal: T", "T: type"},
    {"MatrixSetDiag", "input: T, diagonal: T -> output: T", "T: type"},
    {"MatrixBandPart", "input: T, num_lower: Tindex, num_upper: Tindex -> band: T",
     "T: type; Tindex: index = int64"},
    {"DynamicPartition", "data: T, partitions: int32 -> outputs: num_partitions * T",
     "num_partitions: int >= 1; T: type"},
    {"DynamicStitch", "indices: N * int32, data: N * T -> merged: T",
     "N: int >= 1; T: type"},
    {"Bincount", "arr: int32, size: int32, weights: T -> bins: T",
     "T: {int32, int64, float, double}"},
};

}  // namespace

std::span<const OpSpec> IndexOps() { return kIndexOps; }

}  // namespace berth
