// One training step of a LeNet built with the client library (examples/lenet has the same
// network): the layers on the device, the variables on the CPU. What it waits for and
// what it copies, by name, from its trace.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "client/berth.h"
#include "core/executor/run_trace.h"
#include "core/session/session.h"

namespace berth {
namespace {

namespace bc = berth::client;
using bc::Output;
using bc::Scope;

constexpr int64_t kBatch = 16;

Output Layer(const Scope& s, const Output& x, const Shape& weights) {
  const bc::Variable w =
      bc::Variable::Create(s, "weights", weights, bc::TruncatedNormal(0.1F, 1));
  const bc::Variable b =
      bc::Variable::Create(s, "biases", {weights.dim(weights.rank() - 1)}, bc::Zeros());
  const Output y =
      weights.rank() == 4 ? bc::ops::Conv2D(s, x, w) : bc::ops::MatMul(s, x, w);
  return bc::ops::BiasAdd(s, y, b);
}

struct Net {
  Output images, labels, loss;
};

Net Build(const Scope& s) {
  Net net;
  net.images = bc::ops::Placeholder(s, "images", BERTH_FLOAT, {-1, 28, 28, 1});
  net.labels = bc::ops::Placeholder(s, "labels", BERTH_INT64, {-1});
  Output h = bc::ops::Relu(s, Layer(s.Name("conv1"), net.images, {5, 5, 1, 32}));
  h = bc::ops::MaxPool(s, h, 2, {.stride = 2, .padding = "SAME"});
  h = bc::ops::Relu(s, Layer(s.Name("conv2"), h, {5, 5, 32, 64}));
  h = bc::ops::MaxPool(s, h, 2, {.stride = 2, .padding = "SAME"});
  h = bc::ops::Reshape(s, h, {-1, 7 * 7 * 64});
  h = bc::ops::Relu(s, Layer(s.Name("hidden"), h, {7 * 7 * 64, 512}));
  h = Layer(s.Name("classes"), h, {512, 10});
  net.loss = bc::ops::Mean(s, bc::ops::SparseSoftmaxCrossEntropy(s, net.labels, h));
  return net;
}

class ClientStepTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const char* type = std::getenv("BERTH_TEST_DEVICE_TYPE");
    ASSERT_NE(type, nullptr);
    type_ = type;
    const Scope root = Scope::Root();
    const Scope scope = root.Device("/device:" + type_ + ":0").VariableDevice("/cpu:0");
    const Net net = Build(scope);
    bc::Momentum optimizer(0.01, 0.9);
    const bc::Operation train = optimizer.Minimize(scope, net.loss);
    const bc::Operation init = bc::GlobalVariablesInitializer(root);
    SessionOptions options;
    options.allow_soft_placement = true;
    Result<bc::Session> session = bc::Session::Create(root, options);
    ASSERT_TRUE(session.ok()) << session.status().ToString();
    ASSERT_TRUE(session->Run(init).ok());
    Result<Tensor> images = Tensor::Allocate(BERTH_FLOAT, {kBatch, 28, 28, 1});
    Result<Tensor> labels = Tensor::Allocate(BERTH_INT64, {kBatch});
    ASSERT_TRUE(images.ok() && labels.ok());
    for (int64_t i = 0; i < images->num_elements(); ++i) {
      images->mutable_data<float>()[i] = static_cast<float>(i % 17) / 17;
    }
    for (int64_t i = 0; i < kBatch; ++i) labels->mutable_data<int64_t>()[i] = i % 10;
    RunSettings settings;
    settings.trace = true;
    std::vector<Tensor> outputs;
    const Status status = session->core()->Run(
        {{net.images.name(), *images}, {net.labels.name(), *labels}}, {net.loss.name()},
        {train.name()}, settings, &outputs, &trace_);
    ASSERT_TRUE(status.ok()) << status.ToString();
  }

  std::string type_;
  RunTrace trace_;
};

TEST_F(ClientStepTest, HostWaitsAtMostThreeTimes) {
  EXPECT_GE(trace_.host_waits, 1);  // The loss comes from the device.
  EXPECT_LE(trace_.host_waits, 3);
  EXPECT_EQ(trace_.host_waits,
            std::count_if(trace_.events.begin(), trace_.events.end(),
                          [](const TraceEvent& e) { return e.op == "_HostWait"; }));
}

TEST_F(ClientStepTest, EveryTensorIsCopiedOnce) {
  // There: the batch and the variables. Back: the loss and the variables' gradients.
  std::map<std::string, int> want = {{"images:0", 1}, {"labels:0", 1}, {"Mean:0", 1}};
  for (const char* layer : {"conv1", "conv2", "hidden", "classes"}) {
    const std::string name(layer);
    want[name + "/weights"] = 1;
    want[name + "/biases"] = 1;
    want["gradients/" + name + "/BiasAdd_grad/BiasAddGrad:0"] = 1;
    want["gradients/" + name +
         (name.starts_with("conv") ? "/Conv2D_grad/Conv2DBackpropFilter:0"
                                   : "/MatMul_grad/MatMul_1:0")] = 1;
  }
  std::map<std::string, int> copies;
  for (const TraceEvent& event : trace_.events) {
    if (event.op == "_Copy") ++copies[event.node];
  }
  EXPECT_EQ(copies, want);
}

}  // namespace
}  // namespace berth
