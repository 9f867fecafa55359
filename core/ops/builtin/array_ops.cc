// Shapes, constants, and the ops that rename or rearrange data.
#include "core/ops/builtin_ops.h"

namespace berth {
namespace {

constexpr OpSpec kArrayOps[] = {
    {"Const", "-> output: dtype", "value: tensor; dtype: type"},
    {"Placeholder", "-> output: dtype", "dtype: type; shape: shape = ?"},
    {"PlaceholderWithDefault", "input: dtype -> output: dtype",
     "dtype: type; shape: shape"},
    {"Identity", "input: T -> output: T", "T: type"},
    {"IdentityN", "input: T -> output: T", "T: list(type) >= 1"},
    {"StopGradient", "input: T -> output: T", "T: type"},
    {"PreventGradient", "input: T -> output: T", "T: type; message: string = ''"},
    {"EnsureShape", "input: T -> output: T", "shape: shape; T: type"},
    {"Shape", "input: T -> output: out_type", "T: type; out_type: index = int32"},
    {"ShapeN", "input: N * T -> output: N * out_type",
     "N: int >= 1; T: type; out_type: index = int32"},
    {"Size", "input: T -> output: out_type", "T: type; out_type: index = int32"},
    {"Rank", "input: T -> output: int32", "T: type"},
    {"Reshape", "tensor: T, shape: Tshape -> output: T",
     "T: type; Tshape: index = int32"},
    {"Squeeze", "input: T -> output: T", "T: type; squeeze_dims: list(int) >= 0 = []"},
    {"ExpandDims", "input: T, dim: Tdim -> output: T", "T: type; Tdim: index = int32"},
    {"Fill", "dims: index_type, value: T -> output: T",
     "T: type; index_type: index = int32"},
    {"ZerosLike", "x: T -> y: T", "T: type"},
    {"OnesLike", "x: T -> y: T",
     "T: {bfloat16, half, float, double, int8, uint8, int16, uint16, int32, uint32, "
     "int64, uint64, complex64, complex128, bool}"},
    {"Pack", "values: N * T -> output: T", "N: int >= 1; T: type; axis: int = 0"},
    {"Unpack", "value: T -> output: num * T", "num: int >= 0; T: type; axis: int = 0"},
    {"Concat", "concat_dim: int32, values: N * T -> output: T", "N: int >= 2; T: type"},
    {"ConcatV2", "values: N * T, axis: Tidx -> output: T",
     "N: int >= 2; T: type; Tidx: index = int32"},
    {"ConcatOffset", "concat_dim: int32, shape: N * shape_type -> offset: N * shape_type",
     "N: int >= 2; shape_type: index = int32"},
    {"ParallelConcat", "values: N * T -> output: T",
     "N: int >= 1; T: type; shape: shape"},
    {"Split", "split_dim: int32, value: T -> output: num_split * T",
     "num_split: int >= 1; T: type"},
    {"SplitV", "value: T, size_splits: Tlen, split_dim: int32 -> output: num_split * T",
     "num_split: int >= 1; T: type; Tlen: {int8, int32, int64} = int64"},
    {"Slice", "input: T, begin: Index, size: Index -> output: T",
     "T: type; Index: index"},
    {"StridedSlice", "input: T, begin: Index, end: Index, strides: Index -> output: T",
     "T: type; Index: index16; begin_mask: int = 0; end_mask: int = 0; ellipsis_mask: "
     "int = 0; new_axis_mask: int = 0; shrink_axis_mask: int = 0"},
    {"StridedSliceGrad",
     "shape: Index, begin: Index, end: Index, strides: Index, dy: T -> output: T",
     "T: type; Index: index; begin_mask: int = 0; end_mask: int = 0; ellipsis_mask: int "
     "= 0; new_axis_mask: int = 0; shrink_axis_mask: int = 0"},
    {"Tile", "input: T, multiples: Tmultiples -> output: T",
     "T: type; Tmultiples: index = int32"},
    {"Transpose", "x: T, perm: Tperm -> y: T", "T: type; Tperm: index = int32"},
    {"ConjugateTranspose", "x: T, perm: Tperm -> y: T", "T: type; Tperm: index = int32"},
    {"InvertPermutation", "x: T -> y: T", "T: index = int32"},
    {"BroadcastTo", "input: T, shape: Tidx -> output: T", "T: type; Tidx: index = int32"},
    {"BroadcastArgs", "s0: T, s1: T -> r0: T", "T: index = int32"},
    {"BroadcastGradientArgs", "s0: T, s1: T -> r0: T, r1: T", "T: index = int32"},
    {"Bitcast", "input: T -> output: type", "T: number; type: number"},
    {"GuaranteeConst", "input: T -> output: T", "T: type", nullptr, kStateful},
    {"Snapshot", "input: T -> output: T", "T: type"},
    {"Empty", "shape: int32 -> output: dtype", "dtype: type; init: bool = false", nullptr,
     kStateful},
    {"Roll", "input: T, shift: Tshift, axis: Taxis -> output: T",
     "T: type; Tshift: index; Taxis: index"},
    {"DepthToSpace", "input: T -> output: T",
     "T: type; block_size: int >= 2; data_format: {'NHWC', 'NCHW', 'NCHW_VECT_C'} = "
     "'NHWC'"},
    {"SpaceToDepth", "input: T -> output: T",
     "T: type; block_size: int >= 2; data_format: {'NHWC', 'NCHW', 'NCHW_VECT_C'} = "
     "'NHWC'"},
    {"BatchToSpace", "input: T, crops: Tidx -> output: T",
     "T: type; block_size: int >= 2; Tidx: index = int32"},
    {"SpaceToBatch", "input: T, paddings: Tpaddings -> output: T",
     "T: type; Tpaddings: index = int32; block_size: int >= 2"},
    {"BatchToSpaceND", "input: T, block_shape: Tblock_shape, crops: Tcrops -> output: T",
     "T: type; Tblock_shape: index = int32; Tcrops: index = int32"},
    {"SpaceToBatchND",
     "input: T, block_shape: Tblock_shape, paddings: Tpaddings -> output: T",
     "T: type; Tblock_shape: index = int32; Tpaddings: index = int32"},
    {"Pad", "input: T, paddings: Tpaddings -> output: T",
     "T: type; Tpaddings: index = int32"},
    {"PadV2", "input: T, paddings: Tpaddings, constant_values: T -> output: T",
     "T: type; Tpaddings: index = int32"},
    {"MirrorPad", "input: T, paddings: Tpaddings -> output: T",
     "T: type; Tpaddings: index = int32; mode: {'REFLECT', 'SYMMETRIC'}"},
    {"MirrorPadGrad", "input: T, paddings: Tpaddings -> output: T",
     "T: type; Tpaddings: index = int32; mode: {'REFLECT', 'SYMMETRIC'}"},
    {"Reverse", "tensor: T, dims: bool -> output: T",
     "T: {uint8, int8, uint16, int16, uint32, int32, uint64, int64, bool, bfloat16, "
     "half, float, double, complex64, complex128, string}"},
    {"ReverseV2", "tensor: T, axis: Tidx -> output: T",
     "Tidx: index = int32; T: {uint8, int8, uint16, int16, int32, uint32, int64, uint64, "
     "bool, bfloat16, half, float, double, complex64, complex128, string}"},
    {"ReverseSequence", "input: T, seq_lengths: Tlen -> output: T",
     "seq_dim: int; batch_dim: int = 0; T: type; Tlen: index = int64"},
    {"CheckNumerics", "tensor: T -> output: T", "T: floating; message: string", nullptr,
     kStateful},
};

}  // namespace

std::span<const OpSpec> ArrayOps() { return kArrayOps; }

}  // namespace berth
