// The placer: TensorFlow 1's rules, with a reason for everything. docs/PLACEMENT.md.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/shape.h"
#include "core/base/status.h"
#include "core/graph/graph.h"
#include "core/placer/placement.h"

namespace berth {

struct PlacerOptions {
  bool allow_soft_placement = false;
  // Used where neither the node nor its colocation group asks for a device ("" = none).
  std::string default_device;
  // "GPU=OPENCL": a request for the left type is read as the right one.
  std::vector<std::pair<std::string, std::string>> aliases;
  // Limits of soft fallback; empty list and -1 = no limit.
  std::vector<std::string> fallback_allowed_ops;
  int fallback_max_nodes = -1;
  int64_t fallback_max_bytes = -1;
  // Devices that the user named outside the graph: types ("GPU") or names ("GPU:1").
  // There is a warning when one of them gets nothing.
  std::vector<std::string> explicit_devices;
  // Why a device type has no device, in words, or ""; PluginManager::WhyAbsent.
  std::function<std::string(std::string_view device_type)> why_absent;
};

struct PlaceArgs {
  // Its nodes keep their device and pull their groups there. May be NULL.
  const Placement* earlier = nullptr;
  // Ids of the nodes to place; empty = all. Edges from other nodes tie nothing
  // (graph_options.place_pruned_graph).
  std::span<const int> nodes = {};
  // What is known statically of an output's shape; NULL = not known, empty = infer none.
  // Asked for conditional kernels and for the bytes of cut edges.
  std::function<const Shape*(const Node& node, int output)> shape_of = {};
};

// Places graphs on a fixed set of devices. Stateless: may be used from several threads.
// Only descriptions of devices are read: a Device that has no plugin behind it (a
// description alone) can be placed on, for what-if.
class Placer {
 public:
  // `devices` in the session's order, at most 64 types; all alive while the placer and
  // its placements are used.
  Placer(std::vector<const Device*> devices, const KernelRegistry* kernels,
         PlacerOptions options);

  // Places every node of `graph`. Nodes that `earlier` (may be NULL) placed keep their
  // device. Never fails as a whole: a node that cannot be placed carries its error; see
  // PlacementErrors. Linear in nodes plus edges.
  std::shared_ptr<const Placement> Place(const Graph& graph,
                                         const Placement* earlier) const;
  std::shared_ptr<const Placement> Place(const Graph& graph, const PlaceArgs& args) const;

 private:
  std::vector<const Device*> devices_;
  const KernelRegistry* kernels_;
  PlacerOptions options_;
};

// OK, or one INVALID_ARGUMENT that lists ALL violations among `nodes` (ids), each with
// node, op, dtype, device asked for and the (device, dtype) pairs that exist.
Status PlacementErrors(const Graph& graph, const Placement& placement,
                       std::span<const int> nodes);

// The lines of log_device_placement, in TensorFlow's form and order.
std::vector<std::string> PlacementLogLines(const Graph& graph,
                                           const Placement& placement);

}  // namespace berth
