// Reductions over every choice of axes, in vectors and single elements, one chunk and
// many, against sums in double precision.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "plugins/opencl/testing/harness.h"

namespace berth::opencl::testing {
namespace {

using Ints = std::vector<int64_t>;

class ReduceTest : public ::testing::TestWithParam<Ints> {
 protected:
  void SetUp() override {
    auto opened = Harness::Open();
    ASSERT_TRUE(opened.ok()) << opened.status().message();
    harness_ = std::move(*opened);
  }

  std::unique_ptr<Harness> harness_;
};

std::vector<float> Noise(int64_t count) {
  std::vector<float> values(static_cast<size_t>(count));
  uint32_t seed = 1;
  for (float& value : values) {
    seed = seed * 1664525 + 1013904223;
    value = static_cast<float>(seed >> 8) / static_cast<float>(1 << 23) - 1;
  }
  return values;
}

struct Expected {
  std::vector<double> sum, magnitude, most;
  double count = 0;  // elements behind one output
};

// `mask` has a bit for each axis that goes.
Expected Reduce(const Ints& dims, const std::vector<float>& values, uint32_t mask) {
  int64_t outputs = 1;
  for (size_t d = 0; d < dims.size(); ++d) outputs *= (mask >> d & 1) != 0 ? 1 : dims[d];
  Expected e;
  const auto size = static_cast<size_t>(outputs);
  e.sum.assign(size, 0);
  e.magnitude.assign(size, 0);
  e.most.assign(size, -std::numeric_limits<double>::infinity());
  e.count = static_cast<double>(values.size()) / static_cast<double>(outputs);
  for (size_t i = 0; i < values.size(); ++i) {
    int64_t rest = static_cast<int64_t>(i);
    int64_t at = 0;
    int64_t stride = 1;
    for (size_t d = dims.size(); d-- > 0;) {
      if ((mask >> d & 1) == 0) {
        at += rest % dims[d] * stride;
        stride *= dims[d];
      }
      rest /= dims[d];
    }
    const auto o = static_cast<size_t>(at);
    e.sum[o] += values[i];
    e.magnitude[o] += std::abs(values[i]);
    e.most[o] = std::max<double>(e.most[o], values[i]);
  }
  return e;
}

TEST_P(ReduceTest, EveryChoiceOfAxes) {
  const Ints& dims = GetParam();
  int64_t count = 1;
  for (const int64_t dim : dims) count *= dim;
  const std::vector<float> values = Noise(count);
  for (uint32_t mask = 0; mask < 1U << dims.size(); ++mask) {
    const Expected want = Reduce(dims, values, mask);
    std::vector<int32_t> axes;
    for (size_t d = 0; d < dims.size(); ++d) {
      if ((mask >> d & 1) != 0) axes.push_back(static_cast<int32_t>(d));
    }
    for (const char* op : {"Sum", "Mean", "Max"}) {
      OpCall call;
      call.op = op;
      call.attrs = {{"T", TypeAttr{BERTH_FLOAT}}, {"Tidx", TypeAttr{BERTH_INT32}}};
      call.inputs = {HostTensor(dims, values),
                     HostTensor({static_cast<int64_t>(axes.size())}, axes)};
      call.arg_names = {"input", "reduction_indices"};
      const OpResult result = harness_->Run(call);
      ASSERT_TRUE(result.status.ok()) << result.status.message();
      const std::vector<float> got = result.outputs[0].Values<float>();
      ASSERT_EQ(got.size(), want.sum.size()) << op << " mask " << mask;
      for (size_t i = 0; i < got.size(); ++i) {
        // Blocks of 32 and their totals: an error of far fewer roundings than elements.
        const double bound = 64 * 6e-8 * want.magnitude[i];
        if (std::string(op) == "Max") {
          ASSERT_EQ(got[i], want.most[i]) << "mask " << mask << " " << i;
        } else if (std::string(op) == "Sum") {
          ASSERT_NEAR(got[i], want.sum[i], bound) << "mask " << mask << " " << i;
        } else {
          ASSERT_NEAR(got[i], want.sum[i] / want.count, bound / want.count + 6e-8)
              << "mask " << mask << " " << i;
        }
      }
    }
  }
}

// Depths that vectors divide and not; few outputs with much behind each, and the reverse.
INSTANTIATE_TEST_SUITE_P(Shapes, ReduceTest,
                         ::testing::Values(Ints{4000, 32}, Ints{4000, 7}, Ints{3, 50, 48},
                                           Ints{2, 9, 5, 16}, Ints{33},
                                           Ints{2, 3, 4, 5, 6}, Ints{64, 1, 80}));

}  // namespace
}  // namespace berth::opencl::testing
