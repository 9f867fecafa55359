#include "kernels-cpu/broadcast.h"

namespace berth::cpu {
namespace {

// One axis while collapsing, innermost first.
struct Axis {
  int64_t size;
  bool repeats_a;
  bool repeats_b;
};

struct Axes {
  int count = 0;
  std::array<Axis, BERTH_MAX_RANK> axes;
};

int64_t DimFromRight(const berth_tensor& t, int i) {
  return i < t.rank ? t.dims[t.rank - 1 - i] : 1;
}

Status Collapse(const berth_tensor& a, const berth_tensor& b, Axes* out) {
  const int rank = std::max(a.rank, b.rank);
  if (rank > BERTH_MAX_RANK) {
    return InvalidArgument("operands of rank " + std::to_string(rank) +
                           ": broadcasting goes up to rank " +
                           std::to_string(BERTH_MAX_RANK));
  }
  for (int i = 0; i < rank; ++i) {
    const int64_t da = DimFromRight(a, i);
    const int64_t db = DimFromRight(b, i);
    if (da != db && da != 1 && db != 1) {
      return InvalidArgument("Incompatible shapes: " + ShapeString(a) + " vs. " +
                             ShapeString(b));
    }
    if (da == 1 && db == 1) continue;
    const Axis axis{da == 1 ? db : da, da == 1 && db != 1, db == 1 && da != 1};
    if (out->count > 0) {
      Axis& last = out->axes[static_cast<size_t>(out->count - 1)];
      if (last.repeats_a == axis.repeats_a && last.repeats_b == axis.repeats_b) {
        last.size *= axis.size;
        continue;
      }
    }
    out->axes[static_cast<size_t>(out->count++)] = axis;
  }
  return {};
}

Broadcast::Kind KindOf(const Axis& axis) {
  if (axis.repeats_a) return Broadcast::Kind::kScalarLeft;
  if (axis.repeats_b) return Broadcast::Kind::kScalarRight;
  return Broadcast::Kind::kSame;
}

}  // namespace

Status MakeBroadcast(const berth_tensor& a, const berth_tensor& b, Broadcast* out) {
  Axes axes;
  BERTH_SDK_RETURN_IF_ERROR(Collapse(a, b, &axes));
  *out = Broadcast();
  out->size = 1;
  for (int i = 0; i < axes.count; ++i)
    out->size *= axes.axes[static_cast<size_t>(i)].size;
  if (axes.count == 0) return {};
  if (axes.count == 1) {
    out->kind = KindOf(axes.axes[0]);
    return {};
  }
  out->kind = Broadcast::Kind::kGeneral;
  out->inner_kind = KindOf(axes.axes[0]);
  out->inner = axes.axes[0].size;
  out->outer_rank = axes.count - 1;
  int64_t stride_a = axes.axes[0].repeats_a ? 1 : axes.axes[0].size;
  int64_t stride_b = axes.axes[0].repeats_b ? 1 : axes.axes[0].size;
  for (int i = 1; i < axes.count; ++i) {
    const Axis& axis = axes.axes[static_cast<size_t>(i)];
    const size_t slot = static_cast<size_t>(axes.count - 1 - i);
    out->outer_dims[slot] = axis.size;
    out->outer_stride_a[slot] = axis.repeats_a ? 0 : stride_a;
    out->outer_stride_b[slot] = axis.repeats_b ? 0 : stride_b;
    if (!axis.repeats_a) stride_a *= axis.size;
    if (!axis.repeats_b) stride_b *= axis.size;
  }
  return {};
}

BroadcastRows::BroadcastRows(const Broadcast& plan, int64_t row) : plan_(plan) {
  for (int i = plan.outer_rank - 1; i >= 0; --i) {
    const size_t axis = static_cast<size_t>(i);
    index_[axis] = row % plan.outer_dims[axis];
    row /= plan.outer_dims[axis];
    offset_a_ += index_[axis] * plan.outer_stride_a[axis];
    offset_b_ += index_[axis] * plan.outer_stride_b[axis];
  }
}

void BroadcastRows::Next() {
  for (int i = plan_.outer_rank - 1; i >= 0; --i) {
    const size_t axis = static_cast<size_t>(i);
    offset_a_ += plan_.outer_stride_a[axis];
    offset_b_ += plan_.outer_stride_b[axis];
    if (++index_[axis] < plan_.outer_dims[axis]) return;
    offset_a_ -= plan_.outer_dims[axis] * plan_.outer_stride_a[axis];
    offset_b_ -= plan_.outer_dims[axis] * plan_.outer_stride_b[axis];
    index_[axis] = 0;
  }
}

}  // namespace berth::cpu
