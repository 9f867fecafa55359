// One physical device as two logical ones (the build sets the plugin's option): a session
// sees both, and a value crosses from one to the other.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "client/berth.h"
#include "core/executor/run_trace.h"
#include "core/session/session.h"

namespace berth {
namespace {

namespace bc = berth::client;

std::string DeviceName(int index) {
  const char* type = std::getenv("BERTH_TEST_DEVICE_TYPE");
  return "/device:" + std::string(type != nullptr ? type : "UNSET") + ":" +
         std::to_string(index);
}

Tensor Matrix(const Shape& shape, const std::vector<float>& values) {
  Result<Tensor> tensor = Tensor::Allocate(BERTH_FLOAT, shape);
  EXPECT_TRUE(tensor.ok()) << tensor.status().ToString();
  std::copy(values.begin(), values.end(), tensor->mutable_data<float>());
  return *tensor;
}

TEST(SplitDeviceTest, ValuesCrossFromOnePartToTheOther) {
  const bc::Scope root = bc::Scope::Root();
  const bc::Scope first = root.Device(DeviceName(0));
  const bc::Scope second = root.Device(DeviceName(1));
  const bc::Output x = bc::ops::Placeholder(first, "x", BERTH_FLOAT, {2, 2});
  const bc::Output square = bc::ops::MatMul(first, x, x);
  const bc::Output cube = bc::ops::MatMul(second, square, x);
  const bc::Output twice = bc::ops::Add(second, cube, square);
  Result<bc::Session> session = bc::Session::Create(root);
  ASSERT_TRUE(session.ok()) << session.status().ToString();
  // x² = {7,10,15,22}, x³ = {37,54,81,118}.
  const Tensor value = Matrix({2, 2}, {1, 2, 3, 4});
  const Result<Tensor> got = session->Run({{x, value}}, twice);
  ASSERT_TRUE(got.ok()) << got.status().ToString();
  EXPECT_EQ(std::vector<float>(got->data<float>(), got->data<float>() + 4),
            (std::vector<float>{44, 64, 96, 140}));

  // The square goes over once, though two ops there read it.
  RunTrace trace;
  std::vector<Tensor> outputs;
  RunSettings settings;
  settings.trace = true;
  const Status status = session->core()->Run({{x.name(), value}}, {twice.name()}, {},
                                             settings, &outputs, &trace);
  ASSERT_TRUE(status.ok()) << status.ToString();
  int crossings = 0;
  for (const TraceEvent& event : trace.events) {
    crossings += event.op == "_Copy" && event.node == square.name() ? 1 : 0;
    if (event.node == square.op_name() && event.op == "MatMul") {
      EXPECT_THAT(event.device, ::testing::EndsWith(DeviceName(0)));
    }
    if (event.node == cube.op_name()) {
      EXPECT_THAT(event.device, ::testing::EndsWith(DeviceName(1)));
    }
  }
  EXPECT_EQ(crossings, 1);
}

TEST(SplitDeviceTest, ThePartsShareIdentityAndMemory) {
  const bc::Scope root = bc::Scope::Root();
  Result<bc::Session> session = bc::Session::Create(root);
  ASSERT_TRUE(session.ok()) << session.status().ToString();
  const Device* parts[2] = {nullptr, nullptr};
  for (const Device* device : session->core()->devices()) {
    for (int i = 0; i < 2; ++i) {
      if (device->name().ends_with(DeviceName(i))) parts[i] = device;
    }
  }
  ASSERT_NE(parts[0], nullptr);
  ASSERT_NE(parts[1], nullptr);
  EXPECT_EQ(parts[0]->desc().physical_id, parts[1]->desc().physical_id);
  EXPECT_EQ(parts[0]->desc().memory_bytes, parts[1]->desc().memory_bytes);
  EXPECT_THAT(parts[1]->desc().display_name, ::testing::HasSubstr("part 2 of 2"));
}

}  // namespace
}  // namespace berth
