// Which kernels exist: (op, device type, dtypes) rows from all plugins.
#pragma once

#include <berth/plugin.h>

#include <cstdint>
#include <functional>
#include <map>
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
  kNoKernel,    // the device type has no kernel for the op
  kDType,       // it has, but not for these type attributes
  kAttribute,   // supports() refused: attribute or static shape; plugin's own words
  kHostMemory,  // its value lives in host memory, which this device's is not
  kColocation,  // a member of the group forbids it
  kPinned,      // the user asked for another device
  kDeviceAbsent,
  kPluginAbsent,
  kLabel,  // the node's "_kernel" label fits no row
};
std::string_view RejectCodeName(RejectCode code);

// One registered row.
struct KernelEntry {
  // A copy of the plugin's row in a struct of our size: what its struct_size leaves out
  // is zero. NULL for an op that the core runs on every device.
  const berth_kernel_def* def = nullptr;
  // The plugin's own row: what its supports and create are called with.
  const berth_kernel_def* source = nullptr;
  std::string device_type;
  std::string plugin;
  int order = 0;  // of registration: earlier wins among equals

  // True also for a row without `create`, which restricts a core op but leaves the
  // running to the core.
  bool runs_in_core() const { return def == nullptr || def->create == nullptr; }
  // Calls the row's create. REQUIRES: !runs_in_core().
  Result<berth_kernel*> Create(berth_device* device, const berth_node& node) const;
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

  // Adds all rows of a plugin, or none: each is checked (op and type attributes known to
  // OpRegistry::Global(), dtypes known, arguments exist, the functions that its flags
  // call for are there); INVALID_ARGUMENT lists every row that is wrong.
  // `type_names` renames device types on the way: the plugin's own -> the registry's.
  using TypeNames = std::map<std::string, std::string, std::less<>>;
  Status RegisterPlugin(const berth_plugin* plugin, const TypeNames& type_names = {});
  void UnregisterPlugin(std::string_view plugin_name);
  // With `listed`, core ops run on devices of this type only where a row says so
  // (BERTH_DEVICE_LISTS_CORE_OPS).
  void SetCoreOpsListed(std::string_view device_type, bool listed);
  // Whether devices of this type keep what is theirs in host memory
  // (BERTH_DEVICE_IS_HOST); until told, they do. Variables of strings stay off the
  // others.
  void SetIsHost(std::string_view device_type, bool is_host);

  // The best row for `node` on `device_type`: highest priority whose constraints, label
  // and supports() fit. Memoised by (op, attributes, static shapes).
  KernelMatch Find(const Node& node, std::string_view device_type,
                   std::span<const Shape> input_shapes = {}) const;

  // What tells nodes of an op apart for Find: the attributes (sorted) that its rows look
  // at and, when any row is conditional, everything. See KernelClasses.
  struct OpTraits {
    std::vector<std::string> attrs;
    bool is_conditional = false;
  };
  OpTraits TraitsOf(std::string_view op) const;

  // Every row of an op, over all device types, in order of registration.
  std::vector<const KernelEntry*> Rows(std::string_view op) const;
  std::vector<const KernelEntry*> AllRows() const;
  // "CPU: float, double; GPU: float": what exists instead, for messages.
  std::string DescribeRows(std::string_view op) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Groups the nodes of a graph into classes whose members have the same answer on every
// device type, so that a placer asks Find once a class instead of once a node. Costs one
// small hash a node; nodes of ops with conditional rows are told apart by all their
// attributes and static shapes. Made for one placement: it sees the rows as they are when
// an op first comes. Not thread-safe.
class KernelClasses {
 public:
  // `registry` outlives it.
  explicit KernelClasses(const KernelRegistry* registry);
  ~KernelClasses();

  // Dense numbers from 0, in order of first appearance.
  int ClassOf(const Node& node, std::span<const Shape> input_shapes = {});
  int num_classes() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Ops that the core runs on every device on top of the memory functions; no vendor writes
// them. True does not exclude that a plugin brings a kernel of its own, which then wins.
bool IsCoreOp(std::string_view op);

}  // namespace berth
