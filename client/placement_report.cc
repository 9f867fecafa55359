// The placement views of the client's session.
#include <algorithm>
#include <array>
#include <map>

#include "client/session.h"
#include "client/session_impl.h"
#include "core/placer/explain.h"

namespace berth::client {
namespace {

// One line a node that is not where it was asked for.
std::string FallbackLine(const Node& node, const NodePlacement& placed) {
  std::string line = node.name() + " (" + node.op() + "): asked for " +
                     node.requested_device() + ", runs on " + placed.device->name();
  const RejectionList& rejected = placed.rejected();
  if (!rejected.empty()) line += ": " + rejected[0].message;
  if (!placed.detail.empty()) line += "; " + placed.detail;
  return line + "\n";
}

bool FellBack(const NodePlacement& placed) {
  return placed.device != nullptr && (placed.reason == PlaceReason::kSoftFallback ||
                                      placed.reason == PlaceReason::kSoftAbsent);
}

// Pads to `width` columns.
std::string Column(std::string text, size_t width) {
  text.resize(std::max(text.size() + 1, width), ' ');
  return text;
}

std::string DeviceName(const NodePlacement& placed) {
  if (placed.device == nullptr) return "nowhere";
  return placed.device->type() + ":" + std::to_string(placed.device->desc().index);
}

std::string Why(const Node& node, const NodePlacement& placed) {
  if (placed.device == nullptr) return std::string(placed.error.message());
  std::string why(PlaceReasonName(placed.reason));
  if (FellBack(placed)) {
    why += ": asked for " + node.requested_device();
    if (!placed.rejected().empty()) why += "; " + placed.rejected()[0].message;
  }
  return why;
}

std::string Summarize(const Graph& graph, const Placement& placement) {
  struct Row {
    int count = 0;
    std::string example;
  };
  std::map<std::array<std::string, 3>, Row> rows;  // op, device, why
  for (int id = 0; id < graph.num_nodes(); ++id) {
    const Node& node = *graph.node(id);
    const NodePlacement& placed = placement.nodes[static_cast<size_t>(id)];
    Row& row = rows[{node.op(), DeviceName(placed), Why(node, placed)}];
    if (row.count++ == 0) row.example = node.name();
  }
  std::string text;
  for (const auto& [key, row] : rows) {
    text += "  " + Column(std::to_string(row.count) + " × " + key[0], 44) +
            Column(key[1], 12) + key[2] + " (" + row.example + ")\n";
  }
  for (const std::string& warning : placement.warnings) text += "  ! " + warning + "\n";
  return text;
}

}  // namespace

Result<std::string> Session::PlacementSummary() {
  BERTH_RETURN_IF_ERROR(Sync());
  std::string text;
  BERTH_RETURN_IF_ERROR(
      impl_->core->ViewPlacement([&](const Graph& graph, const Placement& placement) {
        text = Summarize(graph, placement);
      }));
  return text;
}

Result<std::string> Session::PlacementReport() {
  BERTH_RETURN_IF_ERROR(Sync());
  std::string text;
  BERTH_RETURN_IF_ERROR(
      impl_->core->ViewPlacement([&](const Graph& graph, const Placement& placement) {
        text = ExplainText(graph, placement);
      }));
  return text;
}

Result<std::string> Session::PlacementPage(std::string_view title) {
  BERTH_RETURN_IF_ERROR(Sync());
  std::string text;
  BERTH_RETURN_IF_ERROR(
      impl_->core->ViewPlacement([&](const Graph& graph, const Placement& placement) {
        text = ExplainHtml(graph, placement, title);
      }));
  return text;
}

Result<std::string> Session::FallbackReport() {
  BERTH_RETURN_IF_ERROR(Sync());
  std::string text;
  BERTH_RETURN_IF_ERROR(
      impl_->core->ViewPlacement([&](const Graph& graph, const Placement& placement) {
        for (int id = 0; id < graph.num_nodes(); ++id) {
          const NodePlacement& placed = placement.nodes[static_cast<size_t>(id)];
          if (FellBack(placed)) text += FallbackLine(*graph.node(id), placed);
        }
      }));
  return text;
}

}  // namespace berth::client
