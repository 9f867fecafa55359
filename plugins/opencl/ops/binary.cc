// binary.cc — element-wise ops of two operands with broadcasting, comparisons, gradients
// of activations, and AddN.
#include <array>
#include <cstring>

#include "plugins/opencl/geometry.h"
#include "plugins/opencl/ops/families.h"
#include "plugins/opencl/ops/op_kernel.h"

namespace berth::opencl {
namespace {

// How a flat kernel reads its operands; as in kernels/binary.cl.
enum class Mode : cl_int { kBoth = 0, kScalarA = 1, kScalarB = 2 };

// Ops whose OpenCL function has another name.
struct Alias {
  const char* op;
  const char* function;
};
constexpr Alias kAliases[] = {
    {"AddV2", "Add"}, {"RealDiv", "Div"}, {"InvGrad", "ReciprocalGrad"}};

std::string FunctionName(const char* op) {
  for (const Alias& alias : kAliases) {
    if (std::strcmp(alias.op, op) == 0) return alias.function;
  }
  return op;
}

class BinaryKernel {
 public:
  struct Prepared {
    bool flat = false;
    Mode mode = Mode::kBoth;
    uint64_t num_elements = 0;
    DeviceWalk walk;
  };

  static Result<std::unique_ptr<BinaryKernel>> Create(const NodeView& node,
                                                      berth_device* device) {
    auto kernel = std::make_unique<BinaryKernel>();
    const char* file = node.output(0).dtype == BERTH_BOOL ? "compare" : "binary";
    const std::string options = TypeOptions(node.input(0).dtype);
    const std::string name = FunctionName(node.op());
    Context* context = ContextOf(device);
    BERTH_CL_ASSIGN_OR_RETURN(kernel->flat_,
                              context->Kernel(file, options, (name + "_flat").c_str()));
    BERTH_CL_ASSIGN_OR_RETURN(
        kernel->broadcast_,
        context->Kernel(file, options, (name + "_broadcast").c_str()));
    return kernel;
  }

  Status Prepare(PrepareContext& context, Prepared* p) const {
    const berth_tensor& a = context.input(0);
    const berth_tensor& b = context.input(1);
    BERTH_CL_ASSIGN_OR_RETURN(const Walk walk, BroadcastWalk({&a, &b}));
    const int64_t n = walk.num_elements();
    p->num_elements = static_cast<uint64_t>(n);
    if (n == 0) return {};
    const bool all_a = sdk::NumElements(a) == n;
    const bool all_b = sdk::NumElements(b) == n;
    if (all_a && all_b) {
      p->flat = true;
    } else if (all_b && sdk::NumElements(a) == 1) {
      p->flat = true;
      p->mode = Mode::kScalarA;
    } else if (all_a && sdk::NumElements(b) == 1) {
      p->flat = true;
      p->mode = Mode::kScalarB;
    } else {
      BERTH_CL_ASSIGN_OR_RETURN(p->walk, ToDevice(walk));
    }
    return {};
  }

  Status Compute(const Prepared& p, ComputeContext& context) const {
    if (p.num_elements == 0) return {};
    Launch launch(context, p.flat ? *flat_ : *broadcast_);
    launch.Tensor(context.input(0)).Tensor(context.input(1)).Tensor(context.output(0));
    if (p.flat) {
      launch.Value<cl_ulong>(p.num_elements).Value(p.mode);
    } else {
      launch.Value(static_cast<cl_uint>(p.num_elements)).Value(p.walk);
    }
    return launch.Run({p.num_elements});
  }

 private:
  const KernelRef* flat_ = nullptr;
  const KernelRef* broadcast_ = nullptr;
};

std::string SupportsEqual(const NodeView& node) {
  if (!node.Bool("incompatible_shape_error", true)) {
    return "incompatible_shape_error=false: shapes that do not match are an error here";
  }
  return node.Type("T") == BERTH_DOUBLE ? SupportsDouble(node) : std::string();
}

// Adds pairwise into the output: out = x0 + x1, out += x2, …
class AddNKernel {
 public:
  static Result<std::unique_ptr<AddNKernel>> Create(const NodeView& node,
                                                    berth_device* device) {
    auto kernel = std::make_unique<AddNKernel>();
    BERTH_CL_ASSIGN_OR_RETURN(
        kernel->add_, ContextOf(device)->Kernel(
                          "binary", TypeOptions(node.input(0).dtype), "Add_flat"));
    return kernel;
  }

  Status Compute(ComputeContext& context) const {
    const berth_tensor& out = context.output(0);
    const auto n = static_cast<cl_ulong>(sdk::NumElements(out));
    if (n == 0) return {};
    if (context.num_inputs() == 1) return CopyTensor(context, context.input(0), out);
    for (int i = 1; i < context.num_inputs(); ++i) {
      Launch launch(context, *add_);
      launch.Tensor(i == 1 ? context.input(0) : out).Tensor(context.input(i)).Tensor(out);
      BERTH_SDK_RETURN_IF_ERROR(launch.Value(n).Value(Mode::kBoth).Run({n}));
    }
    return {};
  }

 private:
  const KernelRef* add_ = nullptr;
};

}  // namespace

void RegisterBinary(KernelTable& table) {
  for (const char* op :
       {"Add", "AddV2", "Sub", "Mul", "RealDiv", "Div", "Maximum", "Minimum", "Pow",
        "SquaredDifference", "TanhGrad", "SigmoidGrad", "SqrtGrad", "RsqrtGrad",
        "ReciprocalGrad", "InvGrad", "ReluGrad", "Relu6Grad"}) {
    table.Op(op).Type("T", {BERTH_FLOAT}).InPlace(0, 0).InPlace(1, 0).Use<BinaryKernel>();
    table.Op(op)
        .Type("T", {BERTH_DOUBLE})
        .If(&SupportsDouble)
        .InPlace(0, 0)
        .InPlace(1, 0)
        .Use<BinaryKernel>();
  }
  for (const char* op : {"Less", "LessEqual", "Greater", "GreaterEqual"}) {
    table.Op(op).Type("T", {BERTH_FLOAT, BERTH_INT64}).Use<BinaryKernel>();
    table.Op(op).Type("T", {BERTH_DOUBLE}).If(&SupportsDouble).Use<BinaryKernel>();
  }
  for (const char* op : {"Equal", "NotEqual"}) {
    table.Op(op)
        .Type("T", {BERTH_FLOAT, BERTH_INT32, BERTH_INT64, BERTH_BOOL})
        .If(&SupportsEqual)
        .Use<BinaryKernel>();
    table.Op(op).Type("T", {BERTH_DOUBLE}).If(&SupportsEqual).Use<BinaryKernel>();
  }
  table.Op("AddN").Type("T", {BERTH_FLOAT}).InPlace(0, 0).Use<AddNKernel>();
  table.Op("AddN").Type("T", {BERTH_DOUBLE}).If(&SupportsDouble).Use<AddNKernel>();
}

}  // namespace berth::opencl
