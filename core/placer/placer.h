// The placer: TensorFlow 1's rules, with a reason for everything.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/status.h"
#include "core/graph/graph.h"
#include "core/placer/placement.h"

namespace berth {

struct PlacerOptions {
  bool allow_soft_placement = false;
  // Used where the node asks for nothing ("" = none).
  std::string default_device;
  // "GPU=OPENCL": a request for the left type is read as the right one.
  std::vector<std::pair<std::string, std::string>> aliases;
  // Limits of soft fallback; empty list and -1 = no limit.
  std::vector<std::string> fallback_allowed_ops;
  int fallback_max_nodes = -1;
  int64_t fallback_max_bytes = -1;
};

// Places graphs on a fixed set of devices. Stateless: may be used from several threads.
class Placer {
 public:
  // `devices` in the session's order, all alive while the placer is used.
  Placer(std::vector<const Device*> devices, const KernelRegistry* kernels,
         PlacerOptions options);

  // Places every node of `graph`. Nodes that `earlier` (may be NULL) placed keep their
  // device. Never fails as a whole: a node that cannot be placed carries its error; see
  // FirstErrors. Linear in nodes plus edges.
  std::shared_ptr<const Placement> Place(const Graph& graph,
                                         const Placement* earlier) const;

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
