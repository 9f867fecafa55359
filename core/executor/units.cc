#include "core/executor/units.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <utility>

namespace berth::executor {
namespace {

// Kahn's algorithm; among what is ready the first of the plan comes first.
class UnitSorter {
 public:
  UnitSorter(const Plan& plan, const ShapeFacts& facts, const std::vector<bool>& needed,
             std::span<const int32_t> group_of)
      : plan_(plan), facts_(facts), needed_(needed) {
    const auto size = static_cast<int32_t>(plan.nodes.size());
    unit_of_.resize(plan.nodes.size());
    std::vector<int32_t> last;  // by group
    for (int32_t i = size - 1; i >= 0; --i) {
      unit_of_[i] = i;
      const int32_t group = group_of[i];
      if (!needed[i] || group < 0) continue;
      if (last.size() <= static_cast<size_t>(group)) last.resize(group + 1, -1);
      if (last[group] < 0) last[group] = i;
      unit_of_[i] = last[group];
    }
  }

  std::optional<std::vector<int32_t>> Run() {
    FindEdges();
    std::priority_queue<int32_t, std::vector<int32_t>, std::greater<>> ready;
    size_t count = 0;
    for (size_t i = 0; i < needed_.size(); ++i) {
      const auto unit = static_cast<int32_t>(i);
      if (!needed_[i] || unit_of_[i] != unit) continue;
      ++count;
      if (waits_for_[i] == 0) ready.push(unit);
    }
    std::vector<int32_t> order;
    while (!ready.empty()) {
      const int32_t unit = ready.top();
      ready.pop();
      order.push_back(unit);
      for (int32_t k = first_edge_[unit]; k < first_edge_[unit + 1]; ++k) {
        if (--waits_for_[targets_[k]] == 0) ready.push(targets_[k]);
      }
    }
    if (order.size() != count) return std::nullopt;
    return order;
  }

 private:
  // Edges between units, listed by the one that comes first.
  void FindEdges() {
    std::vector<std::pair<int32_t, int32_t>> edges;
    for (size_t i = 0; i < needed_.size(); ++i) {
      if (!needed_[i]) continue;
      const int32_t to = unit_of_[i];
      ForEachDependency(plan_, facts_, static_cast<int32_t>(i), [&](int32_t node) {
        if (unit_of_[node] != to) edges.emplace_back(unit_of_[node], to);
      });
    }
    first_edge_.assign(needed_.size() + 1, 0);
    waits_for_.assign(needed_.size(), 0);
    for (const auto& [from, to] : edges) {
      ++first_edge_[from + 1];
      ++waits_for_[to];
    }
    for (size_t i = 1; i < first_edge_.size(); ++i) first_edge_[i] += first_edge_[i - 1];
    targets_.resize(edges.size());
    std::vector<int32_t> next = first_edge_;
    for (const auto& [from, to] : edges) targets_[next[from]++] = to;
  }

  const Plan& plan_;
  const ShapeFacts& facts_;
  const std::vector<bool>& needed_;
  std::vector<int32_t> unit_of_;     // by node
  std::vector<int32_t> first_edge_;  // by unit
  std::vector<int32_t> targets_;
  std::vector<int32_t> waits_for_;  // by unit: edges from units not yet in the order
};

}  // namespace

std::vector<bool> NeededNodes(const Plan& plan, const ShapeFacts& facts) {
  std::vector<bool> needed(plan.nodes.size(), false);
  for (const int32_t root : plan.roots) needed[root] = true;
  for (auto i = static_cast<int32_t>(plan.nodes.size()) - 1; i >= 0; --i) {
    if (!needed[i]) continue;
    ForEachDependency(plan, facts, i, [&](int32_t node) { needed[node] = true; });
  }
  return needed;
}

std::optional<std::vector<int32_t>> OrderUnits(const Plan& plan, const ShapeFacts& facts,
                                               const std::vector<bool>& needed,
                                               std::span<const int32_t> group_of) {
  const bool any =
      std::any_of(group_of.begin(), group_of.end(), [](int32_t g) { return g >= 0; });
  if (any) return UnitSorter(plan, facts, needed, group_of).Run();
  std::vector<int32_t> order;  // a plan lists its nodes in order
  for (size_t i = 0; i < needed.size(); ++i) {
    if (needed[i]) order.push_back(static_cast<int32_t>(i));
  }
  return order;
}

}  // namespace berth::executor
