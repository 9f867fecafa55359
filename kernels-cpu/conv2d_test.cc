#include <gtest/gtest.h>

#include <cmath>

#include "kernels-cpu/testing/kernel_harness.h"

namespace berth::cpu {
namespace {

using testing::HostTensor;
using testing::KernelRun;

// A convolution of NHWC images, as the textbook has it.
struct Geometry {
  int64_t batch, height, width, in, kernel_h, kernel_w, out, stride, dilation;
  const char* padding;

  int64_t extent(int64_t kernel) const { return (kernel - 1) * dilation + 1; }
  bool same() const { return padding[0] == 'S'; }
  int64_t Size(int64_t n, int64_t kernel) const {
    return same() ? (n + stride - 1) / stride : (n - extent(kernel)) / stride + 1;
  }
  int64_t Before(int64_t n, int64_t kernel) const {
    const int64_t total = (Size(n, kernel) - 1) * stride + extent(kernel) - n;
    return same() && total > 0 ? total / 2 : 0;
  }
  std::vector<int64_t> in_dims() const { return {batch, height, width, in}; }
  std::vector<int64_t> filter_dims() const { return {kernel_h, kernel_w, in, out}; }
  std::vector<int64_t> out_dims() const {
    return {batch, Size(height, kernel_h), Size(width, kernel_w), out};
  }

  // Calls body(input, filter, output index) for every product.
  template <typename Body>
  void ForEachProduct(const Body& body) const {
    const std::vector<int64_t> o = out_dims();
    for (int64_t n = 0; n < batch; ++n) {
      for (int64_t y = 0; y < o[1]; ++y) {
        for (int64_t x = 0; x < o[2]; ++x) {
          for (int64_t kh = 0; kh < kernel_h; ++kh) {
            for (int64_t kw = 0; kw < kernel_w; ++kw) {
              const int64_t ih = y * stride - Before(height, kernel_h) + kh * dilation;
              const int64_t iw = x * stride - Before(width, kernel_w) + kw * dilation;
              if (ih < 0 || ih >= height || iw < 0 || iw >= width) continue;
              for (int64_t c = 0; c < in; ++c) {
                for (int64_t f = 0; f < out; ++f) {
                  body(((n * height + ih) * width + iw) * in + c,
                       ((kh * kernel_w + kw) * in + c) * out + f,
                       ((n * o[1] + y) * o[2] + x) * out + f);
                }
              }
            }
          }
        }
      }
    }
  }
};

const Geometry kGeometries[] = {
    {9, 14, 14, 8, 5, 5, 16, 1, 1, "SAME"}, {1, 33, 17, 3, 3, 3, 32, 2, 1, "SAME"},
    {2, 8, 8, 20, 1, 1, 7, 1, 1, "VALID"},  {3, 12, 11, 1, 5, 5, 32, 1, 1, "SAME"},
    {1, 40, 9, 4, 7, 7, 5, 2, 1, "VALID"},  {2, 9, 9, 6, 3, 3, 6, 1, 2, "SAME"},
    {1, 7, 7, 16, 1, 7, 16, 1, 1, "SAME"},  {5, 6, 6, 3, 1, 1, 4, 3, 1, "SAME"},
};

KernelRun& WithAttrs(KernelRun& run, const Geometry& g) {
  return run.Type("T", BERTH_FLOAT)
      .String("data_format", "NHWC")
      .String("padding", g.padding)
      .Ints("strides", {1, g.stride, g.stride, 1})
      .Ints("dilations", {1, g.dilation, g.dilation, 1});
}

HostTensor Sizes(const std::vector<int64_t>& dims) {
  const std::vector<int32_t> values(dims.begin(), dims.end());
  return HostTensor::Of<int32_t>({static_cast<int64_t>(dims.size())}, values);
}

void ExpectClose(const HostTensor& got, const std::vector<double>& want) {
  ASSERT_EQ(static_cast<size_t>(got.size()), want.size());
  for (size_t i = 0; i < want.size(); ++i) {
    ASSERT_NEAR(got.data<float>()[i], want[i], 1e-4 + 1e-4 * std::fabs(want[i])) << i;
  }
}

TEST(Conv2DTest, AgreesWithTheSumOfProducts) {
  for (const int threads : {1, 4}) {
    for (const Geometry& g : kGeometries) {
      const HostTensor x = HostTensor::Random(BERTH_FLOAT, g.in_dims(), 1);
      const HostTensor w = HostTensor::Random(BERTH_FLOAT, g.filter_dims(), 2);
      KernelRun run("Conv2D", threads);
      WithAttrs(run, g).In(x).In(w).Out(BERTH_FLOAT, g.out_dims());
      const sdk::Status status = run.Run();
      ASSERT_TRUE(status.ok()) << status.message();
      std::vector<double> want(static_cast<size_t>(run.output(0).size()));
      g.ForEachProduct([&](int64_t i, int64_t f, int64_t o) {
        want[static_cast<size_t>(o)] +=
            double{x.data<float>()[i]} * double{w.data<float>()[f]};
      });
      ExpectClose(run.output(0), want);
    }
  }
}

TEST(Conv2DTest, InputGradientAgreesWithTheSumOfProducts) {
  for (const Geometry& g : kGeometries) {
    const HostTensor w = HostTensor::Random(BERTH_FLOAT, g.filter_dims(), 2);
    const HostTensor dy = HostTensor::Random(BERTH_FLOAT, g.out_dims(), 3);
    KernelRun run("Conv2DBackpropInput");
    WithAttrs(run, g)
        .In(Sizes(g.in_dims()), "input_sizes")
        .In(w)
        .In(dy)
        .Out(BERTH_FLOAT, g.in_dims());
    const sdk::Status status = run.Run();
    ASSERT_TRUE(status.ok()) << status.message();
    std::vector<double> want(static_cast<size_t>(run.output(0).size()));
    g.ForEachProduct([&](int64_t i, int64_t f, int64_t o) {
      want[static_cast<size_t>(i)] +=
          double{dy.data<float>()[o]} * double{w.data<float>()[f]};
    });
    ExpectClose(run.output(0), want);
  }
}

TEST(Conv2DTest, FilterGradientAgreesWithTheSumOfProducts) {
  for (const int threads : {1, 4}) {
    for (const Geometry& g : kGeometries) {
      const HostTensor x = HostTensor::Random(BERTH_FLOAT, g.in_dims(), 1);
      const HostTensor dy = HostTensor::Random(BERTH_FLOAT, g.out_dims(), 3);
      KernelRun run("Conv2DBackpropFilter", threads);
      WithAttrs(run, g)
          .In(x)
          .In(Sizes(g.filter_dims()), "filter_sizes")
          .In(dy)
          .Out(BERTH_FLOAT, g.filter_dims());
      const sdk::Status status = run.Run();
      ASSERT_TRUE(status.ok()) << status.message();
      std::vector<double> want(static_cast<size_t>(run.output(0).size()));
      g.ForEachProduct([&](int64_t i, int64_t f, int64_t o) {
        want[static_cast<size_t>(f)] +=
            double{x.data<float>()[i]} * double{dy.data<float>()[o]};
      });
      ExpectClose(run.output(0), want);
    }
  }
}

TEST(Conv2DTest, PutsTheOddCellOfSamePaddingAtTheEnd) {
  // 4x4 ones with 3x3 ones and stride 2: windows of 9, 6, 6 and 4 cells.
  KernelRun run("Conv2D");
  WithAttrs(run, {1, 4, 4, 1, 3, 3, 1, 2, 1, "SAME"})
      .In(HostTensor::Of<float>({1, 4, 4, 1}, std::vector<float>(16, 1.0F)))
      .In(HostTensor::Of<float>({3, 3, 1, 1}, std::vector<float>(9, 1.0F)))
      .Out(BERTH_FLOAT, {1, 2, 2, 1});
  ASSERT_TRUE(run.Run().ok());
  EXPECT_EQ(run.output(0).values<float>(), (std::vector<float>{9, 6, 6, 4}));
}

TEST(Conv2DTest, DeclinesStridesAlongChannelsWithAReason) {
  KernelRun run("Conv2D");
  run.Type("T", BERTH_FLOAT)
      .String("padding", "SAME")
      .Ints("strides", {1, 1, 1, 2})
      .In(HostTensor(BERTH_FLOAT, {1, 4, 4, 2}))
      .In(HostTensor(BERTH_FLOAT, {1, 1, 2, 2}))
      .Out(BERTH_FLOAT, {1, 4, 4, 2});
  const sdk::Status status = run.Find();
  EXPECT_EQ(status.code(), BERTH_UNIMPLEMENTED);
  EXPECT_NE(std::string(status.message()).find("channels"), std::string::npos);
}

TEST(Conv2DTest, DepthsThatDoNotFitAreInvalid) {
  KernelRun run("Conv2D");
  WithAttrs(run, {1, 5, 5, 3, 3, 3, 2, 1, 1, "SAME"})
      .In(HostTensor(BERTH_FLOAT, {1, 5, 5, 3}))
      .In(HostTensor(BERTH_FLOAT, {3, 3, 2, 2}))
      .Out(BERTH_FLOAT, {1, 5, 5, 2});
  EXPECT_EQ(run.Run().code(), BERTH_INVALID_ARGUMENT);
}

TEST(Conv2DTest, AnEmptyBatchGivesZeroFilterGradient) {
  KernelRun run("Conv2DBackpropFilter");
  WithAttrs(run, {0, 4, 4, 2, 3, 3, 2, 1, 1, "SAME"})
      .In(HostTensor(BERTH_FLOAT, {0, 4, 4, 2}))
      .In(Sizes({3, 3, 2, 2}), "filter_sizes")
      .In(HostTensor(BERTH_FLOAT, {0, 4, 4, 2}))
      .Out(BERTH_FLOAT, {3, 3, 2, 2});
  ASSERT_TRUE(run.Run().ok());
  EXPECT_EQ(run.output(0).values<float>(), std::vector<float>(36, 0.0F));
}

}  // namespace
}  // namespace berth::cpu
