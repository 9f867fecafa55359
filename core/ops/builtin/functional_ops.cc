// Calls of functions, and the ops that a function or a cut of the graph is made of.
#include "core/ops/builtin_ops.h"
#include "core/ops/shapes/control_flow_shapes.h"

namespace berth {
namespace {

constexpr OpSpec kFunctionalOps[] = {
    {"If", "cond: Tcond, input: Tin -> output: Tout",
     "Tcond: type; Tin: list(type) >= 0; Tout: list(type) >= 0; then_branch: func; "
     "else_branch: func; output_shapes: list(shape) = []",
     OutputShapesAttr, kStateful},
    {"StatelessIf", "cond: Tcond, input: Tin -> output: Tout",
     "Tcond: type; Tin: list(type) >= 0; Tout: list(type) >= 0; then_branch: func; "
     "else_branch: func; output_shapes: list(shape) = []",
     OutputShapesAttr},
    {"While", "input: T -> output: T",
     "T: list(type) >= 0; cond: func; body: func; output_shapes: list(shape) = []; "
     "parallel_iterations: int = 10",
     OutputShapesAttr, kStateful},
    {"StatelessWhile", "input: T -> output: T",
     "T: list(type) >= 0; cond: func; body: func; output_shapes: list(shape) = []; "
     "parallel_iterations: int = 10",
     OutputShapesAttr},
    {"PartitionedCall", "args: Tin -> output: Tout",
     "Tin: list(type) >= 0; Tout: list(type) >= 0; f: func; config: string = ''; "
     "config_proto: string = ''; executor_type: string = ''"},
    {"StatefulPartitionedCall", "args: Tin -> output: Tout",
     "Tin: list(type) >= 0; Tout: list(type) >= 0; f: func; config: string = ''; "
     "config_proto: string = ''; executor_type: string = ''",
     nullptr, kStateful},
    {"SymbolicGradient", "input: Tin -> output: Tout",
     "Tin: list(type) >= 1; Tout: list(type) >= 1; f: func"},
    {"_Arg", "-> output: T", "T: type; index: int >= 0", nullptr, kStateful},
    {"_ArrayToList", "input: N * T -> output: out_types",
     "T: type; N: int >= 1; out_types: list(type) >= 1", ListOfArraysShape},
    {"_DeviceArg", "-> output: T", "T: type; index: int >= 0", nullptr, kStateful},
    {"_DeviceRetval", "input: T", "T: type; index: int >= 0", nullptr, kStateful},
    {"_HostRecv", "-> tensor: tensor_type",
     "tensor_type: type; tensor_name: string; send_device: string; "
     "send_device_incarnation: int; recv_device: string; client_terminated: bool = false",
     nullptr, kStateful},
    {"_HostSend", "tensor: T",
     "T: type; tensor_name: string; send_device: string; send_device_incarnation: int; "
     "recv_device: string; client_terminated: bool = false",
     nullptr, kStateful},
    {"_ListToArray", "input: Tin -> output: N * T",
     "Tin: list(type) >= 1; T: type; N: int >= 1", ListOfArraysShape},
    {"_Recv", "-> tensor: tensor_type",
     "tensor_type: type; tensor_name: string; send_device: string; "
     "send_device_incarnation: int; recv_device: string; client_terminated: bool = false",
     nullptr, kStateful},
    {"_Retval", "input: T", "T: type; index: int >= 0", nullptr, kStateful},
    {"_Send", "tensor: T",
     "T: type; tensor_name: string; send_device: string; send_device_incarnation: int; "
     "recv_device: string; client_terminated: bool = false",
     nullptr, kStateful},
};

}  // namespace

std::span<const OpSpec> FunctionalOps() { return kFunctionalOps; }

}  // namespace berth
