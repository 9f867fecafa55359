// Devices and kernels made of descriptions, and graphs built by hand, for placement
// tests.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/graph/graph.h"
#include "core/placer/placer.h"
#include "core/plugin/testing/fake_plugin.h"
#include "core/registry/device.h"
#include "core/registry/kernel_registry.h"

namespace berth::testing {

// Everything is a description: no plugin is loaded and no device can be opened.
class PlacementWorld {
 public:
  PlacementWorld();
  ~PlacementWorld();

  // Appends `count` devices of a type. CPU has priority 70, GPU 210 in TensorFlow.
  // `core_ops`: core ops run there without rows.
  void AddDevices(const std::string& type, int count, int priority, bool core_ops = true);
  // Rows are registered with the first placement.
  void AddKernel(FakeKernel kernel) { kernels_.push_back(std::move(kernel)); }
  // The ops on the type for these dtypes of "T" (none = any).
  void AddKernels(const std::vector<std::string>& ops, const std::string& type,
                  const std::vector<DType>& dtypes = {});

  // Adds a node or fails the test. `inputs` are "name" or "name:1" or "^name".
  Node* Add(const std::string& op, const std::string& name,
            const std::vector<std::string>& inputs = {},
            std::vector<std::pair<std::string, AttrValue>> attrs = {},
            const std::string& device = "");
  // A float (or other) Const without inputs.
  Node* AddConst(const std::string& name, const std::string& device = "",
                 DType dtype = BERTH_FLOAT);
  // An op of one type attribute T.
  Node* AddT(const std::string& op, const std::string& name,
             const std::vector<std::string>& inputs, const std::string& device = "",
             DType dtype = BERTH_FLOAT);
  static std::pair<std::string, AttrValue> Class(const std::vector<std::string>& names);

  std::shared_ptr<const Placement> Place(const PlaceArgs& args = {});
  // "GPU:0", or "" when the node has no device.
  std::string DeviceOf(std::string_view name) const;
  const NodePlacement& At(std::string_view name) const;
  // All errors of the placement, as one text; "" when there are none.
  std::string Errors() const;

  Graph& graph() { return graph_; }
  PlacerOptions& options() { return options_; }
  KernelRegistry& kernels() { return *registry_; }
  std::vector<const Device*> devices() const;
  std::shared_ptr<const Placement> placement() const { return placement_; }

 private:
  void Register();

  Graph graph_;
  PlacerOptions options_;
  std::vector<std::unique_ptr<Device>> devices_;
  std::vector<FakeKernel> kernels_;
  std::unique_ptr<FakePlugin> plugin_;
  std::unique_ptr<KernelRegistry> registry_;
  std::shared_ptr<const Placement> placement_;
};

}  // namespace berth::testing
