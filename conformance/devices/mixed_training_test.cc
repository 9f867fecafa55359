// A network that trains with its layers on a device and its variables on the CPU.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "berth/proto/graph.pb.h"
#include "core/formats/file.h"
#include "core/formats/npy.h"
#include "core/session/session.h"

namespace berth {
namespace {

using nlohmann::json;

// "OPENCL", set by the build.
std::string DeviceType() {
  const char* type = std::getenv("BERTH_TEST_DEVICE_TYPE");
  return type != nullptr ? type : "UNSET";
}

// TensorFlow's recorded LeNet, from TensorFlow's initial weights.
class LeNet {
 public:
  // `model` is a folder of the recorded models.
  explicit LeNet(const std::string& model)
      : folder_(std::string(BERTH_GOLDEN_DIR) + "/models/" + model) {}

  // Everything but the variables is asked to run on `device`.
  void Open(const std::string& device) {
    SessionOptions options;
    options.precision = Precision::kStrict;
    options.allow_soft_placement = true;
    options.default_device = device;
    Result<std::unique_ptr<Session>> session = Session::Create(options);
    ASSERT_TRUE(session.ok()) << session.status().ToString();
    session_ = *std::move(session);
    Status status = session_->Extend(GraphWithVariablesOnTheCpu());
    ASSERT_TRUE(status.ok()) << status.ToString();
    std::vector<Tensor> none;
    status = session_->Run({{"save/Const:0", Tensor::String(folder_ + "/initial")}}, {},
                           {"save/restore_all"}, {}, &none, nullptr);
    ASSERT_TRUE(status.ok()) << status.ToString();
    x_ = Read("batches_x.npy");
    y_ = Read("batches_y.npy");
    const Result<std::string> text = formats::ReadFile(folder_ + "/expected.json");
    ASSERT_TRUE(text.ok()) << text.status().ToString();
    expected_ = json::parse(*text);
  }

  // The loss of step `k`; the recorded batches come round again and again.
  double Step(int64_t k, RunTrace* trace = nullptr) {
    const int64_t batch = k % x_.shape().dim(0);
    std::vector<Tensor> outputs;
    RunSettings settings;
    settings.trace = trace != nullptr;
    const Status status =
        session_->Run({{"x:0", Item(x_, batch)}, {"y:0", Item(y_, batch)}}, {"loss:0"},
                      {"train"}, settings, &outputs, trace);
    EXPECT_TRUE(status.ok()) << status.ToString();
    return status.ok() ? *outputs[0].data<float>() : NAN;
  }

  const json& expected() const { return expected_; }

 private:
  std::string GraphWithVariablesOnTheCpu() {
    const Result<std::string> bytes = formats::ReadFile(folder_ + "/graph.pb");
    EXPECT_TRUE(bytes.ok()) << bytes.status().ToString();
    tf::GraphDef graph;
    EXPECT_TRUE(bytes.ok() && graph.ParseFromString(*bytes));
    for (tf::NodeDef& node : *graph.mutable_node()) {
      if (node.op() == "VariableV2" || node.op() == "VarHandleOp") {
        node.set_device("/cpu:0");
      }
    }
    return graph.SerializeAsString();
  }

  Tensor Read(const char* file) {
    Result<Tensor> tensor = formats::ReadNpy(folder_ + "/" + file);
    EXPECT_TRUE(tensor.ok()) << tensor.status().ToString();
    return tensor.ok() ? *tensor : Tensor();
  }

  // Item `k` of a batch of batches.
  static Tensor Item(const Tensor& all, int64_t k) {
    std::vector<int64_t> dims = all.shape().ToVector();
    dims.erase(dims.begin());
    Result<Tensor> item = Tensor::Allocate(all.dtype(), Shape(dims));
    EXPECT_TRUE(item.ok());
    std::memcpy(item->raw(), all.raw() + static_cast<uint64_t>(k) * item->byte_size(),
                item->byte_size());
    return *item;
  }

  const std::string folder_;
  std::unique_ptr<Session> session_;
  Tensor x_;
  Tensor y_;
  json expected_;
};

class MixedTrainingTest : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    ASSERT_NO_FATAL_FAILURE(mixed_.Open("/device:" + DeviceType() + ":0"));
  }
  LeNet mixed_{GetParam()};
};

TEST_P(MixedTrainingTest, LossesAreThoseOfTheCpuForFiftySteps) {
  LeNet cpu(GetParam());
  ASSERT_NO_FATAL_FAILURE(cpu.Open("/cpu:0"));
  for (int64_t k = 0; k < 50; ++k) {
    const double want = cpu.Step(k);
    EXPECT_NEAR(mixed_.Step(k), want, 1e-3 * want) << "step " << k;
  }
}

TEST_P(MixedTrainingTest, LossesFollowTensorFlows) {
  const json& losses = mixed_.expected()["losses"];
  const double rtol = mixed_.expected()["compare"]["rtol"];
  const double atol = mixed_.expected()["compare"]["atol"];
  ASSERT_EQ(losses.size(), 20U);
  for (size_t k = 0; k < losses.size(); ++k) {
    const double want = losses[k];
    EXPECT_NEAR(mixed_.Step(static_cast<int64_t>(k)), want, atol + rtol * want)
        << "step " << k;
  }
}

INSTANTIATE_TEST_SUITE_P(Models, MixedTrainingTest,
                         ::testing::Values("lenet_train_ref", "lenet_train_resource",
                                           "lenet_train_ref_adam"));

class MixedStepTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_NO_FATAL_FAILURE(net_.Open("/device:" + DeviceType() + ":0"));
    net_.Step(0);
    net_.Step(1, &trace_);
  }

  LeNet net_{"lenet_train_ref"};
  RunTrace trace_;
};

const std::vector<std::string> kLayers = {"conv1", "conv2", "fc1", "fc2", "fc3"};

TEST_F(MixedStepTest, LayersRunOnTheDeviceAndUpdatesBesideTheVariables) {
  std::map<std::string, std::string> device_of_op;  // of those that ran
  for (const TraceEvent& event : trace_.events) {
    std::string& devices = device_of_op[event.op];
    const std::string type =
        event.device.find(DeviceType()) == std::string::npos ? "CPU" : DeviceType();
    if (devices.find(type) == std::string::npos) devices += type;
  }
  for (const char* op :
       {"Conv2D", "Conv2DBackpropFilter", "Conv2DBackpropInput", "BiasAdd", "BiasAddGrad",
        "MaxPool", "MaxPoolGrad", "Relu", "ReluGrad", "MatMul", "AddV2", "Sum", "Mean",
        "SparseSoftmaxCrossEntropyWithLogits"}) {
    EXPECT_EQ(device_of_op[op], DeviceType()) << op;
  }
  EXPECT_EQ(device_of_op["ApplyMomentum"], "CPU");
}

TEST_F(MixedStepTest, HostWaitsAtMostThreeTimes) {
  int waits = 0;
  for (const TraceEvent& event : trace_.events) waits += event.op == "_HostWait" ? 1 : 0;
  EXPECT_EQ(trace_.host_waits, waits);
  EXPECT_GE(waits, 1);  // The loss comes from the device.
  EXPECT_LE(waits, 3);
}

TEST_F(MixedStepTest, EveryTensorIsCopiedOnce) {
  // There: the batch and the variables. Back: the loss and the variables' gradients.
  std::map<std::string, int> want = {{"x:0", 1}, {"y:0", 1}, {"loss:0", 1}};
  for (const std::string& layer : kLayers) {
    want["lenet/" + layer + "/w"] = 1;
    want["lenet/" + layer + "/b"] = 1;
  }
  for (const char* gradient :
       {"Conv2D_grad/Conv2DBackpropFilter", "Conv2D_1_grad/Conv2DBackpropFilter",
        "BiasAdd_grad/BiasAddGrad", "BiasAdd_1_grad/BiasAddGrad", "MatMul_grad/MatMul_1",
        "MatMul_1_grad/MatMul_1", "MatMul_2_grad/MatMul_1", "add_grad/Sum",
        "add_1_grad/Sum", "logits_grad/Sum"}) {
    want["gradients/lenet/" + std::string(gradient) + ":0"] = 1;
  }
  std::map<std::string, int> copies;
  for (const TraceEvent& event : trace_.events) {
    if (event.op == "_Copy") ++copies[event.node];
  }
  EXPECT_EQ(copies, want);
}

}  // namespace
}  // namespace berth
