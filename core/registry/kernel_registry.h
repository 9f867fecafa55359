// Which kernels exist: (op, device type, dtypes) rows from all plugins.
#pragma once

#include <berth/plugin.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/shape.h"
#include "core/base/status.h"
#include "core/graph/graph.h"

namespace berth {

// Why a device type cannot run a node. The names of the JSON output: "no_kernel",
// "dtype", …
enum class RejectCode {
  kNoKernel,   // the device type has no kernel for the op
  kDType,      // it has, but not for these type attributes
  kAttribute,  // supports() refused: attribute or static shape; plugin's own words
  kHostMemory,
  kColocation,  // a member of the group forbids it
  kPinned,      // the user asked for another device
  kDeviceAbsent,
  kPluginAbsent,
  kLabel,  // the node's "_kernel" label fits no row
};
std::string_view RejectCodeName(RejectCode code);

// One registered row. `def` is NULL for ops that the core itself runs on every device.
struct KernelEntry {
  const berth_kernel_def* def = nullptr;
  std::string device_type;
  std::string plugin;
  int order = 0;  // of registration: earlier wins among equals
};

// The answer for one node on one device type.
struct KernelMatch {
  const KernelEntry* entry = nullptr;  // NULL = rejected, see below
  RejectCode code = RejectCode::kNoKernel;
  std::string reason;  // a sentence for a person when rejected
  bool ok() const { return entry != nullptr; }
};

// Thread-safe; rows stay where they are for the registry's life (unregistering hides
// them).
class KernelRegistry {
 public:
  KernelRegistry();
  ~KernelRegistry();

  // The process's registry, filled by the plugin loader.
  static KernelRegistry* Global();

  // Adds all rows of a plugin, or none. ops() must know each op.
  Status RegisterPlugin(const berth_plugin* plugin);
  void UnregisterPlugin(std::string_view plugin_name);

  // The best row for `node` on `device_type`: highest priority whose constraints, label
  // and supports() fit. Memoised by (op, attributes, static shapes).
  KernelMatch Find(const Node& node, std::string_view device_type,
                   std::span<const Shape> input_shapes = {}) const;

  // Every row of an op, over all device types, in order of registration.
  std::vector<const KernelEntry*> Rows(std::string_view op) const;
  std::vector<const KernelEntry*> AllRows() const;
  // "CPU: float, double; GPU: float": what exists instead, for messages.
  std::string DescribeRows(std::string_view op) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Ops that the core runs on every device on top of the memory functions; no vendor writes
// them. True does not exclude that a plugin brings a kernel of its own, which then wins.
bool IsCoreOp(std::string_view op);

}  // namespace berth
