#include "core/executor/schedule.h"

#include <algorithm>

#include "core/executor/units.h"

namespace berth::executor {
namespace {

// Buckets within a level.
enum Bucket : int32_t { kDeviceAndFeeders = 0, kHost = 1, kLate = 2, kNumBuckets = 3 };

constexpr int32_t kHostSite = -1;

class Scheduler {
 public:
  Scheduler(const Plan& plan, const ShapeFacts& facts) : plan_(plan), facts_(facts) {}

  std::vector<int32_t> Run() {
    FindUnits();
    FindLevels();
    FindBuckets();
    return Sort();
  }

 private:
  // Groups count as one node, the last of theirs.
  void FindUnits() {
    std::vector<int32_t> group_of;
    if (!facts_.groups.empty()) {
      for (const NodeFacts& node : facts_.nodes) group_of.push_back(node.group);
    }
    // Claims that cannot be ordered were refused.
    units_ = OrderUnits(plan_, facts_, NeededNodes(plan_, facts_), group_of)
                 .value_or(std::vector<int32_t>());
  }

  // `unit` is to outlive the span.
  std::span<const int32_t> NodesOf(const int32_t& unit) const {
    const int32_t group = facts_.nodes[unit].group;
    if (group < 0) return {&unit, 1};
    return facts_.groups[group].nodes;
  }
  int32_t UnitOf(int32_t node) const {
    const int32_t group = facts_.nodes[node].group;
    return group < 0 ? node : facts_.groups[group].nodes.back();
  }

  // The asynchronous device whose stream runs the node, or kHostSite.
  int32_t SiteOf(int32_t unit) const {
    const PlanNode& node = plan_.nodes[unit];
    const DeviceContext& device = plan_.DeviceOf(node);
    const NodeMode mode = facts_.nodes[unit].mode;
    if (!device.is_async) return kHostSite;
    if (facts_.nodes[unit].group >= 0) return device.index;
    if (mode == NodeMode::kStatic || mode == NodeMode::kRuntime) return device.index;
    // The core moves data of a device's variables on the device.
    if (mode == NodeMode::kCore &&
        (node.core->kind == CoreKind::kRead || node.core->kind == CoreKind::kAssign)) {
      return device.index;
    }
    return kHostSite;
  }

  // Nothing is run for it.
  bool IsVirtual(int32_t unit) const {
    const NodeFacts& facts = facts_.nodes[unit];
    return facts.group < 0 &&
           (facts.mode == NodeMode::kVirtual || facts.mode == NodeMode::kFolded);
  }

  void FindLevels() {
    level_.assign(plan_.nodes.size(), 0);
    site_.assign(plan_.nodes.size(), kHostSite);
    value_site_.assign(plan_.values.size(), kHostSite);
    value_level_.assign(plan_.values.size(), 0);
    for (const int32_t unit : units_) {
      site_[unit] = SiteOf(unit);
      level_[unit] = FindLevel(unit);
      for (const int32_t node : NodesOf(unit)) SetOutputs(plan_.nodes[node], unit);
    }
  }

  int32_t FindLevel(int32_t unit) const {
    int32_t level = 0;
    for (const int32_t index : NodesOf(unit)) {
      const PlanNode& node = plan_.nodes[index];
      for (const int32_t control : plan_.ControlsOf(node)) {
        level = std::max(level, level_[UnitOf(control)]);
      }
      for (const int32_t input : plan_.InputsOf(node)) {
        if (plan_.values[input].node >= 0 && UnitOf(plan_.values[input].node) == unit) {
          continue;
        }
        // What a device made reaches others through the host, which must wait for it.
        const bool waits = !IsVirtual(unit) && value_site_[input] != kHostSite &&
                           value_site_[input] != site_[unit];
        level = std::max(level, value_level_[input] + (waits ? 1 : 0));
      }
    }
    return level;
  }

  void SetOutputs(const PlanNode& node, int32_t unit) {
    for (int32_t k = 0; k < node.num_outputs; ++k) {
      const int32_t value = node.first_output + k;
      value_level_[value] = level_[unit];
      value_site_[value] = site_[unit];
      // A rename leaves the data where they are.
      if (IsVirtual(unit) && node.num_inputs > 0) {
        const auto inputs = plan_.InputsOf(node);
        value_site_[value] = value_site_[inputs[std::min<size_t>(static_cast<size_t>(k),
                                                                 inputs.size() - 1)]];
      }
    }
  }

  bool IsRename(int32_t i) const { return facts_.nodes[i].mode == NodeMode::kVirtual; }

  bool Writes(int32_t i) const {
    const PlanNode& node = plan_.nodes[i];
    if (node.core != nullptr) {
      return node.core->kind == CoreKind::kAssign || node.core->kind == CoreKind::kUpdate;
    }
    const auto types = node.node->input_types();
    return std::any_of(types.begin(), types.end(), [](DType type) {
      return IsRefType(type) || type == BERTH_RESOURCE;
    });
  }

  // From the end: what feeds a device of the same level goes with it; what writes goes
  // last unless something behind it must not.
  void FindBuckets() {
    const size_t size = plan_.nodes.size();
    std::vector<bool> feeds_device(size, false);
    std::vector<bool> holds(size, false);  // a dependant is not late
    bucket_.assign(size, kHost);
    for (size_t k = units_.size(); k-- > 0;) {
      const int32_t unit = units_[k];
      const bool is_late = !feeds_device[unit] && !holds[unit] &&
                           facts_.nodes[unit].group < 0 &&
                           (Writes(unit) || IsRename(unit));
      if (!is_late && site_[unit] != kHostSite) feeds_device[unit] = true;
      bucket_[unit] = feeds_device[unit] ? kDeviceAndFeeders : is_late ? kLate : kHost;
      const auto note = [&](int32_t node) {
        const int32_t before = UnitOf(node);
        if (before == unit || level_[before] != level_[unit]) return;
        if (feeds_device[unit]) feeds_device[before] = true;
        if (!is_late) holds[before] = true;
      };
      for (const int32_t index : NodesOf(unit)) {
        for (const int32_t input : plan_.InputsOf(plan_.nodes[index])) {
          if (plan_.values[input].node >= 0) note(plan_.values[input].node);
        }
        for (const int32_t control : plan_.ControlsOf(plan_.nodes[index])) note(control);
      }
    }
  }

  // A stable counting sort by (level, bucket).
  std::vector<int32_t> Sort() const {
    int32_t num_levels = 1;
    for (const int32_t level : level_) num_levels = std::max(num_levels, level + 1);
    std::vector<int32_t> starts(static_cast<size_t>(num_levels) * kNumBuckets + 1, 0);
    const auto key = [this](int32_t i) {
      return static_cast<size_t>(level_[i]) * kNumBuckets +
             static_cast<size_t>(bucket_[i]);
    };
    for (const int32_t unit : units_) ++starts[key(unit) + 1];
    for (size_t k = 1; k < starts.size(); ++k) starts[k] += starts[k - 1];
    std::vector<int32_t> order(units_.size());
    for (const int32_t unit : units_) {
      order[static_cast<size_t>(starts[key(unit)]++)] = unit;
    }
    return order;
  }

  const Plan& plan_;
  const ShapeFacts& facts_;
  std::vector<int32_t> units_;
  std::vector<int32_t> level_;  // by node; of a group at its last one, as the next two
  std::vector<int32_t> site_;
  std::vector<int32_t> value_site_;
  std::vector<int32_t> value_level_;
  std::vector<int32_t> bucket_;
};

}  // namespace

std::vector<int32_t> MakeSchedule(const Plan& plan, const ShapeFacts& facts) {
  return Scheduler(plan, facts).Run();
}

}  // namespace berth::executor
