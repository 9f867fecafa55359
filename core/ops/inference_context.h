// What a shape function sees.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
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

// What is known of the variable, table or queue behind a resource handle.
struct HandleShape {
  Shape shape = Shape::UnknownRank();
  DType dtype = BERTH_INVALID_DTYPE;
};

// The elements of an integer scalar or vector of which only some are known.
using Elements = std::vector<int64_t>;
inline constexpr int64_t kUnknownElement = std::numeric_limits<int64_t>::min();

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
    // As input_values, for integer inputs whose value is known only in part.
    std::span<const Elements* const> input_elements = {};
    // As input_values, for inputs that are resource handles.
    std::span<const HandleShape* const> input_handles = {};
    // The shapes are those of a run. TensorFlow refuses some graphs that it would run: a
    // window larger than its input gives an empty output.
    bool at_run_time = false;
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
  // nullptr when nothing is known of the handle.
  const HandleShape* input_handle(int i) const {
    return static_cast<size_t>(i) < args_.input_handles.size() ? args_.input_handles[i]
                                                               : nullptr;
  }
  void set_output(int i, Shape shape) { outputs_[i] = std::move(shape); }
  const Shape& output(int i) const { return outputs_[i]; }
  std::vector<Shape>& outputs() { return outputs_; }
  // Output `i` is a handle of something of this shape and dtype.
  void set_output_handle(int i, HandleShape handle);
  const HandleShape* output_handle(int i) const {
    return static_cast<size_t>(i) < output_handles_.size() ? &output_handles_[i]
                                                           : nullptr;
  }

  // INVALID_ARGUMENT "Shape must be rank R but is rank r for 'node' (op: 'Op') …".
  Status WithRank(int input, int rank) const;
  Status WithRankAtLeast(int input, int rank) const;
  Status WithRankAtMost(int input, int rank) const;
  bool at_run_time() const { return args_.at_run_time; }
  // `message` with " for 'node' (op: 'Op') with input shapes: …" behind it.
  Status Error(std::string message) const;
  // The same as UNIMPLEMENTED: what TensorFlow's kernels refuse with that code.
  Status UnimplementedError(std::string message) const;
  // The shape that agrees with both, or an error.
  Result<Shape> Merge(const Shape& a, const Shape& b) const;
  // The size that agrees with both, or "Dimensions must be equal, but are a and b".
  Result<int64_t> MergeDim(int64_t a, int64_t b) const;
  // "Dimension must be `size` but is …" when `dim` is known and another.
  Status WithDim(int64_t dim, int64_t size) const;
  // Size `axis` of input i (negative: from the end), -1 when unknown. REQUIRES: the axis
  // exists or the rank is unknown.
  int64_t input_dim(int i, int axis) const;

  // The value of input i, a 1-D integer tensor, as a shape with -1 for what is unknown;
  // unknown rank when the input is not constant. A -1 in the value is unknown too when
  // the graph is built; in a run nothing could fill it in, and it is INVALID_ARGUMENT.
  Result<Shape> ShapeFromInput(int i) const;
  // The same for ops that take -1 for "any size" or "whatever fits" in a run as well.
  Result<Shape> OpenShapeFromInput(int i) const;
  // What is known of the elements of input i, an integer scalar or vector; nullopt when
  // nothing is.
  std::optional<Elements> ElementsFromInput(int i) const;
  // The value of input i, an integer scalar; nullopt when it is not known.
  Result<std::optional<int64_t>> IntFromInput(int i) const;

 private:
  Result<Shape> ReadShape(int i, bool may_be_open) const;

  Args args_;
  std::vector<Shape> outputs_;
  std::vector<HandleShape> output_handles_;
};

}  // namespace berth
