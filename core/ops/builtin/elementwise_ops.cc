// One result per element, with one operand or two.
#include "core/ops/builtin_ops.h"
#include "core/ops/shapes/common.h"
#include "core/ops/shapes/elementwise_shapes.h"

namespace berth {
namespace {

constexpr OpSpec kElementwiseOps[] = {
    {"Abs", "x: T -> y: T",
     "T: {bfloat16, half, float, double, int8, int16, int32, int64}", UnchangedShape},
    {"Neg", "x: T -> y: T",
     "T: {bfloat16, half, float, double, int8, int16, int32, int64, complex64, "
     "complex128}",
     UnchangedShape},
    {"Inv", "x: T -> y: T",
     "T: {bfloat16, half, float, double, int8, int16, int32, int64, complex64, "
     "complex128}",
     UnchangedShape},
    {"Reciprocal", "x: T -> y: T",
     "T: {bfloat16, half, float, double, int8, int16, int32, int64, complex64, "
     "complex128}",
     UnchangedShape},
    {"InvGrad", "y: T, dy: T -> z: T", "T: inexact", MergeInputsShape},
    {"ReciprocalGrad", "y: T, dy: T -> z: T", "T: inexact", MergeInputsShape},
    {"Square", "x: T -> y: T",
     "T: {bfloat16, half, float, double, int8, int16, int32, int64, uint8, uint16, "
     "uint32, uint64, complex64, complex128}",
     UnchangedShape},
    {"Sqrt", "x: T -> y: T", "T: inexact", UnchangedShape},
    {"Rsqrt", "x: T -> y: T", "T: inexact", UnchangedShape},
    {"SqrtGrad", "y: T, dy: T -> z: T", "T: inexact", MergeInputsShape},
    {"RsqrtGrad", "y: T, dy: T -> z: T", "T: inexact", MergeInputsShape},
    {"Exp", "x: T -> y: T", "T: inexact", UnchangedShape},
    {"Expm1", "x: T -> y: T", "T: inexact", UnchangedShape},
    {"Log", "x: T -> y: T", "T: inexact", UnchangedShape},
    {"Log1p", "x: T -> y: T", "T: inexact", UnchangedShape},
    {"Sin", "x: T -> y: T", "T: inexact", UnchangedShape},
    {"Cos", "x: T -> y: T", "T: inexact", UnchangedShape},
    {"Tan", "x: T -> y: T", "T: inexact", UnchangedShape},
    {"Asin", "x: T -> y: T", "T: inexact", UnchangedShape},
    {"Acos", "x: T -> y: T", "T: inexact", UnchangedShape},
    {"Atan", "x: T -> y: T", "T: inexact", UnchangedShape},
    {"Atan2", "y: T, x: T -> z: T", "T: floating", BroadcastBinaryShape},
    {"Sinh", "x: T -> y: T", "T: inexact", UnchangedShape},
    {"Cosh", "x: T -> y: T", "T: inexact", UnchangedShape},
    {"Tanh", "x: T -> y: T", "T: inexact", UnchangedShape},
    {"Asinh", "x: T -> y: T", "T: inexact", UnchangedShape},
    {"Acosh", "x: T -> y: T", "T: inexact", UnchangedShape},
    {"Atanh", "x: T -> y: T", "T: inexact", UnchangedShape},
    {"TanhGrad", "y: T, dy: T -> z: T", "T: inexact", MergeInputsShape},
    {"Sigmoid", "x: T -> y: T", "T: inexact", UnchangedShape},
    {"SigmoidGrad", "y: T, dy: T -> z: T", "T: inexact", MergeInputsShape},
    {"Sign", "x: T -> y: T",
     "T: {bfloat16, half, float, double, int8, int16, int32, int64, complex64, "
     "complex128}",
     UnchangedShape},
    {"Floor", "x: T -> y: T", "T: floating", UnchangedShape},
    {"Ceil", "x: T -> y: T", "T: floating", UnchangedShape},
    {"Rint", "x: T -> y: T", "T: floating", UnchangedShape},
    {"Round", "x: T -> y: T",
     "T: {bfloat16, half, float, double, int8, int16, int32, int64, complex64, "
     "complex128}",
     UnchangedShape},
    {"Erf", "x: T -> y: T", "T: floating", UnchangedShape},
    {"Erfc", "x: T -> y: T", "T: floating", UnchangedShape},
    {"Lgamma", "x: T -> y: T", "T: floating", UnchangedShape},
    {"Digamma", "x: T -> y: T", "T: floating", UnchangedShape},
    {"IsNan", "x: T -> y: bool", "T: floating", UnchangedShape},
    {"IsInf", "x: T -> y: bool", "T: floating", UnchangedShape},
    {"IsFinite", "x: T -> y: bool", "T: floating", UnchangedShape},
    {"LogicalNot", "x: bool -> y: bool", "", UnchangedShape},
    {"LogicalAnd", "x: bool, y: bool -> z: bool", "", BroadcastBinaryShape, kCommutative},
    {"LogicalOr", "x: bool, y: bool -> z: bool", "", BroadcastBinaryShape, kCommutative},
    {"Add", "x: T, y: T -> z: T",
     "T: {bfloat16, half, float, double, uint8, int8, int16, int32, int64, complex64, "
     "complex128, string}",
     BroadcastBinaryShape},
    {"AddV2", "x: T, y: T -> z: T",
     "T: {bfloat16, half, float, double, uint8, uint16, uint32, uint64, int8, int16, "
     "int32, int64, complex64, complex128}",
     BroadcastBinaryShape, kCommutative | kAggregate},
    {"Sub", "x: T, y: T -> z: T",
     "T: {bfloat16, half, float, double, uint8, int8, uint16, int16, int32, int64, "
     "complex64, complex128, uint32, uint64}",
     BroadcastBinaryShape},
    {"Mul", "x: T, y: T -> z: T",
     "T: {bfloat16, half, float, double, uint8, int8, uint16, int16, int32, uint32, "
     "uint64, int64, complex64, complex128}",
     BroadcastBinaryShape, kCommutative},
    {"MulNoNan", "x: T, y: T -> z: T", "T: inexact", BroadcastBinaryShape},
    {"Div", "x: T, y: T -> z: T",
     "T: {bfloat16, half, float, double, uint8, int8, uint16, int16, int32, uint32, "
     "uint64, int64, complex64, complex128}",
     BroadcastBinaryShape},
    {"RealDiv", "x: T, y: T -> z: T",
     "T: {bfloat16, half, float, double, uint8, int8, uint16, int16, int32, uint32, "
     "uint64, int64, complex64, complex128}",
     BroadcastBinaryShape},
    {"DivNoNan", "x: T, y: T -> z: T", "T: inexact", BroadcastBinaryShape},
    {"FloorDiv", "x: T, y: T -> z: T",
     "T: {bfloat16, half, float, double, uint8, int8, uint16, int16, int32, uint32, "
     "uint64, int64, complex64, complex128}",
     BroadcastBinaryShape},
    {"TruncateDiv", "x: T, y: T -> z: T",
     "T: {bfloat16, half, float, double, uint8, int8, uint16, int16, int32, uint32, "
     "uint64, int64, complex64, complex128}",
     BroadcastBinaryShape},
    {"Mod", "x: T, y: T -> z: T", "T: {int32, int64, half, bfloat16, float, double}",
     BroadcastBinaryShape},
    {"FloorMod", "x: T, y: T -> z: T", "T: real", BroadcastBinaryShape},
    {"TruncateMod", "x: T, y: T -> z: T",
     "T: {int32, int64, bfloat16, half, float, double}", BroadcastBinaryShape},
    {"Pow", "x: T, y: T -> z: T",
     "T: {bfloat16, float, half, double, int8, int16, int32, int64, complex64, "
     "complex128}",
     BroadcastBinaryShape},
    {"Maximum", "x: T, y: T -> z: T", "T: real", BroadcastBinaryShape},
    {"Minimum", "x: T, y: T -> z: T", "T: real", BroadcastBinaryShape},
    {"SquaredDifference", "x: T, y: T -> z: T",
     "T: {bfloat16, half, float, double, int32, int64, complex64, complex128}",
     BroadcastBinaryShape, kCommutative},
    {"Xlogy", "x: T, y: T -> z: T", "T: inexact", BroadcastBinaryShape},
    {"Xdivy", "x: T, y: T -> z: T", "T: inexact", BroadcastBinaryShape},
    {"Equal", "x: T, y: T -> z: bool", "T: type; incompatible_shape_error: bool = true",
     EqualShape, kCommutative},
    {"NotEqual", "x: T, y: T -> z: bool",
     "T: type; incompatible_shape_error: bool = true", EqualShape, kCommutative},
    {"Less", "x: T, y: T -> z: bool", "T: real", BroadcastBinaryShape},
    {"LessEqual", "x: T, y: T -> z: bool", "T: real", BroadcastBinaryShape},
    {"Greater", "x: T, y: T -> z: bool", "T: real", BroadcastBinaryShape},
    {"GreaterEqual", "x: T, y: T -> z: bool", "T: real", BroadcastBinaryShape},
    {"ApproximateEqual", "x: T, y: T -> z: bool", "T: number; tolerance: float = 1e-05",
     MergeInputsShape, kCommutative},
    {"Select", "condition: bool, t: T, e: T -> output: T", "T: type", SelectShape},
    {"SelectV2", "condition: bool, t: T, e: T -> output: T", "T: type", SelectV2Shape},
    {"ClipByValue", "t: T, clip_value_min: T, clip_value_max: T -> output: T",
     "T: number", ClipByValueShape},
    {"AddN", "inputs: N * T -> sum: T",
     "N: int >= 1; T: {float, double, int32, uint8, int16, int8, complex64, int64, "
     "qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, half, "
     "uint32, uint64, variant}",
     MergeInputsShape, kCommutative | kAggregate},
    {"AccumulateNV2", "inputs: N * T -> sum: T", "N: int >= 1; T: number; shape: shape",
     AccumulateShape, kCommutative | kAggregate},
    {"Cast", "x: SrcT -> y: DstT", "SrcT: type; DstT: type; Truncate: bool = false",
     UnchangedShape},
    {"Complex", "real: T, imag: T -> out: Tout",
     "T: {float, double} = float; Tout: {complex64, complex128} = complex64",
     BroadcastBinaryShape},
    {"Real", "input: T -> output: Tout",
     "T: {complex64, complex128} = complex64; Tout: {float, double} = float",
     UnchangedShape},
    {"Imag", "input: T -> output: Tout",
     "T: {complex64, complex128} = complex64; Tout: {float, double} = float",
     UnchangedShape},
    {"Conj", "input: T -> output: T", "T: {complex64, complex128, variant} = complex64",
     UnchangedShape},
};

}  // namespace

std::span<const OpSpec> ElementwiseOps() { return kElementwiseOps; }

}  // namespace berth
