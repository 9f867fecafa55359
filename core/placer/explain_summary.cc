#include "core/placer/explain_summary.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"

namespace berth {

bool FellBack(const NodePlacement& placed, const Node& node) {
  switch (placed.reason) {
    case PlaceReason::kSoftFallback:
    case PlaceReason::kSoftAbsent:
      return true;
    case PlaceReason::kColocated:
      return !node.requested_device().empty();
    default:
      return false;
  }
}

std::string ShortDeviceName(const Device* device) {
  if (device == nullptr) return {};
  return device->type() + ":" + std::to_string(device->desc().index);
}

PlacementSummary Summarize(const Graph& graph, const Placement& placement) {
  PlacementSummary summary;
  absl::flat_hash_map<const Device*, size_t> position;
  for (const Device* device : placement.devices) {
    position.emplace(device, summary.devices.size());
    summary.devices.emplace_back(device, 0);
  }
  std::map<std::pair<int, std::string>, FallbackCause> causes;
  for (size_t id = 0; id < placement.nodes.size(); ++id) {
    const NodePlacement& placed = placement.nodes[id];
    if (placed.reason == PlaceReason::kNotAsked) continue;
    ++summary.nodes;
    ++summary.reasons[static_cast<size_t>(placed.reason)];
    if (placed.device == nullptr) {
      ++summary.unplaced;
      continue;
    }
    const auto found = position.find(placed.device);
    if (found != position.end()) ++summary.devices[found->second].second;
    const Node& node = *graph.node(static_cast<int>(id));
    if (!FellBack(placed, node)) continue;
    FallbackCause& cause = causes[{static_cast<int>(placed.reason), placed.detail}];
    if (cause.nodes++ == 0) {
      cause.reason = placed.reason;
      cause.message = placed.detail;
      cause.example = node.name();
    }
  }
  for (auto& [key, cause] : causes) summary.fallbacks.push_back(std::move(cause));
  std::stable_sort(
      summary.fallbacks.begin(), summary.fallbacks.end(),
      [](const FallbackCause& a, const FallbackCause& b) { return a.nodes > b.nodes; });
  absl::flat_hash_set<std::tuple<int, int, const Device*>> copied;
  for (const CutEdge& edge : placement.edges) {
    const Device* to = placement.nodes[edge.to].device;
    if (!copied.emplace(edge.from, edge.from_output, to).second) continue;
    ++summary.copies;
    if (edge.bytes < 0) {
      ++summary.copies_unknown;
    } else {
      summary.copied_bytes += edge.bytes;
    }
  }
  return summary;
}

}  // namespace berth
