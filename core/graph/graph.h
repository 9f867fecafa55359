// The graph: nodes with schemas, attributes, data and control edges.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/base/status.h"
#include "core/graph/attr_value.h"

namespace berth {

struct OpSchema;
class OpRegistry;
class Node;

// Output `index` of `node`: what "name:index" names.
struct OutputRef {
  Node* node = nullptr;
  int index = 0;
  bool operator==(const OutputRef&) const = default;
};

// A node of a graph, immutable once the graph has accepted it, except for the requested
// device before the first placement. Owned by its graph.
class Node {
 public:
  int id() const { return id_; }  // dense, in order of addition
  const std::string& name() const { return name_; }
  const OpSchema& schema() const { return *schema_; }
  const std::string& op() const;
  // As written in the graph ("" = none, "/gpu:0", …).
  const std::string& requested_device() const { return requested_device_; }
  const AttrMap& attrs() const { return attrs_; }

  std::span<const OutputRef> inputs() const { return inputs_; }
  std::span<Node* const> control_inputs() const { return control_inputs_; }
  int num_inputs() const { return static_cast<int>(inputs_.size()); }
  int num_outputs() const { return static_cast<int>(output_types_.size()); }
  // Types of the flattened arguments; reference types keep their +100.
  DType input_type(int i) const { return input_types_[i]; }
  DType output_type(int i) const { return output_types_[i]; }
  std::span<const DType> input_types() const { return input_types_; }
  std::span<const DType> output_types() const { return output_types_; }

 private:
  friend class Graph;
  int id_ = 0;
  const OpSchema* schema_ = nullptr;
  std::string name_;
  std::string requested_device_;
  AttrMap attrs_;
  std::vector<OutputRef> inputs_;
  std::vector<Node*> control_inputs_;
  std::vector<DType> input_types_;
  std::vector<DType> output_types_;
};

// What a node is made from.
struct NodeSpec {
  std::string name;
  std::string op;
  std::string device;
  AttrMap attrs;  // missing ones are filled from the schema's defaults
  std::vector<OutputRef> inputs;
  std::vector<Node*> control_inputs;
};

// Not thread-safe: a session guards its graph. Grows only; failed additions leave it
// unchanged.
class Graph {
 public:
  explicit Graph(const OpRegistry* ops);
  ~Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  const OpRegistry& ops() const { return *ops_; }
  int num_nodes() const { return static_cast<int>(nodes_.size()); }
  Node* node(int id) { return &nodes_[id]; }
  const Node* node(int id) const { return &nodes_[id]; }
  // nullptr when there is none of that name.
  Node* FindNode(std::string_view name);
  const Node* FindNode(std::string_view name) const;

  // Checks op, attributes, argument counts, dtypes and the name. Back edges into Merge
  // come later through AddBackEdge.
  Result<Node*> AddNode(NodeSpec spec);
  // Completes input `index` of a Merge that was added with an empty OutputRef there.
  Status AddBackEdge(Node* merge, int index, OutputRef source);
  // Before the node is placed: import into a device scope and "place all on X" use it.
  void SetRequestedDevice(Node* node, std::string device);

  // Drops the nodes added after `num_nodes`: how an import that fails undoes itself.
  void TruncateTo(int num_nodes);

  // The producer's version (GraphDef.versions), kept for export.
  int producer_version() const { return producer_version_; }
  void set_producer_version(int version) { producer_version_ = version; }
  int min_consumer_version() const { return min_consumer_version_; }
  void set_min_consumer_version(int version) { min_consumer_version_ = version; }

 private:
  const OpRegistry* ops_;
  std::deque<Node> nodes_;
  std::unordered_map<std::string_view, Node*> by_name_;
  int producer_version_ = 0;
  int min_consumer_version_ = 0;
};

// "name:index" or "name" (index 0 of a node) or "^name" (control: index -1).
struct TensorName {
  std::string_view node;
  int index = 0;
};
Result<TensorName> ParseTensorName(std::string_view text);

// True for TensorFlow's node names: [A-Za-z0-9.][A-Za-z0-9_>./\\-]*.
bool IsValidNodeName(std::string_view name);

}  // namespace berth
