// The result of placement: for every node the device, and why.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/registry/device.h"
#include "core/registry/kernel_registry.h"

namespace berth {

// Why a node is where it is. The names of the JSON output: "requested", "default", …
enum class PlaceReason {
  kRequested,        // as the node asked
  kDefault,          // best device with a kernel
  kColocated,        // with the group of another node
  kReference,        // with the variable or resource it uses
  kFollowsConsumer,  // generator heuristic
  kFollowsInput,     // metadata heuristic
  kSoftFallback,     // the asked device cannot run it
  kSoftAbsent,       // the asked device does not exist
  kFallbackLimit,
  kAlreadyPlaced,  // in an earlier placement of the same session
};
std::string_view PlaceReasonName(PlaceReason reason);

// A device (or device type) that did not get the node.
struct Rejection {
  std::string device;
  RejectCode code = RejectCode::kNoKernel;
  std::string message;
};

struct NodePlacement {
  const Device* device = nullptr;  // NULL: could not be placed, see `error`
  PlaceReason reason = PlaceReason::kDefault;
  std::string detail;  // "colocated with 'v'", "asked for /device:GPU:0"
  std::vector<Rejection> rejected;
  Status error;
};

// A data edge whose ends are on different devices.
struct CutEdge {
  int from = 0;  // node ids
  int from_output = 0;
  int to = 0;
  int64_t bytes = -1;  // -1 = shape unknown
};

// Indexed by node id. Immutable once made; shared by the session and its views.
struct Placement {
  std::vector<NodePlacement> nodes;
  std::vector<CutEdge> edges;
  // "GPU:0: 0 of 812 nodes" and others, one line each.
  std::vector<std::string> warnings;
  // Node ids in the order of log_device_placement lines.
  std::vector<int> log_order;
};

}  // namespace berth
