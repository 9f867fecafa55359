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
  kRequested,        // as the node, or the session's default device, asked
  kDefault,          // best device with a kernel
  kColocated,        // with the group of another node
  kReference,        // with the variable or resource it uses
  kFollowsConsumer,  // generator heuristic
  kFollowsInput,     // metadata heuristic
  kSoftFallback,     // the asked device cannot run it
  kSoftAbsent,       // the asked device does not exist
  kFallbackLimit,    // not placed: it would fall back further than the session allows
  kAlreadyPlaced,    // in an earlier placement of the same session
  kUnplaced,         // not placed: see NodePlacement::error
  kNotAsked,         // outside the part of the graph that was to be placed
};
std::string_view PlaceReasonName(PlaceReason reason);
inline constexpr int kNumPlaceReasons = static_cast<int>(PlaceReason::kNotAsked) + 1;

// A device (or device type) that did not get the node.
struct Rejection {
  std::string device;  // "GPU" (every device of the type) or "/device:GPU:7"
  RejectCode code = RejectCode::kNoKernel;
  std::string message;  // a sentence for a person
};
using RejectionList = std::vector<Rejection>;

struct NodePlacement {
  const Device* device = nullptr;  // NULL: could not be placed, see `error`
  PlaceReason reason = PlaceReason::kNotAsked;
  std::string detail;  // "colocated with 'v'"; empty where the reason says it all
  // Shared between the nodes for which it is the same; NULL = nothing was rejected.
  std::shared_ptr<const RejectionList> rejections;
  Status error;

  const RejectionList& rejected() const;
};

// A data edge whose ends are on different devices.
struct CutEdge {
  int from = 0;  // node ids
  int from_output = 0;
  int to = 0;
  int64_t bytes = -1;  // -1 = shape unknown
};

// Indexed by node id. Immutable once made; shared by the session and its views. The
// devices outlive it.
struct Placement {
  std::vector<NodePlacement> nodes;
  std::vector<CutEdge> edges;
  // The devices that could be chosen, in the session's order.
  std::vector<const Device*> devices;
  // "GPU:0: 0 of 812 nodes" and others, one line each.
  std::vector<std::string> warnings;
  // Node ids in the order of log_device_placement lines: those that this placement
  // placed, not those that an earlier one did.
  std::vector<int> log_order;
};

}  // namespace berth
