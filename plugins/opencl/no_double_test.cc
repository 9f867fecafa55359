// A device without double precision, as the option fp64=0 makes of any: rows of float64
// are no kernel, with a reason; all others stay.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "plugins/opencl/testing/harness.h"

namespace berth::opencl::testing {
namespace {

using ::testing::HasSubstr;

// Ops that only move elements take float64 as eight bytes.
bool OnlyMoves(const std::string& op) {
  static const std::set<std::string> ops = {
      "BroadcastTo", "ConcatV2", "Fill",  "OnesLike", "Pad",       "PadV2",
      "Select",      "SelectV2", "Slice", "Tile",     "Transpose", "ZerosLike"};
  return ops.count(op) != 0;
}

class NoDoubleTest : public ::testing::Test {
 protected:
  void SetUp() override {
    TestHost::Get()->SetOption("fp64", "0");
    auto opened = Harness::Open();
    ASSERT_TRUE(opened.ok()) << opened.status().message();
    harness_ = std::move(*opened);
  }
  std::unique_ptr<Harness> harness_;
};

// A call of the row with its type attributes at `dtype` where they may be.
OpCall CallOf(const berth_kernel_def& row, int32_t dtype) {
  OpCall call;
  call.op = row.op;
  for (uint32_t i = 0; i < row.num_constraints; ++i) {
    const berth_type_constraint& constraint = *row.constraints[i];
    const int32_t* end = constraint.dtypes + constraint.num_dtypes;
    const bool takes = std::find(constraint.dtypes, end, dtype) != end;
    call.attrs[constraint.attr] = TypeAttr{takes ? dtype : constraint.dtypes[0]};
  }
  HostTensor input;
  input.dtype = dtype;
  call.inputs.assign(4, input);
  call.output_dtypes = {dtype};
  return call;
}

bool HasDtype(const berth_kernel_def& row, int32_t dtype) {
  for (uint32_t i = 0; i < row.num_constraints; ++i) {
    const berth_type_constraint& constraint = *row.constraints[i];
    const int32_t* end = constraint.dtypes + constraint.num_dtypes;
    if (std::find(constraint.dtypes, end, dtype) != end) return true;
  }
  return false;
}

TEST_F(NoDoubleTest, EveryDoubleRowIsRefusedWithTheReason) {
  int refused = 0;
  for (uint32_t k = 0; k < harness_->plugin()->num_kernels; ++k) {
    const berth_kernel_def& row = *harness_->plugin()->kernels[k];
    if (!HasDtype(row, BERTH_DOUBLE)) continue;
    const std::string why = harness_->WhyRefused(CallOf(row, BERTH_DOUBLE));
    if (OnlyMoves(row.op)) {
      EXPECT_EQ(why, "") << row.op;
      continue;
    }
    EXPECT_THAT(why, HasSubstr("fp64=0 leaves double precision out")) << row.op;
    ++refused;
  }
  EXPECT_GT(refused, 50);
}

TEST_F(NoDoubleTest, FloatRowsStay) {
  int accepted = 0;
  for (uint32_t k = 0; k < harness_->plugin()->num_kernels; ++k) {
    const berth_kernel_def& row = *harness_->plugin()->kernels[k];
    if (!HasDtype(row, BERTH_FLOAT)) continue;
    EXPECT_EQ(harness_->WhyRefused(CallOf(row, BERTH_FLOAT)), "") << row.op;
    ++accepted;
  }
  EXPECT_GT(accepted, 50);
}

TEST_F(NoDoubleTest, DoublesAreStillMoved) {
  OpCall call;
  call.op = "Transpose";
  call.attrs = {{"T", TypeAttr{BERTH_DOUBLE}}, {"Tperm", TypeAttr{BERTH_INT32}}};
  call.inputs = {HostTensor({2, 3}, std::vector<double>{1, 2, 3, 4, 5, 6}),
                 HostTensor({2}, std::vector<int32_t>{1, 0})};
  call.arg_names = {"x", "perm"};
  call.output_dtypes = {BERTH_DOUBLE};
  const OpResult result = harness_->Run(call);
  ASSERT_TRUE(result.status.ok()) << result.status.message();
  EXPECT_EQ(result.outputs[0].Values<double>(), (std::vector<double>{1, 4, 2, 5, 3, 6}));
}

}  // namespace
}  // namespace berth::opencl::testing
