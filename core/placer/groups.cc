#include "core/placer/groups.h"

#include <utility>

namespace berth {

void Groups::Reset(int num_nodes, uint64_t all_types) {
  groups_.assign(num_nodes, Group());
  for (int i = 0; i < num_nodes; ++i) {
    groups_[i].parent = i;
    groups_[i].types = all_types;
  }
}

int Groups::Root(int node) {
  int root = node;
  while (groups_[root].parent != root) root = groups_[root].parent;
  while (groups_[node].parent != root) {
    node = std::exchange(groups_[node].parent, root);
  }
  return root;
}

bool Groups::MergeNames(Group* into, const Group& from) {
  const SpecTable::Id assigned = specs_->Merge(into->assigned, from.assigned, false);
  const SpecTable::Id resource = specs_->Merge(into->resource, from.resource, false);
  const SpecTable::Id requested = specs_->Merge(into->requested, from.requested, soft_);
  if (assigned == SpecTable::kConflict || resource == SpecTable::kConflict ||
      requested == SpecTable::kConflict) {
    return false;
  }
  into->assigned = assigned;
  into->resource = resource;
  into->requested = specs_->Override(specs_->Override(requested, assigned), resource);
  return true;
}

Groups::Outcome Groups::Join(int x, int y) {
  int top = Root(x);
  int below = Root(y);
  if (top == below) return Outcome::kJoined;
  if (groups_[top].rank < groups_[below].rank) std::swap(top, below);
  Group& into = groups_[top];
  Group& from = groups_[below];
  if (!MergeNames(&into, from)) return Outcome::kNamesConflict;
  if ((into.types & from.types) == 0) return Outcome::kNoCommonType;
  into.types &= from.types;
  if (into.rank == from.rank) ++into.rank;
  from.parent = top;
  return Outcome::kJoined;
}

Status Groups::Conflict(int x, int y) {
  const Group& a = root(x);
  const Group& b = root(y);
  BERTH_RETURN_IF_ERROR(specs_->Conflict(a.assigned, b.assigned));
  BERTH_RETURN_IF_ERROR(specs_->Conflict(a.resource, b.resource));
  return specs_->Conflict(a.requested, b.requested);
}

Groups::Edge Groups::Follow(int source, int target) {
  const Group& from = root(source);
  Group& to = root(target);
  if (!specs_->Compatible(from.assigned, to.assigned)) return Edge::kAssignedConflict;
  if (!specs_->Compatible(from.resource, to.resource)) return Edge::kResourceConflict;
  if (specs_->Compatible(from.requested, to.requested)) return Edge::kAgrees;
  to.requested =
      specs_->Override(specs_->Override(from.requested, to.assigned), to.resource);
  return Edge::kOverridden;
}

}  // namespace berth
