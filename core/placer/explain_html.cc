// The page's data; the page itself is explain_page.html.

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "core/placer/explain.h"
#include "core/placer/explain_page.h"
#include "core/placer/explain_summary.h"
#include "core/placer/layered_layout.h"

namespace berth {
namespace {

using Json = nlohmann::ordered_json;

// Numbers the distinct values of a field, so that the page holds each once.
class Numbers {
 public:
  int Of(const std::string& value) {
    const auto [it, added] = numbers_.emplace(value, static_cast<int>(values_.size()));
    if (added) values_.push_back(value);
    return it->second;
  }
  const Json& values() const { return values_; }

 private:
  std::map<std::string, int> numbers_;
  Json values_ = Json::array();
};

class PageData {
 public:
  PageData(const Graph& graph, const Placement& placement)
      : graph_(graph), placement_(placement), index_(placement.nodes.size(), -1) {
    for (const Device* device : placement.devices) devices_.Of(ShortDeviceName(device));
    for (size_t id = 0; id < placement.nodes.size(); ++id) {
      if (placement.nodes[id].reason == PlaceReason::kNotAsked) continue;
      index_[id] = static_cast<int>(shown_.size());
      shown_.push_back(static_cast<int>(id));
    }
  }

  Json Make(std::string_view title) {
    AddEdges();
    AddNodes();
    Json data = {{"title", title}, {"devices", devices_.values()}};
    data["deviceNames"] = Json::array();
    for (const Device* device : placement_.devices) {
      data["deviceNames"].push_back(device->desc().display_name);
    }
    data["reasons"] = reasons_.values();
    data["ops"] = ops_.values();
    data["requests"] = requests_.values();
    data["details"] = details_.values();
    data["rejections"] = std::move(rejections_);
    data["nodes"] = std::move(nodes_);
    data["edges"] = std::move(edges_);
    data["controls"] = std::move(controls_);
    data["cuts"] = std::move(cuts_);
    data["warnings"] = placement_.warnings;
    const PlacementSummary summary = Summarize(graph_, placement_);
    data["copies"] = {summary.copies, summary.copied_bytes, summary.copies_unknown};
    data["fallbacks"] = Json::array();
    for (const FallbackCause& cause : summary.fallbacks) {
      data["fallbacks"].push_back(
          {PlaceReasonName(cause.reason), cause.message, cause.nodes, cause.example});
    }
    return data;
  }

 private:
  void AddEdges() {
    for (const int id : shown_) {
      const Node& node = *graph_.node(id);
      for (const OutputRef& input : node.inputs()) {
        if (input.node != nullptr) AddEdge(input.node->id(), id, &edges_);
      }
      for (const Node* source : node.control_inputs()) {
        AddEdge(source->id(), id, &controls_);
      }
    }
    for (const CutEdge& edge : placement_.edges) {
      if (index_[edge.from] < 0 || index_[edge.to] < 0) continue;
      cuts_.push_back({index_[edge.from], edge.from_output, index_[edge.to], edge.bytes});
    }
  }

  void AddEdge(int from, int to, Json* list) {
    if (index_[from] < 0) return;
    list->push_back(index_[from]);
    list->push_back(index_[to]);
    drawn_.push_back({index_[from], index_[to]});
  }

  int RejectionsOf(const NodePlacement& placed) {
    if (placed.rejections == nullptr) return -1;
    const auto [it, added] =
        rejection_numbers_.emplace(placed.rejections.get(), rejections_.size());
    if (added) {
      Json list = Json::array();
      for (const Rejection& rejection : placed.rejected()) {
        list.push_back(
            {rejection.device, RejectCodeName(rejection.code), rejection.message});
      }
      rejections_.push_back(std::move(list));
    }
    return static_cast<int>(it->second);
  }

  void AddNodes() {
    const std::vector<LayoutPoint> points =
        LayeredLayout(static_cast<int>(shown_.size()), drawn_);
    for (size_t i = 0; i < shown_.size(); ++i) {
      const Node& node = *graph_.node(shown_[i]);
      const NodePlacement& placed = placement_.nodes[shown_[i]];
      const std::string detail(placed.error.ok() ? std::string_view(placed.detail)
                                                 : placed.error.message());
      nodes_.push_back(
          {node.name(), ops_.Of(node.op()), requests_.Of(node.requested_device()),
           placed.device == nullptr ? -1 : devices_.Of(ShortDeviceName(placed.device)),
           reasons_.Of(std::string(PlaceReasonName(placed.reason))), details_.Of(detail),
           RejectionsOf(placed), FellBack(placed, node) ? 1 : 0,
           std::round(points[i].x * 100) / 100, points[i].y});
    }
  }

  const Graph& graph_;
  const Placement& placement_;
  std::vector<int> index_;  // node id -> position on the page, or -1
  std::vector<int> shown_;  // ids
  std::vector<LayoutEdge> drawn_;
  std::map<const RejectionList*, size_t> rejection_numbers_;
  Numbers devices_;
  Numbers reasons_;
  Numbers ops_;
  Numbers requests_;
  Numbers details_;
  Json rejections_ = Json::array();
  Json nodes_ = Json::array();
  Json edges_ = Json::array();
  Json controls_ = Json::array();
  Json cuts_ = Json::array();
};

std::string EscapeText(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

// Inside a script element nothing may look like a tag.
std::string EscapeScript(const std::string& json) {
  std::string escaped;
  escaped.reserve(json.size());
  for (const char c : json) {
    if (c == '<') {
      escaped += "\\u003c";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

}  // namespace

std::string ExplainHtml(const Graph& graph, const Placement& placement,
                        std::string_view title) {
  const Json data = PageData(graph, placement).Make(title);
  const std::string json =
      EscapeScript(data.dump(-1, ' ', false, Json::error_handler_t::replace));
  std::string page;
  std::string_view rest = kExplainPage;
  const auto put = [&](std::string_view mark, const std::string& text) {
    const size_t at = rest.find(mark);
    BERTH_CHECK(at != std::string_view::npos);
    page.append(rest.substr(0, at)).append(text);
    rest.remove_prefix(at + mark.size());
  };
  page.reserve(rest.size() + json.size() + title.size());
  put("{{TITLE}}", EscapeText(title));
  put("{{DATA}}", json);
  return page.append(rest);
}

}  // namespace berth
