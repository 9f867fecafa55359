// The frame of element-wise kernels: shapes, fast paths and threads. An op brings its
// arithmetic as loops over contiguous elements, one set a dtype.
#pragma once

#include <atomic>

#include "kernels-cpu/broadcast.h"
#include "kernels-cpu/common.h"

namespace berth::cpu {

// Loops of a binary op on one dtype. `a`, `b` and `out` may be the same memory. A loop
// returns false when the data has no result (an integer divided by zero).
struct BinaryLoops {
  using Loop = bool (*)(const void* a, const void* b, void* out, int64_t n);
  Loop same = nullptr;
  Loop scalar_left = nullptr;
  Loop scalar_right = nullptr;
  uint8_t in_size = 0;  // bytes an element
  uint8_t out_size = 0;
  const char* failure = nullptr;  // the message when a loop returned false

  Loop Of(Broadcast::Kind kind) const {
    if (kind == Broadcast::Kind::kScalarLeft) return scalar_left;
    return kind == Broadcast::Kind::kScalarRight ? scalar_right : same;
  }
};

// Builds the loops of a functor `F::Apply(T, T) -> R`.
template <typename F, typename T, typename R = T>
struct BinaryLoopsOf {
  static bool Same(const void* a, const void* b, void* out, int64_t n) {
    const T* x = static_cast<const T*>(a);
    const T* y = static_cast<const T*>(b);
    R* z = static_cast<R*>(out);
    for (int64_t i = 0; i < n; ++i) z[i] = F::Apply(x[i], y[i]);
    return true;
  }
  static bool ScalarLeft(const void* a, const void* b, void* out, int64_t n) {
    const T x = *static_cast<const T*>(a);
    const T* y = static_cast<const T*>(b);
    R* z = static_cast<R*>(out);
    for (int64_t i = 0; i < n; ++i) z[i] = F::Apply(x, y[i]);
    return true;
  }
  static bool ScalarRight(const void* a, const void* b, void* out, int64_t n) {
    const T* x = static_cast<const T*>(a);
    const T y = *static_cast<const T*>(b);
    R* z = static_cast<R*>(out);
    for (int64_t i = 0; i < n; ++i) z[i] = F::Apply(x[i], y);
    return true;
  }
  static constexpr BinaryLoops Loops() {
    return {&Same, &ScalarLeft, &ScalarRight, sizeof(T), sizeof(R), nullptr};
  }
};

// The kernel behind all binary ops. Immutable; Compute is re-entrant.
class BinaryBase {
 public:
  using Prepared = Broadcast;

  explicit BinaryBase(const BinaryLoops& loops, bool mismatch_is_unequal = false)
      : loops_(loops),
        grain_(GrainFor(2 * loops.in_size + loops.out_size)),
        mismatch_is_unequal_(mismatch_is_unequal) {}

  Status Prepare(PrepareContext& context, Broadcast* plan) const;
  Status Compute(const Broadcast& plan, ComputeContext& context) const {
    if (plan.kind != Broadcast::Kind::kGeneral && plan.size < 2 * grain_) {
      const bool ok =
          loops_.Of(plan.kind)(context.input(0).host_data, context.input(1).host_data,
                               context.output(0).host_data, plan.size);
      return ok ? Status() : InvalidArgument(loops_.failure);
    }
    return ComputeLarge(plan, context);
  }

 private:
  Status ComputeLarge(const Broadcast& plan, ComputeContext& context) const;

  BinaryLoops loops_;
  int64_t grain_;  // elements of a piece
  bool mismatch_is_unequal_;
};

// Loops of a unary op on one dtype.
struct UnaryLoop {
  using Loop = void (*)(const void* x, void* out, int64_t n);
  Loop run = nullptr;
  uint8_t in_size = 0;
  uint8_t out_size = 0;
  uint8_t cost = 1;  // time an element in units of a copied element
};

template <typename F, typename T, typename R = T>
struct UnaryLoopOf {
  static void Run(const void* x, void* out, int64_t n) {
    const T* in = static_cast<const T*>(x);
    R* z = static_cast<R*>(out);
    for (int64_t i = 0; i < n; ++i) z[i] = F::Apply(in[i]);
  }
  static constexpr UnaryLoop Loop(uint8_t cost = 1) {
    return {&Run, sizeof(T), sizeof(R), cost};
  }
};

// The kernel behind all unary ops.
class UnaryBase {
 public:
  explicit UnaryBase(const UnaryLoop& loop)
      : loop_(loop), grain_(GrainFor((loop.in_size + loop.out_size) * loop.cost)) {}

  Status Compute(ComputeContext& context) const {
    const int64_t n = NumElements(context.input(0));
    const char* x = static_cast<const char*>(context.input(0).host_data);
    char* out = static_cast<char*>(context.output(0).host_data);
    if (n < 2 * grain_) {
      loop_.run(x, out, n);
      return {};
    }
    context.ParallelFor(n, grain_, [&](int64_t begin, int64_t end) {
      loop_.run(x + begin * loop_.in_size, out + begin * loop_.out_size, end - begin);
    });
    return {};
  }

 private:
  UnaryLoop loop_;
  int64_t grain_;  // elements of a piece
};

// A unary op as a kernel: `F::For(dtype)` gives the loop, with `run` null for a dtype it
// does not have. The dtype is that of input 0.
template <typename F>
class UnaryOp : public UnaryBase {
 public:
  using UnaryBase::UnaryBase;
  static Result<std::unique_ptr<UnaryOp>> Create(const NodeView& node, berth_device*) {
    const UnaryLoop loop = F::For(node.input(0).dtype);
    if (loop.run == nullptr) return NoLoop(node, node.input(0).dtype);
    return std::make_unique<UnaryOp>(loop);
  }
};

// A binary op as a kernel, in the same way.
template <typename F>
class BinaryOp : public BinaryBase {
 public:
  using BinaryBase::BinaryBase;
  static Result<std::unique_ptr<BinaryOp>> Create(const NodeView& node, berth_device*) {
    const BinaryLoops loops = F::For(node.input(0).dtype);
    if (loops.same == nullptr) return NoLoop(node, node.input(0).dtype);
    // Equal and NotEqual may answer for shapes that do not fit (a scalar bool).
    return std::make_unique<BinaryOp>(loops,
                                      !node.Bool("incompatible_shape_error", true));
  }
};

}  // namespace berth::cpu
