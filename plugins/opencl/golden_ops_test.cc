// Every recorded case of every op that the plugin has a row for, kernel by kernel.
#include <gtest/gtest.h>

#include <filesystem>
#include <iostream>
#include <set>

#include "plugins/opencl/testing/golden_case.h"
#include "plugins/opencl/testing/harness.h"

namespace berth::opencl::testing {
namespace {

namespace fs = std::filesystem;

// TensorFlow's CPU kernels refuse some convolutions that run here.
bool IsLimitOfTensorFlowsCpu(const GoldenCase& golden) {
  return golden.error_message.find("CPU implementations do not yet support") !=
             std::string::npos ||
         golden.error_message.find("not supported on CPU") != std::string::npos;
}

class GoldenOpsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto opened = Harness::Open();
    ASSERT_TRUE(opened.ok()) << opened.status().message();
    harness_ = std::move(*opened);
  }
  std::unique_ptr<Harness> harness_;
};

std::set<std::string> OpsOf(const berth_plugin* plugin) {
  std::set<std::string> ops;
  for (uint32_t i = 0; i < plugin->num_kernels; ++i) ops.insert(plugin->kernels[i]->op);
  return ops;
}

TEST_F(GoldenOpsTest, AgreeWithTensorFlow) {
  int num_run = 0;
  int num_declined = 0;
  for (const std::string& op : OpsOf(harness_->plugin())) {
    const fs::path folder = fs::path(BERTH_GOLDEN_DIR) / "ops" / op;
    if (!fs::exists(folder)) continue;
    int run_of_op = 0;
    for (const auto& entry : fs::directory_iterator(folder)) {
      GoldenCase golden;
      std::string why;
      const std::string name = op + "/" + entry.path().filename().string();
      if (!ReadGoldenCase(entry.path().string(), &golden, &why) ||
          IsLimitOfTensorFlowsCpu(golden)) {
        continue;
      }
      const OpResult result = harness_->Run(golden.call);
      if (result.status.code() == BERTH_UNIMPLEMENTED) {
        ++num_declined;
        continue;
      }
      ++num_run;
      ++run_of_op;
      if (!golden.error_class.empty()) {
        EXPECT_FALSE(result.status.ok()) << name << " should be " << golden.error_class;
        continue;
      }
      EXPECT_TRUE(result.status.ok()) << name << ": " << result.status.message();
      if (!result.status.ok()) continue;
      for (size_t i = 0; i < golden.outputs.size(); ++i) {
        EXPECT_EQ(CompareGolden(golden.outputs[i], result.outputs[i]), "")
            << name << " output " << i;
      }
    }
    std::cout << op << ": " << run_of_op << "\n";
  }
  std::cout << num_run << " cases run, " << num_declined << " declined\n";
  EXPECT_GT(num_run, 700);
}

}  // namespace
}  // namespace berth::opencl::testing
