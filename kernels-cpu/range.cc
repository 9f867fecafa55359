// range.cc — Range, LinSpace, BroadcastGradientArgs, BroadcastArgs and ConcatOffset on
// the CPU: small arithmetic on shapes.
#include <cmath>

#include "kernels-cpu/common.h"
#include "kernels-cpu/families.h"

namespace berth::cpu {
namespace {

// Range: the number of elements follows from the values, which prepare sees.
class RangeKernel {
 public:
  explicit RangeKernel(const NodeView& node) : dtype_(node.output(0).dtype) {}
  static Result<std::unique_ptr<RangeKernel>> Create(const NodeView& node,
                                                     berth_device*) {
    return Make<RangeKernel>(node);
  }
  Status Prepare(PrepareContext& context) const {
    switch (dtype_) {
      case kF32:
        return Size<float>(context);
      case kF64:
        return Size<double>(context);
      case kI32:
        return Size<int32_t>(context);
      default:
        return Size<int64_t>(context);
    }
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
  static Status Size(PrepareContext& context) {
    const T start = *sdk::Data<T>(context.input(0));
    const T limit = *sdk::Data<T>(context.input(1));
    const T delta = *sdk::Data<T>(context.input(2));
    const auto text = [](T x) { return std::to_string(x); };
    if (delta == 0) return InvalidArgument("Requires delta != 0: " + text(delta));
    if (delta > 0 ? start > limit : start < limit) {
      return InvalidArgument(std::string("Requires start ") + (delta > 0 ? "<=" : ">=") +
                             " limit when delta " + (delta > 0 ? ">" : "<") +
                             " 0: " + text(start) + " to " + text(limit));
    }
    double count =
        std::ceil(std::fabs((static_cast<double>(limit) - static_cast<double>(start)) /
                            static_cast<double>(delta)));
    if constexpr (std::is_integral_v<T>) {
      // Exact where doubles are not. The distance of two int64 fits 64 unsigned bits.
      const uint64_t distance =
          delta > 0 ? static_cast<uint64_t>(limit) - static_cast<uint64_t>(start)
                    : static_cast<uint64_t>(start) - static_cast<uint64_t>(limit);
      const uint64_t step = delta > 0 ? static_cast<uint64_t>(delta)
                                      : uint64_t{0} - static_cast<uint64_t>(delta);
      count = static_cast<double>(distance / step + (distance % step != 0 ? 1 : 0));
    }
    if (!(count < 9.0e18)) return InvalidArgument("Requires a size that int64 can hold");
    const int64_t size = static_cast<int64_t>(count);
    SetShape(&context.output(0), &size, 1);
    return {};
  }

  template <typename T>
  static Status Run(ComputeContext& context) {
    T value = *context.In<T>(0);
    const T delta = *context.In<T>(2);
    T* out = context.Out<T>(0);
    const int64_t n = NumElements(context.output(0));
    // Added up like TensorFlow, so that real ranges agree to the last bit.
    for (int64_t i = 0; i < n; ++i) {
      out[i] = value;
      if (i + 1 < n) value = static_cast<T>(value + delta);
    }
    return {};
  }

  int32_t dtype_;
};

class LinSpaceKernel {
 public:
  explicit LinSpaceKernel(const NodeView& node) : dtype_(node.output(0).dtype) {}
  static Result<std::unique_ptr<LinSpaceKernel>> Create(const NodeView& node,
                                                        berth_device*) {
    return Make<LinSpaceKernel>(node);
  }
  Status Prepare(PrepareContext& context) const {
    const int64_t n = IndexAt(context.input(2), 0);
    if (n <= 0) return InvalidArgument("Requires num > 0: " + std::to_string(n));
    SetShape(&context.output(0), &n, 1);
    return {};
  }
  Status Compute(ComputeContext& context) const {
    if (dtype_ == kF32) {
      Run<float>(context);
    } else {
      Run<double>(context);
    }
    return {};
  }

 private:
  template <typename T>
  static void Run(ComputeContext& context) {
    const T start = *context.In<T>(0);
    const T stop = *context.In<T>(1);
    T* out = context.Out<T>(0);
    const int64_t n = NumElements(context.output(0));
    const T step = n > 1 ? (stop - start) / static_cast<T>(n - 1) : T{0};
    for (int64_t i = 0; i < n; ++i) out[i] = start + step * static_cast<T>(i);
    if (n > 1) out[n - 1] = stop;
  }

  int32_t dtype_;
};

// Reads a shape aligned to the right: 1 where it has no axis.
int64_t FromRight(const berth_tensor& shape, int64_t i) {
  const int64_t rank = NumElements(shape);
  return i < rank ? IndexAt(shape, rank - 1 - i) : 1;
}

void Store(int64_t value, const berth_tensor& out, int64_t at) {
  if (out.dtype == kI32) {
    sdk::MutableData<int32_t>(out)[at] = static_cast<int32_t>(value);
  } else {
    sdk::MutableData<int64_t>(out)[at] = value;
  }
}

void StoreAll(const std::vector<int64_t>& values, const berth_tensor& out) {
  for (size_t i = 0; i < values.size(); ++i) {
    Store(values[i], out, static_cast<int64_t>(i));
  }
}

Status Incompatible(const berth_tensor& a, const berth_tensor& b) {
  const std::vector<int64_t> da = IndexVector(a);
  const std::vector<int64_t> db = IndexVector(b);
  return InvalidArgument(
      "Incompatible shapes: " + sdk::ShapeString(da.data(), static_cast<int>(da.size())) +
      " vs. " + sdk::ShapeString(db.data(), static_cast<int>(db.size())));
}

// The axes over which the gradient of each operand of a broadcast op is summed.
class BroadcastGradientArgsKernel {
 public:
  struct Prepared {
    std::vector<int64_t> axes[2];
  };
  static Result<std::unique_ptr<BroadcastGradientArgsKernel>> Create(const NodeView&,
                                                                     berth_device*) {
    return std::make_unique<BroadcastGradientArgsKernel>();
  }
  Status Prepare(PrepareContext& context, Prepared* plan) const {
    const berth_tensor& a = context.input(0);
    const berth_tensor& b = context.input(1);
    const int64_t rank = std::max(NumElements(a), NumElements(b));
    bool same = NumElements(a) == NumElements(b);
    for (int64_t i = 0; i < rank && same; ++i) same = FromRight(a, i) == FromRight(b, i);
    for (int64_t axis = 0; axis < rank && !same; ++axis) {
      const int64_t da = FromRight(a, rank - 1 - axis);
      const int64_t db = FromRight(b, rank - 1 - axis);
      if (da != db && da != 1 && db != 1) return Incompatible(a, b);
      // An axis that is 1 on both sides is summed on both: nothing is lost.
      if (da == 1) plan->axes[0].push_back(axis);
      if (db == 1) plan->axes[1].push_back(axis);
    }
    for (int i = 0; i < 2; ++i) {
      const int64_t size = static_cast<int64_t>(plan->axes[i].size());
      SetShape(&context.output(i), &size, 1);
    }
    return {};
  }
  Status Compute(const Prepared& plan, ComputeContext& context) const {
    StoreAll(plan.axes[0], context.output(0));
    StoreAll(plan.axes[1], context.output(1));
    return {};
  }
};

class BroadcastArgsKernel {
 public:
  struct Prepared {
    std::vector<int64_t> dims;
  };
  static Result<std::unique_ptr<BroadcastArgsKernel>> Create(const NodeView&,
                                                             berth_device*) {
    return std::make_unique<BroadcastArgsKernel>();
  }
  Status Prepare(PrepareContext& context, Prepared* plan) const {
    const berth_tensor& a = context.input(0);
    const berth_tensor& b = context.input(1);
    const int64_t rank = std::max(NumElements(a), NumElements(b));
    for (int64_t axis = 0; axis < rank; ++axis) {
      const int64_t da = FromRight(a, rank - 1 - axis);
      const int64_t db = FromRight(b, rank - 1 - axis);
      if (da != db && da != 1 && db != 1) return Incompatible(a, b);
      plan->dims.push_back(da == 1 ? db : da);
    }
    SetShape(&context.output(0), &rank, 1);
    return {};
  }
  Status Compute(const Prepared& plan, ComputeContext& context) const {
    StoreAll(plan.dims, context.output(0));
    return {};
  }
};

// Where each input of a concatenation begins: inputs are the axis and one shape each.
class ConcatOffsetKernel {
 public:
  static Result<std::unique_ptr<ConcatOffsetKernel>> Create(const NodeView&,
                                                            berth_device*) {
    return std::make_unique<ConcatOffsetKernel>();
  }
  Status Compute(ComputeContext& context) const {
    const int num = context.num_inputs() - 1;
    const berth_tensor& head = context.input(1);
    const int64_t rank = NumElements(head);
    int64_t axis = IndexAt(context.input(0), 0);
    if (axis < -rank || axis >= rank) {
      return InvalidArgument("Concat dim is out of range: " + std::to_string(axis) +
                             " vs. " + std::to_string(rank));
    }
    if (axis < 0) axis += rank;
    int64_t offset = 0;
    for (int i = 0; i < num; ++i) {
      const berth_tensor& shape = context.input(i + 1);
      if (NumElements(shape) != rank) {
        return InvalidArgument("input " + std::to_string(i) + " should have " +
                               std::to_string(rank) + " elements, but got " +
                               std::to_string(NumElements(shape)));
      }
      for (int64_t d = 0; d < rank; ++d) {
        Store(d == axis ? offset : 0, context.output(i), d);
        if (d != axis && IndexAt(shape, d) != IndexAt(head, d)) {
          return InvalidArgument("All dimensions except " + std::to_string(axis) +
                                 " must match. Input " + std::to_string(i) +
                                 " does not fit input 0 in dimension " +
                                 std::to_string(d));
        }
      }
      offset += IndexAt(shape, axis);
    }
    return {};
  }
};

}  // namespace

void RegisterRange(KernelTable& table) {
  table.Op("Range")
      .Type("Tidx", {kF32, kF64, kI32, kI64})
      .PrepareArg("start")
      .PrepareArg("limit")
      .PrepareArg("delta")
      .Use<RangeKernel>();
  table.Op("LinSpace")
      .Type("T", {kF32, kF64})
      .Type("Tidx", kIndexTypes)
      .HostArg("start")
      .HostArg("stop")
      .PrepareArg("num")
      .Use<LinSpaceKernel>();
  table.Op("BroadcastGradientArgs")
      .Type("T", kIndexTypes)
      .PrepareArg("s0")
      .PrepareArg("s1")
      .Use<BroadcastGradientArgsKernel>();
  table.Op("BroadcastArgs")
      .Type("T", kIndexTypes)
      .PrepareArg("s0")
      .PrepareArg("s1")
      .Use<BroadcastArgsKernel>();
  table.Op("ConcatOffset")
      .HostArg("concat_dim")
      .HostArg("shape")
      .Use<ConcatOffsetKernel>();
}

}  // namespace berth::cpu
