// The ops that the core runs itself, for every device.
#pragma once

#include <string_view>
#include <vector>

#include "core/base/status.h"
#include "core/base/tensor.h"
#include "core/graph/graph.h"

namespace berth::executor {

// How the planner treats an op. Moves and renames cost nothing at run time.
enum class CoreKind {
  kConst,        // attribute "value"
  kPlaceholder,  // must be fed
  kForward,      // output i is input i
  kReshape,      // output 0 is input 0 under another shape
  kShapeOf,      // shape, size or rank of its inputs
  kNoOp,
  kVariable,  // a reference to a variable's buffer, or a handle to it
  kRead,      // ReadVariableOp
  kAssign,    // writes a variable
  kUpdate,    // adds to a variable or subtracts from it
  kIsInit,    // tells whether a variable has a value
  kDestroy,   // DestroyResourceOp
  kHost,      // a function of host tensors
  kDataflow,  // control flow, queues: not in this version
};

// What a kHost op works on.
struct HostOpContext {
  const Node* node = nullptr;
  std::vector<Tensor> inputs;   // host memory
  std::vector<Tensor> outputs;  // to be filled, one an output
};
using HostOpFn = Status (*)(HostOpContext& context);

struct CoreOp {
  std::string_view name;
  CoreKind kind = CoreKind::kNoOp;
  HostOpFn compute = nullptr;  // kHost only
};

// NULL when the core does not run the op.
const CoreOp* FindCoreOp(std::string_view op);
// True where this version of the core runs the op. IsCoreOp (core/registry) also names
// those that are the core's to run and are not written yet.
bool CoreRuns(std::string_view op);
// What to say of one that is not.
Status NotWrittenYet(const Node& node);

// The families, each in its file under core_ops/.
std::vector<CoreOp> ArrayOps();       // array_ops.cc
std::vector<CoreOp> VariableOps();    // variable_ops.cc
std::vector<CoreOp> CheckpointOps();  // checkpoint_ops.cc
std::vector<CoreOp> ControlOps();     // control_ops.cc

}  // namespace berth::executor
