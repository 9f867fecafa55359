#include "core/placer/placer.h"

#include <utility>

#include "core/base/logging.h"
#include "core/placer/placer_run.h"

namespace berth {
namespace {

void LogVerbose(const Graph& graph, const Placement& placement) {
  for (int id = 0; id < graph.num_nodes(); ++id) {
    const NodePlacement& placed = placement.nodes[id];
    const Node& node = *graph.node(id);
    if (placed.reason == PlaceReason::kNotAsked) continue;
    std::string line = "placement: " + DescribeNode(node) + " -> " +
                       (placed.device == nullptr ? "nowhere" : placed.device->name()) +
                       " [" + std::string(PlaceReasonName(placed.reason)) + "]";
    if (!placed.detail.empty()) line += " " + placed.detail;
    PlacementLogLine(line);
    for (const Rejection& rejection : placed.rejected()) {
      PlacementLogLine("placement:   not " + rejection.device + " [" +
                       std::string(RejectCodeName(rejection.code)) +
                       "]: " + rejection.message);
    }
    if (!placed.error.ok()) {
      PlacementLogLine("placement:   error: " + std::string(placed.error.message()));
    }
  }
  for (const std::string& warning : placement.warnings) {
    PlacementLogLine("placement: warning: " + warning);
  }
}

}  // namespace

Placer::Placer(std::vector<const Device*> devices, const KernelRegistry* kernels,
               PlacerOptions options)
    : devices_(std::move(devices)), kernels_(kernels), options_(std::move(options)) {}

std::shared_ptr<const Placement> Placer::Place(const Graph& graph,
                                               const Placement* earlier) const {
  PlaceArgs args;
  args.earlier = earlier;
  return Place(graph, args);
}

std::shared_ptr<const Placement> Placer::Place(const Graph& graph,
                                               const PlaceArgs& args) const {
  auto placement = std::make_shared<Placement>();
  placement->devices = devices_;
  PlacerRun(devices_, kernels_, options_, graph, args, placement.get()).Run();
  if (IsVerbose("placement")) LogVerbose(graph, *placement);
  return placement;
}

Status PlacementErrors(const Graph& graph, const Placement& placement,
                       std::span<const int> nodes) {
  constexpr int kMostShown = 1000;
  std::string text;
  int count = 0;
  for (const int id : nodes) {
    if (static_cast<size_t>(id) >= placement.nodes.size()) {
      return Internal("node '" + graph.node(id)->name() + "' was added after placement");
    }
    const Status& error = placement.nodes[id].error;
    if (error.ok()) continue;
    if (count++ < kMostShown) {
      if (!text.empty()) text += "\n  ";
      text += error.message();
    }
  }
  if (count == 0) return OkStatus();
  if (count == 1) return InvalidArgument(std::move(text));
  if (count > kMostShown) {
    text += "\n  … and " + std::to_string(count - kMostShown) + " more";
  }
  return InvalidArgument(std::to_string(count) + " nodes cannot be placed:\n  " + text);
}

std::vector<std::string> PlacementLogLines(const Graph& graph,
                                           const Placement& placement) {
  std::vector<std::string> lines;
  lines.reserve(placement.log_order.size());
  for (const int id : placement.log_order) {
    const Node& node = *graph.node(id);
    lines.push_back(node.name() + ": (" + node.op() +
                    "): " + placement.nodes[id].device->name());
  }
  return lines;
}

}  // namespace berth
