// What a shape function sees.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/shape.h"
#include "core/base/status.h"
#include "core/base/tensor.h"
#include "core/graph/attr_value.h"

namespace berth {

struct OpSchema;

// Input shapes (possibly partly unknown), constant input values, and room for the output
// shapes, which start as unknown. Used at import and again with concrete shapes at run
// time.
class InferenceContext {
 public:
  struct Args {
    const OpSchema* schema = nullptr;
    const AttrMap* attrs = nullptr;
    std::string_view node_name;
    std::span<const Shape> input_shapes;
    // Entry i is the value of input i when known (host memory), else nullptr. May be
    // shorter.
    std::span<const Tensor* const> input_values;
    int num_outputs = 0;
  };
  explicit InferenceContext(const Args& args);

  const AttrMap& attrs() const { return *args_.attrs; }
  const OpSchema& schema() const { return *args_.schema; }
  std::string_view node_name() const { return args_.node_name; }
  int num_inputs() const { return static_cast<int>(args_.input_shapes.size()); }
  int num_outputs() const { return args_.num_outputs; }
  const Shape& input(int i) const { return args_.input_shapes[i]; }
  const Tensor* input_value(int i) const {
    return static_cast<size_t>(i) < args_.input_values.size() ? args_.input_values[i]
                                                              : nullptr;
  }
  void set_output(int i, Shape shape) { outputs_[i] = std::move(shape); }
  const Shape& output(int i) const { return outputs_[i]; }
  std::vector<Shape>& outputs() { return outputs_; }

  // INVALID_ARGUMENT "Shape must be rank R but is rank r for 'node' (op: 'Op') …".
  Status WithRank(int input, int rank) const;
  Status WithRankAtLeast(int input, int rank) const;
  // `message` with " for 'node' (op: 'Op') with input shapes: …" behind it.
  Status Error(std::string message) const;
  // The shape that agrees with both, or an error.
  Result<Shape> Merge(const Shape& a, const Shape& b) const;
  // The value of input i, a 1-D integer tensor, as a shape with -1 for what is unknown;
  // unknown rank when the input is not constant.
  Result<Shape> ShapeFromInput(int i) const;

 private:
  Args args_;
  std::vector<Shape> outputs_;
};

}  // namespace berth
