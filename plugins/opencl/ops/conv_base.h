// What Conv2D and its gradients share: shapes, operands brought into form, the run.
#pragma once

#include <array>
#include <cstdint>

#include "plugins/opencl/ops/contract.h"
#include "plugins/opencl/ops/op_kernel.h"
#include "plugins/opencl/ops/strided_copy.h"
#include "plugins/opencl/ops/windows.h"

namespace berth::opencl {

// Everything about one convolution's shapes. With more than one group, each group of
// output channels sees a group of input channels of its own.
struct ConvShape {
  int64_t batch = 0;
  int64_t in_depth = 0;   // channels of the input, all groups
  int64_t out_depth = 0;  // channels of the output, all groups
  int64_t groups = 1;
  WindowAxis y;
  WindowAxis x;

  int64_t in_group() const { return in_depth / groups; }
  int64_t out_group() const { return out_depth / groups; }
  int64_t input_size() const { return batch * y.input * x.input * in_depth; }
  int64_t output_size() const { return batch * y.output * x.output * out_depth; }
  int64_t filter_size() const { return y.window * x.window * in_group() * out_depth; }
};

// The shape for an input [batch, height, width, depth] and a filter [height, width, depth
// of a group, out_depth]. INVALID_ARGUMENT where the two do not fit.
Result<ConvShape> MakeConvShape(const WindowAttrs& attrs, const int64_t* input,
                                const int64_t* filter);

// INVALID_ARGUMENT, naming the tensor, unless its rank is 4.
Status CheckRank4(const berth_tensor& tensor, const char* what);

// A tensor brought into form in scratch memory: zeros, then a strided copy; or used as it
// is (`in_place`).
struct Staged {
  bool in_place = true;
  bool zero = false;
  CopyPlan copy;
  uint64_t at = 0;     // offset in the scratch memory
  uint64_t bytes = 0;  // there
};

// What the three kernels prepare. Steps lead from a group to the next, in elements.
struct ConvPlan {
  bool empty = false;  // nothing to sum: the output, if any, is zero
  Staged a;            // gives the rows
  Staged b;            // gives the vectors
  ContractPlan contract;
  uint64_t slices_at = 0;
  int64_t groups = 1;
  int64_t a_step = 0;
  int64_t b_step = 0;
  int64_t c_step = 0;
};

class ConvBase {
 public:
  Status Init(const NodeView& node, berth_device* device);

 protected:
  // Size of a padded copy of an input as the window walks it.
  struct Padded {
    int64_t height = 0;
    int64_t width = 0;
  };
  // A matrix whose rows hold the columns of all groups side by side.
  struct Columns {
    int64_t rows = 0;
    int64_t all = 0;
    int64_t groups = 1;
  };

  // A padded tensor that a window walks, in elements.
  struct Walked {
    int64_t depth = 0;  // channels, all groups
    int64_t group = 0;  // channels of a group
    int64_t line = 0;   // from a line to the next
  };

  // A contraction whose depth runs over the window's taps and a group's channels; `pitch`
  // is the distance of rows of B.
  static Contraction OverTaps(const ConvShape& s, const Walked& walked, int64_t pitch);
  // Stages the input so that every window lies inside. Sets the padded size.
  Status StageInput(const ConvShape& s, Staged* staged, Padded* padded) const;
  // Stages a copy along `walk`, zeros elsewhere; all counts in elements.
  Status Stage(const Walk& walk, int64_t from, int64_t to, int64_t elements,
               Staged* staged) const;
  // Stages the plan's `b` so that every row of a group has at least as many columns as
  // vectors read, and sets the step between groups. Returns the distance of rows.
  Result<int64_t> StageColumns(const Columns& columns, ConvPlan* plan) const;
  // INVALID_ARGUMENT where the kernels' 32-bit indices do not reach.
  Status CheckReach(const ConvShape& s, const Padded& padded) const;
  // Lays out the scratch memory and plans the contraction.
  Status Finish(const Contraction& contraction, PrepareContext& context,
                ConvPlan* plan) const;
  Status Run(const ConvPlan& plan, const berth_tensor& a, const berth_tensor& b,
             ComputeContext& context) const;

  static std::array<int32_t, 3> Narrow(int64_t a, int64_t b, int64_t c) {
    return {static_cast<int32_t>(a), static_cast<int32_t>(b), static_cast<int32_t>(c)};
  }

  WindowAttrs attrs_;
  size_t element_size_ = 4;
  Contractor contractor_;
  StridedCopier copier_;

 private:
  Status Bring(const Staged& staged, const berth_tensor& tensor,
               ComputeContext& context) const;
};

}  // namespace berth::opencl
