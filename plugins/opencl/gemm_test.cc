// MatMul by the plugin's own kernel and by CLBlast, each forced by the option `gemm`,
// against sums in double precision.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "plugins/opencl/testing/harness.h"

namespace berth::opencl::testing {
namespace {

struct Sizes {
  int64_t m, k, n;
};

// One device for all products of a choice: CLBlast compiles anew for each context.
class GemmTest : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    TestHost::Get()->SetOption("gemm", GetParam());
    auto opened = Harness::Open();
    ASSERT_TRUE(opened.ok()) << opened.status().message();
    harness_ = std::move(*opened);
  }
  void TearDown() override { TestHost::Get()->SetOption("gemm", ""); }

  template <typename T>
  void Check(const Sizes& sizes, bool transpose_a, bool transpose_b);

  std::unique_ptr<Harness> harness_;
};

template <typename T>
std::vector<T> Noise(int64_t count, uint32_t seed) {
  std::vector<T> values(static_cast<size_t>(count));
  for (T& value : values) {
    seed = seed * 1664525 + 1013904223;
    value = static_cast<T>(seed >> 8) / static_cast<T>(1 << 23) - 1;
  }
  return values;
}

template <typename T>
void GemmTest::Check(const Sizes& sizes, bool transpose_a, bool transpose_b) {
  const auto [m, k, n] = sizes;
  const std::vector<T> a = Noise<T>(m * k, 1);
  const std::vector<T> b = Noise<T>(k * n, 2);
  OpCall call;
  call.op = "MatMul";
  call.attrs = {{"T", TypeAttr{sdk::DtypeOf<T>()}},
                {"transpose_a", transpose_a},
                {"transpose_b", transpose_b}};
  using Dims = std::vector<int64_t>;
  call.inputs = {HostTensor(transpose_a ? Dims{k, m} : Dims{m, k}, a),
                 HostTensor(transpose_b ? Dims{n, k} : Dims{k, n}, b)};
  call.output_dtypes = {sdk::DtypeOf<T>()};
  const OpResult result = harness_->Run(call);
  ASSERT_TRUE(result.status.ok()) << result.status.message();
  const std::vector<T> got = result.outputs[0].Values<T>();
  ASSERT_EQ(got.size(), static_cast<size_t>(m * n));
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      double want = 0;
      double magnitude = 0;
      for (int64_t d = 0; d < k; ++d) {
        const auto at_a = static_cast<size_t>(transpose_a ? d * m + i : i * k + d);
        const auto at_b = static_cast<size_t>(transpose_b ? j * k + d : d * n + j);
        const double product =
            static_cast<double>(a[at_a]) * static_cast<double>(b[at_b]);
        want += product;
        magnitude += std::abs(product);
      }
      // The bound of a sum of k products in any order: k roundings of their magnitudes.
      const double bound = static_cast<double>(k) * magnitude *
                           static_cast<double>(std::numeric_limits<T>::epsilon()) / 2;
      ASSERT_NEAR(got[static_cast<size_t>(i * n + j)], want, bound)
          << i << "," << j << (transpose_a ? " a'" : "") << (transpose_b ? " b'" : "");
    }
  }
}

TEST_P(GemmTest, AgreesWithSumsInDouble) {
  for (const bool transpose_a : {false, true}) {
    for (const bool transpose_b : {false, true}) {
      Check<float>({33, 17, 65}, transpose_a, transpose_b);
    }
  }
  Check<float>({3, 0, 2}, false, false);
  // Large enough for the other of CLBlast's two ways.
  Check<float>({260, 300, 250}, false, false);
}

// Shapes that the plugin's own kernel cuts up differently: one tile, tall, deep, more
// than a cache holds.
class BuiltinGemmTest : public GemmTest {};

TEST_P(BuiltinGemmTest, AgreesForEveryCutOfTheWork) {
  for (const Sizes& sizes :
       {Sizes{1, 7, 1}, Sizes{200, 64, 10}, Sizes{10, 600, 24}, Sizes{24, 5000, 40}}) {
    for (const bool transpose_a : {false, true}) {
      for (const bool transpose_b : {false, true}) {
        Check<float>(sizes, transpose_a, transpose_b);
      }
    }
  }
  Check<double>({33, 17, 65}, false, true);
}

INSTANTIATE_TEST_SUITE_P(Choices, BuiltinGemmTest, ::testing::Values("builtin"));
INSTANTIATE_TEST_SUITE_P(Choices, GemmTest, ::testing::Values("builtin", "clblast"),
                         [](const auto& choice) { return std::string(choice.param); });

}  // namespace
}  // namespace berth::opencl::testing
