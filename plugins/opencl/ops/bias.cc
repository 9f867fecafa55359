// bias.cc — BiasAdd. Its gradient is a reduction (reduce.cc).
#include <limits>

#include "plugins/opencl/geometry.h"
#include "plugins/opencl/ops/families.h"
#include "plugins/opencl/ops/op_kernel.h"

namespace berth::opencl {
namespace {

constexpr int64_t kWide = 4;

class BiasAddKernel {
 public:
  struct Prepared {
    uint32_t num_elements = 0;  // fours where wide
    bool wide = false;
    FastDiv depth;
  };

  static Result<std::unique_ptr<BiasAddKernel>> Create(const NodeView& node,
                                                       berth_device* device) {
    auto kernel = std::make_unique<BiasAddKernel>();
    const std::string options = TypeOptions(node.Type("T"));
    Context* context = ContextOf(device);
    BERTH_CL_ASSIGN_OR_RETURN(kernel->narrow_,
                              context->Kernel("bias", options, "BiasAdd"));
    BERTH_CL_ASSIGN_OR_RETURN(kernel->wide_,
                              context->Kernel("bias", options, "BiasAddWide"));
    return kernel;
  }

  Status Prepare(PrepareContext& context, Prepared* p) const {
    const berth_tensor& value = context.input(0);
    const berth_tensor& bias = context.input(1);
    if (value.rank < 2 || bias.rank != 1) {
      return sdk::InvalidArgument(
          "BiasAdd takes a value of at least 2 dimensions and a vector, not " +
          sdk::ShapeString(value) + " and " + sdk::ShapeString(bias));
    }
    const int64_t depth = value.dims[value.rank - 1];
    if (bias.dims[0] != depth) {
      return sdk::InvalidArgument(
          "Must provide as many biases as the last dimension of "
          "the input tensor: " +
          sdk::ShapeString(bias) + " vs. " + sdk::ShapeString(value));
    }
    const int64_t n = sdk::NumElements(value);
    if (n > std::numeric_limits<int32_t>::max()) {
      return sdk::InvalidArgument("BiasAdd: a tensor of more than 2147483647 elements: " +
                                  sdk::ShapeString(value));
    }
    p->wide = depth % kWide == 0 && depth > 0;
    const int64_t by = p->wide ? kWide : 1;
    p->num_elements = static_cast<uint32_t>(n / by);
    p->depth = MakeFastDiv(static_cast<uint32_t>(depth / by));
    return {};
  }

  Status Compute(const Prepared& p, ComputeContext& context) const {
    if (p.num_elements == 0) return {};
    Launch launch(context, p.wide ? *wide_ : *narrow_);
    launch.Tensor(context.input(0)).Tensor(context.input(1)).Tensor(context.output(0));
    return launch.Value(p.num_elements).Value(p.depth).Run({p.num_elements});
  }

 private:
  const KernelRef* narrow_ = nullptr;
  const KernelRef* wide_ = nullptr;
};

std::string SupportsBias(const NodeView& node) {
  const std::string_view format = node.String("data_format", "NHWC");
  if (format != "NHWC") {
    return "data_format=" + std::string(format) + ": only NHWC runs on OPENCL";
  }
  return node.Type("T") == BERTH_DOUBLE ? SupportsDouble(node) : std::string();
}

}  // namespace

void RegisterBias(KernelTable& table) {
  for (const char* op : {"BiasAdd", "BiasAddV1"}) {
    for (const int32_t dtype : {BERTH_FLOAT, BERTH_DOUBLE}) {
      table.Op(op)
          .Type("T", {dtype})
          .If(&SupportsBias)
          .InPlace(0, 0)
          .Use<BiasAddKernel>();
    }
  }
}

}  // namespace berth::opencl
