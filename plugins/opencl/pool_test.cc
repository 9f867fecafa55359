// Pooling and its gradients for depths that vectors divide and those that they do not,
// against plain loops in double precision.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <ostream>
#include <string>

#include "plugins/opencl/testing/harness.h"

namespace berth::opencl::testing {
namespace {

using Ints = std::vector<int64_t>;

struct Geometry {
  int64_t size, depth, window, stride;
  bool same;  // SAME, otherwise VALID

  int64_t output() const {
    return same ? (size + stride - 1) / stride : (size - window) / stride + 1;
  }
  int64_t pad() const {
    return same ? std::max<int64_t>((output() - 1) * stride + window - size, 0) / 2 : 0;
  }
};

std::ostream& operator<<(std::ostream& out, const Geometry& g) {
  return out << g.size << "x" << g.size << "x" << g.depth << " window " << g.window
             << " stride " << g.stride << (g.same ? " SAME" : " VALID");
}

constexpr int64_t kBatch = 2;

struct Reference {
  std::vector<double> max, max_gradient, average, average_gradient;
};

// Visits window by window, as the definitions of the ops do.
Reference Compute(const Geometry& g, const std::vector<float>& input,
                  const std::vector<float>& gradient) {
  Reference r;
  r.max.assign(gradient.size(), -std::numeric_limits<double>::infinity());
  r.average.assign(gradient.size(), 0);
  r.max_gradient.assign(input.size(), 0);
  r.average_gradient.assign(input.size(), 0);
  const int64_t side = g.output();
  for (int64_t o = 0; o < static_cast<int64_t>(gradient.size()); ++o) {
    const int64_t position = o / g.depth;
    const int64_t top = position / side % side * g.stride - g.pad();
    const int64_t left = position % side * g.stride - g.pad();
    std::vector<size_t> cells;
    for (int64_t y = top; y < top + g.window; ++y) {
      for (int64_t x = left; x < left + g.window; ++x) {
        if (y < 0 || x < 0 || y >= g.size || x >= g.size) continue;
        const int64_t row = position / side / side * g.size + y;
        cells.push_back(static_cast<size_t>((row * g.size + x) * g.depth + o % g.depth));
      }
    }
    const auto out = static_cast<size_t>(o);
    size_t largest = cells[0];
    for (const size_t cell : cells) {
      if (input[cell] > input[largest]) largest = cell;
      const double share = static_cast<double>(cells.size());
      r.average[out] += input[cell] / share;
      r.average_gradient[cell] += gradient[out] / share;
    }
    r.max[out] = input[largest];
    r.max_gradient[largest] += gradient[out];
  }
  return r;
}

// Few different values, so that windows have several largest elements.
std::vector<float> Steps(int64_t count, uint32_t seed) {
  std::vector<float> values(static_cast<size_t>(count));
  for (float& value : values) {
    seed = seed * 1664525 + 1013904223;
    value = static_cast<float>(seed >> 28) - 7;
  }
  return values;
}

class PoolTest : public ::testing::TestWithParam<Geometry> {
 protected:
  void SetUp() override {
    auto opened = Harness::Open();
    ASSERT_TRUE(opened.ok()) << opened.status().message();
    harness_ = std::move(*opened);
  }

  void Check(const char* op, std::vector<HostTensor> inputs,
             const std::vector<double>& want) {
    const Geometry& g = GetParam();
    OpCall call;
    call.op = op;
    call.attrs = {{"T", TypeAttr{BERTH_FLOAT}},
                  {"ksize", Ints{1, g.window, g.window, 1}},
                  {"strides", Ints{1, g.stride, g.stride, 1}},
                  {"padding", std::string(g.same ? "SAME" : "VALID")},
                  {"data_format", std::string("NHWC")}};
    call.inputs = std::move(inputs);
    call.arg_names = {std::string(op) == "AvgPoolGrad" ? "orig_input_shape" : "x", "y",
                      "z"};
    const OpResult result = harness_->Run(call);
    ASSERT_TRUE(result.status.ok()) << result.status.message();
    const std::vector<float> got = result.outputs[0].Values<float>();
    ASSERT_EQ(got.size(), want.size());
    for (size_t i = 0; i < got.size(); ++i) {
      ASSERT_NEAR(got[i], want[i], 1e-5) << op << " element " << i;
    }
  }

  std::unique_ptr<Harness> harness_;
};

TEST_P(PoolTest, AllFourAgreeWithPlainLoops) {
  const Geometry& g = GetParam();
  const Ints in = {kBatch, g.size, g.size, g.depth};
  const Ints out = {kBatch, g.output(), g.output(), g.depth};
  const std::vector<float> input = Steps(kBatch * g.size * g.size * g.depth, 1);
  const std::vector<float> gradient =
      Steps(kBatch * g.output() * g.output() * g.depth, 2);
  const Reference want = Compute(g, input, gradient);
  const HostTensor x(in, input);
  const HostTensor dy(out, gradient);
  const HostTensor y(out, std::vector<float>(want.max.begin(), want.max.end()));
  const HostTensor shape({4}, std::vector<int32_t>(in.begin(), in.end()));
  Check("MaxPool", {x}, want.max);
  Check("MaxPoolGrad", {x, y, dy}, want.max_gradient);
  Check("AvgPool", {x}, want.average);
  Check("AvgPoolGrad", {shape, dy}, want.average_gradient);
}

// Windows that tile the input, leave a rest, overlap, and leave gaps.
INSTANTIATE_TEST_SUITE_P(
    Geometries, PoolTest,
    ::testing::Values(Geometry{8, 32, 2, 2, true}, Geometry{8, 6, 2, 2, true},
                      Geometry{7, 16, 2, 2, true}, Geometry{7, 16, 2, 2, false},
                      Geometry{9, 48, 3, 2, true}, Geometry{9, 5, 3, 2, true},
                      Geometry{8, 16, 3, 1, true}, Geometry{11, 16, 2, 4, false},
                      Geometry{11, 3, 2, 4, true}, Geometry{5, 64, 5, 5, false}));

}  // namespace
}  // namespace berth::opencl::testing
