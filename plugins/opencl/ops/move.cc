// move.cc — ops that place elements elsewhere: Transpose, ConcatV2, Pad, PadV2, Tile,
// BroadcastTo, Fill, Slice, Select and SelectV2. One strided copy serves all but the
// selections; element types matter by their size only.
#include <cstring>
#include <vector>

#include "plugins/opencl/geometry.h"
#include "plugins/opencl/ops/families.h"
#include "plugins/opencl/ops/host_values.h"
#include "plugins/opencl/ops/op_kernel.h"
#include "plugins/opencl/ops/strided_copy.h"

namespace berth::opencl {
namespace {

// One strided copy from an input into the output.
struct Piece {
  int input = 0;
  CopyPlan copy;
};

// What an op's planner answers: an optional fill of the whole output, then the pieces.
struct MovePlan {
  const StridedCopier* copier = nullptr;
  bool zero_first = false;
  std::vector<Piece> pieces;

  // Adds a copy along `walk` (operand 0 the input, 1 the output); offsets in elements.
  Status Add(const Walk& walk, int input, uint64_t from, uint64_t to) {
    Piece piece;
    piece.input = input;
    BERTH_CL_ASSIGN_OR_RETURN(piece.copy, copier->Plan(walk, from, to));
    pieces.push_back(piece);
    return {};
  }
};

using Planner = Status (*)(PrepareContext& context, MovePlan* plan);

Status PlanTranspose(PrepareContext& context, MovePlan* plan) {
  const berth_tensor& x = context.input(0);
  const std::vector<int64_t> perm = HostInts(context.input(1));
  std::vector<bool> seen(static_cast<size_t>(x.rank), false);
  if (perm.size() != seen.size()) {
    return sdk::InvalidArgument(
        "transpose expects a vector of size " + std::to_string(x.rank) +
        ". But input(1) is a vector of size " + std::to_string(perm.size()));
  }
  const std::vector<int64_t> strides = DenseStrides(x.dims, x.rank);
  std::vector<int64_t> dims;
  std::vector<int64_t> from;
  for (int64_t axis : perm) {
    if (axis < 0) axis += x.rank;
    if (axis < 0 || axis >= x.rank || seen[static_cast<size_t>(axis)]) {
      return sdk::InvalidArgument(std::to_string(axis) +
                                  " is out of range or repeated in the permutation of " +
                                  sdk::ShapeString(x));
    }
    seen[static_cast<size_t>(axis)] = true;
    dims.push_back(x.dims[axis]);
    from.push_back(strides[axis]);
  }
  const std::vector<int64_t> to = DenseStrides(dims.data(), x.rank);
  Walk walk;
  for (int i = 0; i < x.rank; ++i) walk.Push(dims[i], {from[i], to[i]});
  walk.num_operands = 2;
  SetShape(&context.output(0), dims);
  return plan->Add(walk, 0, 0, 0);
}

Status PlanConcat(PrepareContext& context, MovePlan* plan) {
  const int count = context.num_inputs() - 1;
  const berth_tensor& first = context.input(0);
  int64_t axis = HostInts(context.input(count)).at(0);
  if (axis < 0) axis += first.rank;
  if (axis < 0 || axis >= first.rank) {
    return sdk::InvalidArgument(
        "ConcatOp : Expected concatenating dimensions in the range [" +
        std::to_string(-first.rank) + ", " + std::to_string(first.rank) + "), but got " +
        std::to_string(axis));
  }
  std::vector<int64_t> dims(first.dims, first.dims + first.rank);
  dims[static_cast<size_t>(axis)] = 0;
  for (int i = 0; i < count; ++i) {
    const berth_tensor& x = context.input(i);
    for (int d = 0; d < first.rank; ++d) {
      if (x.rank != first.rank || (d != axis && x.dims[d] != first.dims[d])) {
        return sdk::InvalidArgument(
            "ConcatOp : Dimensions of inputs should match: shape[0] = " +
            sdk::ShapeString(first) + " vs. shape[" + std::to_string(i) +
            "] = " + sdk::ShapeString(x));
      }
    }
    dims[static_cast<size_t>(axis)] += x.dims[axis];
  }
  SetShape(&context.output(0), dims);
  const std::vector<int64_t> to = DenseStrides(dims.data(), first.rank);
  uint64_t offset = 0;
  for (int i = 0; i < count; ++i) {
    const berth_tensor& x = context.input(i);
    const std::vector<int64_t> from = DenseStrides(x.dims, x.rank);
    Walk walk;
    for (int d = 0; d < x.rank; ++d) walk.Push(x.dims[d], {from[d], to[d]});
    BERTH_SDK_RETURN_IF_ERROR(plan->Add(walk, i, 0, offset));
    offset += static_cast<uint64_t>(x.dims[axis] * to[static_cast<size_t>(axis)]);
  }
  return {};
}

// Pad (with zeros) and PadV2 (with the scalar input 2).
Status PlanPad(PrepareContext& context, MovePlan* plan) {
  const berth_tensor& x = context.input(0);
  const std::vector<int64_t> paddings = HostInts(context.input(1));
  if (paddings.size() != 2 * static_cast<size_t>(x.rank)) {
    return sdk::InvalidArgument(
        "The first dimension of paddings must be the rank of inputs: " +
        std::to_string(paddings.size() / 2) + " vs. " + sdk::ShapeString(x));
  }
  std::vector<int64_t> dims;
  for (int d = 0; d < x.rank; ++d) {
    const int64_t before = paddings[2 * static_cast<size_t>(d)];
    const int64_t after = paddings[2 * static_cast<size_t>(d) + 1];
    if (before < 0 || after < 0) {
      return sdk::InvalidArgument("Paddings must be non-negative: " +
                                  std::to_string(before) + " " + std::to_string(after));
    }
    dims.push_back(before + x.dims[d] + after);
  }
  SetShape(&context.output(0), dims);
  const std::vector<int64_t> to = DenseStrides(dims.data(), x.rank);
  const std::vector<int64_t> from = DenseStrides(x.dims, x.rank);
  if (context.num_inputs() > 2) {
    Walk everywhere;
    for (int d = 0; d < x.rank; ++d) everywhere.Push(dims[d], {0, to[d]});
    everywhere.num_operands = 2;
    BERTH_SDK_RETURN_IF_ERROR(plan->Add(everywhere, 2, 0, 0));
  } else {
    plan->zero_first = true;
  }
  Walk walk;
  uint64_t offset = 0;
  for (int d = 0; d < x.rank; ++d) {
    walk.Push(x.dims[d], {from[d], to[d]});
    offset += static_cast<uint64_t>(paddings[2 * static_cast<size_t>(d)] * to[d]);
  }
  walk.num_operands = 2;
  return plan->Add(walk, 0, 0, offset);
}

// Adds a copy of input 0; one for each step of the leading dimensions where a kernel
// takes fewer than the walk has.
Status AddTiles(const Walk& walk, int64_t from, int64_t to, MovePlan* plan) {
  if (walk.rank <= kMaxWalkRank) {
    return plan->Add(walk, 0, static_cast<uint64_t>(from), static_cast<uint64_t>(to));
  }
  Walk rest;
  for (int i = 1; i < walk.rank; ++i) {
    rest.Push(walk.size[i], {walk.stride[0][i], walk.stride[1][i]});
  }
  for (int64_t i = 0; i < walk.size[0]; ++i) {
    BERTH_SDK_RETURN_IF_ERROR(
        AddTiles(rest, from + i * walk.stride[0][0], to + i * walk.stride[1][0], plan));
  }
  return {};
}

Status PlanTile(PrepareContext& context, MovePlan* plan) {
  const berth_tensor& x = context.input(0);
  const std::vector<int64_t> multiples = HostInts(context.input(1));
  if (multiples.size() != static_cast<size_t>(x.rank)) {
    return sdk::InvalidArgument("Expected multiples argument to be a vector of length " +
                                std::to_string(x.rank) + " but got length " +
                                std::to_string(multiples.size()));
  }
  std::vector<int64_t> dims;
  for (int d = 0; d < x.rank; ++d) {
    const int64_t times = multiples[static_cast<size_t>(d)];
    if (times < 0) {
      return sdk::InvalidArgument("Expected multiples[" + std::to_string(d) +
                                  "] >= 0, but got " + std::to_string(times));
    }
    dims.push_back(times * x.dims[d]);
  }
  SetShape(&context.output(0), dims);
  const std::vector<int64_t> to = DenseStrides(dims.data(), x.rank);
  const std::vector<int64_t> from = DenseStrides(x.dims, x.rank);
  Walk walk;
  for (int d = 0; d < x.rank; ++d) {
    walk.Push(multiples[static_cast<size_t>(d)], {0, to[d] * x.dims[d]});
    walk.Push(x.dims[d], {from[d], to[d]});
  }
  walk.num_operands = 2;
  walk.Collapse();
  return AddTiles(walk, 0, 0, plan);
}

// BroadcastTo(input, shape).
Status PlanBroadcastTo(PrepareContext& context, MovePlan* plan) {
  const berth_tensor& x = context.input(0);
  const std::vector<int64_t> dims = HostInts(context.input(1));
  const int rank = static_cast<int>(dims.size());
  const int shift = rank - x.rank;
  bool fits = shift >= 0 && rank <= kMaxWalkRank;
  for (int d = 0; fits && d < x.rank; ++d) {
    fits = x.dims[d] == 1 ||
           x.dims[d] == dims.at(static_cast<size_t>(shift) + static_cast<size_t>(d));
  }
  if (!fits) {
    return sdk::InvalidArgument("Incompatible shapes: " + sdk::ShapeString(x) + " vs. " +
                                sdk::ShapeString(dims.data(), rank));
  }
  SetShape(&context.output(0), dims);
  const std::vector<int64_t> to = DenseStrides(dims.data(), rank);
  const std::vector<int64_t> from = BroadcastStrides(x.dims, x.rank);
  Walk walk;
  for (int d = 0; d < rank; ++d) {
    walk.Push(dims[d], {d < shift ? 0 : from[static_cast<size_t>(d - shift)], to[d]});
  }
  walk.num_operands = 2;
  return plan->Add(walk, 0, 0, 0);
}

// Fill(dims, value).
Status PlanFill(PrepareContext& context, MovePlan* plan) {
  const std::vector<int64_t> dims = HostInts(context.input(0));
  if (dims.size() > kMaxWalkRank) {
    return sdk::InvalidArgument("Fill: a rank over " + std::to_string(kMaxWalkRank));
  }
  int64_t n = 1;
  for (const int64_t dim : dims) {
    if (dim < 0) {
      return sdk::InvalidArgument("Fill: dimension " + std::to_string(dim) +
                                  " must be >= 0");
    }
    n *= dim;
  }
  SetShape(&context.output(0), dims);
  Walk walk;
  walk.Push(n, {0, 1});
  return plan->Add(walk, 1, 0, 0);
}

// Slice(input, begin, size); size -1 is all that remains.
Status PlanSlice(PrepareContext& context, MovePlan* plan) {
  const berth_tensor& x = context.input(0);
  const std::vector<int64_t> begin = HostInts(context.input(1));
  std::vector<int64_t> size = HostInts(context.input(2));
  if (begin.size() != static_cast<size_t>(x.rank) || size.size() != begin.size()) {
    return sdk::InvalidArgument(
        "Expected begin and size arguments to be 1-D tensors of size " +
        std::to_string(x.rank));
  }
  const std::vector<int64_t> from = DenseStrides(x.dims, x.rank);
  uint64_t offset = 0;
  for (int d = 0; d < x.rank; ++d) {
    const int64_t first = begin[static_cast<size_t>(d)];
    int64_t& extent = size[static_cast<size_t>(d)];
    if (extent == -1) extent = x.dims[d] - first;
    if (first < 0 || extent < 0 || first > x.dims[d] - extent) {
      return sdk::InvalidArgument("Expected begin[" + std::to_string(d) + "] + size[" +
                                  std::to_string(d) + "] in [0, " +
                                  std::to_string(x.dims[d]) + "], but got " +
                                  std::to_string(first) + " + " + std::to_string(extent));
    }
    offset += static_cast<uint64_t>(first * from[d]);
  }
  SetShape(&context.output(0), size);
  const std::vector<int64_t> to = DenseStrides(size.data(), x.rank);
  Walk walk;
  for (int d = 0; d < x.rank; ++d) walk.Push(size[d], {from[d], to[d]});
  walk.num_operands = 2;
  return plan->Add(walk, 0, offset, 0);
}

struct PlannedOp {
  const char* op;
  Planner plan;
};
constexpr PlannedOp kPlannedOps[] = {{"Transpose", &PlanTranspose},
                                     {"ConcatV2", &PlanConcat},
                                     {"Pad", &PlanPad},
                                     {"PadV2", &PlanPad},
                                     {"Tile", &PlanTile},
                                     {"Fill", &PlanFill},
                                     {"BroadcastTo", &PlanBroadcastTo},
                                     {"Slice", &PlanSlice}};

class MoveKernel {
 public:
  using Prepared = MovePlan;

  static Result<std::unique_ptr<MoveKernel>> Create(const NodeView& node,
                                                    berth_device* device) {
    auto kernel = std::make_unique<MoveKernel>();
    for (const PlannedOp& planned : kPlannedOps) {
      if (std::strcmp(planned.op, node.op()) == 0) kernel->plan_ = planned.plan;
    }
    BERTH_CL_ASSIGN_OR_RETURN(
        kernel->copier_,
        StridedCopier::Create(ContextOf(device), sdk::DtypeSize(node.output(0).dtype)));
    return kernel;
  }

  Status Prepare(PrepareContext& context, MovePlan* plan) const {
    plan->copier = &copier_;
    return plan_(context, plan);
  }

  Status Compute(const MovePlan& plan, ComputeContext& context) const {
    const berth_tensor& out = context.output(0);
    const unsigned char zero = 0;
    if (plan.zero_first) {
      BERTH_SDK_RETURN_IF_ERROR(FillTensor(context, out, &zero, sizeof(zero)));
    }
    for (const Piece& piece : plan.pieces) {
      BERTH_SDK_RETURN_IF_ERROR(
          copier_.Run(context, piece.copy, context.input(piece.input), 0, out, 0));
    }
    return {};
  }

 private:
  Planner plan_ = nullptr;
  StridedCopier copier_;
};

// Select (a vector condition chooses rows) and SelectV2 (broadcasting).
class SelectKernel {
 public:
  struct Prepared {
    uint64_t num_elements = 0;
    DeviceWalk walk;
  };

  static Result<std::unique_ptr<SelectKernel>> Create(const NodeView& node,
                                                      berth_device* device) {
    auto kernel = std::make_unique<SelectKernel>();
    kernel->broadcasts_ = std::strcmp(node.op(), "SelectV2") == 0;
    BERTH_CL_ASSIGN_OR_RETURN(
        kernel->select_,
        ContextOf(device)->Kernel(
            "move", RawTypeOptions(sdk::DtypeSize(node.output(0).dtype)), "Select"));
    return kernel;
  }

  Status Prepare(PrepareContext& context, Prepared* p) const {
    BERTH_CL_ASSIGN_OR_RETURN(const Walk walk, MakeWalk(context));
    p->num_elements = static_cast<uint64_t>(walk.num_elements());
    if (p->num_elements == 0) return {};
    BERTH_CL_ASSIGN_OR_RETURN(p->walk, ToDevice(walk));
    return {};
  }

  Status Compute(const Prepared& p, ComputeContext& context) const {
    if (p.num_elements == 0) return {};
    Launch launch(context, *select_);
    for (int i = 0; i < 3; ++i) launch.Tensor(context.input(i));
    launch.Tensor(context.output(0)).Value(static_cast<cl_uint>(p.num_elements));
    return launch.Value(p.walk).Run({p.num_elements});
  }

 private:
  Result<Walk> MakeWalk(PrepareContext& context) const {
    const berth_tensor& condition = context.input(0);
    const berth_tensor& a = context.input(1);
    const berth_tensor& b = context.input(2);
    if (broadcasts_) return BroadcastWalk({&condition, &a, &b});
    const bool rows = condition.rank == 1 && a.rank > 1;
    bool fits = sdk::SameShape(a, b) && a.rank <= kMaxWalkRank;
    if (rows) {
      fits = fits && condition.dims[0] == a.dims[0];
    } else {
      fits = fits && (condition.rank == 0 || sdk::SameShape(condition, a));
    }
    if (!fits) {
      return sdk::InvalidArgument(
          "Inputs to operation Select must have the same size and "
          "shape, or the condition must be a scalar or a vector "
          "over the rows. Condition: " +
          sdk::ShapeString(condition) + ", t: " + sdk::ShapeString(a) +
          ", e: " + sdk::ShapeString(b));
    }
    const std::vector<int64_t> dense = DenseStrides(a.dims, a.rank);
    Walk walk;
    walk.num_operands = 3;
    for (int d = 0; d < a.rank; ++d) {
      int64_t of_condition = condition.rank == 0 ? 0 : dense[d];
      if (rows) of_condition = d == 0 ? 1 : 0;
      walk.Push(a.dims[d], {of_condition, dense[d], dense[d]});
    }
    walk.Collapse();
    return walk;
  }

  bool broadcasts_ = false;
  const KernelRef* select_ = nullptr;
};

}  // namespace

void RegisterMove(KernelTable& table) {
  // int32 is left out where an op mostly computes shapes: those belong on the host.
  const std::initializer_list<int32_t> wide = {BERTH_FLOAT, BERTH_DOUBLE, BERTH_HALF,
                                               BERTH_INT64, BERTH_BOOL,   BERTH_UINT8};
  const std::initializer_list<int32_t> all = {BERTH_FLOAT, BERTH_DOUBLE, BERTH_HALF,
                                              BERTH_INT32, BERTH_INT64,  BERTH_BOOL,
                                              BERTH_UINT8};
  table.Op("Transpose").Type("T", all).PrepareArg("perm").Use<MoveKernel>();
  table.Op("ConcatV2").Type("T", wide).PrepareArg("axis").Use<MoveKernel>();
  table.Op("Pad").Type("T", wide).PrepareArg("paddings").Use<MoveKernel>();
  table.Op("PadV2").Type("T", wide).PrepareArg("paddings").Use<MoveKernel>();
  table.Op("Tile").Type("T", wide).PrepareArg("multiples").Use<MoveKernel>();
  table.Op("Fill").Type("T", wide).PrepareArg("dims").Use<MoveKernel>();
  table.Op("BroadcastTo").Type("T", wide).PrepareArg("shape").Use<MoveKernel>();
  table.Op("Slice")
      .Type("T", wide)
      .PrepareArg("begin")
      .PrepareArg("size")
      .Use<MoveKernel>();
  table.Op("Select").Type("T", all).Use<SelectKernel>();
  table.Op("SelectV2").Type("T", all).Use<SelectKernel>();
}

}  // namespace berth::opencl
