#include "kernels-cpu/reduction.h"

#include <Eigen/Core>
#include <cstring>
#include <limits>

#include "kernels-cpu/arithmetic.h"

namespace berth::cpu {
namespace {

// Elements of a contiguous run that are added in the input's own precision before the sum
// goes on in a wider one.
constexpr int64_t kBlock = 1024;
// Columns that are reduced together, in an accumulator on the stack.
constexpr int64_t kColumns = 512;

template <typename T>
using Vector = Eigen::Map<const Eigen::Array<T, Eigen::Dynamic, 1>>;

// Unsigned integers of T's size stand for signed ones, so that sums may wrap.
template <typename T, bool = std::is_integral_v<T>>
struct Wrapping {
  using type = std::make_unsigned_t<T>;
};
template <typename T>
struct Wrapping<T, false> {
  using type = T;
};

// What follows are the kinds. Acc accumulates; Run reduces a contiguous block; Add takes
// one more element.
template <typename T>
struct SumOf {
  using Acc = std::conditional_t<std::is_floating_point_v<T>, double, T>;
  static Acc Start() { return Acc{0}; }
  static Acc Run(const T* x, int64_t n) {
    using W = typename Wrapping<T>::type;
    return static_cast<Acc>(Vector<W>(reinterpret_cast<const W*>(x), n).sum());
  }
  static Acc Add(Acc a, T x) { return WrapAdd<Acc>(a, x); }
  static Acc Merge(Acc a, Acc b) { return WrapAdd<Acc>(a, b); }
  static T Finish(Acc a, int64_t) { return static_cast<T>(a); }
};
template <typename T>
struct MeanOf {
  using Wide = std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>;
  using Acc = std::conditional_t<std::is_floating_point_v<T>, double, Wide>;
  static Acc Start() { return Acc{0}; }
  static Acc Run(const T* x, int64_t n) {
    if constexpr (std::is_floating_point_v<T>) {
      return SumOf<T>::Run(x, n);
    } else {
      Acc sum = 0;
      for (int64_t i = 0; i < n; ++i) sum = WrapAdd<Acc>(sum, x[i]);
      return sum;
    }
  }
  static Acc Add(Acc a, T x) { return WrapAdd<Acc>(a, static_cast<Acc>(x)); }
  static Acc Merge(Acc a, Acc b) { return WrapAdd<Acc>(a, b); }
  static T Finish(Acc a, int64_t count) {
    if constexpr (std::is_floating_point_v<T>) {
      return static_cast<T>(a / static_cast<double>(count));
    } else {
      return count == 0 ? T{0} : static_cast<T>(a / static_cast<Acc>(count));
    }
  }
};
template <typename T>
struct ProdOf {
  using Acc = T;
  static Acc Start() { return Acc{1}; }
  static Acc Run(const T* x, int64_t n) {
    using W = typename Wrapping<T>::type;
    return static_cast<Acc>(Vector<W>(reinterpret_cast<const W*>(x), n).prod());
  }
  static Acc Add(Acc a, T x) { return WrapMul<Acc>(a, x); }
  static Acc Merge(Acc a, Acc b) { return WrapMul<Acc>(a, b); }
  static T Finish(Acc a, int64_t) { return a; }
};
// A NaN among the elements is the result.
template <typename T>
struct MaxOf {
  using Acc = T;
  static Acc Start() {
    return std::numeric_limits<T>::has_infinity ? -std::numeric_limits<T>::infinity()
                                                : std::numeric_limits<T>::lowest();
  }
  static Acc Run(const T* x, int64_t n) {
    return Vector<T>(x, n).template maxCoeff<Eigen::PropagateNaN>();
  }
  static Acc Add(Acc a, T x) { return x > a || x != x ? x : a; }
  static Acc Merge(Acc a, Acc b) { return Add(a, b); }
  static T Finish(Acc a, int64_t) { return a; }
};
template <typename T>
struct MinOf {
  using Acc = T;
  static Acc Start() {
    return std::numeric_limits<T>::has_infinity ? std::numeric_limits<T>::infinity()
                                                : std::numeric_limits<T>::max();
  }
  static Acc Run(const T* x, int64_t n) {
    return Vector<T>(x, n).template minCoeff<Eigen::PropagateNaN>();
  }
  static Acc Add(Acc a, T x) { return x < a || x != x ? x : a; }
  static Acc Merge(Acc a, Acc b) { return Add(a, b); }
  static T Finish(Acc a, int64_t) { return a; }
};
// Bytes that hold 0 or 1.
template <typename T>
struct AllOf : MinOf<T> {
  static T Start() { return 1; }
};
template <typename T>
struct AnyOf : MaxOf<T> {
  static T Start() { return 0; }
};

// Reduces elements [begin, end) of the contiguous run at `x`.
template <typename K, typename T>
typename K::Acc ReduceRun(const T* x, int64_t begin, int64_t end, typename K::Acc start) {
  if (end - begin < 8) {
    for (int64_t i = begin; i < end; ++i) start = K::Add(start, x[i]);
    return start;
  }
  for (int64_t i = begin; i < end; i += kBlock) {
    start = K::Merge(start, K::Run(x + i, std::min(kBlock, end - i)));
  }
  return start;
}

// Reduces rows [begin, end) of `plan.reduced` for kept position `k` and gives each result
// to store(column, accumulator).
template <typename K, typename T, typename Store>
void ReduceColumns(const Reduction& plan, const T* x, int64_t begin, int64_t end,
                   const Store& store) {
  using Acc = typename K::Acc;
  Acc acc[kColumns];
  const bool one_axis = plan.reduced.rank == 1;
  for (int64_t column = 0; column < plan.inner; column += kColumns) {
    const int64_t width = std::min(kColumns, plan.inner - column);
    std::fill(acc, acc + width, K::Start());
    for (int64_t r = begin; r < end; ++r) {
      const T* row =
          x + column + (one_axis ? r * plan.reduced.strides[0] : plan.reduced.Offset(r));
      for (int64_t i = 0; i < width; ++i) acc[i] = K::Add(acc[i], row[i]);
    }
    for (int64_t i = 0; i < width; ++i) store(column + i, acc[i]);
  }
}

// Part `part` of the reduction for kept position `k`.
template <typename K, typename T, typename Store>
void ReducePart(const Reduction& plan, const T* input, int64_t k, int64_t part,
                const Store& store) {
  const T* x = input + plan.kept.Offset(k);
  const bool one_run = plan.inner_reduced && plan.reduced.size == 1;
  const int64_t total = one_run ? plan.inner : plan.reduced.size;
  const int64_t begin = total * part / plan.parts;
  const int64_t end = total * (part + 1) / plan.parts;
  if (!plan.inner_reduced) {
    ReduceColumns<K>(plan, x, begin, end, store);
    return;
  }
  typename K::Acc acc = K::Start();
  if (one_run) {
    acc = ReduceRun<K>(x, begin, end, acc);
  } else {
    for (int64_t r = begin; r < end; ++r) {
      acc = ReduceRun<K>(x + plan.reduced.Offset(r), 0, plan.inner, acc);
    }
  }
  store(0, acc);
}

template <typename K, typename T>
void Reduce(const Reduction& plan, const ComputeContext& context) {
  using Acc = typename K::Acc;
  const T* x = context.In<T>(0);
  T* out = context.Out<T>(0);
  const int64_t row = plan.out_row();
  if (plan.out_size() == 0) return;
  if (plan.count == 0) {
    std::fill(out, out + plan.out_size(), K::Finish(K::Start(), 0));
    return;
  }
  const int64_t cost = plan.count * row * static_cast<int64_t>(sizeof(T)) / plan.parts;
  if (plan.parts == 1) {
    context.ParallelFor(plan.kept.size, GrainFor(cost), [&](int64_t begin, int64_t end) {
      for (int64_t k = begin; k < end; ++k) {
        ReducePart<K>(plan, x, k, 0, [&](int64_t i, Acc acc) {
          out[k * row + i] = K::Finish(acc, plan.count);
        });
      }
    });
    return;
  }
  Acc* partial = static_cast<Acc*>(context.scratch());
  context.ParallelFor(
      plan.parts * plan.kept.size, GrainFor(cost), [&](int64_t begin, int64_t end) {
        for (int64_t task = begin; task < end; ++task) {
          const int64_t k = task / plan.parts;
          Acc* to = partial + (task % plan.parts) * plan.out_size() + k * row;
          ReducePart<K>(plan, x, k, task % plan.parts,
                        [&](int64_t i, Acc acc) { to[i] = acc; });
        }
      });
  for (int64_t i = 0; i < plan.out_size(); ++i) {
    Acc acc = partial[i];
    for (int64_t part = 1; part < plan.parts; ++part) {
      acc = K::Merge(acc, partial[part * plan.out_size() + i]);
    }
    out[i] = K::Finish(acc, plan.count);
  }
}

template <template <typename> class K>
void ReduceNumbers(int32_t dtype, const Reduction& plan, const ComputeContext& context) {
  switch (dtype) {
    case kF32:
      return Reduce<K<float>, float>(plan, context);
    case kF64:
      return Reduce<K<double>, double>(plan, context);
    case kI32:
      return Reduce<K<int32_t>, int32_t>(plan, context);
    case kI64:
      return Reduce<K<int64_t>, int64_t>(plan, context);
    case kI16:
      return Reduce<K<int16_t>, int16_t>(plan, context);
    case kI8:
      return Reduce<K<int8_t>, int8_t>(plan, context);
    case kU8:
      return Reduce<K<uint8_t>, uint8_t>(plan, context);
    default:
      return Reduce<K<uint16_t>, uint16_t>(plan, context);
  }
}

}  // namespace

Reduction MakeReduction(const berth_tensor& input, uint64_t axes, int num_threads) {
  // Merged axes, innermost first: size and whether it is reduced.
  struct Axis {
    int64_t size;
    bool reduced;
  };
  std::array<Axis, BERTH_MAX_RANK> merged{};
  int rank = 0;
  Reduction plan;
  for (int i = input.rank - 1; i >= 0; --i) {
    const bool reduced = (axes >> i & 1) != 0;
    if (reduced) plan.count *= input.dims[i];
    if (input.dims[i] == 1) continue;
    if (rank > 0 && merged[static_cast<size_t>(rank - 1)].reduced == reduced) {
      merged[static_cast<size_t>(rank - 1)].size *= input.dims[i];
    } else {
      merged[static_cast<size_t>(rank++)] = {input.dims[i], reduced};
    }
  }
  if (rank > 0) {
    plan.inner = merged[0].size;
    plan.inner_reduced = merged[0].reduced;
  }
  int64_t stride = plan.inner;
  // Outermost first in the nests, so that they are filled from the back.
  int num_kept = 0;
  int num_reduced = 0;
  for (int i = 1; i < rank; ++i) {
    ++(merged[static_cast<size_t>(i)].reduced ? num_reduced : num_kept);
  }
  plan.kept.rank = num_kept;
  plan.reduced.rank = num_reduced;
  for (int i = 1; i < rank; ++i) {
    const Axis& axis = merged[static_cast<size_t>(i)];
    Nest& nest = axis.reduced ? plan.reduced : plan.kept;
    const size_t slot = static_cast<size_t>(--(axis.reduced ? num_reduced : num_kept));
    nest.dims[slot] = axis.size;
    nest.strides[slot] = stride;
    nest.size *= axis.size;
    stride *= axis.size;
  }
  // Few results of many elements: the reduced axes are split as well.
  const int64_t wanted = 4 * static_cast<int64_t>(num_threads);
  const int64_t splittable = plan.inner_reduced && plan.reduced.size == 1
                                 ? plan.inner / kBlock
                                 : plan.reduced.size;
  if (num_threads > 1 && plan.kept.size < wanted &&
      plan.count * plan.out_size() > 65536 && plan.out_size() <= 65536) {
    plan.parts =
        std::clamp<int64_t>(wanted / plan.kept.size, 1, std::max<int64_t>(1, splittable));
  }
  return plan;
}

void RunReduction(ReduceKind kind, int32_t dtype, const Reduction& plan,
                  const ComputeContext& context) {
  switch (kind) {
    case ReduceKind::kSum:
      return ReduceNumbers<SumOf>(dtype, plan, context);
    case ReduceKind::kMean:
      return ReduceNumbers<MeanOf>(dtype, plan, context);
    case ReduceKind::kProd:
      return ReduceNumbers<ProdOf>(dtype, plan, context);
    case ReduceKind::kMax:
      return ReduceNumbers<MaxOf>(dtype, plan, context);
    case ReduceKind::kMin:
      return ReduceNumbers<MinOf>(dtype, plan, context);
    case ReduceKind::kAll:
      return Reduce<AllOf<uint8_t>, uint8_t>(plan, context);
    case ReduceKind::kAny:
      return Reduce<AnyOf<uint8_t>, uint8_t>(plan, context);
  }
}

}  // namespace berth::cpu
