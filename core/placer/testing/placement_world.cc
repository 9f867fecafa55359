#include "core/placer/testing/placement_world.h"

#include <gtest/gtest.h>

#include "core/ops/op_schema.h"

namespace berth::testing {

PlacementWorld::PlacementWorld()
    : graph_(OpRegistry::Global()), registry_(std::make_unique<KernelRegistry>()) {}
PlacementWorld::~PlacementWorld() = default;

void PlacementWorld::AddDevices(const std::string& type, int count, int priority,
                                bool core_ops) {
  for (int i = 0; i < count; ++i) {
    DeviceDesc desc;
    desc.type = type;
    desc.index = i;
    desc.full_name =
        "/job:localhost/replica:0/task:0/device:" + type + ":" + std::to_string(i);
    desc.priority = priority;
    devices_.push_back(std::make_unique<Device>(std::move(desc), nullptr, i));
  }
  registry_->SetCoreOpsListed(type, !core_ops);
}

void PlacementWorld::AddKernels(const std::vector<std::string>& ops,
                                const std::string& type,
                                const std::vector<DType>& dtypes) {
  for (const std::string& op : ops) {
    FakeKernel kernel;
    kernel.op = op;
    kernel.device_type = type;
    if (!dtypes.empty()) kernel.types = {{"T", dtypes}};
    AddKernel(std::move(kernel));
  }
}

Node* PlacementWorld::Add(const std::string& op, const std::string& name,
                          const std::vector<std::string>& inputs,
                          std::vector<std::pair<std::string, AttrValue>> attrs,
                          const std::string& device) {
  NodeSpec spec;
  spec.name = name;
  spec.op = op;
  spec.device = device;
  for (auto& [key, value] : attrs) spec.attrs.Set(key, std::move(value));
  for (const std::string& input : inputs) {
    const Result<TensorName> parsed = ParseTensorName(input);
    EXPECT_TRUE(parsed.ok()) << input;
    Node* source = graph_.FindNode(parsed->node);
    EXPECT_NE(source, nullptr) << input;
    if (parsed->index < 0) {
      spec.control_inputs.push_back(source);
    } else {
      spec.inputs.push_back({source, parsed->index});
    }
  }
  Result<Node*> node = graph_.AddNode(std::move(spec));
  EXPECT_TRUE(node.ok()) << node.status().ToString();
  return node.ok() ? *node : nullptr;
}

Node* PlacementWorld::AddConst(const std::string& name, const std::string& device,
                               DType dtype) {
  Tensor value =
      dtype == BERTH_STRING ? Tensor::String("") : *Tensor::Allocate(dtype, Shape());
  return Add("Const", name, {},
             {{"dtype", AttrValue::Type(dtype)}, {"value", AttrValue::OfTensor(value)}},
             device);
}

Node* PlacementWorld::AddT(const std::string& op, const std::string& name,
                           const std::vector<std::string>& inputs,
                           const std::string& device, DType dtype) {
  return Add(op, name, inputs, {{"T", AttrValue::Type(dtype)}}, device);
}

std::pair<std::string, AttrValue> PlacementWorld::Class(
    const std::vector<std::string>& names) {
  ListAttr list;
  for (const std::string& name : names) list.s.push_back("loc:@" + name);
  return {"_class", AttrValue::OfList(std::move(list))};
}

void PlacementWorld::Register() {
  if (kernels_.empty()) return;
  plugin_ = std::make_unique<FakePlugin>("fake", std::vector<FakeDevices>{},
                                         std::exchange(kernels_, {}));
  const Status status = registry_->RegisterPlugin(plugin_->table());
  EXPECT_TRUE(status.ok()) << status.ToString();
}

std::vector<const Device*> PlacementWorld::devices() const {
  std::vector<const Device*> devices;
  for (const auto& device : devices_) devices.push_back(device.get());
  return devices;
}

std::shared_ptr<const Placement> PlacementWorld::Place(const PlaceArgs& args) {
  Register();
  placement_ = Placer(devices(), registry_.get(), options_).Place(graph_, args);
  return placement_;
}

const NodePlacement& PlacementWorld::At(std::string_view name) const {
  const Node* node = graph_.FindNode(name);
  EXPECT_NE(node, nullptr) << name;
  return placement_->nodes[node == nullptr ? 0 : node->id()];
}

std::string PlacementWorld::DeviceOf(std::string_view name) const {
  const Device* device = At(name).device;
  if (device == nullptr) return {};
  return device->type() + ":" + std::to_string(device->desc().index);
}

std::string PlacementWorld::Errors() const {
  std::vector<int> all;
  for (int id = 0; id < graph_.num_nodes(); ++id) all.push_back(id);
  return std::string(PlacementErrors(graph_, *placement_, all).message());
}

}  // namespace berth::testing
