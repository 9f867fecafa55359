// Colocation groups: a union-find over nodes that carries what the members ask for and
// where they can run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/status.h"
#include "core/placer/spec_table.h"

namespace berth {

// What a group knows; valid at its root. `requested` is always at least as narrow as
// `assigned` and `resource`.
struct Group {
  int parent = 0;
  int rank = 0;
  SpecTable::Id assigned = 0;   // of members that an earlier placement placed
  SpecTable::Id resource = 0;   // asked for by a variable, queue or other resource
  SpecTable::Id requested = 0;  // all that was asked for
  uint64_t types = 0;           // device types that every member has a kernel for
  int device = kNone;           // DeviceTable's index, once one member is placed
  int anchor = -1;              // the member that was placed first
  static constexpr int kNone = -1;
  static constexpr int kImpossible = -2;  // no device fits all members
};

class Groups {
 public:
  Groups(SpecTable* specs, bool soft) : specs_(specs), soft_(soft) {}

  // One group a node; ids are dense.
  void Reset(int num_nodes, uint64_t all_types);
  Group& at(int node) { return groups_[node]; }
  // With path compression.
  int Root(int node);
  Group& root(int node) { return groups_[Root(node)]; }

  enum class Outcome { kJoined, kNamesConflict, kNoCommonType };
  // Joins the groups of x and y: names must agree (soft: type and index are dropped where
  // they do not), and a device type that all members support must remain. Names stay
  // merged even where no type remains, as in TensorFlow.
  Outcome Join(int x, int y);
  // Why the names of the groups of x and y cannot be merged; OK if they can.
  Status Conflict(int x, int y);

  // How a reference or resource edge meets the groups of its ends.
  enum class Edge {
    kAgrees,
    kOverridden,        // the target's request gave way to the source's
    kAssignedConflict,  // both ends' groups are placed already, apart
    kResourceConflict,  // both ends' groups hold resources, apart
  };
  // The target's group takes over what the source's asks for where they differ.
  Edge Follow(int source, int target);

 private:
  bool MergeNames(Group* into, const Group& from);

  SpecTable* specs_;
  bool soft_;
  std::vector<Group> groups_;
};

}  // namespace berth
