// Branches, loops, and the ops that only order or check.
#include "core/ops/builtin_ops.h"
#include "core/ops/shapes/control_flow_shapes.h"

namespace berth {
namespace {

constexpr OpSpec kControlFlowOps[] = {
    {"NoOp", ""},
    {"ControlTrigger", ""},
    {"Switch", "data: T, pred: bool -> output_false: T, output_true: T", "T: type",
     SwitchShape},
    {"RefSwitch", "data: Ref(T), pred: bool -> output_false: Ref(T), output_true: Ref(T)",
     "T: type", SwitchShape, kUninitializedInput},
    {"Merge", "inputs: N * T -> output: T, value_index: int32", "T: type; N: int >= 1",
     MergeShape},
    {"RefMerge", "inputs: Ref(N * T) -> output: Ref(T), value_index: int32",
     "T: type; N: int >= 1", MergeShape},
    {"Enter", "data: T -> output: T",
     "T: type; frame_name: string; is_constant: bool = false; parallel_iterations: int = "
     "10",
     PassThroughShape},
    {"RefEnter", "data: Ref(T) -> output: Ref(T)",
     "T: type; frame_name: string; is_constant: bool = false; parallel_iterations: int = "
     "10",
     PassThroughShape},
    {"Exit", "data: T -> output: T", "T: type", PassThroughShape},
    {"RefExit", "data: Ref(T) -> output: Ref(T)", "T: type", PassThroughShape},
    {"NextIteration", "data: T -> output: T", "T: type", PassThroughShape},
    {"RefNextIteration", "data: Ref(T) -> output: Ref(T)", "T: type", PassThroughShape},
    {"LoopCond", "input: bool -> output: bool", "", LoopCondShape},
    {"RefIdentity", "input: Ref(T) -> output: Ref(T)", "T: type", PassThroughShape,
     kUninitializedInput},
    {"RefSelect", "index: int32, inputs: Ref(N * T) -> output: Ref(T)",
     "T: type; N: int >= 1", RefSelectShape},
    {"Assert", "condition: bool, data: T", "T: list(type) >= 1; summarize: int = 3",
     nullptr, kStateful},
};

}  // namespace

std::span<const OpSpec> ControlFlowOps() { return kControlFlowOps; }

}  // namespace berth
