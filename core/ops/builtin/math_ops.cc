// Reductions, scans, segments, ranges and matrix products.
#include "core/ops/builtin_ops.h"
#include "core/ops/shapes/math_shapes.h"

namespace berth {
namespace {

constexpr OpSpec kMathOps[] = {
    {"Sum", "input: T, reduction_indices: Tidx -> output: T",
     "keep_dims: bool = false; T: number; Tidx: index = int32", ReductionShape},
    {"Prod", "input: T, reduction_indices: Tidx -> output: T",
     "keep_dims: bool = false; T: number; Tidx: index = int32", ReductionShape},
    {"Mean", "input: T, reduction_indices: Tidx -> output: T",
     "keep_dims: bool = false; T: number; Tidx: index = int32", ReductionShape},
    {"Max", "input: T, reduction_indices: Tidx -> output: T",
     "keep_dims: bool = false; T: {float, double, int32, uint8, int16, int8, int64, "
     "bfloat16, uint16, half, uint32, uint64, qint8, quint8, qint32, qint16, quint16}; "
     "Tidx: index = int32",
     ReductionShape},
    {"Min", "input: T, reduction_indices: Tidx -> output: T",
     "keep_dims: bool = false; T: {float, double, int32, uint8, int16, int8, int64, "
     "bfloat16, uint16, half, uint32, uint64, qint8, quint8, qint32, qint16, quint16}; "
     "Tidx: index = int32",
     ReductionShape},
    {"All", "input: bool, reduction_indices: Tidx -> output: bool",
     "keep_dims: bool = false; Tidx: index = int32", ReductionShape},
    {"Any", "input: bool, reduction_indices: Tidx -> output: bool",
     "keep_dims: bool = false; Tidx: index = int32", ReductionShape},
    {"EuclideanNorm", "input: T, reduction_indices: Tidx -> output: T",
     "keep_dims: bool = false; T: number; Tidx: index = int32", ReductionShape},
    {"ArgMax", "input: T, dimension: Tidx -> output: output_type",
     "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, "
     "uint32, uint64, qint8, quint8, qint32, qint16, quint16, bool}; Tidx: index16 = "
     "int32; output_type: {int16, uint16, int32, int64} = int64",
     ArgReductionShape},
    {"ArgMin", "input: T, dimension: Tidx -> output: output_type",
     "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, "
     "uint32, uint64, qint8, quint8, qint32, qint16, quint16, bool}; Tidx: index = "
     "int32; output_type: index = int64",
     ArgReductionShape},
    {"Cumsum", "x: T, axis: Tidx -> out: T",
     "exclusive: bool = false; reverse: bool = false; T: number; Tidx: index = int32",
     ScanShape},
    {"Cumprod", "x: T, axis: Tidx -> out: T",
     "exclusive: bool = false; reverse: bool = false; T: number; Tidx: index = int32",
     ScanShape},
    {"Range", "start: Tidx, limit: Tidx, delta: Tidx -> output: Tidx",
     "Tidx: {bfloat16, half, float, double, int8, int16, int32, int64, uint16, uint32, "
     "uint64} = int32",
     RangeShape},
    {"LinSpace", "start: T, stop: T, num: Tidx -> output: T",
     "T: floating; Tidx: index = int32", LinSpaceShape},
    {"MatMul", "a: T, b: T -> product: T",
     "transpose_a: bool = false; transpose_b: bool = false; T: {bfloat16, half, float, "
     "double, int32, int64, uint8, uint16, uint32, uint64, complex64, complex128}; "
     "grad_a: bool = false; grad_b: bool = false",
     MatMulShape},
    {"BatchMatMul", "x: T, y: T -> output: T",
     "T: {bfloat16, half, float, double, int32, int64, complex64, complex128}; adj_x: "
     "bool = false; adj_y: bool = false; grad_x: bool = false; grad_y: bool = false",
     BatchMatMulShape},
    {"BatchMatMulV2", "x: T, y: T -> output: T",
     "T: {bfloat16, half, float, double, int16, int32, int64, uint8, uint16, uint32, "
     "uint64, complex64, complex128}; adj_x: bool = false; adj_y: bool = false; grad_x: "
     "bool = false; grad_y: bool = false",
     BatchMatMulV2Shape},
    {"BatchMatMulV3", "x: Ta, y: Tb -> output: Tout",
     "Ta: {bfloat16, half, float, double, uint8, int8, int16, int32, int64, complex64, "
     "complex128}; Tb: {bfloat16, half, float, double, uint8, int8, int16, int32, int64, "
     "complex64, complex128}; Tout: {bfloat16, half, float, double, int16, int32, int64, "
     "complex64, complex128}; adj_x: bool = false; adj_y: bool = false; grad_x: bool = "
     "false; grad_y: bool = false",
     BatchMatMulV2Shape},
    {"Qr", "input: T -> q: T, r: T",
     "full_matrices: bool = false; T: {double, float, half, complex64, complex128}",
     QrShape},
    {"SegmentSum", "data: T, segment_ids: Tindices -> output: T",
     "T: number; Tindices: index", SegmentShape},
    {"SegmentMean", "data: T, segment_ids: Tindices -> output: T",
     "T: number; Tindices: index", SegmentShape},
    {"SegmentProd", "data: T, segment_ids: Tindices -> output: T",
     "T: number; Tindices: index", SegmentShape},
    {"SegmentMin", "data: T, segment_ids: Tindices -> output: T",
     "T: real; Tindices: index", SegmentShape},
    {"SegmentMax", "data: T, segment_ids: Tindices -> output: T",
     "T: real; Tindices: index", SegmentShape},
    {"UnsortedSegmentSum",
     "data: T, segment_ids: Tindices, num_segments: Tnumsegments -> output: T",
     "T: number; Tindices: index16; Tnumsegments: index = int32", UnsortedSegmentShape},
    {"UnsortedSegmentProd",
     "data: T, segment_ids: Tindices, num_segments: Tnumsegments -> output: T",
     "T: number; Tindices: index; Tnumsegments: index = int32", UnsortedSegmentShape},
    {"UnsortedSegmentMin",
     "data: T, segment_ids: Tindices, num_segments: Tnumsegments -> output: T",
     "T: real; Tindices: index; Tnumsegments: index = int32", UnsortedSegmentShape},
    {"UnsortedSegmentMax",
     "data: T, segment_ids: Tindices, num_segments: Tnumsegments -> output: T",
     "T: real; Tindices: index; Tnumsegments: index = int32", UnsortedSegmentShape},
    {"SparseSegmentSum", "data: T, indices: Tidx, segment_ids: Tsegmentids -> output: T",
     "T: real; Tidx: index = int32; Tsegmentids: index = int32; sparse_gradient: bool = "
     "false",
     SparseSegmentShape},
    {"SparseSegmentMean", "data: T, indices: Tidx, segment_ids: Tsegmentids -> output: T",
     "T: floating; Tidx: index = int32; Tsegmentids: index = int32; sparse_gradient: "
     "bool = false",
     SparseSegmentShape},
    {"SparseSegmentSqrtN",
     "data: T, indices: Tidx, segment_ids: Tsegmentids -> output: T",
     "T: floating; Tidx: index = int32; Tsegmentids: index = int32; sparse_gradient: "
     "bool = false",
     SparseSegmentShape},
};

}  // namespace

std::span<const OpSpec> MathOps() { return kMathOps; }

}  // namespace berth
