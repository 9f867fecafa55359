// transpose.cc — Transpose, Tile, BroadcastTo and Reverse on the CPU, by the size of the
// element.
#include "kernels-cpu/common.h"
#include "kernels-cpu/families.h"
#include "kernels-cpu/strided_copy.h"

namespace berth::cpu {
namespace {

using Dims = std::array<int64_t, 2 * BERTH_MAX_RANK>;

Status TooManyAxes(const char* op, int64_t rank) {
  return InvalidArgument(std::string(op) + ": rank " + std::to_string(rank) +
                         "; this kernel goes up to " + std::to_string(BERTH_MAX_RANK));
}

// A kernel whose result is one strided copy of input 0; `F::Plan` makes it.
template <typename F>
class CopyKernel {
 public:
  using Prepared = StridedCopy;
  explicit CopyKernel(const NodeView& node)
      : size_(static_cast<int64_t>(sdk::DtypeSize(node.output(0).dtype))) {}
  static Result<std::unique_ptr<CopyKernel>> Create(const NodeView& node, berth_device*) {
    return Make<CopyKernel>(node);
  }
  Status Prepare(PrepareContext& context, StridedCopy* plan) const {
    if (context.input(0).rank > BERTH_MAX_RANK) {
      return TooManyAxes(F::kName, context.input(0).rank);
    }
    return F::Plan(context, plan);
  }
  Status Compute(const StridedCopy& plan, ComputeContext& context) const {
    plan.Run(context.input(0).host_data, context.output(0).host_data, size_, context);
    return {};
  }

 private:
  int64_t size_;
};

struct TransposePlan {
  static constexpr char kName[] = "Transpose";
  static Status Plan(PrepareContext& context, StridedCopy* plan) {
    const berth_tensor& x = context.input(0);
    const std::vector<int64_t> perm = IndexVector(context.input(1));
    if (perm.size() != static_cast<size_t>(x.rank)) {
      return InvalidArgument(
          "transpose expects a vector of size " + std::to_string(x.rank) +
          ". But input(1) is a vector of size " + std::to_string(perm.size()));
    }
    Dims in{};
    Dims strides{};
    Dims dims{};
    DenseStrides(x.dims, x.rank, in.data());
    uint64_t seen = 0;
    for (size_t i = 0; i < perm.size(); ++i) {
      const int64_t axis = perm[i] < 0 ? perm[i] + x.rank : perm[i];
      if (axis < 0 || axis >= x.rank) {
        return InvalidArgument(std::to_string(perm[i]) + " is out of range [0 .. " +
                               std::to_string(x.rank) + ")");
      }
      if ((seen >> axis & 1) != 0) {
        return InvalidArgument("axis " + std::to_string(axis) +
                               " stands twice in the permutation");
      }
      seen |= uint64_t{1} << axis;
      strides[i] = in[static_cast<size_t>(axis)];
      dims[i] = x.dims[axis];
    }
    SetShape(&context.output(0), dims.data(), x.rank);
    *plan = StridedCopy(dims.data(), strides.data(), x.rank, 0);
    return {};
  }
};

struct TilePlan {
  static constexpr char kName[] = "Tile";
  static Status Plan(PrepareContext& context, StridedCopy* plan) {
    const berth_tensor& x = context.input(0);
    const std::vector<int64_t> multiples = IndexVector(context.input(1));
    if (multiples.size() != static_cast<size_t>(x.rank)) {
      return InvalidArgument("Expected multiples argument to be a vector of length " +
                             std::to_string(x.rank) + " but got length " +
                             std::to_string(multiples.size()));
    }
    // Axis i of the result is a pair: repetitions, then the input's axis. Pairs that need
    // no repetition are one axis.
    Dims in{};
    Dims dims{};
    Dims strides{};
    Dims result{};
    DenseStrides(x.dims, x.rank, in.data());
    int rank = 0;
    for (int i = 0; i < x.rank; ++i) {
      const size_t at = static_cast<size_t>(i);
      if (multiples[at] < 0) {
        return InvalidArgument("Expected multiples[" + std::to_string(i) +
                               "] >= 0, but got " + std::to_string(multiples[at]));
      }
      result[at] = x.dims[i] * multiples[at];
      if (multiples[at] != 1 || x.dims[i] == 0) {
        dims[static_cast<size_t>(rank)] = multiples[at];
        strides[static_cast<size_t>(rank++)] = 0;
      }
      if (x.dims[i] != 1) {
        dims[static_cast<size_t>(rank)] = x.dims[i];
        strides[static_cast<size_t>(rank++)] = in[at];
      }
    }
    if (rank > BERTH_MAX_RANK) return TooManyAxes(kName, x.rank);
    SetShape(&context.output(0), result.data(), x.rank);
    *plan = StridedCopy(dims.data(), strides.data(), rank, 0);
    return {};
  }
};

struct BroadcastToPlan {
  static constexpr char kName[] = "BroadcastTo";
  static Status Plan(PrepareContext& context, StridedCopy* plan) {
    const berth_tensor& x = context.input(0);
    const std::vector<int64_t> dims = IndexVector(context.input(1));
    const int rank = static_cast<int>(dims.size());
    if (rank > BERTH_MAX_RANK) return TooManyAxes(kName, rank);
    Dims in{};
    Dims strides{};
    DenseStrides(x.dims, x.rank, in.data());
    for (int i = 0; i < rank; ++i) {
      const int from = i - (rank - x.rank);
      const int64_t have = from >= 0 ? x.dims[from] : 1;
      const int64_t want = dims[static_cast<size_t>(i)];
      if (x.rank > rank || (have != 1 && have != want)) {
        return InvalidArgument("Incompatible shapes: " + ShapeString(x) + " vs. " +
                               sdk::ShapeString(dims.data(), rank));
      }
      strides[static_cast<size_t>(i)] = have == 1 ? 0 : in[static_cast<size_t>(from)];
    }
    SetShape(&context.output(0), dims.data(), rank);
    *plan = StridedCopy(dims.data(), strides.data(), rank, 0);
    return {};
  }
};

struct ReversePlan {
  static constexpr char kName[] = "ReverseV2";
  static Status Plan(PrepareContext& context, StridedCopy* plan) {
    const berth_tensor& x = context.input(0);
    Dims strides{};
    DenseStrides(x.dims, x.rank, strides.data());
    int64_t offset = 0;
    uint64_t seen = 0;
    for (const int64_t axis : IndexVector(context.input(1))) {
      if (axis < -x.rank || axis >= x.rank) {
        return InvalidArgument("'axis'[" + std::to_string(axis) +
                               "] is out of bounds for rank " + std::to_string(x.rank));
      }
      const int at = FrontAxis(axis, x.rank);
      if ((seen >> at & 1) != 0) {
        return InvalidArgument("axis " + std::to_string(at) +
                               " specified more than once");
      }
      seen |= uint64_t{1} << at;
      int64_t& stride = strides[static_cast<size_t>(at)];
      offset += (x.dims[at] - 1) * stride;
      stride = -stride;
    }
    SetShape(&context.output(0), x.dims, x.rank);
    *plan = StridedCopy(x.dims, strides.data(), x.rank, offset);
    return {};
  }
};

}  // namespace

void RegisterTranspose(KernelTable& table) {
  table.Op("Transpose")
      .Type("T", kFixedSize)
      .Type("Tperm", kIndexTypes)
      .PrepareArg("perm")
      .Use<CopyKernel<TransposePlan>>();
  table.Op("Tile")
      .Type("T", kFixedSize)
      .Type("Tmultiples", kIndexTypes)
      .PrepareArg("multiples")
      .Use<CopyKernel<TilePlan>>();
  table.Op("BroadcastTo")
      .Type("T", kFixedSize)
      .Type("Tidx", kIndexTypes)
      .PrepareArg("shape")
      .Use<CopyKernel<BroadcastToPlan>>();
  table.Op("ReverseV2")
      .Type("T", kFixedSize)
      .Type("Tidx", kIndexTypes)
      .PrepareArg("axis")
      .Use<CopyKernel<ReversePlan>>();
}

}  // namespace berth::cpu
