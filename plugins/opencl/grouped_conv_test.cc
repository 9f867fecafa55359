// Grouped convolutions and their gradients against a sum in double precision.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <ostream>

#include "plugins/opencl/testing/harness.h"

namespace berth::opencl::testing {
namespace {

using Ints = std::vector<int64_t>;

struct Geometry {
  int64_t batch, size, in_depth, out_depth, groups, window, stride, dilation;

  int64_t output() const { return (size + stride - 1) / stride; }  // SAME
  int64_t pad() const {
    const int64_t reach = (window - 1) * dilation + 1;
    return std::max<int64_t>((output() - 1) * stride + reach - size, 0) / 2;
  }
  Ints input_dims() const { return {batch, size, size, in_depth}; }
  Ints filter_dims() const { return {window, window, in_depth / groups, out_depth}; }
  Ints output_dims() const { return {batch, output(), output(), out_depth}; }
};

std::ostream& operator<<(std::ostream& out, const Geometry& g) {
  return out << "batch " << g.batch << " size " << g.size << " depth " << g.in_depth
             << " to " << g.out_depth << " groups " << g.groups << " window " << g.window
             << " stride " << g.stride << " dilation " << g.dilation;
}

// Calls `each` with the flat indices of every product of the convolution.
void ForEachProduct(
    const Geometry& g,
    const std::function<void(int64_t in, int64_t filter, int64_t out)>& each) {
  const int64_t in_group = g.in_depth / g.groups;
  const int64_t out_group = g.out_depth / g.groups;
  const int64_t side = g.output();
  for (int64_t position = 0; position < g.batch * side * side; ++position) {
    const int64_t b = position / (side * side);
    for (int64_t tap = 0; tap < g.window * g.window; ++tap) {
      const int64_t y =
          position / side % side * g.stride - g.pad() + tap / g.window * g.dilation;
      const int64_t x =
          position % side * g.stride - g.pad() + tap % g.window * g.dilation;
      if (y < 0 || x < 0 || y >= g.size || x >= g.size) continue;
      for (int64_t o = 0; o < g.out_depth; ++o) {
        for (int64_t i = 0; i < in_group; ++i) {
          const int64_t channel = o / out_group * in_group + i;
          each(((b * g.size + y) * g.size + x) * g.in_depth + channel,
               (tap * in_group + i) * g.out_depth + o, position * g.out_depth + o);
        }
      }
    }
  }
}

HostTensor Noise(const Ints& dims, uint32_t seed) {
  int64_t n = 1;
  for (const int64_t dim : dims) n *= dim;
  std::vector<float> values(static_cast<size_t>(n));
  for (float& value : values) {
    seed = seed * 1664525 + 1013904223;
    value = static_cast<float>(seed >> 8) / static_cast<float>(1 << 23) - 1;
  }
  return {dims, values};
}

HostTensor Sizes(const Ints& dims) {
  return {{static_cast<int64_t>(dims.size())},
          std::vector<int32_t>(dims.begin(), dims.end())};
}

class GroupedConvTest : public ::testing::TestWithParam<Geometry> {
 protected:
  void SetUp() override {
    auto opened = Harness::Open();
    ASSERT_TRUE(opened.ok()) << opened.status().message();
    harness_ = std::move(*opened);
  }

  // Runs the op and compares with `want`; each element is a sum of products of values
  // below 1.
  void Check(const char* op, std::vector<HostTensor> inputs,
             std::vector<std::string> names, const std::vector<double>& want) {
    const Geometry& g = GetParam();
    OpCall call;
    call.op = op;
    call.attrs = {{"T", TypeAttr{BERTH_FLOAT}},
                  {"strides", Ints{1, g.stride, g.stride, 1}},
                  {"dilations", Ints{1, g.dilation, g.dilation, 1}},
                  {"padding", std::string("SAME")},
                  {"data_format", std::string("NHWC")}};
    call.inputs = std::move(inputs);
    call.arg_names = std::move(names);
    const OpResult result = harness_->Run(call);
    ASSERT_TRUE(result.status.ok()) << result.status.message();
    const std::vector<float> got = result.outputs[0].Values<float>();
    ASSERT_EQ(got.size(), want.size());
    for (size_t i = 0; i < got.size(); ++i) {
      ASSERT_NEAR(got[i], want[i], 1e-5 * (1 + std::abs(want[i]))) << op << " " << i;
    }
  }

  std::unique_ptr<Harness> harness_;
};

TEST_P(GroupedConvTest, AllThreeAgreeWithSumsInDouble) {
  const Geometry& g = GetParam();
  const HostTensor input = Noise(g.input_dims(), 1);
  const HostTensor filter = Noise(g.filter_dims(), 2);
  const HostTensor gradient = Noise(g.output_dims(), 3);
  const std::vector<float> x = input.Values<float>();
  const std::vector<float> w = filter.Values<float>();
  const std::vector<float> dy = gradient.Values<float>();
  std::vector<double> y(dy.size());
  std::vector<double> dw(w.size());
  std::vector<double> dx(x.size());
  ForEachProduct(g, [&](int64_t in, int64_t tap, int64_t out) {
    const auto i = static_cast<size_t>(in);
    const auto f = static_cast<size_t>(tap);
    const auto o = static_cast<size_t>(out);
    y[o] += double{x[i]} * w[f];
    dw[f] += double{x[i]} * dy[o];
    dx[i] += double{w[f]} * dy[o];
  });
  Check("Conv2D", {input, filter}, {"input", "filter"}, y);
  Check("Conv2DBackpropFilter", {input, Sizes(g.filter_dims()), gradient},
        {"input", "filter_sizes", "out_backprop"}, dw);
  Check("Conv2DBackpropInput", {Sizes(g.input_dims()), filter, gradient},
        {"input_sizes", "filter", "out_backprop"}, dx);
}

// Fewer and more channels in a group than vectors have, strides, holes, one channel each.
INSTANTIATE_TEST_SUITE_P(Geometries, GroupedConvTest,
                         ::testing::Values(Geometry{2, 7, 6, 8, 2, 3, 1, 1},
                                           Geometry{1, 8, 4, 4, 4, 3, 2, 1},
                                           Geometry{1, 9, 6, 9, 3, 3, 1, 2},
                                           Geometry{2, 5, 64, 80, 2, 3, 1, 1},
                                           Geometry{1, 6, 40, 70, 1, 5, 2, 1}));

}  // namespace
}  // namespace berth::opencl::testing
