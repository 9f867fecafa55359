// Broadcasting of two operands, reduced to the fewest axes.
#pragma once

#include <array>
#include <cstdint>

#include "kernels-cpu/common.h"

namespace berth::cpu {

// How two operands line up. After collapsing, neighbouring axes differ in which operand
// is repeated, so that the common cases have one axis.
struct Broadcast {
  enum class Kind {
    kSame,         // element i with element i
    kScalarLeft,   // a[0] with every b[i]
    kScalarRight,  // every a[i] with b[0]
    kGeneral
  };
  Kind kind = Kind::kSame;
  int64_t size = 0;  // elements of the result

  // kGeneral: the innermost axis has `inner` elements and the kind `inner_kind`; the
  // others, outermost first, have `outer_dims` and element strides of the two operands.
  Kind inner_kind = Kind::kSame;
  int64_t inner = 1;
  int outer_rank = 0;
  std::array<int64_t, BERTH_MAX_RANK> outer_dims{};
  std::array<int64_t, BERTH_MAX_RANK> outer_stride_a{};
  std::array<int64_t, BERTH_MAX_RANK> outer_stride_b{};
};

// Fails with INVALID_ARGUMENT when the shapes do not fit together.
Status MakeBroadcast(const berth_tensor& a, const berth_tensor& b, Broadcast* out);

// Walks the outer axes of a general broadcast: offsets of both operands for each row.
class BroadcastRows {
 public:
  // Starts at row `row` of the result.
  BroadcastRows(const Broadcast& plan, int64_t row);
  void Next();
  int64_t offset_a() const { return offset_a_; }
  int64_t offset_b() const { return offset_b_; }

 private:
  const Broadcast& plan_;
  std::array<int64_t, BERTH_MAX_RANK> index_{};
  int64_t offset_a_ = 0;
  int64_t offset_b_ = 0;
};

}  // namespace berth::cpu
