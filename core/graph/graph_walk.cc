#include "core/graph/graph_walk.h"

#include <algorithm>
#include <bit>

namespace berth {
namespace {

// The ids below a fixed bound, a bit each.
class IdSet {
 public:
  explicit IdSet(int size) : words_((static_cast<size_t>(size) + 63) / 64) {}
  // False when it was there already.
  bool Insert(int id) {
    uint64_t& word = words_[static_cast<size_t>(id) / 64];
    const uint64_t bit = uint64_t{1} << (id % 64);
    const bool is_new = (word & bit) == 0;
    word |= bit;
    return is_new;
  }
  // Calls f in ascending order.
  template <typename F>
  void ForEach(F f) const {
    for (size_t i = 0; i < words_.size(); ++i) {
      for (uint64_t word = words_[i]; word != 0; word &= word - 1) {
        f(static_cast<int>(i * 64) + std::countr_zero(word));
      }
    }
  }

 private:
  std::vector<uint64_t> words_;
};

bool IsPlaceholder(const Node& node) {
  return node.op() == "Placeholder" || node.op() == "PlaceholderV2";
}

// Feeds are few: a sorted vector.
class FeedSet {
 public:
  explicit FeedSet(std::span<const OutputRef> feeds) {
    for (const OutputRef& feed : feeds) feeds_.emplace_back(feed.node->id(), feed.index);
    std::sort(feeds_.begin(), feeds_.end());
  }
  bool Contains(const Node& node, int output) const {
    return !feeds_.empty() && std::binary_search(feeds_.begin(), feeds_.end(),
                                                 std::make_pair(node.id(), output));
  }

 private:
  std::vector<std::pair<int, int>> feeds_;
};

}  // namespace

ConsumerIndex::ConsumerIndex(const Graph& graph) {
  const int num_nodes = graph.num_nodes();
  first_slot_.resize(static_cast<size_t>(num_nodes) + 1);
  uint32_t slots = 0;
  for (int id = 0; id < num_nodes; ++id) {
    first_slot_[id] = slots;
    slots += static_cast<uint32_t>(graph.node(id)->num_outputs()) + 1;
  }
  first_slot_[num_nodes] = slots;

  // Count, sum up, and fill: begin_[slot + 1] runs from the slot's begin to its end.
  begin_.assign(static_cast<size_t>(slots) + 2, 0);
  const auto for_each_edge = [&](auto f) {
    for (int id = 0; id < num_nodes; ++id) {
      const Node* node = graph.node(id);
      for (const Node* source : node->control_inputs()) {
        f(first_slot_[source->id()], OutEdge{node, -1, -1});
      }
      for (int i = 0; i < node->num_inputs(); ++i) {
        const OutputRef& ref = node->inputs()[i];
        if (ref.node == nullptr) continue;
        const auto slot =
            first_slot_[ref.node->id()] + 1 + static_cast<uint32_t>(ref.index);
        f(slot, OutEdge{node, ref.index, i});
      }
    }
  };
  for_each_edge([&](uint32_t slot, const OutEdge&) { ++begin_[slot + 2]; });
  for (size_t i = 1; i < begin_.size(); ++i) begin_[i] += begin_[i - 1];
  edges_.resize(begin_.back());
  for_each_edge(
      [&](uint32_t slot, const OutEdge& edge) { edges_[begin_[slot + 1]++] = edge; });
}

std::span<const OutEdge> ConsumerIndex::Of(const Node& node) const {
  const uint32_t begin = begin_[first_slot_[node.id()]];
  const uint32_t end = begin_[first_slot_[node.id() + 1]];
  return {edges_.data() + begin, end - begin};
}

std::span<const OutEdge> ConsumerIndex::OfOutput(const Node& node, int output) const {
  const uint32_t slot = first_slot_[node.id()] + static_cast<uint32_t>(output + 1);
  return {edges_.data() + begin_[slot], begin_[slot + 1] - begin_[slot]};
}

std::vector<const Node*> NodesNeededBy(const Graph& graph, const PruneRequest& request) {
  const FeedSet feeds(request.feeds);
  IdSet needed(graph.num_nodes());
  size_t count = 0;
  std::vector<const Node*> open;
  const auto need = [&](const Node* node) {
    if (!needed.Insert(node->id())) return;
    ++count;
    open.push_back(node);
  };
  for (const OutputRef& fetch : request.fetches) {
    if (!feeds.Contains(*fetch.node, fetch.index)) need(fetch.node);
  }
  for (const Node* target : request.targets) need(target);
  while (!open.empty()) {
    const Node* node = open.back();
    open.pop_back();
    for (const OutputRef& input : node->inputs()) {
      if (input.node != nullptr && !feeds.Contains(*input.node, input.index)) {
        need(input.node);
      }
    }
    for (const Node* control : node->control_inputs()) {
      if (!(IsPlaceholder(*control) && feeds.Contains(*control, 0))) need(control);
    }
  }
  std::vector<const Node*> out;
  out.reserve(count);
  needed.ForEach([&](int id) { out.push_back(graph.node(id)); });
  return out;
}

TopologicalOrder SortTopologically(const Predecessors& graph) {
  enum State : uint8_t { kNew, kOpen, kDone };
  const int num_nodes = graph.num_nodes();
  TopologicalOrder result;
  result.order.reserve(static_cast<size_t>(num_nodes));
  std::vector<uint8_t> state(static_cast<size_t>(num_nodes), kNew);
  std::vector<int> next(graph.offsets.begin(), graph.offsets.end() - 1);
  std::vector<int> path;  // each node waits for the one behind it
  for (int root = 0; root < num_nodes; ++root) {
    if (state[root] != kNew) continue;
    path.push_back(root);
    state[root] = kOpen;
    while (!path.empty()) {
      const int node = path.back();
      if (next[node] == graph.offsets[node + 1]) {
        state[node] = kDone;
        result.order.push_back(node);
        path.pop_back();
        continue;
      }
      const int source = graph.sources[next[node]++];
      if (state[source] == kNew) {
        state[source] = kOpen;
        path.push_back(source);
      } else if (state[source] == kOpen) {
        result.cycle.assign(std::find(path.begin(), path.end(), source), path.end());
        std::reverse(result.cycle.begin(), result.cycle.end());
        result.order.clear();
        return result;
      }
    }
  }
  return result;
}

}  // namespace berth
