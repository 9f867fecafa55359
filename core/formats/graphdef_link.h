// Which node feeds which: the inputs of a raw graph resolved to nodes, and an order in
// which every node comes after what it needs.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/status.h"
#include "core/formats/graphdef_reader.h"
#include "core/graph/graph.h"

namespace berth::formats {

// One input after the look-up. A node of the file, or an output of the target graph.
struct Link {
  static constexpr int32_t kControl = -1;
  int32_t node = -1;  // index into RawGraph::nodes; -1: `external` holds
  int32_t index = 0;  // output, or kControl
  Node* external = nullptr;
};

struct LinkedGraph {
  std::vector<Link> links;     // parallel to RawGraph::inputs
  std::vector<int32_t> order;  // of the nodes, producers first
};

struct LinkOptions {
  // See ImportOptions.
  const std::vector<std::pair<std::string, std::string>>* input_map;
  // Names that the file does not have are looked up in `graph`.
  bool use_existing;
  Graph* graph;
};

// True for an edge that closes a loop: into a Merge from a NextIteration.
bool IsBackEdge(std::string_view consumer_op, std::string_view producer_op);

// Index of a node of the file by name; -1 when there is none.
class NameIndex {
 public:
  explicit NameIndex(const RawGraph& graph);
  ~NameIndex();
  NameIndex(NameIndex&&) noexcept;
  NameIndex& operator=(NameIndex&&) = delete;

  int32_t Find(std::string_view name) const;
  // Names that two nodes of the file have.
  const std::vector<std::string_view>& duplicates() const { return duplicates_; }

 private:
  struct Map;
  std::unique_ptr<Map> map_;
  std::vector<std::string_view> duplicates_;
};

// INVALID_ARGUMENT naming all missing inputs, misplaced control inputs and unused keys of
// the input map, or the nodes of a cycle.
Result<LinkedGraph> LinkGraph(const RawGraph& raw, const NameIndex& names,
                              const LinkOptions& options);

}  // namespace berth::formats
