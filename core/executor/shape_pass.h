// Shapes and known values of a plan, for given feed shapes.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "core/base/shape.h"
#include "core/base/status.h"
#include "core/base/tensor.h"
#include "core/executor/groups.h"
#include "core/executor/plan.h"

namespace berth::executor {

// How a node is run.
enum class NodeMode : uint8_t {
  kFolded,   // its outputs are constants: nothing is run
  kVirtual,  // renames or nothing at all
  kStatic,   // a kernel with everything known beforehand
  kRuntime,  // a kernel that is prepared when its inputs are there
  kCore,     // code of the core
};

struct NodeFacts {
  NodeMode mode = NodeMode::kVirtual;
  // A control edge leads (through constants and renames) to something with an effect:
  // the node must stay where it is, though its value may be known.
  bool has_effects = false;
  NodeKernel* kernel = nullptr;
  PreparedKernel prepared;  // kStatic
  int32_t group = -1;       // entry of ShapeFacts::groups that runs it, or -1
};

struct ValueFacts {
  Shape shape = Shape::UnknownRank();
  const Tensor* known = nullptr;  // in host memory, owned by ShapeFacts
};

struct ShapeFacts {
  std::vector<NodeFacts> nodes;    // by plan node
  std::vector<ValueFacts> values;  // by plan value
  std::deque<Tensor> constants;
  // By plan variable; unknown where the shape may change during the run.
  std::vector<Shape> variable_shapes;
  std::vector<CompiledGroup> groups;
};

// Runs the shape functions in order, prepares kernels where a shape depends on it, and
// computes what depends on constants and shapes alone by running kernels on the host.
// With Environment::optimize such nodes are then folded; without it only small integers
// are computed, which shapes depend on, and their nodes run all the same.
Status RunShapePass(const Plan& plan, std::span<const Shape> feed_shapes,
                    ShapeFacts* facts);

// Whether an assignment insists on the declared shape of a reference variable.
bool ValidatesShape(const Node& node);

// INVALID_ARGUMENT for a reshape between different numbers of elements.
Status ReshapeError(const Node& node, const Shape& from, const Shape& to);

// The element counts, sizes and ranks of Shape, ShapeN, Size, Rank and VariableShape:
// fills `out`, a host tensor of dtype int32 or int64, from a fully defined shape.
// INVALID_ARGUMENT when a size does not fit int32.
Status FillShapeOf(const Node& node, const Shape& shape, Tensor* out);

}  // namespace berth::executor
