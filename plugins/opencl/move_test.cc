// Moves whose last dimension stays together, for every width at which it is moved.
#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>

#include "plugins/opencl/testing/harness.h"

namespace berth::opencl::testing {
namespace {

using Ints = std::vector<int64_t>;

class MoveTest : public ::testing::TestWithParam<int64_t> {
 protected:
  void SetUp() override {
    auto opened = Harness::Open();
    ASSERT_TRUE(opened.ok()) << opened.status().message();
    harness_ = std::move(*opened);
  }

  // Runs an op on a tensor that counts 0, 1, 2, …
  template <typename T>
  std::vector<T> Run(const char* op, const Ints& dims,
                     const std::vector<std::pair<const char*, HostTensor>>& hosts) {
    int64_t n = 1;
    for (const int64_t dim : dims) n *= dim;
    std::vector<T> values(static_cast<size_t>(n));
    std::iota(values.begin(), values.end(), T{0});
    OpCall call;
    call.op = op;
    call.attrs = {{"T", TypeAttr{sdk::DtypeOf<T>()}}};
    call.inputs = {HostTensor(dims, values)};
    call.arg_names = {"x"};
    for (const auto& [name, tensor] : hosts) {
      call.arg_names.emplace_back(name);
      call.inputs.push_back(tensor);
    }
    call.output_dtypes = {sdk::DtypeOf<T>()};
    const OpResult result = harness_->Run(call);
    EXPECT_TRUE(result.status.ok()) << result.status.message();
    return result.status.ok() ? result.outputs[0].Values<T>() : std::vector<T>();
  }

  template <typename T>
  void CheckAll();

  std::unique_ptr<Harness> harness_;
};

HostTensor Numbers(const std::vector<int32_t>& values) {
  return {{static_cast<int64_t>(values.size())}, values};
}

constexpr int64_t kA = 3;
constexpr int64_t kB = 4;

template <typename T>
void MoveTest::CheckAll() {
  const int64_t depth = GetParam();
  const auto d32 = static_cast<int32_t>(depth);
  const auto at = [depth](int64_t a, int64_t b, int64_t c) {
    return static_cast<T>((a * kB + b) * depth + c);
  };
  const std::vector<T> turned =
      Run<T>("Transpose", {kA, kB, depth}, {{"perm", Numbers({1, 0, 2})}});
  const std::vector<T> part =
      Run<T>("Slice", {kA, kB, depth},
             {{"begin", Numbers({1, 1, 0})}, {"size", Numbers({2, 2, d32})}});
  HostTensor paddings = Numbers({1, 0, 0, 1, 0, 0});
  paddings.dims = {3, 2};
  const std::vector<T> padded = Run<T>("Pad", {kA, kB, depth}, {{"paddings", paddings}});
  ASSERT_EQ(turned.size(), static_cast<size_t>(kA * kB * depth));
  ASSERT_EQ(part.size(), static_cast<size_t>(4 * depth));
  ASSERT_EQ(padded.size(), static_cast<size_t>((kA + 1) * (kB + 1) * depth));
  for (int64_t c = 0; c < depth; ++c) {
    for (int64_t a = 0; a < kA; ++a) {
      for (int64_t b = 0; b < kB; ++b) {
        ASSERT_EQ(turned[static_cast<size_t>((b * kA + a) * depth + c)], at(a, b, c));
      }
    }
    for (int64_t a = 0; a < 2; ++a) {
      for (int64_t b = 0; b < 2; ++b) {
        ASSERT_EQ(part[static_cast<size_t>((a * 2 + b) * depth + c)],
                  at(a + 1, b + 1, c));
      }
    }
    for (int64_t a = 0; a <= kA; ++a) {
      for (int64_t b = 0; b <= kB; ++b) {
        const T want = a == 0 || b == kB ? T{0} : at(a - 1, b, c);
        ASSERT_EQ(padded[static_cast<size_t>((a * (kB + 1) + b) * depth + c)], want);
      }
    }
  }
}

TEST_P(MoveTest, ElementsOfFourAndEightBytes) {
  CheckAll<float>();
  CheckAll<int64_t>();
}

// Single elements, vectors of four, of eight longs, of sixteen.
INSTANTIATE_TEST_SUITE_P(Depths, MoveTest, ::testing::Values(1, 5, 8, 12, 16, 48));

}  // namespace
}  // namespace berth::opencl::testing
