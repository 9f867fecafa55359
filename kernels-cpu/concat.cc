// concat.cc — Concat, ConcatV2, Pack, Split, SplitV and Unpack on the CPU: copies of
// whole blocks between one tensor and many that are its parts along an axis.
#include <cstring>

#include "kernels-cpu/common.h"
#include "kernels-cpu/families.h"

namespace berth::cpu {
namespace {

// The joined tensor as rows; in each row the parts lie one after the other.
struct JoinPlan {
  int64_t rows = 0;
  int64_t row_bytes = 0;
  std::vector<int64_t> part_bytes;  // in one row
};

// Calls copy(part, byte offset in the part, byte offset in the whole, bytes) for all
// blocks, split over the pool.
template <typename Copy>
void ForBlocks(const JoinPlan& plan, const ComputeContext& context, const Copy& copy) {
  context.ParallelFor(
      plan.rows, GrainFor(2 * plan.row_bytes), [&](int64_t begin, int64_t end) {
        int64_t at = 0;
        for (size_t part = 0; part < plan.part_bytes.size(); ++part) {
          const int64_t bytes = plan.part_bytes[part];
          for (int64_t row = begin; row < end && bytes > 0; ++row) {
            copy(static_cast<int>(part), row * bytes, row * plan.row_bytes + at, bytes);
          }
          at += bytes;
        }
      });
}

// One large block is split by bytes, so that a concatenation along the first axis uses
// the pool too.
void CopyBlock(const ComputeContext& context, const JoinPlan& plan, const char* from,
               char* to, int64_t bytes) {
  if (plan.rows > 1) {
    std::memcpy(to, from, static_cast<size_t>(bytes));
    return;
  }
  context.ParallelFor(bytes, kGrainBytes, [&](int64_t begin, int64_t end) {
    std::memcpy(to + begin, from + begin, static_cast<size_t>(end - begin));
  });
}

void Join(const JoinPlan& plan, const ComputeContext& context, int first_input) {
  char* out = static_cast<char*>(context.output(0).host_data);
  ForBlocks(plan, context, [&](int part, int64_t in, int64_t whole, int64_t bytes) {
    const void* from = context.input(first_input + part).host_data;
    CopyBlock(context, plan, static_cast<const char*>(from) + in, out + whole, bytes);
  });
}

void Part(const JoinPlan& plan, const ComputeContext& context, int input) {
  const char* from = static_cast<const char*>(context.input(input).host_data);
  ForBlocks(plan, context, [&](int part, int64_t out, int64_t whole, int64_t bytes) {
    void* to = context.output(part).host_data;
    CopyBlock(context, plan, from + whole, static_cast<char*>(to) + out, bytes);
  });
}

int64_t SizeOf(int32_t dtype) { return static_cast<int64_t>(sdk::DtypeSize(dtype)); }

// ConcatV2 has the axis last, Concat first.
class ConcatKernel {
 public:
  using Prepared = JoinPlan;
  explicit ConcatKernel(const NodeView& node)
      : parts_(node.num_inputs() - 1),
        axis_first_(std::string_view(node.op()) == "Concat"),
        size_(SizeOf(node.output(0).dtype)) {}
  static Result<std::unique_ptr<ConcatKernel>> Create(const NodeView& node,
                                                      berth_device*) {
    return Make<ConcatKernel>(node);
  }

  Status Prepare(PrepareContext& context, JoinPlan* plan) const {
    const int first = axis_first_ ? 1 : 0;
    const berth_tensor& head = context.input(first);
    const int64_t axis = IndexAt(context.input(axis_first_ ? 0 : parts_), 0);
    if (axis < -head.rank || axis >= head.rank) {
      return InvalidArgument(
          "ConcatOp : Expected concatenating dimensions in the range [" +
          std::to_string(-head.rank) + ", " + std::to_string(head.rank) + "), but got " +
          std::to_string(axis));
    }
    const int at = FrontAxis(axis, head.rank);
    int64_t total = 0;
    for (int i = 0; i < parts_; ++i) {
      const berth_tensor& t = context.input(first + i);
      bool fits = t.rank == head.rank;
      for (int d = 0; fits && d < t.rank; ++d) {
        fits = d == at || t.dims[d] == head.dims[d];
      }
      if (!fits) {
        return InvalidArgument(
            "ConcatOp : Dimension " + std::to_string(at) +
            " in both shapes must be equal but for the axis: shape[0] = " +
            ShapeString(head) + " vs. shape[" + std::to_string(i) +
            "] = " + ShapeString(t));
      }
      plan->part_bytes.push_back(Product(t.dims, at, t.rank) * size_);
      plan->row_bytes += plan->part_bytes.back();
      total += t.dims[at];
    }
    plan->rows = Product(head.dims, 0, at);
    berth_shape& out = context.output(0);
    SetShape(&out, head.dims, head.rank);
    out.dims[at] = total;
    return {};
  }
  Status Compute(const JoinPlan& plan, ComputeContext& context) const {
    Join(plan, context, axis_first_ ? 1 : 0);
    return {};
  }

 private:
  int parts_;
  bool axis_first_;
  int64_t size_;
};

// Pack adds an axis; Unpack removes it.
class PackKernel {
 public:
  using Prepared = JoinPlan;
  explicit PackKernel(const NodeView& node)
      : axis_(node.Int("axis")),
        parts_(node.num_inputs()),
        size_(SizeOf(node.output(0).dtype)) {}
  static Result<std::unique_ptr<PackKernel>> Create(const NodeView& node, berth_device*) {
    return Make<PackKernel>(node);
  }
  Status Prepare(PrepareContext& context, JoinPlan* plan) const {
    const berth_tensor& head = context.input(0);
    const int rank = head.rank + 1;
    if (axis_ < -rank || axis_ >= rank) {
      return InvalidArgument("axis = " + std::to_string(axis_) + " not in [" +
                             std::to_string(-rank) + ", " + std::to_string(rank) + ")");
    }
    for (int i = 1; i < parts_; ++i) {
      if (!sdk::SameShape(head, context.input(i))) {
        return InvalidArgument("Shapes of all inputs must match: values[0].shape = " +
                               ShapeString(head) + " != values[" + std::to_string(i) +
                               "].shape = " + ShapeString(context.input(i)));
      }
    }
    const int at = FrontAxis(axis_, rank);
    plan->rows = Product(head.dims, 0, at);
    plan->part_bytes.assign(static_cast<size_t>(parts_),
                            Product(head.dims, at, head.rank) * size_);
    plan->row_bytes = plan->part_bytes[0] * parts_;
    return {};
  }
  Status Compute(const JoinPlan& plan, ComputeContext& context) const {
    Join(plan, context, 0);
    return {};
  }

 private:
  int64_t axis_;
  int parts_;
  int64_t size_;
};

class UnpackKernel {
 public:
  using Prepared = JoinPlan;
  explicit UnpackKernel(const NodeView& node)
      : axis_(node.Int("axis")),
        parts_(node.num_outputs()),
        size_(SizeOf(node.input(0).dtype)) {}
  static Result<std::unique_ptr<UnpackKernel>> Create(const NodeView& node,
                                                      berth_device*) {
    return Make<UnpackKernel>(node);
  }
  Status Prepare(PrepareContext& context, JoinPlan* plan) const {
    const berth_tensor& x = context.input(0);
    if (axis_ < -x.rank || axis_ >= x.rank) {
      return InvalidArgument("axis = " + std::to_string(axis_) + " not in [" +
                             std::to_string(-x.rank) + ", " + std::to_string(x.rank) +
                             ")");
    }
    const int at = FrontAxis(axis_, x.rank);
    if (x.dims[at] != parts_) {
      return InvalidArgument("Input shape axis " + std::to_string(at) + " must equal " +
                             std::to_string(parts_) + ", got shape " + ShapeString(x));
    }
    plan->rows = Product(x.dims, 0, at);
    plan->part_bytes.assign(static_cast<size_t>(parts_),
                            Product(x.dims, at + 1, x.rank) * size_);
    plan->row_bytes = Product(x.dims, at, x.rank) * size_;
    return {};
  }
  Status Compute(const JoinPlan& plan, ComputeContext& context) const {
    Part(plan, context, 0);
    return {};
  }

 private:
  int64_t axis_;
  int parts_;
  int64_t size_;
};

// Split has the axis first; SplitV has the value, the sizes, then the axis.
class SplitKernel {
 public:
  using Prepared = JoinPlan;
  explicit SplitKernel(const NodeView& node)
      : sized_(std::string_view(node.op()) == "SplitV"),
        parts_(node.num_outputs()),
        size_(SizeOf(node.output(0).dtype)) {}
  static Result<std::unique_ptr<SplitKernel>> Create(const NodeView& node,
                                                     berth_device*) {
    return Make<SplitKernel>(node);
  }

  Status Prepare(PrepareContext& context, JoinPlan* plan) const {
    const berth_tensor& x = context.input(sized_ ? 0 : 1);
    const int64_t axis = IndexAt(context.input(sized_ ? 2 : 0), 0);
    if (axis < -x.rank || axis >= x.rank) {
      return InvalidArgument("-input rank(-" + std::to_string(x.rank) +
                             ") <= split_dim < input rank (" + std::to_string(x.rank) +
                             "), but got " + std::to_string(axis));
    }
    const int at = FrontAxis(axis, x.rank);
    std::vector<int64_t> sizes;
    BERTH_SDK_RETURN_IF_ERROR(sized_ ? GivenSizes(context, x.dims[at], &sizes)
                                     : EqualSizes(x.dims[at], &sizes));
    plan->rows = Product(x.dims, 0, at);
    plan->row_bytes = Product(x.dims, at, x.rank) * size_;
    for (int i = 0; i < parts_; ++i) {
      const int64_t size = sizes[static_cast<size_t>(i)];
      plan->part_bytes.push_back(size * Product(x.dims, at + 1, x.rank) * size_);
      SetShape(&context.output(i), x.dims, x.rank);
      context.output(i).dims[at] = size;
    }
    return {};
  }
  Status Compute(const JoinPlan& plan, ComputeContext& context) const {
    Part(plan, context, sized_ ? 0 : 1);
    return {};
  }

 private:
  Status EqualSizes(int64_t dim, std::vector<int64_t>* sizes) const {
    if (dim % parts_ != 0) {
      return InvalidArgument(
          "Number of ways to split should evenly divide the split dimension, but got a "
          "dimension of " +
          std::to_string(dim) + " and num_split " + std::to_string(parts_));
    }
    sizes->assign(static_cast<size_t>(parts_), dim / parts_);
    return {};
  }

  // One size may be -1: what the others leave.
  Status GivenSizes(PrepareContext& context, int64_t dim,
                    std::vector<int64_t>* sizes) const {
    *sizes = IndexVector(context.input(1));
    int64_t total = 0;
    int open = -1;
    for (size_t i = 0; i < sizes->size(); ++i) {
      const int64_t size = (*sizes)[i];
      if (size == -1 && open < 0) {
        open = static_cast<int>(i);
      } else if (size < 0) {
        return InvalidArgument("Split size at index " + std::to_string(i) +
                               " must be >= 0. Got: " + std::to_string(size));
      } else {
        total += size;
      }
    }
    if (sizes->size() != static_cast<size_t>(parts_) || total > dim ||
        (open < 0 && total != dim)) {
      return InvalidArgument(
          "Determined shape must either match input shape along "
          "split_dim exactly if fully specified, or be less than the "
          "size of the input along split_dim if not fully specified. "
          "Got: " +
          std::to_string(total));
    }
    if (open >= 0) (*sizes)[static_cast<size_t>(open)] = dim - total;
    return {};
  }

  bool sized_;
  int parts_;
  int64_t size_;
};

}  // namespace

void RegisterConcat(KernelTable& table) {
  table.Op("Concat").Type("T", kFixedSize).PrepareArg("concat_dim").Use<ConcatKernel>();
  table.Op("ConcatV2")
      .Type("T", kFixedSize)
      .Type("Tidx", kIndexTypes)
      .PrepareArg("axis")
      .Use<ConcatKernel>();
  table.Op("Pack").Type("T", kFixedSize).Use<PackKernel>();
  table.Op("Unpack").Type("T", kFixedSize).Use<UnpackKernel>();
  table.Op("Split").Type("T", kFixedSize).PrepareArg("split_dim").Use<SplitKernel>();
  table.Op("SplitV")
      .Type("T", kFixedSize)
      .Type("Tlen", kIndexTypes)
      .PrepareArg("size_splits")
      .PrepareArg("split_dim")
      .Use<SplitKernel>();
}

}  // namespace berth::cpu
