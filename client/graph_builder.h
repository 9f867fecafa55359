// The graph that scopes build. Internal to the client library.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "client/scope.h"
#include "client/variable.h"
#include "core/graph/graph.h"
#include "core/ops/op_schema.h"

namespace berth::client {

// Owns the graph, the static shapes, the variables, and the first error. Not thread-safe.
class GraphBuilder {
 public:
  GraphBuilder();

  Graph& graph() { return graph_; }
  const Status& status() const { return status_; }
  void Fail(Status status);

  // Adds the node and infers its shapes; nullptr (and a sticky error) on failure.
  Node* Add(NodeSpec spec);
  // `wanted`, or `wanted`_1, …: the first that is free. Taken from then on.
  std::string UniqueName(const std::string& wanted);
  const Shape& shape(const Node* node, int output) const;
  // The value of an output when the graph fixes it, else nullptr. Lives with the builder.
  const Tensor* constant(const Node* node, int output) const;

  // In order of creation.
  std::vector<Variable>& variables() { return variables_; }

 private:
  Status InferShapes(const Node* node);

  Graph graph_;
  Status status_;
  std::deque<std::vector<Shape>> shapes_;  // by node id
  std::unordered_map<std::string, int> used_names_;
  std::vector<Variable> variables_;
};

}  // namespace berth::client
