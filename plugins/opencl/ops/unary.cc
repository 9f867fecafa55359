// unary.cc — element-wise ops of one operand, Cast, ZerosLike and OnesLike.
#include <cstring>

#include "plugins/opencl/ops/families.h"
#include "plugins/opencl/ops/op_kernel.h"

namespace berth::opencl {
namespace {

// Launches one function over the elements of input 0.
class UnaryKernel {
 public:
  static Result<std::unique_ptr<UnaryKernel>> Create(const NodeView& node,
                                                     berth_device* device) {
    auto kernel = std::make_unique<UnaryKernel>();
    const bool inverse = std::strcmp(node.op(), "Inv") == 0;
    BERTH_CL_ASSIGN_OR_RETURN(
        kernel->function_,
        ContextOf(device)->Kernel("unary", TypeOptions(node.input(0).dtype),
                                  inverse ? "Reciprocal" : node.op()));
    return kernel;
  }

  Status Compute(ComputeContext& context) const {
    const auto n = static_cast<cl_ulong>(sdk::NumElements(context.output(0)));
    if (n == 0) return {};
    Launch launch(context, *function_);
    launch.Tensor(context.input(0)).Tensor(context.output(0)).Value(n);
    return launch.Run({n});
  }

 private:
  const KernelRef* function_ = nullptr;
};

std::string SupportsCast(const NodeView& node) {
  if (node.Type("SrcT") == BERTH_DOUBLE && node.Type("DstT") == BERTH_FLOAT &&
      node.Bool("Truncate")) {
    return "Truncate=true: this device rounds double to float";
  }
  if (node.Type("SrcT") == BERTH_DOUBLE || node.Type("DstT") == BERTH_DOUBLE) {
    return SupportsDouble(node);
  }
  return {};
}

class CastKernel {
 public:
  static Result<std::unique_ptr<CastKernel>> Create(const NodeView& node,
                                                    berth_device* device) {
    auto kernel = std::make_unique<CastKernel>();
    const berth_dtype from = node.Type("SrcT");
    const berth_dtype to = node.Type("DstT");
    kernel->is_copy_ = from == to;
    std::string options =
        std::string("-DS=") + ClTypeName(from) + " -DD=" + ClTypeName(to);
    if (to == BERTH_BOOL) options += " -DAS_BOOL";
    if (from == BERTH_FLOAT) options += " -DSMALLEST_NORMAL=FLT_MIN";
    if (from == BERTH_DOUBLE) options += " -DSMALLEST_NORMAL=DBL_MIN";
    BERTH_CL_ASSIGN_OR_RETURN(kernel->function_,
                              ContextOf(device)->Kernel("cast", options, "Cast"));
    return kernel;
  }

  Status Compute(ComputeContext& context) const {
    const auto n = static_cast<cl_ulong>(sdk::NumElements(context.output(0)));
    if (n == 0) return {};
    if (is_copy_) return CopyTensor(context, context.input(0), context.output(0));
    Launch launch(context, *function_);
    launch.Tensor(context.input(0)).Tensor(context.output(0)).Value(n);
    return launch.Run({n});
  }

 private:
  const KernelRef* function_ = nullptr;
  bool is_copy_ = false;
};

// ZerosLike and OnesLike: a pattern, no kernel.
class ConstantLikeKernel {
 public:
  static Result<std::unique_ptr<ConstantLikeKernel>> Create(const NodeView& node,
                                                            berth_device* device) {
    (void)device;
    auto kernel = std::make_unique<ConstantLikeKernel>();
    const int32_t dtype = node.output(0).dtype;
    kernel->size_ = sdk::DtypeSize(dtype);
    if (std::strcmp(node.op(), "OnesLike") == 0) kernel->SetOne(dtype);
    return kernel;
  }

  Status Compute(ComputeContext& context) const {
    return FillTensor(context, context.output(0), pattern_, size_);
  }

 private:
  template <typename T>
  void Store(T value) {
    std::memcpy(pattern_, &value, sizeof(value));
  }
  void SetOne(int32_t dtype) {
    switch (dtype) {
      case BERTH_FLOAT:
        return Store<float>(1);
      case BERTH_DOUBLE:
        return Store<double>(1);
      case BERTH_INT64:
        return Store<int64_t>(1);
      case BERTH_INT32:
        return Store<int32_t>(1);
      default:
        return Store<uint8_t>(1);
    }
  }

  unsigned char pattern_[8] = {};
  size_t size_ = 1;
};

}  // namespace

void RegisterUnary(KernelTable& table) {
  for (const char* op :
       {"Neg",   "Abs",   "Sign",     "Exp",        "Expm1", "Log",  "Log1p",
        "Sqrt",  "Rsqrt", "Square",   "Reciprocal", "Inv",   "Tanh", "Sigmoid",
        "Sin",   "Cos",   "Floor",    "Ceil",       "Round", "Rint", "Relu",
        "Relu6", "Elu",   "Softplus", "Softsign"}) {
    table.Op(op).Type("T", {BERTH_FLOAT}).InPlace(0, 0).Use<UnaryKernel>();
    table.Op(op)
        .Type("T", {BERTH_DOUBLE})
        .If(&SupportsDouble)
        .InPlace(0, 0)
        .Use<UnaryKernel>();
  }
  table.Op("Cast")
      .Type("SrcT", {BERTH_FLOAT, BERTH_INT32, BERTH_INT64, BERTH_BOOL, BERTH_UINT8})
      .Type("DstT", {BERTH_FLOAT, BERTH_INT32, BERTH_INT64, BERTH_BOOL, BERTH_UINT8})
      .Use<CastKernel>();
  table.Op("Cast")
      .Type("SrcT", {BERTH_FLOAT, BERTH_DOUBLE, BERTH_INT32, BERTH_INT64, BERTH_BOOL})
      .Type("DstT", {BERTH_FLOAT, BERTH_DOUBLE, BERTH_INT32, BERTH_INT64, BERTH_BOOL})
      .If(&SupportsCast)
      .Use<CastKernel>();
  for (const char* op : {"ZerosLike", "OnesLike"}) {
    table.Op(op)
        .Type("T", {BERTH_FLOAT, BERTH_DOUBLE, BERTH_INT32, BERTH_INT64, BERTH_BOOL})
        .Use<ConstantLikeKernel>();
  }
}

}  // namespace berth::opencl
