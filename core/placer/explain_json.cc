#include <nlohmann/json.hpp>

#include "core/placer/explain.h"
#include "core/placer/explain_summary.h"

namespace berth {
namespace {

// Keeps the order in which fields are written.
using Json = nlohmann::ordered_json;

Json NodeJson(const Node& node, const NodePlacement& placed) {
  Json json = {
      {"name", node.name()},
      {"op", node.op()},
      {"requested", node.requested_device()},
      {"device", placed.device == nullptr ? std::string() : placed.device->name()},
      {"reason", PlaceReasonName(placed.reason)},
  };
  if (!placed.detail.empty()) json["detail"] = placed.detail;
  if (!placed.error.ok()) json["error"] = placed.error.message();
  Json& rejected = json["rejected"] = Json::array();
  for (const Rejection& rejection : placed.rejected()) {
    rejected.push_back({{"device", rejection.device},
                        {"code", RejectCodeName(rejection.code)},
                        {"message", rejection.message}});
  }
  return json;
}

Json SummaryJson(const Placement& placement, const PlacementSummary& summary) {
  Json devices = Json::array();
  for (const auto& [device, count] : summary.devices) {
    devices.push_back({{"device", device->name()}, {"nodes", count}});
  }
  Json reasons = Json::object();
  for (int i = 0; i < kNumPlaceReasons; ++i) {
    if (summary.reasons[i] == 0) continue;
    reasons[std::string(PlaceReasonName(static_cast<PlaceReason>(i)))] =
        summary.reasons[i];
  }
  Json fallbacks = Json::array();
  for (const FallbackCause& cause : summary.fallbacks) {
    fallbacks.push_back({{"reason", PlaceReasonName(cause.reason)},
                         {"message", cause.message},
                         {"nodes", cause.nodes},
                         {"example", cause.example}});
  }
  return {{"nodes", summary.nodes},
          {"unplaced", summary.unplaced},
          {"devices", std::move(devices)},
          {"reasons", std::move(reasons)},
          {"fallbacks", std::move(fallbacks)},
          {"copies",
           {{"tensors", summary.copies},
            {"bytes", summary.copied_bytes},
            {"unknown_size", summary.copies_unknown}}},
          {"warnings", placement.warnings}};
}

}  // namespace

std::string ExplainJson(const Graph& graph, const Placement& placement, int indent) {
  Json json = {{"nodes", Json::array()}, {"edges", Json::array()}};
  for (size_t id = 0; id < placement.nodes.size(); ++id) {
    const NodePlacement& placed = placement.nodes[id];
    if (placed.reason == PlaceReason::kNotAsked) continue;
    json["nodes"].push_back(NodeJson(*graph.node(static_cast<int>(id)), placed));
  }
  for (const CutEdge& edge : placement.edges) {
    json["edges"].push_back({{"from", graph.node(edge.from)->name()},
                             {"to", graph.node(edge.to)->name()},
                             {"output", edge.from_output},
                             {"bytes", edge.bytes}});
  }
  json["summary"] = SummaryJson(placement, Summarize(graph, placement));
  // A name that is no UTF-8 must not stop the answer.
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace berth
