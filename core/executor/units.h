// What of a plan runs, and in which order: nodes, and groups of nodes as one call each.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/executor/plan.h"
#include "core/executor/shape_pass.h"

namespace berth::executor {

// By plan node: whether the run needs it. Folded nodes and those that only they needed
// are gone.
std::vector<bool> NeededNodes(const Plan& plan, const ShapeFacts& facts);

// Whether the node waits for what its inputs and control inputs name: a folded one does
// not, unless something with an effect lies behind it.
inline bool HasDependencies(const ShapeFacts& facts, int32_t node) {
  return facts.nodes[node].mode != NodeMode::kFolded || facts.nodes[node].has_effects;
}

// Calls `visit` with each plan node that `node` waits for.
template <typename Visit>
void ForEachDependency(const Plan& plan, const ShapeFacts& facts, int32_t node,
                       const Visit& visit) {
  if (!HasDependencies(facts, node)) return;
  const PlanNode& planned = plan.nodes[node];
  for (const int32_t input : plan.InputsOf(planned)) {
    if (plan.values[input].node >= 0) visit(plan.values[input].node);
  }
  for (const int32_t control : plan.ControlsOf(planned)) visit(control);
}

// The needed nodes, every one behind all that it waits for. Nodes with the same number in
// `group_of` (by plan node; -1 = on its own; may be empty for no groups) run together:
// the last of them stands for all. nullopt when a group would have to wait for itself.
std::optional<std::vector<int32_t>> OrderUnits(const Plan& plan, const ShapeFacts& facts,
                                               const std::vector<bool>& needed,
                                               std::span<const int32_t> group_of);

}  // namespace berth::executor
