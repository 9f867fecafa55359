// Stacks, tensor arrays and tensor lists.
#include "core/ops/builtin_ops.h"
#include "core/ops/shapes/common.h"
#include "core/ops/shapes/data_flow_shapes.h"

namespace berth {
namespace {

constexpr OpSpec kDataFlowOps[] = {
    {"EmptyTensorList",
     "element_shape: shape_type, max_num_elements: int32 -> handle: variant",
     "element_dtype: type; shape_type: index", ScalarShape},
    {"Stack", "-> handle: Ref(string)", "elem_type: type; stack_name: string = ''",
     RefHandleShape, kStateful},
    {"StackCloseV2", "handle: resource", "", nullptr, kStateful},
    {"StackPopV2", "handle: resource -> elem: elem_type", "elem_type: type", nullptr,
     kStateful},
    {"StackPushV2", "handle: resource, elem: T -> output: T",
     "T: type; swap_memory: bool = false", StackPushShape, kStateful},
    {"StackV2", "max_size: int32 -> handle: resource",
     "elem_type: type; stack_name: string = ''", ScalarShape, kStateful},
    {"TensorArrayCloseV3", "handle: resource", "", nullptr, kStateful},
    {"TensorArrayConcatV3",
     "handle: resource, flow_in: float -> value: dtype, lengths: int64",
     "dtype: type; element_shape_except0: shape = ?", TensorArrayConcatShape, kStateful},
    {"TensorArrayGatherV3",
     "handle: resource, indices: int32, flow_in: float -> value: dtype",
     "dtype: type; element_shape: shape = ?", TensorArrayGatherShape, kStateful},
    {"TensorArrayGradV3",
     "handle: resource, flow_in: float -> grad_handle: resource, flow_out: float",
     "source: string", TensorArrayGradShape, kStateful},
    {"TensorArrayReadV3",
     "handle: resource, index: int32, flow_in: float -> value: dtype", "dtype: type",
     TensorArrayReadShape, kStateful},
    {"TensorArrayScatterV3",
     "handle: resource, indices: int32, value: T, flow_in: float -> flow_out: float",
     "T: type", TensorArrayScatterShape, kStateful},
    {"TensorArraySizeV3", "handle: resource, flow_in: float -> size: int32", "",
     ScalarShape, kStateful},
    {"TensorArraySplitV3",
     "handle: resource, value: T, lengths: int64, flow_in: float -> flow_out: float",
     "T: type", TensorArrayScatterShape, kStateful},
    {"TensorArrayV3", "size: int32 -> handle: resource, flow: float",
     "dtype: type; element_shape: shape = ?; dynamic_size: bool = false; "
     "clear_after_read: bool = true; identical_element_shapes: bool = false; "
     "tensor_array_name: string = ''",
     TensorArrayShape, kStateful},
    {"TensorArrayWriteV3",
     "handle: resource, index: int32, value: T, flow_in: float -> flow_out: float",
     "T: type", TensorArrayWriteShape, kStateful},
    {"TensorListConcatV2",
     "input_handle: variant, element_shape: shape_type, leading_dims: int64 -> tensor: "
     "element_dtype, lengths: int64",
     "element_dtype: type; shape_type: index", TensorListConcatShape},
    {"TensorListElementShape", "input_handle: variant -> element_shape: shape_type",
     "shape_type: index", UnknownVectorShape},
    {"TensorListFromTensor",
     "tensor: element_dtype, element_shape: shape_type -> output_handle: variant",
     "element_dtype: type; shape_type: index", ScalarShape},
    {"TensorListGetItem",
     "input_handle: variant, index: int32, element_shape: Tshape -> item: element_dtype",
     "element_dtype: type; Tshape: index = int32", TensorListGetItemShape},
    {"TensorListLength", "input_handle: variant -> length: int32", "", ScalarShape},
    {"TensorListPopBack",
     "input_handle: variant, element_shape: int32 -> output_handle: variant, tensor: "
     "element_dtype",
     "element_dtype: type", TensorListPopBackShape},
    {"TensorListPushBack",
     "input_handle: variant, tensor: element_dtype -> output_handle: variant",
     "element_dtype: type", ScalarShape},
    {"TensorListReserve",
     "element_shape: shape_type, num_elements: int32 -> handle: variant",
     "element_dtype: type; shape_type: index", ScalarShape},
    {"TensorListSetItem",
     "input_handle: variant, index: int32, item: element_dtype -> output_handle: variant",
     "element_dtype: type; resize_if_index_out_of_bounds: bool = false", ScalarShape},
    {"TensorListStack",
     "input_handle: variant, element_shape: int32 -> tensor: element_dtype",
     "element_dtype: type; num_elements: int = -1", TensorListStackShape},
};

}  // namespace

std::span<const OpSpec> DataFlowOps() { return kDataFlowOps; }

}  // namespace berth
