// Ways through a graph: who consumes an output, what a run needs, in which order.
//
// Ids ascend from producers to consumers (Graph::node), so a list of nodes with ascending
// ids is in topological order. Only back edges from NextIteration into Merge go down.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/graph/graph.h"

namespace berth {

// An edge from an output of one node to an input of `consumer`; both numbers are -1 for a
// control edge.
struct OutEdge {
  const Node* consumer = nullptr;
  int output = 0;
  int input = 0;
  bool is_control() const { return input < 0; }
};

// All edges of a graph by their source. Built once, in linear time; knows the nodes and
// edges that were there then. Immutable, so threads may share it.
class ConsumerIndex {
 public:
  explicit ConsumerIndex(const Graph& graph);

  // Control edges first, then by output; within each by the consumer's id.
  std::span<const OutEdge> Of(const Node& node) const;
  std::span<const OutEdge> OfOutput(const Node& node, int output) const;
  std::span<const OutEdge> ControlOf(const Node& node) const {
    return OfOutput(node, -1);
  }

 private:
  std::vector<uint32_t> first_slot_;  // of a node: control edges, output 0, output 1 …
  std::vector<uint32_t> begin_;       // of a slot's edges
  std::vector<OutEdge> edges_;
};

struct PruneRequest {
  std::span<const OutputRef> feeds;
  std::span<const OutputRef> fetches;
  std::span<Node* const> targets;
};
// The nodes that a run executes, in topological order. What is behind a fed output is not
// needed for its sake; a fed Placeholder does not run for a control edge either, as in
// TensorFlow. A fetched output that is also fed needs nothing.
std::vector<const Node*> NodesNeededBy(const Graph& graph, const PruneRequest& request);

// A graph that is not built yet, such as a GraphDef: the predecessors of node i are
// sources[offsets[i]] … sources[offsets[i + 1] - 1].
struct Predecessors {
  std::vector<int> offsets = {0};
  std::vector<int> sources;
  int num_nodes() const { return static_cast<int>(offsets.size()) - 1; }
};
struct TopologicalOrder {
  // Every node after its predecessors, otherwise in the order of numbers.
  std::vector<int> order;
  // Not empty: there is no order, and these nodes form a cycle, each the predecessor of
  // the next and the last of the first.
  std::vector<int> cycle;
};
TopologicalOrder SortTopologically(const Predecessors& graph);

}  // namespace berth
