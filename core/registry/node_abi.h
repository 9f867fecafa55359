// A graph node as plugins see it.
#pragma once

#include <berth/kernel.h>
#include <berth/node.h>

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/shape.h"
#include "core/base/status.h"
#include "core/base/tensor.h"
#include "core/graph/graph.h"

namespace berth {

// Builds a berth_node from a Node: for supports(), create, the compile hook and plugin
// shape functions. Immutable once made, may be read from any thread; it lends from the
// node, the shapes' owner and the constants, which must outlive it.
//
// Attributes are those of the node, sorted by name, without "_class" and
// "_output_shapes", which say nothing about the computation. A reference type shows its
// base type with is_ref set; a resource input shows the type of the variable behind it
// (attribute "dtype" or "T") with is_ref set.
class NodeAbiView {
 public:
  struct Args {
    const Node* node = nullptr;
    // Instead of `node`, where there is none yet: op, attributes (defaults filled in) and
    // name.
    const OpSchema* schema = nullptr;
    const AttrMap* attrs = nullptr;
    std::string name;
    std::string device;  // full name, may be empty
    // Entry i is what is known of input or output i; what is missing is unknown.
    std::span<const Shape> input_shapes = {};
    std::span<const Shape> output_shapes = {};
    // Entry i is the value of input i when the graph fixes it, in host memory, else NULL.
    std::span<const Tensor* const> constants = {};
    // For is_host; may be NULL.
    const berth_kernel_def* def = nullptr;
  };

  explicit NodeAbiView(const Args& args);
  ~NodeAbiView();
  NodeAbiView(const NodeAbiView&) = delete;
  NodeAbiView& operator=(const NodeAbiView&) = delete;

  const berth_node& abi() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Which flattened inputs and outputs a row wants in host memory, and which inputs' values
// its prepare reads: entry i is for position i. Empty spans for a row without any.
struct HostPositions {
  std::vector<bool> inputs;
  std::vector<bool> outputs;
  std::vector<bool> prepare_inputs;
};
HostPositions HostPositionsOf(const Node& node, const berth_kernel_def* def);

// A tensor view of a host tensor (not DT_STRING). `dims` are the tensor's own: it must
// stay alive.
berth_tensor TensorView(const Tensor& tensor);

}  // namespace berth
