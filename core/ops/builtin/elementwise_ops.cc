// One result per element, with one operand or two.
#include "core/ops/builtin_ops.h"

namespace berth {
namespace {

constexpr OpSpec kElementwiseOps[] = {
    {"Abs", "x: T -> y: T",
     "T: {bfloat16, half, float, double, int8, int16, int32, int64}"},
    {"Neg", "x: T -> y: T",
     "T: {bfloat16, half, float, double, int8, int16, int32, int64, complex64, "
     "complex128}"},
    {"Inv", "x: T -> y: T",
     "T: {bfloat16, half, float, double, int8, int16, int32, int64, complex64, "
     "complex128}"},
    {"Reciprocal", "x: T -> y: T",
     "T: {bfloat16, half, float, double, int8, int16, int32, int64, complex64, "
     "complex128}"},
    {"InvGrad", "y: T, dy: T -> z: T", "T: inexact"},
    {"ReciprocalGrad", "y: T, dy: T -> z: T", "T: inexact"},
    {"Square", "x: T -> y: T",
     "T: {bfloat16, half, float, double, int8, int16, int32, int64, uint8, uint16, "
     "uint32, uint64, complex64, complex128}"},
    {"Sqrt", "x: T -> y: T", "T: inexact"},
    {"Rsqrt", "x: T -> y: T", "T: inexact"},
    {"SqrtGrad", "y: T, dy: T -> z: T", "T: inexact"},
    {"RsqrtGrad", "y: T, dy: T -> z: T", "T: inexact"},
    {"Exp", "x: T -> y: T", "T: inexact"},
    {"Expm1", "x: T -> y: T", "T: inexact"},
    {"Log", "x: T -> y: T", "T: inexact"},
    {"Log1p", "x: T -> y: T", "T: inexact"},
    {"Sin", "x: T -> y: T", "T: inexact"},
    {"Cos", "x: T -> y: T", "T: inexact"},
    {"Tan", "x: T -> y: T", "T: inexact"},
    {"Asin", "x: T -> y: T", "T: inexact"},
    {"Acos", "x: T -> y: T", "T: inexact"},
    {"Atan", "x: T -> y: T", "T: inexact"},
    {"Atan2", "y: T, x: T -> z: T", "T: floating"},
    {"Sinh", "x: T -> y: T", "T: inexact"},
    {"Cosh", "x: T -> y: T", "T: inexact"},
    {"Tanh", "x: T -> y: T", "T: inexact"},
    {"Asinh", "x: T -> y: T", "T: inexact"},
    {"Acosh", "x: T -> y: T", "T: inexact"},
    {"Atanh", "x: T -> y: T", "T: inexact"},
    {"TanhGrad", "y: T, dy: T -> z: T", "T: inexact"},
    {"Sigmoid", "x: T -> y: T", "T: inexact"},
    {"SigmoidGrad", "y: T, dy: T -> z: T", "T: inexact"},
    {"Sign", "x: T -> y: T",
     "T: {bfloat16, half, float, double, int8, int16, int32, int64, complex64, "
     "complex128}"},
    {"Floor", "x: T -> y: T", "T: floating"},
    {"Ceil", "x: T -> y: T", "T: floating"},
    {"Rint", "x: T -> y: T", "T: floating"},
    {"Round", "x: T -> y: T",
     "T: {bfloat16, half, float, double, int8, int16, int32, int64, complex64, "
     "complex128}"},
    {"Erf", "x: T -> y: T", "T: floating"},
    {"Erfc", "x: T -> y: T", "T: floating"},
    {"Lgamma", "x: T -> y: T", "T: floating"},
    {"Digamma", "x: T -> y: T", "T: floating"},
    {"IsNan", "x: T -> y: bool", "T: floating"},
    {"IsInf", "x: T -> y: bool", "T: floating"},
    {"IsFinite", "x: T -> y: bool", "T: floating"},
    {"LogicalNot", "x: bool -> y: bool"},
    {"LogicalAnd", "x: bool, y: bool -> z: bool", "", nullptr, kCommutative},
    {"LogicalOr", "x: bool, y: bool -> z: bool", "", nullptr, kCommutative},
    {"Add", "x: T, y: T -> z: T",
     "T: {bfloat16, half, float, double, uint8, int8, int16, int32, int64, complex64, "
     "complex128, string}"},
    {"AddV2", "x: T, y: T -> z: T",
     "T: {bfloat16, half, float, double, uint8, uint16, uint32, uint64, int8, int16, "
     "int32, int64, complex64, complex128}",
     nullptr, kCommutative | kAggregate},
    {"Sub", "x: T, y: T -> z: T",
     "T: {bfloat16, half, float, double, uint8, int8, uint16, int16, int32, int64, "
     "complex64, complex128, uint32, uint64}"},
    {"Mul", "x: T, y: T -> z: T",
     "T: {bfloat16, half, float, double, uint8, int8, uint16, int16, int32, uint32, "
     "uint64, int64, complex64, complex128}",
     nullptr, kCommutative},
    {"MulNoNan", "x: T, y: T -> z: T", "T: inexact"},
    {"Div", "x: T, y: T -> z: T",
     "T: {bfloat16, half, float, double, uint8, int8, uint16, int16, int32, uint32, "
     "uint64, int64, complex64, complex128}"},
    {"RealDiv", "x: T, y: T -> z: T",
     "T: {bfloat16, half, float, double, uint8, int8, uint16, int16, int32, uint32, "
     "uint64, int64, complex64, complex128}"},
    {"DivNoNan", "x: T, y: T -> z: T", "T: inexact"},
    {"FloorDiv", "x: T, y: T -> z: T",
     "T: {bfloat16, half, float, double, uint8, int8, uint16, int16, int32, uint32, "
     "uint64, int64, complex64, complex128}"},
    {"TruncateDiv", "x: T, y: T -> z: T",
     "T: {bfloat16, half, float, double, uint8, int8, uint16, int16, int32, uint32, "
     "uint64, int64, complex64, complex128}"},
    {"Mod", "x: T, y: T -> z: T", "T: {int32, int64, half, bfloat16, float, double}"},
    {"FloorMod", "x: T, y: T -> z: T", "T: real"},
    {"TruncateMod", "x: T, y: T -> z: T",
     "T: {int32, int64, bfloat16, half, float, double}"},
    {"Pow", "x: T, y: T -> z: T",
     "T: {bfloat16, float, half, double, int8, int16, int32, int64, complex64, "
     "complex128}"},
    {"Maximum", "x: T, y: T -> z: T", "T: real"},
    {"Minimum", "x: T, y: T -> z: T", "T: real"},
    {"SquaredDifference", "x: T, y: T -> z: T",
     "T: {bfloat16, half, float, double, int32, int64, complex64, complex128}", nullptr,
     kCommutative},
    {"Xlogy", "x: T, y: T -> z: T", "T: inexact"},
    {"Xdivy", "x: T, y: T -> z: T", "T: inexact"},
    {"Equal", "x: T, y: T -> z: bool", "T: type; incompatible_shape_error: bool = true",
     nullptr, kCommutative},
    {"NotEqual", "x: T, y: T -> z: bool",
     "T: type; incompatible_shape_error: bool = true", nullptr, kCommutative},
    {"Less", "x: T, y: T -> z: bool", "T: real"},
    {"LessEqual", "x: T, y: T -> z: bool", "T: real"},
    {"Greater", "x: T, y: T -> z: bool", "T: real"},
    {"GreaterEqual", "x: T, y: T -> z: bool", "T: real"},
    {"ApproximateEqual", "x: T, y: T -> z: bool", "T: number; tolerance: float = 1e-05",
     nullptr, kCommutative},
    {"Select", "condition: bool, t: T, e: T -> output: T", "T: type"},
    {"SelectV2", "condition: bool, t: T, e: T -> output: T", "T: type"},
    {"ClipByValue", "t: T, clip_value_min: T, clip_value_max: T -> output: T",
     "T: number"},
    {"AddN", "inputs: N * T -> sum: T",
     "N: int >= 1; T: {float, double, int32, uint8, int16, int8, complex64, int64, "
     "qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, half, "
     "uint32, uint64, variant}",
     nullptr, kCommutative | kAggregate},
    {"AccumulateNV2", "inputs: N * T -> sum: T", "N: int >= 1; T: number; shape: shape",
     nullptr, kCommutative | kAggregate},
    {"Cast", "x: SrcT -> y: DstT", "SrcT: type; DstT: type; Truncate: bool = false"},
    {"Complex", "real: T, imag: T -> out: Tout",
     "T: {float, double} = float; Tout: {complex64, complex128} = complex64"},
    {"Real", "input: T -> output: Tout",
     "T: {complex64, complex128} = complex64; Tout: {float, double} = float"},
    {"Imag", "input: T -> output: Tout",
     "T: {complex64, complex128} = complex64; Tout: {float, double} = float"},
    {"Conj", "input: T -> output: T", "T: {complex64, complex128, variant} = complex64"},
};

}  // namespace

std::span<const OpSpec> ElementwiseOps() { return kElementwiseOps; }

}  // namespace berth
