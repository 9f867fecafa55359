// Gathering, scattering and looking for elements.
#include "core/ops/builtin_ops.h"
#include "core/ops/shapes/common.h"
#include "core/ops/shapes/index_shapes.h"

namespace berth {
namespace {

constexpr OpSpec kIndexOps[] = {
    {"Gather", "params: Tparams, indices: Tindices -> output: Tparams",
     "validate_indices: bool = true; Tparams: type; Tindices: index", GatherShape},
    {"GatherV2", "params: Tparams, indices: Tindices, axis: Taxis -> output: Tparams",
     "batch_dims: int = 0; Tparams: type; Tindices: index16; Taxis: index",
     GatherV2Shape},
    {"GatherNd", "params: Tparams, indices: Tindices -> output: Tparams",
     "Tparams: type; Tindices: index16; bad_indices_policy: string = ''", GatherNdShape},
    {"ScatterNd", "indices: Tindices, updates: T, shape: Tindices -> output: T",
     "T: type; Tindices: index16; bad_indices_policy: string = ''", ScatterNdShape},
    {"TensorScatterUpdate", "tensor: T, indices: Tindices, updates: T -> output: T",
     "T: type; Tindices: {int16, int32, int64, uint16}; bad_indices_policy: string = ''",
     TensorScatterShape},
    {"TensorScatterAdd", "tensor: T, indices: Tindices, updates: T -> output: T",
     "T: type; Tindices: index; bad_indices_policy: string = ''", TensorScatterShape},
    {"OneHot", "indices: TI, depth: int32, on_value: T, off_value: T -> output: T",
     "axis: int = -1; T: type; TI: {uint8, int8, int32, int64} = int64", OneHotShape},
    {"Where", "input: T -> index: int64",
     "T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, "
     "qint32, bfloat16, qint16, quint16, uint16, complex128, half, uint32, uint64, bool} "
     "= bool",
     WhereShape},
    {"Unique", "x: T -> y: T, idx: out_idx", "T: type; out_idx: index = int32",
     UniqueShape},
    {"UniqueV2", "x: T, axis: Taxis -> y: T, idx: out_idx",
     "T: type; Taxis: index = int64; out_idx: index = int32", UniqueV2Shape},
    {"UniqueWithCounts", "x: T -> y: T, idx: out_idx, count: out_idx",
     "T: type; out_idx: index = int32", UniqueShape},
    {"ListDiff", "x: T, y: T -> out: T, idx: out_idx", "T: type; out_idx: index = int32",
     ListDiffShape},
    {"SparseToDense",
     "sparse_indices: Tindices, output_shape: Tindices, sparse_values: T, default_value: "
     "T -> dense: T",
     "validate_indices: bool = true; T: type; Tindices: index", SparseToDenseShape},
    {"TopK", "input: T -> values: T, indices: int32",
     "k: int >= 0; sorted: bool = true; T: real", TopKShape, 0, 7, "Use TopKV2 instead"},
    {"TopKV2", "input: T, k: Tk -> values: T, indices: index_type",
     "sorted: bool = true; T: real; Tk: index16 = int32; index_type: index16 = int32",
     TopKShape},
    {"InTopK", "predictions: float, targets: T -> precision: bool",
     "k: int; T: index = int32", InTopKShape},
    {"InTopKV2", "predictions: float, targets: T, k: T -> precision: bool",
     "T: index = int32", InTopKShape},
    {"Diag", "diagonal: T -> output: T",
     "T: {bfloat16, half, float, double, int32, int64, complex64, complex128}",
     DiagShape},
    {"DiagPart", "input: T -> diagonal: T",
     "T: {bfloat16, half, float, double, int32, int64, complex64, complex128}",
     DiagPartShape},
    {"MatrixDiag", "diagonal: T -> output: T", "T: type", MatrixDiagShape},
    {"MatrixDiagPart", "input: T -> diagonal: T", "T: type", MatrixDiagPartShape},
    {"MatrixSetDiag", "input: T, diagonal: T -> output: T", "T: type",
     MatrixSetDiagShape},
    {"MatrixBandPart", "input: T, num_lower: Tindex, num_upper: Tindex -> band: T",
     "T: type; Tindex: index = int64", UnchangedAtLeastRank2},
    {"DynamicPartition", "data: T, partitions: int32 -> outputs: num_partitions * T",
     "num_partitions: int >= 1; T: type", DynamicPartitionShape},
    {"DynamicStitch", "indices: N * int32, data: N * T -> merged: T",
     "N: int >= 1; T: type", DynamicStitchShape},
    {"Bincount", "arr: int32, size: int32, weights: T -> bins: T",
     "T: {int32, int64, float, double}", BincountShape},
};

}  // namespace

std::span<const OpSpec> IndexOps() { return kIndexOps; }

}  // namespace berth
