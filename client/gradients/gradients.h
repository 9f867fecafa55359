// Symbolic gradients.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "client/scope.h"

namespace berth::client {

// Adds the ops that compute d(sum of `ys`)/dx for each x, walking back from `ys` through
// one gradient function an op. An entry is none where no path leads from x to a y.
// `seeds` gives dy for each y (none or empty = ones). Errors (an op on the path without a
// gradient: node and op are named) stick in the scope.
std::vector<Output> Gradients(const Scope& scope, const std::vector<Output>& ys,
                              const std::vector<Output>& xs,
                              const std::vector<Output>& seeds = {});

// What a gradient function sees: the forward op, and dy for each of its outputs (none
// where nothing flows back). It sets dx for each data input it has one for.
class GradientContext {
 public:
  GradientContext(const Scope& scope, Operation op, std::vector<Output> dys);

  const Scope& scope() const { return scope_; }
  const Operation& op() const { return op_; }
  int num_inputs() const;
  Output input(int i) const;
  Output output(int i) const { return op_.output(i); }
  // dy of output i; none when nothing flows back through it.
  Output dy(int i = 0) const { return dys_[static_cast<size_t>(i)]; }
  void set_dx(int i, Output dx) { dxs_[static_cast<size_t>(i)] = dx; }
  const std::vector<Output>& dxs() const { return dxs_; }

  // Attribute reads, as in the forward op.
  bool BoolAttr(std::string_view name) const;
  const std::vector<int64_t>& IntsAttr(std::string_view name) const;
  std::string StringAttr(std::string_view name) const;
  // Starts the op's gradient op with its window attributes (strides, padding, ksize,
  // data_format, dilations, explicit_paddings) copied where the forward op has them.
  OpBuilder& CopyWindow(OpBuilder& builder) const;

 private:
  Scope scope_;
  Operation op_;
  std::vector<Output> dys_;
  std::vector<Output> dxs_;
};

using GradientFn = std::function<void(GradientContext& c)>;

// Registers or replaces the gradient of an op; for ops of plugins. Not thread-safe.
void RegisterGradient(std::string_view op, GradientFn fn);

}  // namespace berth::client
