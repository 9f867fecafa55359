// Of the whole graph: the edges that are cut, the limits of fallback, the warnings.

#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "core/base/dtype.h"
#include "core/placer/placer_run.h"

namespace berth {
namespace {

int64_t BytesOf(DType dtype, const Shape* shape) {
  if (shape == nullptr || !shape->IsFullyDefined()) return -1;
  const int64_t size = static_cast<int64_t>(DTypeSize(BaseType(dtype)));
  return size == 0 ? -1 : size * shape->num_elements();
}

// "12 of 812 nodes".
std::string CountText(int64_t count, size_t total) {
  return std::to_string(count) + " of " + std::to_string(total) + " nodes";
}

}  // namespace

void PlacerRun::FindCutEdges() {
  result_->edges.clear();
  for (int id = 0; id < static_cast<int>(nodes_.size()); ++id) {
    if (nodes_[id].device < 0) continue;
    for (const OutputRef& input : node(id).inputs()) {
      if (input.node == nullptr) continue;
      const int from = input.node->id();
      if (nodes_[from].device < 0 || nodes_[from].device == nodes_[id].device) continue;
      const Shape* shape =
          args_.shape_of ? args_.shape_of(*input.node, input.index) : nullptr;
      result_->edges.push_back(
          {from, input.index, id, BytesOf(input.node->output_type(input.index), shape)});
    }
  }
}

// Asked for a device, or for the session's default one, and is on another for want of it.
bool PlacerRun::FellBack(int id) {
  const NodeState& state = nodes_[id];
  if (!state.taken || state.device < 0 || state.choice == Choice::kEarlier) return false;
  const PlaceReason reason = result_->nodes[id].reason;
  if (reason == PlaceReason::kSoftAbsent || reason == PlaceReason::kSoftFallback) {
    return true;
  }
  return reason == PlaceReason::kColocated && asked(id);
}

// Each tensor that leaves or enters a node that fell back, once a destination.
int64_t PlacerRun::FallbackBytes() {
  FindCutEdges();
  absl::flat_hash_set<std::pair<int64_t, int>> copied;
  int64_t bytes = 0;
  for (const CutEdge& edge : result_->edges) {
    if (!FellBack(edge.from) && !FellBack(edge.to)) continue;
    const int64_t tensor = (static_cast<int64_t>(edge.from) << 32) | edge.from_output;
    if (edge.bytes > 0 && copied.emplace(tensor, nodes_[edge.to].device).second) {
      bytes += edge.bytes;
    }
  }
  return bytes;
}

void PlacerRun::FailFallback(const std::string& why) {
  std::vector<int> fallen;
  for (const int id : order_) {
    if (FellBack(id)) fallen.push_back(id);
  }
  for (const int id : fallen) {
    NodePlacement& placed = result_->nodes[id];
    Fail(id,
         InvalidArgument(
             "Node " + DescribeNode(node(id)) + " asks for " +
             (asked(id) ? node(id).requested_device() : options_.default_device) +
             " and would fall back to " + devices_.ShortName(nodes_[id].device) +
             (placed.detail.empty() ? "" : " (" + placed.detail + ")") + ", but " + why));
    placed.device = nullptr;
    placed.reason = PlaceReason::kFallbackLimit;
    nodes_[id].device = -1;
  }
  const auto unplaced = [this](int id) { return nodes_[id].device < 0; };
  auto& log = result_->log_order;
  log.erase(std::remove_if(log.begin(), log.end(), unplaced), log.end());
}

void PlacerRun::LimitFallback() {
  const auto& allowed = options_.fallback_allowed_ops;
  if (!options_.allow_soft_placement) return;
  if (!allowed.empty()) {
    const absl::flat_hash_set<std::string_view> set(allowed.begin(), allowed.end());
    std::string names;
    for (const std::string& name : allowed) names += (names.empty() ? "" : ", ") + name;
    for (const int id : order_) {
      if (!FellBack(id) || set.contains(node(id).op())) continue;
      NodePlacement& placed = result_->nodes[id];
      Fail(id, InvalidArgument(
                   "Node " + DescribeNode(node(id)) + " asks for " +
                   (asked(id) ? node(id).requested_device() : options_.default_device) +
                   " and would fall back to " + devices_.ShortName(nodes_[id].device) +
                   ", but the session lets only these ops fall back: " + names));
      placed.device = nullptr;
      placed.reason = PlaceReason::kFallbackLimit;
      nodes_[id].device = -1;
    }
  }
  if (options_.fallback_max_nodes >= 0) {
    const int64_t fallen = std::count_if(order_.begin(), order_.end(),
                                         [this](int id) { return FellBack(id); });
    if (fallen > options_.fallback_max_nodes) {
      FailFallback(CountText(fallen, order_.size()) +
                   " would fall back and the session lets at most " +
                   std::to_string(options_.fallback_max_nodes));
    }
  }
  if (options_.fallback_max_bytes >= 0) {
    const int64_t bytes = FallbackBytes();
    if (bytes > options_.fallback_max_bytes) {
      FailFallback("fallback would copy " + std::to_string(bytes) +
                   " bytes between devices a step and the session lets at most " +
                   std::to_string(options_.fallback_max_bytes));
    }
  }
}

void PlacerRun::WarnOfFallback() {
  std::map<std::string, int> by_op;
  int64_t fallen = 0;
  for (const int id : order_) {
    if (!FellBack(id)) continue;
    ++fallen;
    ++by_op[node(id).op()];
  }
  if (fallen == 0) return;
  std::vector<std::pair<int, std::string>> ops;
  for (const auto& [op, count] : by_op) ops.emplace_back(-count, op);
  std::sort(ops.begin(), ops.end());
  std::string text =
      CountText(fallen, order_.size()) + " are not on the device they asked for:";
  for (size_t i = 0; i < ops.size() && i < 5; ++i) {
    text += (i == 0 ? " " : ", ") + std::to_string(-ops[i].first) + " " + ops[i].second;
  }
  if (ops.size() > 5) text += ", …";
  result_->warnings.push_back(text);
}

void PlacerRun::WarnOfIdleDevices() {
  const int num_devices = devices_.num_devices();
  std::vector<int64_t> used(num_devices, 0);
  std::vector<int64_t> asked_for(num_devices, 0);
  std::map<SpecTable::Id, int64_t> requests;
  bool any_placed = false;
  size_t total = 0;
  for (size_t id = 0; id < nodes_.size(); ++id) {
    const NodeState& state = nodes_[id];
    if (state.device >= 0) ++used[state.device];
    if (state.device >= 0 || state.taken) ++total;
    // A node that could not be placed has an error, which says more than a warning.
    if (state.taken && state.device >= 0) {
      ++requests[state.request];
      any_placed = true;
    }
  }
  if (any_placed && default_request_ != 0) ++requests[default_request_];
  for (const auto& [request, count] : requests) {
    const std::optional<std::string>& type = specs_.spec(request).type;
    if (!type) continue;
    const std::vector<int>& devices = specs_.Devices(request, devices_.all_types());
    for (const int device : devices) asked_for[device] += count;
    if (devices.empty()) {
      result_->warnings.push_back(specs_.ToString(request) + ": " + CountText(0, total) +
                                  ", because " + AbsentText(request));
    }
  }
  for (const std::string& name : options_.explicit_devices) {
    for (int device = 0; device < num_devices; ++device) {
      if (name == devices_.device(device)->type() || name == devices_.ShortName(device) ||
          name == devices_.device(device)->name()) {
        ++asked_for[device];
      }
    }
  }
  for (int device = 0; device < num_devices; ++device) {
    if (asked_for[device] == 0 || used[device] > 0 || total == 0) continue;
    result_->warnings.push_back(devices_.ShortName(device) + ": " + CountText(0, total) +
                                ", although it was asked for");
  }
}

}  // namespace berth
