// Static shapes: what is known of every output of a graph before it runs.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/graph/graph.h"
#include "core/ops/inference_context.h"

namespace berth {

// Runs the shape function of one node, for a run. `args` gives the inputs (schema,
// attributes, name and number of outputs are taken from the node); `outputs` gets one
// shape an output, unknown where the op has no shape function. INVALID_ARGUMENT for
// inputs that do not fit. Thread-safe. With concrete shapes and the values of the inputs
// that shapes depend on, the shapes are fully defined, unless they depend on the data
// (Where, Unique, …).
Status InferNodeShapes(const Node& node, const InferenceContext::Args& args,
                       std::vector<Shape>* outputs);

// Shapes, small values and handles of all outputs. Linear in nodes and edges. Not
// thread-safe; const calls may run side by side.
class ShapeRefiner {
 public:
  // REQUIRES: `graph` outlives this.
  explicit ShapeRefiner(const Graph* graph);
  ~ShapeRefiner();

  // Infers the nodes that were added since the last call. INVALID_ARGUMENT for the first
  // whose inputs do not fit; the nodes before it are done then, and the call may be
  // repeated after the graph was cut back. A Merge with a back edge has unknown outputs.
  Status Update();
  // After Graph::TruncateTo.
  void TruncateTo(int num_nodes);
  int num_nodes() const;

  // REQUIRES, for all: node.id() < num_nodes().
  const Shape& shape(const Node& node, int output) const;
  std::span<const Shape> shapes(const Node& node) const;
  // The value, in host memory, when the graph fixes it: a Const, or integers that follow
  // from constants and known shapes. nullptr otherwise. Feeding an output overrides it.
  const Tensor* value(const Node& node, int output) const;
  // What is behind a resource handle; nullptr when nothing is known.
  const HandleShape* handle(const Node& node, int output) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace berth
