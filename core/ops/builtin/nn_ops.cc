// Convolution, pooling, normalisation, activations and losses.
#include "core/ops/builtin_ops.h"
#include "core/ops/shapes/common.h"
#include "core/ops/shapes/nn_shapes.h"

namespace berth {
namespace {

constexpr OpSpec kNnOps[] = {
    {"Conv2D", "input: T, filter: T -> output: T",
     "T: {half, bfloat16, float, double, int32}; strides: list(int); use_cudnn_on_gpu: "
     "bool = true; padding: {'SAME', 'VALID', 'EXPLICIT'}; explicit_paddings: list(int) "
     "= []; data_format: {'NHWC', 'NCHW'} = 'NHWC'; dilations: list(int) = [1, 1, 1, 1]",
     Conv2DShape},
    {"Conv2DBackpropInput", "input_sizes: int32, filter: T, out_backprop: T -> output: T",
     "T: {half, bfloat16, float, double, int32}; strides: list(int); use_cudnn_on_gpu: "
     "bool = true; padding: {'SAME', 'VALID', 'EXPLICIT'}; explicit_paddings: list(int) "
     "= []; data_format: {'NHWC', 'NCHW'} = 'NHWC'; dilations: list(int) = [1, 1, 1, 1]",
     ConvBackpropInputShape},
    {"Conv2DBackpropFilter",
     "input: T, filter_sizes: int32, out_backprop: T -> output: T",
     "T: floating; strides: list(int); use_cudnn_on_gpu: bool = true; padding: {'SAME', "
     "'VALID', 'EXPLICIT'}; explicit_paddings: list(int) = []; data_format: {'NHWC', "
     "'NCHW'} = 'NHWC'; dilations: list(int) = [1, 1, 1, 1]",
     ConvBackpropFilterShape},
    {"Conv3D", "input: T, filter: T -> output: T",
     "T: floating; strides: list(int) >= 5; padding: {'SAME', 'VALID'}; data_format: "
     "{'NDHWC', 'NCDHW'} = 'NDHWC'; dilations: list(int) = [1, 1, 1, 1, 1]",
     Conv3DShape},
    {"Conv3DBackpropInputV2",
     "input_sizes: Tshape, filter: T, out_backprop: T -> output: T",
     "T: floating; strides: list(int) >= 5; padding: {'SAME', 'VALID'}; data_format: "
     "{'NDHWC', 'NCDHW'} = 'NDHWC'; dilations: list(int) = [1, 1, 1, 1, 1]; Tshape: "
     "index = int32",
     Conv3DBackpropInputShape},
    {"Conv3DBackpropFilterV2",
     "input: T, filter_sizes: int32, out_backprop: T -> output: T",
     "T: floating; strides: list(int) >= 5; padding: {'SAME', 'VALID'}; data_format: "
     "{'NDHWC', 'NCDHW'} = 'NDHWC'; dilations: list(int) = [1, 1, 1, 1, 1]",
     Conv3DBackpropFilterShape},
    {"DepthwiseConv2dNative", "input: T, filter: T -> output: T",
     "T: floating; strides: list(int); padding: {'SAME', 'VALID', 'EXPLICIT'}; "
     "explicit_paddings: list(int) = []; data_format: {'NHWC', 'NCHW'} = 'NHWC'; "
     "dilations: list(int) = [1, 1, 1, 1]",
     DepthwiseConv2DShape},
    {"DepthwiseConv2dNativeBackpropInput",
     "input_sizes: int32, filter: T, out_backprop: T -> output: T",
     "T: floating; strides: list(int); padding: {'SAME', 'VALID', 'EXPLICIT'}; "
     "explicit_paddings: list(int) = []; data_format: {'NHWC', 'NCHW'} = 'NHWC'; "
     "dilations: list(int) = [1, 1, 1, 1]",
     DepthwiseBackpropInputShape},
    {"DepthwiseConv2dNativeBackpropFilter",
     "input: T, filter_sizes: int32, out_backprop: T -> output: T",
     "T: floating; strides: list(int); padding: {'SAME', 'VALID', 'EXPLICIT'}; "
     "explicit_paddings: list(int) = []; data_format: {'NHWC', 'NCHW'} = 'NHWC'; "
     "dilations: list(int) = [1, 1, 1, 1]",
     ConvBackpropFilterShape},
    {"Dilation2D", "input: T, filter: T -> output: T",
     "T: real; strides: list(int) >= 4; rates: list(int) >= 4; padding: {'SAME', "
     "'VALID'}",
     Dilation2DShape},
    {"AvgPool", "value: T -> output: T",
     "ksize: list(int) >= 4; strides: list(int) >= 4; padding: {'SAME', 'VALID'}; "
     "data_format: {'NHWC', 'NCHW'} = 'NHWC'; T: floating",
     AvgPoolShape},
    {"AvgPoolGrad", "orig_input_shape: int32, grad: T -> output: T",
     "ksize: list(int) >= 4; strides: list(int) >= 4; padding: {'SAME', 'VALID'}; "
     "data_format: {'NHWC', 'NCHW'} = 'NHWC'; T: floating",
     AvgPoolGradShape},
    {"AvgPool3D", "input: T -> output: T",
     "ksize: list(int) >= 5; strides: list(int) >= 5; padding: {'SAME', 'VALID'}; "
     "data_format: {'NDHWC', 'NCDHW'} = 'NDHWC'; T: floating",
     Pool3DShape},
    {"AvgPool3DGrad", "orig_input_shape: int32, grad: T -> output: T",
     "ksize: list(int) >= 5; strides: list(int) >= 5; padding: {'SAME', 'VALID'}; "
     "data_format: {'NDHWC', 'NCDHW'} = 'NDHWC'; T: floating",
     AvgPool3DGradShape},
    {"MaxPool", "input: T -> output: T",
     "T: {half, bfloat16, float, double, int32, int64, uint8, int16, int8, uint16, "
     "qint8} = float; ksize: list(int) >= 4; strides: list(int) >= 4; padding: {'SAME', "
     "'VALID', 'EXPLICIT'}; explicit_paddings: list(int) = []; data_format: {'NHWC', "
     "'NCHW', 'NCHW_VECT_C'} = 'NHWC'",
     MaxPoolShape},
    {"MaxPoolV2", "input: T, ksize: int32, strides: int32 -> output: T",
     "T: {half, bfloat16, float, double, int32, int64, uint8, int16, int8, uint16, "
     "qint8} = float; padding: {'SAME', 'VALID'}; data_format: {'NHWC', 'NCHW', "
     "'NCHW_VECT_C'} = 'NHWC'",
     MaxPoolV2Shape},
    {"MaxPoolGrad", "orig_input: T, orig_output: T, grad: T -> output: T",
     "ksize: list(int) >= 4; strides: list(int) >= 4; padding: {'SAME', 'VALID', "
     "'EXPLICIT'}; explicit_paddings: list(int) = []; data_format: {'NHWC', 'NCHW'} = "
     "'NHWC'; T: real = float",
     MaxPoolGradShape},
    {"MaxPoolGradV2",
     "orig_input: T, orig_output: T, grad: T, ksize: int32, strides: int32 -> output: T",
     "padding: {'SAME', 'VALID'}; data_format: {'NHWC', 'NCHW'} = 'NHWC'; T: real = "
     "float",
     MaxPoolGradShape},
    {"MaxPoolGradGrad", "orig_input: T, orig_output: T, grad: T -> output: T",
     "ksize: list(int) >= 4; strides: list(int) >= 4; padding: {'SAME', 'VALID'}; "
     "data_format: {'NHWC', 'NCHW'} = 'NHWC'; T: real"},
    {"MaxPoolWithArgmax", "input: T -> output: T, argmax: Targmax",
     "ksize: list(int) >= 4; strides: list(int) >= 4; Targmax: index = int64; padding: "
     "{'SAME', 'VALID'}; include_batch_in_index: bool = false; T: real",
     MaxPoolWithArgmaxShape},
    {"MaxPoolGradWithArgmax", "input: T, grad: T, argmax: Targmax -> output: T",
     "ksize: list(int) >= 4; strides: list(int) >= 4; padding: {'SAME', 'VALID'}; "
     "include_batch_in_index: bool = false; Targmax: index; T: real",
     MaxPoolGradShape},
    {"MaxPool3D", "input: T -> output: T",
     "ksize: list(int) >= 5; strides: list(int) >= 5; padding: {'SAME', 'VALID'}; "
     "data_format: {'NDHWC', 'NCDHW'} = 'NDHWC'; T: {half, bfloat16, float}",
     Pool3DShape},
    {"MaxPool3DGrad", "orig_input: TInput, orig_output: TInput, grad: T -> output: T",
     "ksize: list(int) >= 5; strides: list(int) >= 5; padding: {'SAME', 'VALID'}; "
     "data_format: {'NDHWC', 'NCDHW'} = 'NDHWC'; T: {half, bfloat16, float} = float; "
     "TInput: {half, bfloat16, float} = float",
     UnchangedRank5},
    {"BiasAdd", "value: T, bias: T -> output: T",
     "T: number; data_format: {'NHWC', 'NCHW'} = 'NHWC'", BiasAddShape},
    {"BiasAddV1", "value: T, bias: T -> output: T", "T: number", BiasAddShape},
    {"BiasAddGrad", "out_backprop: T -> output: T",
     "T: number; data_format: {'NHWC', 'NCHW'} = 'NHWC'", BiasAddGradShape},
    {"LRN", "input: T -> output: T",
     "depth_radius: int = 5; bias: float = 1; alpha: float = 1; beta: float = 0.5; T: "
     "{half, bfloat16, float} = float",
     UnchangedRank4},
    {"LRNGrad", "input_grads: T, input_image: T, output_image: T -> output: T",
     "depth_radius: int = 5; bias: float = 1; alpha: float = 1; beta: float = 0.5; T: "
     "{half, bfloat16, float} = float",
     LrnGradShape},
    {"BatchNormWithGlobalNormalization",
     "t: T, m: T, v: T, beta: T, gamma: T -> result: T",
     "T: number; variance_epsilon: float; scale_after_normalization: bool",
     BatchNormGlobalShape, 0, 9, "Use tf.nn.batch_normalization()"},
    {"FusedBatchNorm",
     "x: T, scale: T, offset: T, mean: T, variance: T -> y: T, batch_mean: T, "
     "batch_variance: T, reserve_space_1: T, reserve_space_2: T",
     "T: {float}; epsilon: float = 1e-04; exponential_avg_factor: float = 1; "
     "data_format: {'NHWC', 'NCHW'} = 'NHWC'; is_training: bool = true",
     FusedBatchNormShape},
    {"FusedBatchNormV2",
     "x: T, scale: U, offset: U, mean: U, variance: U -> y: T, batch_mean: U, "
     "batch_variance: U, reserve_space_1: U, reserve_space_2: U",
     "T: {half, bfloat16, float}; U: {float}; epsilon: float = 1e-04; "
     "exponential_avg_factor: float = 1; data_format: {'NHWC', 'NCHW'} = 'NHWC'; "
     "is_training: bool = true",
     FusedBatchNormShape},
    {"FusedBatchNormV3",
     "x: T, scale: U, offset: U, mean: U, variance: U -> y: T, batch_mean: U, "
     "batch_variance: U, reserve_space_1: U, reserve_space_2: U, reserve_space_3: U",
     "T: {half, bfloat16, float}; U: {bfloat16, float}; epsilon: float = 1e-04; "
     "exponential_avg_factor: float = 1; data_format: {'NHWC', 'NCHW', 'NDHWC', 'NCDHW'} "
     "= 'NHWC'; is_training: bool = true",
     FusedBatchNormShape},
    {"FusedBatchNormGrad",
     "y_backprop: T, x: T, scale: T, reserve_space_1: T, reserve_space_2: T -> "
     "x_backprop: T, scale_backprop: T, offset_backprop: T, reserve_space_3: T, "
     "reserve_space_4: T",
     "T: {float}; epsilon: float = 1e-04; data_format: {'NHWC', 'NCHW'} = 'NHWC'; "
     "is_training: bool = true",
     FusedBatchNormGradShape},
    {"FusedBatchNormGradV2",
     "y_backprop: T, x: T, scale: float, reserve_space_1: U, reserve_space_2: U -> "
     "x_backprop: T, scale_backprop: U, offset_backprop: U, reserve_space_3: U, "
     "reserve_space_4: U",
     "T: {half, bfloat16, float}; U: {float}; epsilon: float = 1e-04; data_format: "
     "{'NHWC', 'NCHW'} = 'NHWC'; is_training: bool = true",
     FusedBatchNormGradShape},
    {"FusedBatchNormGradV3",
     "y_backprop: T, x: T, scale: float, reserve_space_1: U, reserve_space_2: U, "
     "reserve_space_3: U -> x_backprop: T, scale_backprop: U, offset_backprop: U, "
     "reserve_space_4: U, reserve_space_5: U",
     "T: {half, bfloat16, float}; U: {float}; epsilon: float = 1e-04; data_format: "
     "{'NHWC', 'NCHW', 'NDHWC', 'NCDHW'} = 'NHWC'; is_training: bool = true",
     FusedBatchNormGradShape},
    {"Relu", "features: T -> activations: T",
     "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, "
     "uint32, uint64, qint8}",
     UnchangedShape},
    {"ReluGrad", "gradients: T, features: T -> backprops: T", "T: real",
     MergeInputsShape},
    {"Relu6", "features: T -> activations: T", "T: real", UnchangedShape},
    {"Relu6Grad", "gradients: T, features: T -> backprops: T", "T: real",
     MergeInputsShape},
    {"LeakyRelu", "features: T -> activations: T",
     "alpha: float = 0.2; T: floating = float", UnchangedShape},
    {"LeakyReluGrad", "gradients: T, features: T -> backprops: T",
     "alpha: float = 0.2; T: floating = float", MergeInputsShape},
    {"Elu", "features: T -> activations: T", "T: floating", UnchangedShape},
    {"EluGrad", "gradients: T, outputs: T -> backprops: T", "T: floating",
     MergeInputsShape},
    {"Selu", "features: T -> activations: T", "T: floating", UnchangedShape},
    {"SeluGrad", "gradients: T, outputs: T -> backprops: T", "T: floating",
     MergeInputsShape},
    {"Softplus", "features: T -> activations: T", "T: floating", UnchangedShape},
    {"SoftplusGrad", "gradients: T, features: T -> backprops: T", "T: floating",
     MergeInputsShape},
    {"Softsign", "features: T -> activations: T", "T: floating", UnchangedShape},
    {"SoftsignGrad", "gradients: T, features: T -> backprops: T", "T: floating",
     MergeInputsShape},
    {"Softmax", "logits: T -> softmax: T", "T: floating", UnchangedAtLeastRank1},
    {"LogSoftmax", "logits: T -> logsoftmax: T", "T: floating", UnchangedAtLeastRank1},
    {"SoftmaxCrossEntropyWithLogits", "features: T, labels: T -> loss: T, backprop: T",
     "T: floating", SoftmaxCrossEntropyShape},
    {"SparseSoftmaxCrossEntropyWithLogits",
     "features: T, labels: Tlabels -> loss: T, backprop: T",
     "T: floating; Tlabels: index = int64", SparseSoftmaxCrossEntropyShape},
    {"L2Loss", "t: T -> output: T", "T: floating", ScalarShape},
};

}  // namespace

std::span<const OpSpec> NnOps() { return kNnOps; }

}  // namespace berth
