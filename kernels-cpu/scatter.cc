// scatter.cc — ScatterUpdate, ScatterAdd, ScatterSub, ScatterMul, ScatterDiv, ScatterMin,
// ScatterMax and their Resource forms on the CPU: rows of a variable, in the order of the
// indices. An index out of range is INVALID_ARGUMENT and nothing is changed.
#include "kernels-cpu/arithmetic.h"
#include "kernels-cpu/common.h"
#include "kernels-cpu/families.h"

namespace berth::cpu {
namespace {

struct UpdateRow {
  template <typename T>
  static T Apply(T, T x) {
    return x;
  }
};
struct AddRow {
  template <typename T>
  static T Apply(T v, T x) {
    return WrapAdd(v, x);
  }
};
struct SubRow {
  template <typename T>
  static T Apply(T v, T x) {
    return WrapSub(v, x);
  }
};
struct MulRow {
  template <typename T>
  static T Apply(T v, T x) {
    return WrapMul(v, x);
  }
};
struct DivRow {
  template <typename T>
  static T Apply(T v, T x) {
    if constexpr (std::is_integral_v<T>) {
      return TruncatedQuotient(v, x);
    } else {
      return v / x;
    }
  }
};
struct MinRow {
  template <typename T>
  static T Apply(T v, T x) {
    return x < v ? x : v;
  }
};
struct MaxRow {
  template <typename T>
  static T Apply(T v, T x) {
    return v < x ? x : v;
  }
};

// Inputs: the variable, the indices, the updates (one row an index, or a scalar).
template <typename F>
class ScatterKernel {
 public:
  explicit ScatterKernel(const NodeView& node) : dtype_(node.input(2).dtype) {}
  static Result<std::unique_ptr<ScatterKernel>> Create(const NodeView& node,
                                                       berth_device*) {
    return Make<ScatterKernel>(node);
  }
  Status Prepare(PrepareContext& context) const {
    const berth_tensor& variable = context.input(0);
    const berth_tensor& indices = context.input(1);
    const berth_tensor& updates = context.input(2);
    if (variable.rank < 1) return InvalidArgument("params must be at least 1-D");
    bool fits = updates.rank == 0 || updates.rank == indices.rank + variable.rank - 1;
    for (int i = 0; fits && i < updates.rank; ++i) {
      fits = updates.dims[i] ==
             (i < indices.rank ? indices.dims[i] : variable.dims[i - indices.rank + 1]);
    }
    if (fits) return {};
    return InvalidArgument(
        "Must have updates.shape = indices.shape + params.shape[1:] or "
        "updates.shape = [], got updates.shape " +
        ShapeString(updates) + ", indices.shape " + ShapeString(indices) +
        ", params.shape " + ShapeString(variable));
  }
  Status Compute(ComputeContext& context) const {
    switch (dtype_) {
      case kF32:
        return Run<float>(context);
      case kF64:
        return Run<double>(context);
      case kI32:
        return Run<int32_t>(context);
      default:
        return Run<int64_t>(context);
    }
  }

 private:
  template <typename T>
  static Status Run(ComputeContext& context) {
    const berth_tensor& variable = context.input(0);
    const berth_tensor& indices = context.input(1);
    const berth_tensor& updates = context.input(2);
    const int64_t rows = variable.dims[0];
    const int64_t width = Product(variable.dims, 1, variable.rank);
    const int64_t count = NumElements(indices);
    for (int64_t i = 0; i < count; ++i) {
      const int64_t at = IndexAt(indices, i);
      if (at >= 0 && at < rows) continue;
      return InvalidArgument("indices[" + std::to_string(i) +
                             "] = " + std::to_string(at) + " is not in [0, " +
                             std::to_string(rows) + ")");
    }
    T* to = context.Ref<T>(0);
    const T* from = context.In<T>(2);
    const int64_t step = updates.rank == 0 ? 0 : 1;
    if constexpr (std::is_same_v<F, DivRow> && std::is_integral_v<T>) {
      const int64_t n = NumElements(updates);
      if (std::find(from, from + n, T{0}) != from + n) {
        return InvalidArgument("Integer division by zero");
      }
    }
    for (int64_t i = 0; i < count; ++i) {
      T* row = to + IndexAt(indices, i) * width;
      const T* x = from + i * width * step;
      for (int64_t j = 0; j < width; ++j) row[j] = F::Apply(row[j], x[j * step]);
    }
    return {};
  }

  int32_t dtype_;
};

template <typename F>
void Add(KernelTable& table, const char* op, const char* resource_op) {
  const auto numbers = {kF32, kF64, kI32, kI64};
  table.Op(op).Type("T", numbers).Type("Tindices", kIndexTypes).Use<ScatterKernel<F>>();
  table.Op(resource_op)
      .Type("dtype", numbers)
      .Type("Tindices", kIndexTypes)
      .Use<ScatterKernel<F>>();
}

}  // namespace

void RegisterScatter(KernelTable& table) {
  Add<UpdateRow>(table, "ScatterUpdate", "ResourceScatterUpdate");
  Add<AddRow>(table, "ScatterAdd", "ResourceScatterAdd");
  Add<SubRow>(table, "ScatterSub", "ResourceScatterSub");
  Add<MulRow>(table, "ScatterMul", "ResourceScatterMul");
  Add<DivRow>(table, "ScatterDiv", "ResourceScatterDiv");
  Add<MinRow>(table, "ScatterMin", "ResourceScatterMin");
  Add<MaxRow>(table, "ScatterMax", "ResourceScatterMax");
}

}  // namespace berth::cpu
