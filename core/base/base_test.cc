#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "core/base/dtype.h"
#include "core/base/printable.h"
#include "core/base/shape.h"
#include "core/base/status.h"
#include "core/base/tensor.h"
#include "core/base/thread_pool.h"

namespace berth {
namespace {

TEST(StatusTest, OkIsEmptyAndErrorsKeepCodeAndMessage) {
  EXPECT_TRUE(OkStatus().ok());
  EXPECT_EQ(OkStatus().ToString(), "OK");
  const Status status = DataLoss("cut at 7").WithPrefix("file x: ");
  EXPECT_EQ(status.code(), Code::kDataLoss);
  EXPECT_EQ(status.ToString(), "DATA_LOSS: file x: cut at 7");
  EXPECT_TRUE(OkStatus().WithPrefix("x").ok());
}

TEST(DTypeTest, NumbersAreTensorFlowsAndNamesRoundTrip) {
  // types.proto: DT_FLOAT = 1 … DT_HALF = 19, DT_UINT64 = 23.
  EXPECT_EQ(*ParseDType("DT_HALF"), 19);
  EXPECT_EQ(*ParseDType("uint64"), 23);
  EXPECT_EQ(*ParseDType("float_ref"), 101);
  EXPECT_FALSE(ParseDType("float33").has_value());
  for (DType t = 1; t <= 23; ++t) {
    EXPECT_EQ(*ParseDType(DTypeName(t)), t);
    EXPECT_EQ(*ParseDType(DTypeEnumName(MakeRefType(t))), MakeRefType(t));
  }
  EXPECT_EQ(DTypeName(99), "unknown dtype");
}

TEST(ShapeTest, KnowsUnknownSizesAndLongRanks) {
  const Shape long_shape({1, 2, 3, 4, 5, 6});
  Shape copy = long_shape;
  Shape moved = std::move(copy);
  EXPECT_EQ(moved, long_shape);
  EXPECT_EQ(moved.num_elements(), 720);
  EXPECT_EQ(Shape({2, -1}).ToString(), "[2,?]");
  EXPECT_EQ(Shape::UnknownRank().ToString(), "<unknown>");
  EXPECT_TRUE(Shape({2, -1}).IsCompatibleWith(Shape({2, 7})));
  EXPECT_FALSE(Shape({2, -1}).IsCompatibleWith(Shape({3, 7})));
}

TEST(ShapeTest, RefusesNegativeSizesAndOverflow) {
  const int64_t negative[] = {2, -3};
  EXPECT_EQ(Shape::CheckedElements(negative, 2).status().code(), Code::kInvalidArgument);
  const int64_t huge[] = {int64_t{1} << 40, int64_t{1} << 40};
  EXPECT_EQ(Shape::CheckedElements(huge, 2).status().code(), Code::kInvalidArgument);
  const int64_t empty[] = {int64_t{1} << 40, int64_t{1} << 40, 0};
  EXPECT_EQ(*Shape::CheckedElements(empty, 3), 0);
}

TEST(TensorTest, AllocatesAlignedMemoryAndSharesOnCopy) {
  Result<Tensor> tensor = Tensor::Allocate(BERTH_FLOAT, {2, 3});
  ASSERT_TRUE(tensor.ok());
  EXPECT_EQ(reinterpret_cast<uintptr_t>(tensor->raw()) % 64, 0U);
  EXPECT_EQ(tensor->byte_size(), 24U);
  const Tensor copy = *tensor;
  EXPECT_EQ(copy.raw(), tensor->raw());
  EXPECT_FALSE(copy.buffer()->IsUnique());
  EXPECT_FALSE(Tensor::Allocate(BERTH_RESOURCE, {1}).ok());
  EXPECT_EQ(Tensor::Allocate(BERTH_FLOAT, {int64_t{1} << 61}).status().code(),
            Code::kResourceExhausted);
}

TEST(ThreadPoolTest, EveryItemRunsOnceWhateverTheSplit) {
  ThreadPool pool(3);
  for (const int64_t total : {0, 1, 7, 1000, 12345}) {
    std::vector<std::atomic<int>> hits(static_cast<size_t>(total));
    pool.ParallelFor(
        total, 3,
        [](void* arg, int64_t begin, int64_t end) {
          auto& all = *static_cast<std::vector<std::atomic<int>>*>(arg);
          for (int64_t i = begin; i < end; ++i) ++all[static_cast<size_t>(i)];
        },
        &hits);
    for (const auto& hit : hits) EXPECT_EQ(hit.load(), 1);
  }
}

TEST(ThreadPoolTest, NestedAndConcurrentCallsFinish) {
  ThreadPool pool(4);
  struct State {
    ThreadPool* pool;
    std::atomic<int64_t> sum{0};
  } state{&pool};
  std::vector<std::thread> callers;
  for (int t = 0; t < 4; ++t) {
    callers.emplace_back([&state] {
      for (int round = 0; round < 50; ++round) {
        state.pool->ParallelFor(
            8, 1,
            [](void* arg, int64_t begin, int64_t end) {
              auto* s = static_cast<State*>(arg);
              s->pool->ParallelFor((end - begin) * 100, 10,
                                   [](void* inner, int64_t b, int64_t e) {
                                     static_cast<State*>(inner)->sum += e - b;
                                   },
                                   s);
            },
            &state);
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(state.sum.load(), 4 * 50 * 800);
}

TEST(PrintableTest, KeepsTextAndEscapesTheRest) {
  using std::string_literals::operator""s;
  EXPECT_EQ(Printable("net/sum:0\n\t→ é €"), "net/sum:0\n\t→ é €");
  EXPECT_EQ(Printable("\x1b[31m\x7f\0"s), R"(\x1b[31m\x7f\x00)");
  EXPECT_EQ(Printable("a\xe9"), R"(a\xe9)");                // latin-1
  EXPECT_EQ(Printable("\xc2\x9b"), R"(\xc2\x9b)");          // a C1 control character
  EXPECT_EQ(Printable("\xc0\xaf"), R"(\xc0\xaf)");          // overlong '/'
  EXPECT_EQ(Printable("\xed\xa0\x80"), R"(\xed\xa0\x80)");  // half a surrogate pair
  EXPECT_EQ(Printable("\xf4\x90\x80\x80"), R"(\xf4\x90\x80\x80)");
  EXPECT_EQ(Printable("\xf0\x9f\x98\x80\xf0\x9f"),
            "\xf0\x9f\x98\x80"
            R"(\xf0\x9f)");
}

}  // namespace
}  // namespace berth
