#include "plugins/opencl/ops/conv_base.h"

#include <algorithm>
#include <limits>
#include <string>

namespace berth::opencl {

Result<ConvShape> MakeConvShape(const WindowAttrs& attrs, const int64_t* input,
                                const int64_t* filter) {
  ConvShape shape;
  shape.batch = input[0];
  shape.in_depth = input[3];
  shape.out_depth = filter[3];
  if (filter[2] != input[3]) {
    if (filter[2] == 0 || input[3] % filter[2] != 0) {
      return sdk::InvalidArgument(
          "Conv2D: input depth must be evenly divisible by filter depth: " +
          std::to_string(input[3]) + " vs " + std::to_string(filter[2]));
    }
    shape.groups = std::max<int64_t>(input[3] / filter[2], 1);
    if (filter[3] % shape.groups != 0) {
      return sdk::InvalidArgument(
          "Conv2D: output depth must be evenly divisible by number of groups: " +
          std::to_string(filter[3]) + " vs " + std::to_string(shape.groups));
    }
  }
  BERTH_CL_ASSIGN_OR_RETURN(shape.y, attrs.Axis(0, input[1], filter[0]));
  BERTH_CL_ASSIGN_OR_RETURN(shape.x, attrs.Axis(1, input[2], filter[1]));
  return shape;
}

Status CheckRank4(const berth_tensor& tensor, const char* what) {
  if (tensor.rank == 4) return {};
  return sdk::InvalidArgument(std::string(what) +
                              " must be 4-dimensional: " + sdk::ShapeString(tensor));
}

Status ConvBase::Init(const NodeView& node, berth_device* device) {
  attrs_ = WindowAttrs::Read(node);
  const int32_t dtype = node.Type("T");
  element_size_ = sdk::DtypeSize(dtype);
  Context* context = ContextOf(device);
  BERTH_CL_ASSIGN_OR_RETURN(contractor_, Contractor::Create(context, dtype));
  BERTH_CL_ASSIGN_OR_RETURN(copier_, StridedCopier::Create(context, element_size_));
  return {};
}

Contraction ConvBase::OverTaps(const ConvShape& s, const Walked& walked, int64_t pitch) {
  Contraction c;
  // Neighbouring taps of a line are neighbours in memory unless the window has holes or a
  // group takes a part of the channels.
  if (s.x.dilation == 1 && s.groups == 1) {
    c.k = Narrow(s.y.window, 1, s.x.window * walked.depth);
  } else {
    c.k = Narrow(s.y.window, s.x.window, walked.group);
  }
  c.k_stride = Narrow(s.y.dilation * walked.line, s.x.dilation * walked.depth, 1);
  c.b_stride = static_cast<int32_t>(pitch);
  return c;
}

Status ConvBase::StageInput(const ConvShape& s, Staged* staged, Padded* padded) const {
  const auto needed = [](const WindowAxis& axis) {
    return (axis.output - 1) * axis.stride + axis.reach();
  };
  padded->height = s.y.input;
  padded->width = s.x.input;
  const bool inside = s.y.pad == 0 && s.x.pad == 0 && needed(s.y) <= s.y.input &&
                      needed(s.x) <= s.x.input;
  if (inside) return {};
  padded->height = needed(s.y);
  padded->width = needed(s.x);
  // What lies behind the last window is left out.
  const int64_t height =
      std::max<int64_t>(0, std::min(s.y.input, padded->height - s.y.pad));
  const int64_t width =
      std::max<int64_t>(0, std::min(s.x.input, padded->width - s.x.pad));
  Walk walk;
  const int64_t depth = s.in_depth;
  walk.Push(s.batch,
            {s.y.input * s.x.input * depth, padded->height * padded->width * depth});
  walk.Push(height, {s.x.input * depth, padded->width * depth});
  walk.Push(width, {depth, depth});
  walk.Push(depth, {1, 1});
  const int64_t to = (s.y.pad * padded->width + s.x.pad) * depth;
  return Stage(walk, 0, to, s.batch * padded->height * padded->width * depth, staged);
}

Status ConvBase::Stage(const Walk& walk, int64_t from, int64_t to, int64_t elements,
                       Staged* staged) const {
  staged->in_place = false;
  staged->zero = true;
  staged->bytes = static_cast<uint64_t>(elements) * element_size_;
  BERTH_CL_ASSIGN_OR_RETURN(staged->copy, copier_.Plan(walk, static_cast<uint64_t>(from),
                                                       static_cast<uint64_t>(to)));
  return {};
}

Result<int64_t> ConvBase::StageColumns(const Columns& columns, ConvPlan* plan) const {
  const int64_t of_group = columns.all / columns.groups;
  plan->b_step = of_group;
  if (of_group >= contractor_.min_columns()) return columns.all;
  const int64_t pitch = contractor_.min_columns();
  plan->b_step = columns.rows * pitch;
  Walk walk;
  walk.Push(columns.groups, {of_group, plan->b_step});
  walk.Push(columns.rows, {columns.all, pitch});
  walk.Push(of_group, {1, 1});
  BERTH_SDK_RETURN_IF_ERROR(Stage(walk, 0, 0, columns.groups * plan->b_step, &plan->b));
  plan->b.zero = false;  // The columns behind are computed but never stored.
  return pitch;
}

Status ConvBase::CheckReach(const ConvShape& s, const Padded& padded) const {
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
  const int64_t depth = std::max(s.in_depth, s.out_depth);
  if (s.batch * padded.height * padded.width * depth > kMost || s.output_size() > kMost ||
      s.filter_size() > kMost) {
    return sdk::InvalidArgument(
        "Conv2D: a tensor of more than 2147483647 elements, padding included");
  }
  return {};
}

Status ConvBase::Finish(const Contraction& contraction, PrepareContext& context,
                        ConvPlan* plan) const {
  uint64_t used = 0;
  for (Staged* staged : {&plan->a, &plan->b}) {
    staged->at = used;
    used += Aligned(staged->bytes);
  }
  plan->contract = contractor_.Plan(contraction);
  plan->slices_at = used;
  context.set_scratch_size(used + plan->contract.scratch_bytes);
  return {};
}

Status ConvBase::Run(const ConvPlan& plan, const berth_tensor& a, const berth_tensor& b,
                     ComputeContext& context) const {
  const berth_tensor& out = context.output(0);
  if (out.byte_size == 0) return {};
  const unsigned char zero = 0;
  if (plan.empty) return FillTensor(context, out, &zero, sizeof(zero));
  const berth_tensor& scratch = context.scratch_view();
  BERTH_SDK_RETURN_IF_ERROR(Bring(plan.a, a, context));
  BERTH_SDK_RETURN_IF_ERROR(Bring(plan.b, b, context));
  const auto operand = [&](const Staged& staged, const berth_tensor& tensor) {
    return staged.in_place ? Operand{&tensor, 0} : Operand{&scratch, staged.at};
  };
  Operand rows = operand(plan.a, a);
  Operand vectors = operand(plan.b, b);
  Operand result = {&out, 0};
  for (int64_t group = 0; group < plan.groups; ++group) {
    BERTH_SDK_RETURN_IF_ERROR(contractor_.Run(context, plan.contract, rows, vectors,
                                              result, {&scratch, plan.slices_at}));
    rows.byte_offset += static_cast<uint64_t>(plan.a_step) * element_size_;
    vectors.byte_offset += static_cast<uint64_t>(plan.b_step) * element_size_;
    result.byte_offset += static_cast<uint64_t>(plan.c_step) * element_size_;
  }
  return {};
}

Status ConvBase::Bring(const Staged& staged, const berth_tensor& tensor,
                       ComputeContext& context) const {
  if (staged.in_place) return {};
  berth_tensor part = context.scratch_view();
  part.offset += staged.at;
  part.byte_size = staged.bytes;
  const unsigned char zero = 0;
  if (staged.zero) {
    BERTH_SDK_RETURN_IF_ERROR(FillTensor(context, part, &zero, sizeof(zero)));
  }
  return copier_.Run(context, staged.copy, tensor, 0, part, 0);
}

}  // namespace berth::opencl
