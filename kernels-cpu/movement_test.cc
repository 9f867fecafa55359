// Tests of kernels that move data: transpose.cc, slice.cc, concat.cc, pad.cc, gather.cc,
// select.cc and dynamic_stitch.cc.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "kernels-cpu/testing/kernel_harness.h"

namespace berth::cpu {
namespace {

using testing::HostTensor;
using testing::KernelRun;

HostTensor Counting(std::vector<int64_t> dims) {
  HostTensor x(BERTH_FLOAT, std::move(dims));
  std::iota(x.data<float>(), x.data<float>() + x.size(), 0.0F);
  return x;
}
HostTensor Index(const std::vector<int32_t>& values) {
  return HostTensor::Of<int32_t>({static_cast<int64_t>(values.size())}, values);
}
HostTensor Scalar(int32_t value) { return HostTensor::Of<int32_t>({}, {value}); }

TEST(TransposeTest, AgreesWithIndexArithmeticForEveryPermutation) {
  const std::vector<int64_t> dims = {3, 37, 4, 41};
  const HostTensor x = Counting(dims);
  std::vector<int32_t> perm = {0, 1, 2, 3};
  do {
    std::vector<int64_t> out;
    for (const int32_t p : perm) out.push_back(dims[static_cast<size_t>(p)]);
    KernelRun run("Transpose");
    run.Type("T", BERTH_FLOAT).In(x).In(Index(perm), "perm").Out(BERTH_FLOAT, out);
    ASSERT_TRUE(run.Run().ok());
    for (int64_t i = 0; i < x.size(); ++i) {
      int64_t index[4];
      int64_t rest = i;
      for (int d = 3; d >= 0; --d) {
        index[perm[static_cast<size_t>(d)]] = rest % out[static_cast<size_t>(d)];
        rest /= out[static_cast<size_t>(d)];
      }
      const int64_t from =
          ((index[0] * dims[1] + index[1]) * dims[2] + index[2]) * dims[3] + index[3];
      ASSERT_EQ(run.output(0).data<float>()[i], static_cast<float>(from));
    }
  } while (std::next_permutation(perm.begin(), perm.end()));
}

struct SliceCase {
  int32_t begin, end, stride;
  bool begin_masked, end_masked, shrink;
  std::vector<float> want;
};

TEST(StridedSliceTest, TakesWhatPythonTakes) {
  const SliceCase cases[] = {
      {0, 0, -1, true, true, false, {3, 2, 1, 0}},  // x[::-1]
      {3, -1, -1, false, false, false, {}},         // x[3:-1:-1]
      {-1, 0, 1, false, false, true, {3}},          // x[-1]
      {1, -1, 1, false, false, false, {1, 2}},      // x[1:-1]
      {10, 20, 1, false, false, false, {}},         // x[10:20]
      {-9, 2, 1, false, false, false, {0, 1}},      // x[-9:2]
      {0, 0, 3, true, true, false, {0, 3}},         // x[::3]
  };
  for (const SliceCase& c : cases) {
    KernelRun run("StridedSlice");
    const int64_t size = static_cast<int64_t>(c.want.size());
    run.Type("T", BERTH_FLOAT)
        .Int("begin_mask", c.begin_masked ? 1 : 0)
        .Int("end_mask", c.end_masked ? 1 : 0)
        .Int("shrink_axis_mask", c.shrink ? 1 : 0)
        .In(Counting({4}))
        .In(Index({c.begin}), "begin")
        .In(Index({c.end}), "end")
        .In(Index({c.stride}), "strides")
        .Out(BERTH_FLOAT, c.shrink ? std::vector<int64_t>{} : std::vector<int64_t>{size});
    ASSERT_TRUE(run.Run().ok());
    EXPECT_EQ(run.output(0).values<float>(), c.want);
  }
}

TEST(StridedSliceTest, BadIndexAndStrideAreInvalid) {
  for (const bool shrink : {true, false}) {
    KernelRun run("StridedSlice");
    run.Type("T", BERTH_FLOAT)
        .Int("shrink_axis_mask", shrink ? 1 : 0)
        .In(Counting({4}))
        .In(Index({shrink ? 9 : 0}), "begin")
        .In(Index({10}), "end")
        .In(Index({shrink ? 1 : 0}), "strides")
        .Out(BERTH_FLOAT, {1});
    EXPECT_EQ(run.Run().code(), BERTH_INVALID_ARGUMENT);
  }
}

TEST(SliceTest, TheBeginMayDifferFromRunToRun) {
  const HostTensor begin = Index({1, 2});
  KernelRun run("Slice");
  run.Type("T", BERTH_FLOAT)
      .In(Counting({3, 4}))
      .In(begin, "begin")
      .In(Index({2, 2}), "size")
      .Out(BERTH_FLOAT, {2, 2});
  ASSERT_TRUE(run.Run().ok());
  EXPECT_EQ(run.output(0).values<float>(), (std::vector<float>{6, 7, 10, 11}));
  begin.data<int32_t>()[1] = 0;
  ASSERT_TRUE(run.Run().ok());
  EXPECT_EQ(run.output(0).values<float>(), (std::vector<float>{4, 5, 8, 9}));
  begin.data<int32_t>()[0] = 2;
  EXPECT_EQ(run.Run().code(), BERTH_INVALID_ARGUMENT);
}

TEST(ConcatTest, JoinsAndSplitsAlongTheMiddle) {
  KernelRun join("ConcatV2");
  join.Type("T", BERTH_FLOAT)
      .In(Counting({2, 1, 2}))
      .In(Counting({2, 2, 2}))
      .In(Scalar(-2), "axis")
      .Out(BERTH_FLOAT, {2, 3, 2});
  ASSERT_TRUE(join.Run().ok());
  EXPECT_EQ(join.output(0).values<float>(),
            (std::vector<float>{0, 1, 0, 1, 2, 3, 2, 3, 4, 5, 6, 7}));
  KernelRun split("SplitV");
  split.Type("T", BERTH_FLOAT)
      .In(join.output(0))
      .In(Index({1, -1}), "size_splits")
      .In(Scalar(1), "split_dim")
      .Out(BERTH_FLOAT, {2, 1, 2})
      .Out(BERTH_FLOAT, {2, 2, 2});
  ASSERT_TRUE(split.Run().ok());
  EXPECT_EQ(split.output(0).values<float>(), (std::vector<float>{0, 1, 2, 3}));
  EXPECT_EQ(split.output(1).values<float>(), Counting({8}).values<float>());
}

TEST(PadTest, SurroundsTheInput) {
  KernelRun run("PadV2");
  run.Type("T", BERTH_FLOAT)
      .In(Counting({2, 2}))
      .In(HostTensor::Of<int32_t>({2, 2}, {1, 0, 0, 2}), "paddings")
      .In(HostTensor::Of<float>({}, {9}), "constant_values")
      .Out(BERTH_FLOAT, {3, 4});
  ASSERT_TRUE(run.Run().ok());
  EXPECT_EQ(run.output(0).values<float>(),
            (std::vector<float>{9, 9, 9, 9, 0, 1, 9, 9, 2, 3, 9, 9}));
}

TEST(TileTest, RepeatsInnerAndOuterAxes) {
  KernelRun run("Tile");
  run.Type("T", BERTH_FLOAT)
      .In(Counting({2, 2}))
      .In(Index({2, 2}), "multiples")
      .Out(BERTH_FLOAT, {4, 4});
  ASSERT_TRUE(run.Run().ok());
  EXPECT_EQ(run.output(0).values<float>(),
            (std::vector<float>{0, 1, 0, 1, 2, 3, 2, 3, 0, 1, 0, 1, 2, 3, 2, 3}));
}

TEST(GatherTest, AnIndexOutOfRangeIsInvalidAndNamed) {
  for (const int32_t bad : {3, -1}) {
    KernelRun run("GatherV2");
    run.Type("Tparams", BERTH_FLOAT)
        .In(Counting({3}))
        .In(Index({0, bad}))
        .In(Scalar(0), "axis")
        .Out(BERTH_FLOAT, {2});
    const sdk::Status status = run.Run();
    EXPECT_EQ(status.code(), BERTH_INVALID_ARGUMENT);
    EXPECT_NE(std::string(status.message()).find("indices[1]"), std::string::npos);
  }
}

TEST(SelectTest, BroadcastsAllThree) {
  KernelRun run("SelectV2");
  run.Type("T", BERTH_FLOAT)
      .In(HostTensor::Of<bool>({2, 1}, {true, false}))
      .In(Counting({3}))
      .In(HostTensor::Of<float>({}, {7}))
      .Out(BERTH_FLOAT, {2, 3});
  ASSERT_TRUE(run.Run().ok());
  EXPECT_EQ(run.output(0).values<float>(), (std::vector<float>{0, 1, 2, 7, 7, 7}));
}

// The shape of a reduction's input with ones where it was reduced: gradients need it.
TEST(DynamicStitchTest, LaterInputsWin) {
  KernelRun run("DynamicStitch");
  run.Type("T", BERTH_INT32)
      .In(Index({0, 1, 2}))
      .In(Index({1, 0}))
      .In(Index({7, 8, 9}))
      .In(Index({1, 2}))
      .Out(BERTH_INT32, {3});
  ASSERT_TRUE(run.Run().ok());
  EXPECT_EQ(run.output(0).values<int32_t>(), (std::vector<int32_t>{2, 1, 9}));
}

TEST(DynamicStitchTest, RowsOfAnyRankLandWhereTheIndicesSay) {
  // Scalar and matrix indices; row 1 is named by none.
  const HostTensor matrix = HostTensor::Of<int32_t>({1, 2}, {4, 0});
  KernelRun run("DynamicStitch");
  run.Type("T", BERTH_FLOAT)
      .In(Scalar(2))
      .In(matrix)
      .In(HostTensor::Of<float>({2}, {1, 2}))
      .In(HostTensor::Of<float>({1, 2, 2}, {3, 4, 5, 6}))
      .Out(BERTH_FLOAT, {5, 2});
  ASSERT_TRUE(run.Run().ok());
  EXPECT_EQ(run.output(0).values<float>(),
            (std::vector<float>{5, 6, 0, 0, 1, 2, 0, 0, 3, 4}));
}

TEST(DynamicStitchTest, ANegativeIndexIsNamed) {
  KernelRun run("DynamicStitch");
  run.Type("T", BERTH_FLOAT).In(Index({0, -3})).In(Counting({2})).Out(BERTH_FLOAT, {1});
  const sdk::Status status = run.Run();
  EXPECT_EQ(status.code(), BERTH_INVALID_ARGUMENT);
  EXPECT_NE(std::string(status.message()).find("-3"), std::string::npos);
}

}  // namespace
}  // namespace berth::cpu
