// Counts of a placement, for its views.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/graph/graph.h"
#include "core/placer/placement.h"

namespace berth {

// Nodes that are not where they asked to be, for one cause.
struct FallbackCause {
  PlaceReason reason = PlaceReason::kSoftFallback;
  std::string message;
  int64_t nodes = 0;
  std::string example;  // the first node's name
};

struct PlacementSummary {
  int64_t nodes = 0;     // that were to be placed
  int64_t unplaced = 0;  // of them, those that have an error
  std::vector<std::pair<const Device*, int64_t>> devices;  // in the session's order
  std::array<int64_t, kNumPlaceReasons> reasons = {};
  std::vector<FallbackCause> fallbacks;  // most nodes first
  // Tensors that go from one device to another, each counted once a destination.
  int64_t copies = 0;
  int64_t copied_bytes = 0;    // of those whose size is known
  int64_t copies_unknown = 0;  // of unknown size
};

PlacementSummary Summarize(const Graph& graph, const Placement& placement);

// True for nodes that asked for a device and are on another for want of it.
bool FellBack(const NodePlacement& placed, const Node& node);

// "GPU:0" for a device, "" for NULL.
std::string ShortDeviceName(const Device* device);

}  // namespace berth
