#include "core/executor/schedule.h"

#include <algorithm>

namespace berth::executor {
namespace {

// Buckets within a level.
enum Bucket : int32_t { kDeviceAndFeeders = 0, kHost = 1, kLate = 2, kNumBuckets = 3 };

constexpr int32_t kHostSite = -1;

class Scheduler {
 public:
  Scheduler(const Plan& plan, const ShapeFacts& facts) : plan_(plan), facts_(facts) {}

  std::vector<int32_t> Run() {
    FindNeeded();
    FindLevels();
    FindBuckets();
    return Sort();
  }

 private:
  // From the roots backwards: a folded node needs no inputs, unless something with an
  // effect lies behind it.
  void FindNeeded() {
    needed_.assign(plan_.nodes.size(), false);
    for (const int32_t root : plan_.roots) needed_[root] = true;
    for (auto i = static_cast<int32_t>(plan_.nodes.size()) - 1; i >= 0; --i) {
      if (!needed_[i]) continue;
      const PlanNode& node = plan_.nodes[i];
      if (facts_.nodes[i].mode == NodeMode::kFolded && !facts_.nodes[i].has_effects) {
        continue;
      }
      for (const int32_t input : plan_.InputsOf(node)) {
        if (plan_.values[input].node >= 0) needed_[plan_.values[input].node] = true;
      }
      for (const int32_t control : plan_.ControlsOf(node)) needed_[control] = true;
    }
  }

  // The asynchronous device whose stream runs the node, or kHostSite.
  int32_t SiteOf(const PlanNode& node) const {
    const DeviceContext& device = plan_.DeviceOf(node);
    const NodeMode mode = facts_.nodes[&node - plan_.nodes.data()].mode;
    if (!device.is_async) return kHostSite;
    if (mode == NodeMode::kStatic || mode == NodeMode::kRuntime) return device.index;
    // The core moves data of a device's variables on the device.
    if (mode == NodeMode::kCore &&
        (node.core->kind == CoreKind::kRead || node.core->kind == CoreKind::kAssign)) {
      return device.index;
    }
    return kHostSite;
  }

  void FindLevels() {
    const size_t size = plan_.nodes.size();
    level_.assign(size, 0);
    site_.assign(size, kHostSite);
    value_site_.assign(plan_.values.size(), kHostSite);
    value_level_.assign(plan_.values.size(), 0);
    for (size_t i = 0; i < size; ++i) {
      if (!needed_[i]) continue;
      const PlanNode& node = plan_.nodes[i];
      const bool is_virtual = facts_.nodes[i].mode == NodeMode::kVirtual ||
                              facts_.nodes[i].mode == NodeMode::kFolded;
      site_[i] = SiteOf(node);
      int32_t level = 0;
      for (const int32_t control : plan_.ControlsOf(node)) {
        level = std::max(level, level_[control]);
      }
      for (const int32_t input : plan_.InputsOf(node)) {
        // What a device made reaches others through the host, which must wait for it.
        const bool waits = !is_virtual && value_site_[input] != kHostSite &&
                           value_site_[input] != site_[i];
        level = std::max(level, value_level_[input] + (waits ? 1 : 0));
      }
      level_[i] = level;
      for (int32_t k = 0; k < node.num_outputs; ++k) {
        const int32_t value = node.first_output + k;
        value_level_[value] = level;
        value_site_[value] = site_[i];
        // A rename leaves the data where they are.
        if (is_virtual && node.num_inputs > 0) {
          const auto inputs = plan_.InputsOf(node);
          value_site_[value] = value_site_[inputs[std::min<size_t>(static_cast<size_t>(k),
                                                                   inputs.size() - 1)]];
        }
      }
    }
  }

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
    feeds_device_.assign(size, false);
    std::vector<bool> holds(size, false);  // a dependant is not late
    bucket_.assign(size, kHost);
    for (auto i = static_cast<int32_t>(size) - 1; i >= 0; --i) {
      if (!needed_[i]) continue;
      const PlanNode& node = plan_.nodes[i];
      const bool is_late = !feeds_device_[i] && !holds[i] &&
                           (Writes(i) || facts_.nodes[i].mode == NodeMode::kVirtual);
      if (!is_late && site_[i] != kHostSite) feeds_device_[i] = true;
      bucket_[i] = feeds_device_[i] ? kDeviceAndFeeders : is_late ? kLate : kHost;
      const auto note = [&](int32_t before) {
        if (level_[before] != level_[i]) return;
        if (feeds_device_[i]) feeds_device_[before] = true;
        if (!is_late) holds[before] = true;
      };
      for (const int32_t input : plan_.InputsOf(node)) {
        if (plan_.values[input].node >= 0) note(plan_.values[input].node);
      }
      for (const int32_t control : plan_.ControlsOf(node)) note(control);
    }
  }

  // A stable counting sort by (level, bucket).
  std::vector<int32_t> Sort() const {
    int32_t num_levels = 1;
    for (const int32_t level : level_) num_levels = std::max(num_levels, level + 1);
    std::vector<int32_t> starts(static_cast<size_t>(num_levels) * kNumBuckets + 1, 0);
    const auto key = [this](size_t i) {
      return static_cast<size_t>(level_[i]) * kNumBuckets +
             static_cast<size_t>(bucket_[i]);
    };
    size_t count = 0;
    for (size_t i = 0; i < needed_.size(); ++i) {
      if (!needed_[i]) continue;
      ++starts[key(i) + 1];
      ++count;
    }
    for (size_t k = 1; k < starts.size(); ++k) starts[k] += starts[k - 1];
    std::vector<int32_t> order(count);
    for (size_t i = 0; i < needed_.size(); ++i) {
      if (needed_[i])
        order[static_cast<size_t>(starts[key(i)]++)] = static_cast<int32_t>(i);
    }
    return order;
  }

  const Plan& plan_;
  const ShapeFacts& facts_;
  std::vector<bool> needed_;
  std::vector<int32_t> level_;
  std::vector<int32_t> site_;
  std::vector<int32_t> value_site_;
  std::vector<int32_t> value_level_;
  std::vector<bool> feeds_device_;
  std::vector<int32_t> bucket_;
};

}  // namespace

std::vector<int32_t> MakeSchedule(const Plan& plan, const ShapeFacts& facts) {
  return Scheduler(plan, facts).Run();
}

}  // namespace berth::executor
