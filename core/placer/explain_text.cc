#include <algorithm>

#include "core/placer/explain.h"
#include "core/placer/explain_summary.h"

namespace berth {
namespace {

// Cells longer than this do not widen their column.
constexpr size_t kWidest = 44;

struct Row {
  std::string cells[5];  // node, op, asked, got, reason
};

Row RowOf(const Node& node, const NodePlacement& placed) {
  Row row;
  row.cells[0] = node.name();
  row.cells[1] = node.op();
  row.cells[2] = node.requested_device().empty() ? "-" : node.requested_device();
  row.cells[3] = placed.device == nullptr ? "none" : ShortDeviceName(placed.device);
  row.cells[4] = PlaceReasonName(placed.reason);
  if (!placed.error.ok()) {
    row.cells[4] += ": " + std::string(placed.error.message());
  } else if (!placed.detail.empty()) {
    row.cells[4] += ": " + placed.detail;
  }
  return row;
}

void AppendTable(const std::vector<Row>& rows, std::string* text) {
  size_t widths[4] = {};
  for (const Row& row : rows) {
    for (int i = 0; i < 4; ++i) {
      if (row.cells[i].size() <= kWidest) {
        widths[i] = std::max(widths[i], row.cells[i].size());
      }
    }
  }
  for (const Row& row : rows) {
    for (int i = 0; i < 4; ++i) {
      *text += row.cells[i];
      const size_t size = row.cells[i].size();
      text->append(size < widths[i] ? widths[i] - size + 2 : 2, ' ');
    }
    *text += row.cells[4] + "\n";
  }
}

// Right-aligned, so that counts below each other line up.
std::string Count(int64_t count) {
  std::string text = std::to_string(count);
  return text.size() < 6 ? std::string(6 - text.size(), ' ') + text : text;
}

std::string Bytes(int64_t bytes) {
  static constexpr const char* kUnits[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
  double value = static_cast<double>(bytes);
  size_t unit = 0;
  for (; value >= 1024 && unit + 1 < std::size(kUnits); ++unit) value /= 1024;
  if (unit == 0) return std::to_string(bytes) + " bytes";
  const std::string tenths = std::to_string(static_cast<int64_t>(value * 10 + 0.5));
  return tenths.substr(0, tenths.size() - 1) + "." + tenths.back() + " " + kUnits[unit];
}

void AppendSummary(const Placement& placement, const PlacementSummary& summary,
                   std::string* text) {
  *text += std::to_string(summary.nodes) + " nodes\n";
  for (const auto& [device, count] : summary.devices) {
    *text += Count(count) + "  on " + ShortDeviceName(device);
    if (!device->desc().display_name.empty())
      *text += " (" + device->desc().display_name + ")";
    *text += "\n";
  }
  if (summary.unplaced > 0) *text += Count(summary.unplaced) + "  not placed\n";
  *text += "\nReasons\n";
  for (int i = 0; i < kNumPlaceReasons; ++i) {
    if (summary.reasons[i] == 0) continue;
    *text += Count(summary.reasons[i]) + "  ";
    *text += PlaceReasonName(static_cast<PlaceReason>(i));
    *text += "\n";
  }
  if (!summary.fallbacks.empty()) {
    *text += "\nNot where they asked to be\n";
    for (const FallbackCause& cause : summary.fallbacks) {
      *text += Count(cause.nodes) + "  " + std::string(PlaceReasonName(cause.reason));
      if (!cause.message.empty()) *text += ": " + cause.message;
      *text += " (" + cause.example + (cause.nodes > 1 ? ", …" : "") + ")\n";
    }
  }
  *text += "\nBetween devices: " + std::to_string(summary.copies) + " tensors, " +
           Bytes(summary.copied_bytes);
  if (summary.copies_unknown > 0) {
    *text += " and " + std::to_string(summary.copies_unknown) + " of unknown size";
  }
  *text += "\n";
  if (!placement.warnings.empty()) *text += "\nWarnings\n";
  for (const std::string& warning : placement.warnings) *text += "  " + warning + "\n";
}

}  // namespace

std::string ExplainText(const Graph& graph, const Placement& placement) {
  std::vector<Row> rows = {{{"node", "op", "asked", "got", "reason"}}};
  for (size_t id = 0; id < placement.nodes.size(); ++id) {
    const NodePlacement& placed = placement.nodes[id];
    if (placed.reason == PlaceReason::kNotAsked) continue;
    rows.push_back(RowOf(*graph.node(static_cast<int>(id)), placed));
  }
  std::string text;
  AppendTable(rows, &text);
  text += "\n";
  AppendSummary(placement, Summarize(graph, placement), &text);
  return text;
}

}  // namespace berth
