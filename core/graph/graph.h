// The graph: nodes with schemas, attributes, data and control edges.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
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
  const std::string& requested_device() const { return *requested_device_; }
  const AttrMap& attrs() const { return attrs_; }

  // Inputs of a Merge that AddBackEdge has not completed have no node.
  std::span<const OutputRef> inputs() const {
    return {inputs_, static_cast<size_t>(num_inputs_)};
  }
  // Without duplicates.
  std::span<Node* const> control_inputs() const {
    return {control_inputs_, static_cast<size_t>(num_control_inputs_)};
  }
  int num_inputs() const { return num_inputs_; }
  int num_outputs() const { return num_outputs_; }
  // Types of the flattened arguments; reference types keep their +100.
  DType input_type(int i) const { return types_[i]; }
  DType output_type(int i) const { return types_[num_inputs_ + i]; }
  std::span<const DType> input_types() const {
    return {types_, static_cast<size_t>(num_inputs_)};
  }
  std::span<const DType> output_types() const {
    return {types_ + num_inputs_, static_cast<size_t>(num_outputs_)};
  }

 private:
  friend class Graph;
  int id_ = 0;
  int num_inputs_ = 0;
  int num_control_inputs_ = 0;
  int num_outputs_ = 0;
  const OpSchema* schema_ = nullptr;
  const std::string* requested_device_ = nullptr;  // one string a name, in the graph
  // Arrays in the graph's arena; types_ holds the inputs' and then the outputs'.
  OutputRef* inputs_ = nullptr;
  Node** control_inputs_ = nullptr;
  DType* types_ = nullptr;
  std::string name_;
  AttrMap attrs_;
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
  int num_nodes() const { return num_nodes_; }
  // Nodes stay where they are. Ids are a topological order: an input's id is smaller than
  // its consumer's, except for the back edges from NextIteration into Merge.
  Node* node(int id) { return &chunks_[id >> kChunkBits][id & (kChunkSize - 1)]; }
  const Node* node(int id) const {
    return &chunks_[id >> kChunkBits][id & (kChunkSize - 1)];
  }
  // nullptr when there is none of that name.
  Node* FindNode(std::string_view name);
  const Node* FindNode(std::string_view name) const;

  // Checks op, attributes, argument counts, dtypes and the name. Back edges into Merge
  // come later through AddBackEdge. NOT_FOUND for an unknown op, UNIMPLEMENTED for one
  // that the producer's version no longer has, else INVALID_ARGUMENT.
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
  // The functions that came with the graph, as a serialized FunctionDefLibrary; kept for
  // export only. Appending joins libraries: that is how protobuf merges.
  const std::string& function_library() const { return function_library_; }
  void AppendFunctionLibrary(std::string_view library) { function_library_ += library; }

 private:
  static constexpr int kChunkBits = 10;
  static constexpr int kChunkSize = 1 << kChunkBits;
  struct Names;
  class Arena;
  struct Draft;

  Status CheckName(const NodeSpec& spec, const Node* taken_by) const;
  Status CheckInputs(const Draft& draft) const;
  Node* Commit(const Draft& draft);

  const OpRegistry* ops_;
  int num_nodes_ = 0;
  std::vector<std::unique_ptr<Node[]>> chunks_;
  std::unique_ptr<Names> names_;
  std::unique_ptr<Arena> arena_;
  int producer_version_ = 0;
  int min_consumer_version_ = 0;
  std::string function_library_;
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
