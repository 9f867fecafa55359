// A call of an op as plugins see it: a berth_node with the op's schema behind it.
#pragma once

#include <berth/node.h>

#include <memory>
#include <string>
#include <vector>

#include "conformance/reference/op_call.h"
#include "core/base/shape.h"
#include "core/base/status.h"
#include "core/graph/attr_value.h"
#include "core/ops/op_schema.h"
#include "core/registry/node_abi.h"

namespace berth::conformance {

// Immutable once made; may be read from any thread.
class OpNode {
 public:
  // INVALID_ARGUMENT when the call does not fit the op's schema: unknown op, attribute or
  // number of inputs, or shapes that the op refuses.
  static Result<std::unique_ptr<OpNode>> Make(const OpCall& call,
                                              const std::string& device);

  // With the sizes of the inputs known, or only their ranks, or not even those.
  const berth_node& abi() const { return known_->abi(); }
  const berth_node& abi_without_sizes() const { return sizeless_->abi(); }
  const berth_node& abi_without_ranks() const { return rankless_->abi(); }

  const AttrMap& attrs() const { return attrs_; }
  DType output_dtype(int i) const { return output_dtypes_[static_cast<size_t>(i)]; }
  int num_outputs() const { return static_cast<int>(output_dtypes_.size()); }
  // What the op's shape function says with all values known; -1 where it cannot know.
  const Shape& output_shape(int i) const {
    return output_shapes_[static_cast<size_t>(i)];
  }
  // For a reference output the input that it is an alias of, else -1.
  int alias_of(int output) const { return aliases_[static_cast<size_t>(output)]; }

 private:
  OpNode() = default;
  Status InferShapes(const OpCall& call);

  const berth::OpSchema* schema_ = nullptr;
  AttrMap attrs_;
  std::vector<Shape> input_shapes_;
  std::vector<Shape> output_shapes_;
  std::vector<DType> output_dtypes_;
  std::vector<int> aliases_;
  std::unique_ptr<NodeAbiView> known_;
  std::unique_ptr<NodeAbiView> sizeless_;
  std::unique_ptr<NodeAbiView> rankless_;
};

}  // namespace berth::conformance
