#include "conformance/cases/op_schema.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <sstream>

namespace berth::conformance {
namespace {

constexpr char kFloats[] = "half bfloat16 float double";
constexpr char kIntegers[] = "int8 int16 int32 int64 uint8 uint16 uint32 uint64";
constexpr char kIndices[] = "int32 int64";
constexpr char kNumbers[] =
    "half bfloat16 float double int8 int16 int32 int64 uint8 uint16 uint32 uint64";
constexpr char kNumbersAndBool[] =
    "half bfloat16 float double int8 int16 int32 int64 uint8 uint16 uint32 uint64 bool";
constexpr char kAll[] =
    "half bfloat16 float double int8 int16 int32 int64 uint8 uint16 uint32 uint64 bool "
    "complex64 complex128";

constexpr OpSchema kSchemas[] = {
    {"Abs", "T", "x:T", "y:T", "T", "half bfloat16 float double int8 int16 int32 int64"},
    {"AccumulateNV2", "T", "inputs:N*T", "sum:T", "N T", kNumbers},
    {"Add", "T", "x:T y:T", "z:T", "T",
     "half bfloat16 float double int8 int16 int32 int64 uint8"},
    {"AddN", "T", "inputs:N*T", "sum:T", "N T", kNumbers},
    {"AddV2", "T", "x:T y:T", "z:T", "T", kNumbers},
    {"All", "", "input:bool reduction_indices:Tidx", "output:bool",
     "keep_dims=false Tidx=int32", "bool"},
    {"Any", "", "input:bool reduction_indices:Tidx", "output:bool",
     "keep_dims=false Tidx=int32", "bool"},
    {"ApplyAdagrad", "T", "var:&T accum:&T lr:T grad:T", "out:&T",
     "T use_locking=false update_slots=true", kFloats},
    {"ApplyAdam", "T",
     "var:&T m:&T v:&T beta1_power:T beta2_power:T lr:T beta1:T beta2:T epsilon:T grad:T",
     "out:&T", "T use_locking=false use_nesterov=false", kFloats},
    {"ApplyGradientDescent", "T", "var:&T alpha:T delta:T", "out:&T",
     "T use_locking=false", kFloats},
    {"ApplyMomentum", "T", "var:&T accum:&T lr:T grad:T momentum:T", "out:&T",
     "T use_locking=false use_nesterov=false", kFloats},
    {"ApplyRMSProp", "T", "var:&T ms:&T mom:&T lr:T rho:T momentum:T epsilon:T grad:T",
     "out:&T", "T use_locking=false", kFloats},
    {"ArgMax", "T", "input:T dimension:Tidx", "output:output_type",
     "T Tidx=int32 output_type=int64", kNumbersAndBool},
    {"ArgMin", "T", "input:T dimension:Tidx", "output:output_type",
     "T Tidx=int32 output_type=int64", kNumbersAndBool},
    {"AssignAdd", "T", "ref:&T value:T", "output_ref:&T", "T use_locking=false",
     kNumbers},
    {"AssignAddVariableOp", "dtype", "resource:resource value:dtype", "", "dtype",
     kNumbers},
    {"AssignSub", "T", "ref:&T value:T", "output_ref:&T", "T use_locking=false",
     kNumbers},
    {"AssignSubVariableOp", "dtype", "resource:resource value:dtype", "", "dtype",
     kNumbers},
    {"AvgPool", "T", "value:T", "output:T", "ksize strides padding data_format=NHWC T",
     kFloats},
    {"AvgPoolGrad", "T", "orig_input_shape:int32 grad:T", "output:T",
     "ksize strides padding data_format=NHWC T", kFloats},
    {"BatchMatMul", "T", "x:T y:T", "output:T",
     "T adj_x=false adj_y=false grad_x=false grad_y=false",
     "half bfloat16 float double int32 int64"},
    {"BatchMatMulV2", "T", "x:T y:T", "output:T",
     "T adj_x=false adj_y=false grad_x=false grad_y=false",
     "half bfloat16 float double int16 int32 int64 uint8 uint16 uint32 uint64"},
    {"BiasAdd", "T", "value:T bias:T", "output:T", "T data_format=NHWC", kNumbers},
    {"BiasAddGrad", "T", "out_backprop:T", "output:T", "T data_format=NHWC", kNumbers},
    {"BiasAddV1", "T", "value:T bias:T", "output:T", "T", kNumbers},
    {"BroadcastArgs", "T", "s0:T s1:T", "r0:T", "T=int32", kIndices},
    {"BroadcastGradientArgs", "T", "s0:T s1:T", "r0:T r1:T", "T=int32", kIndices},
    {"BroadcastTo", "T", "input:T shape:Tidx", "output:T", "T Tidx=int32", kAll},
    {"Cast", "SrcT", "x:SrcT", "y:DstT", "SrcT DstT Truncate=false", kAll},
    {"Ceil", "T", "x:T", "y:T", "T", kFloats},
    {"Concat", "T", "concat_dim:int32 values:N*T", "output:T", "N T", kAll},
    {"ConcatOffset", "shape_type", "concat_dim:int32 shape:N*shape_type",
     "offset:N*shape_type", "N shape_type=int32", kIndices},
    {"ConcatV2", "T", "values:N*T axis:Tidx", "output:T", "N T Tidx=int32", kAll},
    {"Conv2D", "T", "input:T filter:T", "output:T",
     "T strides use_cudnn_on_gpu=true padding explicit_paddings=[] data_format=NHWC "
     "dilations=[1,1,1,1]",
     "half bfloat16 float double int32"},
    {"Conv2DBackpropFilter", "T", "input:T filter_sizes:int32 out_backprop:T", "output:T",
     "T strides use_cudnn_on_gpu=true padding explicit_paddings=[] data_format=NHWC "
     "dilations=[1,1,1,1]",
     kFloats},
    {"Conv2DBackpropInput", "T", "input_sizes:int32 filter:T out_backprop:T", "output:T",
     "T strides use_cudnn_on_gpu=true padding explicit_paddings=[] data_format=NHWC "
     "dilations=[1,1,1,1]",
     "half bfloat16 float double int32"},
    {"Cos", "T", "x:T", "y:T", "T", kFloats},
    {"Div", "T", "x:T y:T", "z:T", "T", kNumbers},
    {"DivNoNan", "T", "x:T y:T", "z:T", "T", kFloats},
    {"DynamicStitch", "T", "indices:N*int32 data:N*T", "merged:T", "N T", kAll},
    {"Elu", "T", "features:T", "activations:T", "T", kFloats},
    {"EluGrad", "T", "gradients:T outputs:T", "backprops:T", "T", kFloats},
    {"Equal", "T", "x:T y:T", "z:bool", "T incompatible_shape_error=true",
     kNumbersAndBool},
    {"Exp", "T", "x:T", "y:T", "T", kFloats},
    {"Expm1", "T", "x:T", "y:T", "T", kFloats},
    {"Fill", "T", "dims:index_type value:T", "output:T", "T index_type=int32", kAll},
    {"Floor", "T", "x:T", "y:T", "T", kFloats},
    {"FloorDiv", "T", "x:T y:T", "z:T", "T", kNumbers},
    {"FloorMod", "T", "x:T y:T", "z:T", "T", kNumbers},
    {"FusedBatchNorm", "T", "x:T scale:T offset:T mean:T variance:T",
     "y:T batch_mean:T batch_variance:T reserve_space_1:T reserve_space_2:T",
     "T epsilon=0.0001 exponential_avg_factor=1.0 data_format=NHWC is_training=true",
     "float"},
    {"FusedBatchNormGrad", "T",
     "y_backprop:T x:T scale:T reserve_space_1:T reserve_space_2:T",
     "x_backprop:T scale_backprop:T offset_backprop:T reserve_space_3:T "
     "reserve_space_4:T",
     "T epsilon=0.0001 data_format=NHWC is_training=true", "float"},
    {"FusedBatchNormGradV2", "T",
     "y_backprop:T x:T scale:float reserve_space_1:U reserve_space_2:U",
     "x_backprop:T scale_backprop:U offset_backprop:U reserve_space_3:U "
     "reserve_space_4:U",
     "T U epsilon=0.0001 data_format=NHWC is_training=true", "half bfloat16 float"},
    {"FusedBatchNormGradV3", "T",
     "y_backprop:T x:T scale:float reserve_space_1:U reserve_space_2:U reserve_space_3:U",
     "x_backprop:T scale_backprop:U offset_backprop:U reserve_space_4:U "
     "reserve_space_5:U",
     "T U epsilon=0.0001 data_format=NHWC is_training=true", "half bfloat16 float"},
    {"FusedBatchNormV2", "T", "x:T scale:U offset:U mean:U variance:U",
     "y:T batch_mean:U batch_variance:U reserve_space_1:U reserve_space_2:U",
     "T U epsilon=0.0001 exponential_avg_factor=1.0 data_format=NHWC is_training=true",
     "half bfloat16 float"},
    {"FusedBatchNormV3", "T", "x:T scale:U offset:U mean:U variance:U",
     "y:T batch_mean:U batch_variance:U reserve_space_1:U reserve_space_2:U "
     "reserve_space_3:U",
     "T U epsilon=0.0001 exponential_avg_factor=1.0 data_format=NHWC is_training=true",
     "half bfloat16 float"},
    {"Gather", "Tparams", "params:Tparams indices:Tindices", "output:Tparams",
     "validate_indices=true Tparams Tindices", kAll},
    {"GatherV2", "Tparams", "params:Tparams indices:Tindices axis:Taxis",
     "output:Tparams", "batch_dims=0 Tparams Tindices Taxis", kAll},
    {"Greater", "T", "x:T y:T", "z:bool", "T", kNumbers},
    {"GreaterEqual", "T", "x:T y:T", "z:bool", "T", kNumbers},
    {"Inv", "T", "x:T", "y:T", "T", kFloats},
    {"InvGrad", "T", "y:T dy:T", "z:T", "T", kFloats},
    {"InvertPermutation", "T", "x:T", "y:T", "T=int32", kIndices},
    {"IsFinite", "T", "x:T", "y:bool", "T", kFloats},
    {"IsInf", "T", "x:T", "y:bool", "T", kFloats},
    {"IsNan", "T", "x:T", "y:bool", "T", kFloats},
    {"L2Loss", "T", "t:T", "output:T", "T", kFloats},
    {"LeakyRelu", "T", "features:T", "activations:T", "alpha=0.200000003 T=float",
     kFloats},
    {"LeakyReluGrad", "T", "gradients:T features:T", "backprops:T",
     "alpha=0.200000003 T=float", kFloats},
    {"Less", "T", "x:T y:T", "z:bool", "T", kNumbers},
    {"LessEqual", "T", "x:T y:T", "z:bool", "T", kNumbers},
    {"LinSpace", "T", "start:T stop:T num:Tidx", "output:T", "T Tidx=int32",
     "float double"},
    {"Log", "T", "x:T", "y:T", "T", kFloats},
    {"Log1p", "T", "x:T", "y:T", "T", kFloats},
    {"LogSoftmax", "T", "logits:T", "logsoftmax:T", "T", kFloats},
    {"LogicalAnd", "", "x:bool y:bool", "z:bool", "", "bool"},
    {"LogicalNot", "", "x:bool", "y:bool", "", "bool"},
    {"LogicalOr", "", "x:bool y:bool", "z:bool", "", "bool"},
    {"MatMul", "T", "a:T b:T", "product:T",
     "transpose_a=false transpose_b=false T grad_a=false grad_b=false",
     "half bfloat16 float double int32 int64 uint8 uint16 uint32 uint64"},
    {"Max", "T", "input:T reduction_indices:Tidx", "output:T",
     "keep_dims=false T Tidx=int32", kNumbers},
    {"MaxPool", "T", "input:T", "output:T",
     "T=float ksize strides padding explicit_paddings=[] data_format=NHWC",
     "half bfloat16 float double int8 int16 int32 int64 uint8 uint16"},
    {"MaxPoolGrad", "T", "orig_input:T orig_output:T grad:T", "output:T",
     "ksize strides padding explicit_paddings=[] data_format=NHWC T=float", kFloats},
    {"Maximum", "T", "x:T y:T", "z:T", "T", kNumbers},
    {"Mean", "T", "input:T reduction_indices:Tidx", "output:T",
     "keep_dims=false T Tidx=int32", kNumbers},
    {"Min", "T", "input:T reduction_indices:Tidx", "output:T",
     "keep_dims=false T Tidx=int32", kNumbers},
    {"Minimum", "T", "x:T y:T", "z:T", "T", kNumbers},
    {"Mod", "T", "x:T y:T", "z:T", "T", "half bfloat16 float double int32 int64"},
    {"Mul", "T", "x:T y:T", "z:T", "T", kNumbers},
    {"Neg", "T", "x:T", "y:T", "T", "half bfloat16 float double int8 int16 int32 int64"},
    {"NotEqual", "T", "x:T y:T", "z:bool", "T incompatible_shape_error=true",
     kNumbersAndBool},
    {"OneHot", "T", "indices:TI depth:int32 on_value:T off_value:T", "output:T",
     "axis=-1 T TI=int64", kAll},
    {"OnesLike", "T", "x:T", "y:T", "T", kAll},
    {"Pack", "T", "values:N*T", "output:T", "N T axis=0", kAll},
    {"Pad", "T", "input:T paddings:Tpaddings", "output:T", "T Tpaddings=int32", kAll},
    {"PadV2", "T", "input:T paddings:Tpaddings constant_values:T", "output:T",
     "T Tpaddings=int32", kAll},
    {"Pow", "T", "x:T y:T", "z:T", "T",
     "half bfloat16 float double int8 int16 int32 int64"},
    {"Prod", "T", "input:T reduction_indices:Tidx", "output:T",
     "keep_dims=false T Tidx=int32", kNumbers},
    {"RandomStandardNormal", "dtype", "shape:T", "output:dtype", "seed=0 seed2=0 dtype T",
     kFloats},
    {"RandomUniform", "dtype", "shape:T", "output:dtype", "seed=0 seed2=0 dtype T",
     kFloats},
    {"RandomUniformInt", "Tout", "shape:T minval:Tout maxval:Tout", "output:Tout",
     "seed=0 seed2=0 Tout T", kIndices},
    {"Range", "Tidx", "start:Tidx limit:Tidx delta:Tidx", "output:Tidx", "Tidx=int32",
     "float double int32 int64"},
    {"RealDiv", "T", "x:T y:T", "z:T", "T", kFloats},
    {"Reciprocal", "T", "x:T", "y:T", "T", kFloats},
    {"ReciprocalGrad", "T", "y:T dy:T", "z:T", "T", kFloats},
    {"Relu", "T", "features:T", "activations:T", "T", kNumbers},
    {"Relu6", "T", "features:T", "activations:T", "T", kNumbers},
    {"Relu6Grad", "T", "gradients:T features:T", "backprops:T", "T", kNumbers},
    {"ReluGrad", "T", "gradients:T features:T", "backprops:T", "T", kNumbers},
    {"ResourceApplyAdagrad", "T", "var:resource accum:resource lr:T grad:T", "",
     "T use_locking=false update_slots=true", kFloats},
    {"ResourceApplyAdam", "T",
     "var:resource m:resource v:resource beta1_power:T beta2_power:T lr:T beta1:T "
     "beta2:T epsilon:T grad:T",
     "", "T use_locking=false use_nesterov=false", kFloats},
    {"ResourceApplyGradientDescent", "T", "var:resource alpha:T delta:T", "",
     "T use_locking=false", kFloats},
    {"ResourceApplyKerasMomentum", "T",
     "var:resource accum:resource lr:T grad:T momentum:T", "",
     "T use_locking=false use_nesterov=false", kFloats},
    {"ResourceApplyMomentum", "T", "var:resource accum:resource lr:T grad:T momentum:T",
     "", "T use_locking=false use_nesterov=false", kFloats},
    {"ResourceApplyRMSProp", "T",
     "var:resource ms:resource mom:resource lr:T rho:T momentum:T epsilon:T grad:T", "",
     "T use_locking=false", kFloats},
    {"ResourceGather", "dtype", "resource:resource indices:Tindices", "output:dtype",
     "batch_dims=0 validate_indices=true dtype Tindices", kAll},
    {"ResourceScatterAdd", "dtype", "resource:resource indices:Tindices updates:dtype",
     "", "dtype Tindices", kNumbers},
    {"ResourceScatterDiv", "dtype", "resource:resource indices:Tindices updates:dtype",
     "", "dtype Tindices", kNumbers},
    {"ResourceScatterMax", "dtype", "resource:resource indices:Tindices updates:dtype",
     "", "dtype Tindices", kNumbers},
    {"ResourceScatterMin", "dtype", "resource:resource indices:Tindices updates:dtype",
     "", "dtype Tindices", kNumbers},
    {"ResourceScatterMul", "dtype", "resource:resource indices:Tindices updates:dtype",
     "", "dtype Tindices", kNumbers},
    {"ResourceScatterSub", "dtype", "resource:resource indices:Tindices updates:dtype",
     "", "dtype Tindices", kNumbers},
    {"ResourceScatterUpdate", "dtype", "resource:resource indices:Tindices updates:dtype",
     "", "dtype Tindices", kNumbersAndBool},
    {"ReverseV2", "T", "tensor:T axis:Tidx", "output:T", "Tidx=int32 T", kAll},
    {"Rint", "T", "x:T", "y:T", "T", kFloats},
    {"Round", "T", "x:T", "y:T", "T",
     "half bfloat16 float double int8 int16 int32 int64"},
    {"Rsqrt", "T", "x:T", "y:T", "T", kFloats},
    {"RsqrtGrad", "T", "y:T dy:T", "z:T", "T", kFloats},
    {"ScatterAdd", "T", "ref:&T indices:Tindices updates:T", "output_ref:&T",
     "T Tindices use_locking=false", kNumbers},
    {"ScatterDiv", "T", "ref:&T indices:Tindices updates:T", "output_ref:&T",
     "T Tindices use_locking=false", kNumbers},
    {"ScatterMax", "T", "ref:&T indices:Tindices updates:T", "output_ref:&T",
     "T Tindices use_locking=false", "half bfloat16 float double int32 int64"},
    {"ScatterMin", "T", "ref:&T indices:Tindices updates:T", "output_ref:&T",
     "T Tindices use_locking=false", "half bfloat16 float double int32 int64"},
    {"ScatterMul", "T", "ref:&T indices:Tindices updates:T", "output_ref:&T",
     "T Tindices use_locking=false", kNumbers},
    {"ScatterSub", "T", "ref:&T indices:Tindices updates:T", "output_ref:&T",
     "T Tindices use_locking=false", kNumbers},
    {"ScatterUpdate", "T", "ref:&T indices:Tindices updates:T", "output_ref:&T",
     "T Tindices use_locking=true", kNumbersAndBool},
    {"Select", "T", "condition:bool t:T e:T", "output:T", "T", kAll},
    {"SelectV2", "T", "condition:bool t:T e:T", "output:T", "T", kAll},
    {"Selu", "T", "features:T", "activations:T", "T", kFloats},
    {"SeluGrad", "T", "gradients:T outputs:T", "backprops:T", "T", kFloats},
    {"Sigmoid", "T", "x:T", "y:T", "T", kFloats},
    {"SigmoidGrad", "T", "y:T dy:T", "z:T", "T", kFloats},
    {"Sign", "T", "x:T", "y:T", "T", "half bfloat16 float double int8 int16 int32 int64"},
    {"Sin", "T", "x:T", "y:T", "T", kFloats},
    {"Slice", "T", "input:T begin:Index size:Index", "output:T", "T Index", kAll},
    {"Softmax", "T", "logits:T", "softmax:T", "T", kFloats},
    {"SoftmaxCrossEntropyWithLogits", "T", "features:T labels:T", "loss:T backprop:T",
     "T", kFloats},
    {"Softplus", "T", "features:T", "activations:T", "T", kFloats},
    {"SoftplusGrad", "T", "gradients:T features:T", "backprops:T", "T", kFloats},
    {"Softsign", "T", "features:T", "activations:T", "T", kFloats},
    {"SoftsignGrad", "T", "gradients:T features:T", "backprops:T", "T", kFloats},
    {"SparseSoftmaxCrossEntropyWithLogits", "T", "features:T labels:Tlabels",
     "loss:T backprop:T", "T Tlabels=int64", kFloats},
    {"Split", "T", "split_dim:int32 value:T", "output:num_split*T", "num_split T", kAll},
    {"SplitV", "T", "value:T size_splits:Tlen split_dim:int32", "output:num_split*T",
     "num_split T Tlen=int64", kAll},
    {"Sqrt", "T", "x:T", "y:T", "T", kFloats},
    {"SqrtGrad", "T", "y:T dy:T", "z:T", "T", kFloats},
    {"Square", "T", "x:T", "y:T", "T", kNumbers},
    {"SquaredDifference", "T", "x:T y:T", "z:T", "T",
     "half bfloat16 float double int32 int64"},
    {"StridedSlice", "T", "input:T begin:Index end:Index strides:Index", "output:T",
     "T Index begin_mask=0 end_mask=0 ellipsis_mask=0 new_axis_mask=0 shrink_axis_mask=0",
     kAll},
    {"StridedSliceGrad", "T", "shape:Index begin:Index end:Index strides:Index dy:T",
     "output:T",
     "T Index begin_mask=0 end_mask=0 ellipsis_mask=0 new_axis_mask=0 shrink_axis_mask=0",
     kAll},
    {"Sub", "T", "x:T y:T", "z:T", "T", kNumbers},
    {"Sum", "T", "input:T reduction_indices:Tidx", "output:T",
     "keep_dims=false T Tidx=int32", kNumbers},
    {"Tanh", "T", "x:T", "y:T", "T", kFloats},
    {"TanhGrad", "T", "y:T dy:T", "z:T", "T", kFloats},
    {"Tile", "T", "input:T multiples:Tmultiples", "output:T", "T Tmultiples=int32", kAll},
    {"Transpose", "T", "x:T perm:Tperm", "y:T", "T Tperm=int32", kAll},
    {"TruncateDiv", "T", "x:T y:T", "z:T", "T", kIntegers},
    {"TruncateMod", "T", "x:T y:T", "z:T", "T", "half bfloat16 float double int32 int64"},
    {"TruncatedNormal", "dtype", "shape:T", "output:dtype", "seed=0 seed2=0 dtype T",
     kFloats},
    {"Unpack", "T", "value:T", "output:num*T", "num T axis=0", kAll},
    {"ZerosLike", "T", "x:T", "y:T", "T", kAll}};

std::vector<std::string> Words(const char* text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

struct Argument {
  std::string name;
  std::string type;    // "T", "int32", "resource"
  std::string number;  // the attribute with a list's length, or ""
  bool is_variable = false;
};

std::vector<Argument> Arguments(const char* text) {
  std::vector<Argument> arguments;
  for (const std::string& word : Words(text)) {
    const size_t colon = word.find(':');
    Argument argument;
    argument.name = word.substr(0, colon);
    argument.type = word.substr(colon + 1);
    if (argument.type[0] == '&') {
      argument.is_variable = true;
      argument.type.erase(0, 1);
    }
    if (const size_t star = argument.type.find('*'); star != std::string::npos) {
      argument.number = argument.type.substr(0, star);
      argument.type.erase(0, star + 1);
    }
    argument.is_variable = argument.is_variable || argument.type == "resource";
    arguments.push_back(argument);
  }
  return arguments;
}

// The default of an attribute in the table's spelling.
AttrValue ParseDefault(const std::string& text) {
  if (text == "true" || text == "false") return text == "true";
  if (const std::optional<DType> dtype = ParseDType(text)) return TypeAttr{*dtype};
  if (text[0] == '[') {
    std::vector<int64_t> ints;
    std::istringstream stream(text.substr(1));
    for (int64_t i = 0; stream >> i; stream.ignore()) ints.push_back(i);
    return ints;
  }
  if (text.find('.') != std::string::npos) return std::stof(text);
  const bool is_number = std::isdigit(static_cast<unsigned char>(text.back())) != 0;
  if (is_number) return static_cast<int64_t>(std::stoll(text));
  return text;
}

// The inputs of a call by the argument that each belongs to; lists, all of one length,
// take what the others leave.
std::vector<Argument> Expanded(const OpSchema& schema, size_t num_inputs) {
  const std::vector<Argument> arguments = Arguments(schema.inputs);
  const auto lists = static_cast<size_t>(
      std::count_if(arguments.begin(), arguments.end(),
                    [](const Argument& argument) { return !argument.number.empty(); }));
  const size_t others = arguments.size() - lists;
  const size_t left = num_inputs - std::min(num_inputs, others);
  std::vector<Argument> inputs;
  for (const Argument& argument : arguments) {
    inputs.insert(inputs.end(), argument.number.empty() ? 1 : left / lists, argument);
  }
  inputs.resize(num_inputs);
  return inputs;
}

}  // namespace

const std::vector<OpSchema>& OpSchemas() {
  static const std::vector<OpSchema> schemas(std::begin(kSchemas), std::end(kSchemas));
  return schemas;
}

const OpSchema* FindSchema(const std::string& op) {
  const auto found =
      std::find_if(std::begin(kSchemas), std::end(kSchemas),
                   [&](const OpSchema& schema) { return schema.op == op; });
  return found == std::end(kSchemas) ? nullptr : found;
}

std::vector<DType> DTypesOf(const OpSchema& schema) {
  std::vector<DType> dtypes;
  for (const std::string& word : Words(schema.dtypes)) {
    dtypes.push_back(ParseDType(word).value_or(BERTH_INVALID_DTYPE));
  }
  return dtypes;
}

std::vector<InputInfo> InputsOf(const OpCall& call) {
  std::vector<InputInfo> inputs;
  for (const Argument& argument : Expanded(*FindSchema(call.op), call.inputs.size())) {
    inputs.push_back({argument.name, argument.is_variable});
  }
  return inputs;
}

void CompleteAttrs(const OpSchema& schema, OpCall* call) {
  const std::vector<Argument> inputs = Expanded(schema, call->inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    const std::string& type = inputs[i].type;
    if (type != "resource" && !type.empty() && !ParseDType(type)) {
      call->attrs.try_emplace(type, TypeAttr{call->inputs[i].dtype});
    }
    if (inputs[i].number == "N") {
      const int64_t length = std::count_if(
          inputs.begin(), inputs.end(),
          [&](const Argument& argument) { return argument.name == inputs[i].name; });
      call->attrs.try_emplace("N", length);
    }
  }
  for (const std::string& word : Words(schema.attrs)) {
    const size_t equals = word.find('=');
    if (equals == std::string::npos) continue;
    call->attrs.try_emplace(word.substr(0, equals),
                            ParseDefault(word.substr(equals + 1)));
  }
}

}  // namespace berth::conformance
