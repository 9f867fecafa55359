// gather.cc — Gather, GatherV2, ResourceGather, OneHot and InvertPermutation on the CPU.
// An index out of range is INVALID_ARGUMENT.
#include <atomic>
#include <cstring>

#include "kernels-cpu/common.h"
#include "kernels-cpu/families.h"
#include "kernels-cpu/word.h"

namespace berth::cpu {
namespace {

// Result [batch, outer, indices, inner] from params [batch, outer, axis, inner].
struct GatherPlan {
  int64_t batch = 1;
  int64_t outer = 1;
  int64_t axis = 1;
  int64_t indices = 1;  // of one batch
  int64_t inner = 1;
};

Status BadIndex(const berth_tensor& indices, int64_t at, int64_t limit) {
  return InvalidArgument("indices[" + std::to_string(at) +
                         "] = " + std::to_string(IndexAt(indices, at)) +
                         " is not in [0, " + std::to_string(limit) + ")");
}

class GatherKernel {
 public:
  using Prepared = GatherPlan;
  explicit GatherKernel(const NodeView& node)
      : batch_dims_(node.Int("batch_dims")),
        has_axis_(node.num_inputs() == 3),
        size_(static_cast<int64_t>(sdk::DtypeSize(node.output(0).dtype))) {}
  static Result<std::unique_ptr<GatherKernel>> Create(const NodeView& node,
                                                      berth_device*) {
    return Make<GatherKernel>(node);
  }

  Status Prepare(PrepareContext& context, GatherPlan* plan) const {
    const berth_tensor& params = context.input(0);
    const berth_tensor& indices = context.input(1);
    const int64_t batch_dims = batch_dims_ < 0 ? batch_dims_ + indices.rank : batch_dims_;
    if (batch_dims < 0 || batch_dims > indices.rank || batch_dims >= params.rank) {
      return InvalidArgument("batch_dims (" + std::to_string(batch_dims_) +
                             ") does not fit params " + ShapeString(params) +
                             " and indices " + ShapeString(indices));
    }
    int64_t axis = has_axis_ ? IndexAt(context.input(2), 0) : batch_dims;
    if (axis < -params.rank || axis >= params.rank) {
      return InvalidArgument(
          "Expected axis in the range [" + std::to_string(-params.rank) + ", " +
          std::to_string(params.rank) + "), but got " + std::to_string(axis));
    }
    if (axis < 0) axis += params.rank;
    if (axis < batch_dims) {
      return InvalidArgument("batch_dims (" + std::to_string(batch_dims) +
                             ") must be less than or equal to axis (" +
                             std::to_string(axis) + ")");
    }
    const int batch_rank = static_cast<int>(batch_dims);
    const int at = static_cast<int>(axis);
    *plan = {Product(params.dims, 0, batch_rank), Product(params.dims, batch_rank, at),
             params.dims[at], Product(indices.dims, batch_rank, indices.rank),
             Product(params.dims, at + 1, params.rank)};
    return {};
  }

  Status Compute(const GatherPlan& p, ComputeContext& context) const {
    const berth_tensor& indices = context.input(1);
    const char* from = static_cast<const char*>(context.input(0).host_data);
    char* to = static_cast<char*>(context.output(0).host_data);
    const int64_t block = p.inner * size_;
    const int64_t rows = p.batch * p.outer * p.indices;
    if (rows * p.inner == 0) return CheckAll(p, indices);
    std::atomic<int64_t> bad{-1};
    context.ParallelFor(rows, GrainFor(2 * block), [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) {
        const int64_t outer = row / p.indices;
        const int64_t index = outer / p.outer * p.indices + row % p.indices;
        const int64_t at = IndexAt(indices, index);
        if (at < 0 || at >= p.axis) {
          bad = index;
          return;
        }
        std::memcpy(to + row * block, from + (outer * p.axis + at) * block,
                    static_cast<size_t>(block));
      }
    });
    if (bad >= 0) return BadIndex(indices, bad, p.axis);
    return {};
  }

 private:
  // Indices are checked even where nothing is copied.
  static Status CheckAll(const GatherPlan& p, const berth_tensor& indices) {
    for (int64_t i = 0; p.batch * p.outer > 0 && i < NumElements(indices); ++i) {
      const int64_t at = IndexAt(indices, i);
      if (at < 0 || at >= p.axis) return BadIndex(indices, i, p.axis);
    }
    return {};
  }

  int64_t batch_dims_;
  bool has_axis_;
  int64_t size_;
};

// Result [prefix, depth, suffix] of indices [prefix, suffix].
struct OneHotPlan {
  int64_t prefix = 1;
  int64_t depth = 0;
  int64_t suffix = 1;
};

class OneHotKernel {
 public:
  using Prepared = OneHotPlan;
  explicit OneHotKernel(const NodeView& node)
      : axis_(node.Int("axis", -1)),
        size_(static_cast<int64_t>(sdk::DtypeSize(node.output(0).dtype))) {}
  static Result<std::unique_ptr<OneHotKernel>> Create(const NodeView& node,
                                                      berth_device*) {
    return Make<OneHotKernel>(node);
  }
  Status Prepare(PrepareContext& context, OneHotPlan* plan) const {
    const berth_tensor& indices = context.input(0);
    if (axis_ < -1 || axis_ > indices.rank || indices.rank >= BERTH_MAX_RANK) {
      return InvalidArgument("Expected axis to be -1 or between [0, " +
                             std::to_string(indices.rank + 1) +
                             ").  But received: " + std::to_string(axis_));
    }
    const int at = axis_ < 0 ? indices.rank : static_cast<int>(axis_);
    plan->depth = IndexAt(context.input(1), 0);
    if (plan->depth < 0) {
      return InvalidArgument("depth must be non-negative, got: " +
                             std::to_string(plan->depth));
    }
    plan->prefix = Product(indices.dims, 0, at);
    plan->suffix = Product(indices.dims, at, indices.rank);
    int64_t dims[BERTH_MAX_RANK];
    std::copy(indices.dims, indices.dims + at, dims);
    dims[at] = plan->depth;
    std::copy(indices.dims + at, indices.dims + indices.rank, dims + at + 1);
    SetShape(&context.output(0), dims, indices.rank + 1);
    return {};
  }
  Status Compute(const OneHotPlan& p, ComputeContext& context) const {
    WithWord(size_, [&](auto word) { Run<decltype(word)>(p, context); });
    return {};
  }

 private:
  template <typename Word>
  static void Run(const OneHotPlan& p, ComputeContext& context) {
    const berth_tensor& indices = context.input(0);
    const bool bytes = indices.dtype == kU8;
    const Word on = *context.In<Word>(2);
    const Word off = *context.In<Word>(3);
    Word* out = context.Out<Word>(0);
    const int64_t row = p.depth * p.suffix;
    context.ParallelFor(p.prefix, GrainFor(row * static_cast<int64_t>(sizeof(Word))),
                        [&](int64_t begin, int64_t end) {
                          std::fill(out + begin * row, out + end * row, off);
                          for (int64_t i = begin * p.suffix; i < end * p.suffix; ++i) {
                            const int64_t hot = bytes ? sdk::Data<uint8_t>(indices)[i]
                                                      : IndexAt(indices, i);
                            if (hot < 0 || hot >= p.depth) continue;
                            out[i / p.suffix * row + hot * p.suffix + i % p.suffix] = on;
                          }
                        });
  }

  int64_t axis_;
  int64_t size_;
};

class InvertPermutationKernel {
 public:
  static Result<std::unique_ptr<InvertPermutationKernel>> Create(const NodeView&,
                                                                 berth_device*) {
    return std::make_unique<InvertPermutationKernel>();
  }
  Status Compute(ComputeContext& context) const {
    return context.input(0).dtype == kI32 ? Run<int32_t>(context) : Run<int64_t>(context);
  }

 private:
  template <typename T>
  static Status Run(ComputeContext& context) {
    const T* x = context.In<T>(0);
    T* y = context.Out<T>(0);
    const T n = static_cast<T>(NumElements(context.input(0)));
    std::fill(y, y + n, T{-1});
    for (T i = 0; i < n; ++i) {
      const T at = x[i];
      if (at < 0 || at >= n) {
        return InvalidArgument(std::to_string(at) + " is not between 0 and " +
                               std::to_string(n));
      }
      if (y[at] != -1) {
        return InvalidArgument(std::to_string(at) + " is duplicated in the input.");
      }
      y[at] = i;
    }
    return {};
  }
};

}  // namespace

void RegisterGather(KernelTable& table) {
  table.Op("Gather")
      .Type("Tparams", kFixedSize)
      .Type("Tindices", kIndexTypes)
      .Use<GatherKernel>();
  table.Op("GatherV2")
      .Type("Tparams", kFixedSize)
      .Type("Tindices", kIndexTypes)
      .Type("Taxis", kIndexTypes)
      .PrepareArg("axis")
      .Use<GatherKernel>();
  table.Op("ResourceGather")
      .Type("dtype", kFixedSize)
      .Type("Tindices", kIndexTypes)
      .Use<GatherKernel>();
  table.Op("OneHot")
      .Type("T", {kF32, kF64, kI32, kI64, kI16, kI8, kU8, kU16, kU32, kU64, kBool, kHalf,
                  kBf16, kC64})
      .Type("TI", {kU8, kI32, kI64})
      .PrepareArg("depth")
      .Use<OneHotKernel>();
  table.Op("InvertPermutation").Type("T", kIndexTypes).Use<InvertPermutationKernel>();
}

}  // namespace berth::cpu
