#include "core/session/testing/fake_world.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace berth::testing {
namespace {

int64_t CountOf(const berth_tensor& tensor) {
  int64_t count = 1;
  for (int32_t i = 0; i < tensor.rank; ++i) count *= tensor.dims[i];
  return count;
}

// var -= alpha * delta.
Status GradientDescent(berth_compute_context* context) {
  auto* variable = static_cast<float*>(FakeData(*context->inputs[0]));
  const float alpha = *static_cast<const float*>(FakeData(*context->inputs[1]));
  const auto* delta = static_cast<const float*>(FakeData(*context->inputs[2]));
  const int64_t count = CountOf(*context->inputs[0]);
  for (int64_t i = 0; i < count; ++i) variable[i] -= alpha * delta[i];
  return OkStatus();
}

// The indices of values other than zero of a vector: a shape that only compute knows.
Status Where(berth_compute_context* context) {
  const auto* values = static_cast<const float*>(FakeData(*context->inputs[0]));
  const int64_t count = CountOf(*context->inputs[0]);
  std::vector<int64_t> found;
  for (int64_t i = 0; i < count; ++i) {
    if (values[i] != 0) found.push_back(i);
  }
  Tensor unused;
  HostComputeContext& host = HostComputeContext::From(context);
  const Status status =
      host.allocate_output(host, 0, Shape{static_cast<int64_t>(found.size()), 1});
  if (!status.ok()) return status;
  std::copy(found.begin(), found.end(),
            static_cast<int64_t*>(FakeData(*context->outputs[0])));
  return OkStatus();
}

std::vector<FakeKernel> KernelsOf(const std::string& type) {
  const std::vector<std::pair<std::string, std::vector<DType>>> floats = {
      {"T", {BERTH_FLOAT}}};
  const auto row = [&](const std::string& op, FakeComputeFn compute) {
    FakeKernel kernel;
    kernel.op = op;
    kernel.device_type = type;
    kernel.types = floats;
    kernel.compute = std::move(compute);
    return kernel;
  };
  std::vector<FakeKernel> kernels = {
      row("AddV2", FakeFloatMap([](float a, float b) { return a + b; })),
      row("Mul", FakeFloatMap([](float a, float b) { return a * b; })),
      row("Neg", FakeFloatMap([](float a, float) { return -a; })),
      row("ApplyGradientDescent", &GradientDescent),
      row("ResourceApplyGradientDescent", &GradientDescent),
  };
  kernels[0].inplace = {{0, 0}, {1, 0}};
  kernels[2].inplace = {{0, 0}};
  if (type == "CPU") {
    FakeKernel where = row("Where", &Where);
    where.flags = BERTH_KERNEL_SHAPE_AT_RUN;
    kernels.push_back(where);
  }
  return kernels;
}

OutputRef Find(Graph* graph, const std::string& name) {
  const Result<TensorName> parsed = ParseTensorName(name);
  EXPECT_TRUE(parsed.ok()) << name;
  Node* node = graph->FindNode(parsed->node);
  EXPECT_NE(node, nullptr) << name;
  return {node, parsed->index};
}

}  // namespace

FakeWorld::FakeWorld() : FakeWorld(Options()) {}

FakeWorld::FakeWorld(Options options) {
  FakeDevices cpu;
  cpu.type = "CPU";
  cpu.priority = 70;
  cpu.is_host = true;
  cpu.asynchronous = false;
  std::vector<FakeKernel> cpu_kernels = KernelsOf("CPU");
  std::vector<FakeKernel> gpu_kernels = KernelsOf("GPU");
  for (FakeKernel& kernel : options.more_kernels) {
    (kernel.device_type == "CPU" ? cpu_kernels : gpu_kernels).push_back(kernel);
  }
  cpu_ = std::make_unique<FakePlugin>("fakecpu", std::vector{cpu}, cpu_kernels);
  if (options.compiler.claim) cpu_->SetCompiler(options.compiler);
  EXPECT_TRUE(registry_.RegisterPlugin(cpu_->table()).ok());
  AddDevices(*cpu_, 70);
  if (options.num_gpus > 0) {
    FakeDevices gpu;
    gpu.count = options.num_gpus;
    gpu.largest_allocation = options.gpu_largest_allocation;
    gpu_ = std::make_unique<FakePlugin>("fakegpu", std::vector{gpu}, gpu_kernels);
    if (options.compiler.claim) gpu_->SetCompiler(options.compiler);
    const Status status = registry_.RegisterPlugin(gpu_->table());
    EXPECT_TRUE(status.ok()) << status.ToString();
    AddDevices(*gpu_, 210);
  }
  SessionState::Resources resources;
  for (const auto& device : devices_) resources.devices.devices.push_back(device.get());
  resources.kernels = &registry_;
  resources.why_absent = [](std::string_view) { return std::string(); };
  Result<std::unique_ptr<Session>> session =
      MakeSession(options.session, std::move(resources));
  EXPECT_TRUE(session.ok()) << session.status().ToString();
  session_ = *std::move(session);
}

FakeWorld::~FakeWorld() = default;

void FakeWorld::AddDevices(const FakePlugin& plugin, int priority) {
  const berth_plugin* table = plugin.table();
  uint32_t count = 0;
  const berth_device_info* const* infos = nullptr;
  ASSERT_EQ(table->devices->enumerate(table->context, &count, &infos, nullptr), BERTH_OK);
  for (uint32_t i = 0; i < count; ++i) {
    DeviceDesc desc;
    desc.type = infos[i]->type;
    desc.index = infos[i]->index;
    desc.full_name = "/job:localhost/replica:0/task:0/device:" + desc.type + ":" +
                     std::to_string(desc.index);
    desc.priority = priority;
    desc.flags = infos[i]->flags;
    desc.memory_bytes = infos[i]->memory_bytes;
    desc.largest_allocation = infos[i]->largest_allocation;
    desc.base_alignment = infos[i]->base_alignment;
    desc.plugin_name = table->name;
    devices_.push_back(std::make_unique<Device>(desc, table, i, host_.abi()));
  }
}

void FakeWorld::Add(const std::string& op, const std::string& name,
                    const std::vector<std::string>& inputs,
                    std::vector<std::pair<std::string, AttrValue>> attrs,
                    const std::string& device) {
  const Status status = session_->ExtendWith([&](Graph* graph) {
    NodeSpec spec;
    spec.name = name;
    spec.op = op;
    spec.device = device;
    for (auto& [key, value] : attrs) spec.attrs.Set(key, value);
    for (const std::string& input : inputs) {
      if (input[0] == '^') {
        spec.control_inputs.push_back(Find(graph, input).node);
      } else {
        spec.inputs.push_back(Find(graph, input));
      }
    }
    return graph->AddNode(std::move(spec)).status();
  });
  ASSERT_TRUE(status.ok()) << status.ToString();
}

void FakeWorld::AddT(const std::string& op, const std::string& name,
                     const std::vector<std::string>& inputs, const std::string& device) {
  Add(op, name, inputs, {{"T", AttrValue::Type(BERTH_FLOAT)}}, device);
}

void FakeWorld::AddConst(const std::string& name, const Tensor& value,
                         const std::string& device) {
  Add("Const", name, {},
      {{"dtype", AttrValue::Type(value.dtype())}, {"value", AttrValue::OfTensor(value)}},
      device);
}

void FakeWorld::AddPlaceholder(const std::string& name, const Shape& shape, DType dtype) {
  Add("Placeholder", name, {},
      {{"dtype", AttrValue::Type(dtype)}, {"shape", AttrValue::OfShape(shape)}});
}

void FakeWorld::AddVariable(const std::string& name, const Shape& shape,
                            const std::string& device) {
  Add("VariableV2", name, {},
      {{"dtype", AttrValue::Type(BERTH_FLOAT)}, {"shape", AttrValue::OfShape(shape)}},
      device);
}

Result<std::vector<Tensor>> FakeWorld::Run(const Session::Feeds& feeds,
                                           const std::vector<std::string>& fetches,
                                           const std::vector<std::string>& targets,
                                           const RunSettings& settings, RunTrace* trace) {
  std::vector<Tensor> outputs;
  BERTH_RETURN_IF_ERROR(
      session_->Run(feeds, fetches, targets, settings, &outputs, trace));
  return outputs;
}

Tensor Floats(const Shape& shape, const std::vector<float>& values) {
  Tensor tensor = *Tensor::Allocate(BERTH_FLOAT, shape);
  std::copy(values.begin(), values.end(), tensor.mutable_data<float>());
  return tensor;
}

Tensor Ints(const Shape& shape, const std::vector<int32_t>& values) {
  Tensor tensor = *Tensor::Allocate(BERTH_INT32, shape);
  std::copy(values.begin(), values.end(), tensor.mutable_data<int32_t>());
  return tensor;
}

std::vector<float> ToFloats(const Tensor& tensor) {
  return {tensor.data<float>(), tensor.data<float>() + tensor.num_elements()};
}

}  // namespace berth::testing
