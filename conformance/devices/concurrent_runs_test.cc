// Many threads run one session on a device: each gets its own answer, and an error that
// the device finds reaches the run that made it and no other.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "client/berth.h"

namespace berth {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

namespace bc = berth::client;

constexpr int kThreads = 6;
constexpr int kRuns = 30;

std::string DeviceName() {
  const char* type = std::getenv("BERTH_TEST_DEVICE_TYPE");
  return "/device:" + std::string(type != nullptr ? type : "UNSET") + ":0";
}

template <typename T>
Tensor Filled(DType dtype, const Shape& shape, T value) {
  Result<Tensor> tensor = Tensor::Allocate(dtype, shape);
  EXPECT_TRUE(tensor.ok()) << tensor.status().ToString();
  std::fill_n(tensor->mutable_data<T>(), tensor->num_elements(), value);
  return *tensor;
}

// Calls `body(thread)` on all threads at once.
template <typename Body>
void OnThreads(const Body& body) {
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) threads.emplace_back([&body, i] { body(i); });
  for (std::thread& thread : threads) thread.join();
}

TEST(ConcurrentRunsTest, EveryRunGetsItsOwnAnswer) {
  const bc::Scope root = bc::Scope::Root();
  const bc::Scope device = root.Device(DeviceName());
  const bc::Output x = bc::ops::Placeholder(device, "x", BERTH_FLOAT, {-1, 32});
  const bc::Output w = bc::ops::Placeholder(device, "w", BERTH_FLOAT, {32, 32});
  const bc::Output y =
      bc::ops::Relu(device, bc::ops::Add(device, bc::ops::MatMul(device, x, w), x));
  Result<bc::Session> session = bc::Session::Create(root);
  ASSERT_TRUE(session.ok()) << session.status().ToString();
  OnThreads([&](int thread) {
    for (int run = 0; run < kRuns; ++run) {
      // Shapes differ as well: they are prepared side by side.
      const int64_t rows = 1 + (thread + run) % 5;
      const auto value = static_cast<float>(thread + 1);
      const Result<Tensor> got =
          session->Run({{x, Filled<float>(BERTH_FLOAT, {rows, 32}, value)},
                        {w, Filled<float>(BERTH_FLOAT, {32, 32}, 0.5F)}},
                       y);
      ASSERT_TRUE(got.ok()) << got.status().ToString();
      ASSERT_EQ(got->num_elements(), rows * 32);
      for (int64_t i = 0; i < rows * 32; ++i) {
        ASSERT_EQ(got->data<float>()[i], 32 * 0.5F * value + value) << thread << " " << i;
      }
    }
  });
}

TEST(ConcurrentRunsTest, AnErrorFoundOnTheDeviceReachesItsOwnRunOnly) {
  const bc::Scope root = bc::Scope::Root();
  const bc::Scope device = root.Device(DeviceName());
  const bc::Output labels = bc::ops::Placeholder(device, "labels", BERTH_INT64, {4});
  const bc::Output logits = bc::ops::Placeholder(device, "logits", BERTH_FLOAT, {4, 10});
  const bc::Output loss = bc::ops::Mean(
      device, bc::ops::SparseSoftmaxCrossEntropy(device.Name("loss"), labels, logits));
  Result<bc::Session> session = bc::Session::Create(root);
  ASSERT_TRUE(session.ok()) << session.status().ToString();
  const Tensor zeros = Filled<float>(BERTH_FLOAT, {4, 10}, 0);
  OnThreads([&](int thread) {
    const bool bad = thread % 2 == 1;
    for (int run = 0; run < kRuns; ++run) {
      const Result<Tensor> got = session->Run(
          {{labels, Filled<int64_t>(BERTH_INT64, {4}, bad ? 10 + thread : thread)},
           {logits, zeros}},
          loss);
      if (!bad) {
        ASSERT_TRUE(got.ok()) << got.status().ToString();
        ASSERT_NEAR(*got->data<float>(), std::log(10.0), 1e-6);
        continue;
      }
      ASSERT_EQ(got.status().code(), Code::kInvalidArgument);
      ASSERT_THAT(std::string(got.status().message()),
                  AllOf(HasSubstr("loss/SparseSoftmaxCrossEntropyWithLogits"),
                        HasSubstr("label value of " + std::to_string(10 + thread)),
                        HasSubstr("[0, 10)")));
    }
  });
}

TEST(ConcurrentRunsTest, SessionsOpenAndCloseSideBySide) {
  OnThreads([](int thread) {
    for (int run = 0; run < 5; ++run) {
      const bc::Scope root = bc::Scope::Root();
      const bc::Scope device = root.Device(DeviceName());
      const bc::Output x = bc::ops::Placeholder(device, "x", BERTH_FLOAT, {8});
      const bc::Output y = bc::ops::Square(device, x);
      Result<bc::Session> session = bc::Session::Create(root);
      ASSERT_TRUE(session.ok()) << session.status().ToString();
      const auto value = static_cast<float>(thread + run);
      const Result<Tensor> got =
          session->Run({{x, Filled<float>(BERTH_FLOAT, {8}, value)}}, y);
      ASSERT_TRUE(got.ok()) << got.status().ToString();
      ASSERT_EQ(got->data<float>()[7], value * value);
    }
  });
}

}  // namespace
}  // namespace berth
