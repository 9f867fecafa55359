// softmax.cc — Softmax, LogSoftmax and the cross entropies with their gradients.
#include <cstring>

#include "plugins/opencl/ops/families.h"
#include "plugins/opencl/ops/host_values.h"
#include "plugins/opencl/ops/op_kernel.h"

namespace berth::opencl {
namespace {

constexpr size_t kRowGroup = 64;

// Rows of the last dimension.
struct Rows {
  uint32_t rows = 0;
  uint32_t columns = 0;
};

class SoftmaxKernel {
 public:
  using Prepared = Rows;

  static Result<std::unique_ptr<SoftmaxKernel>> Create(const NodeView& node,
                                                       berth_device* device) {
    auto kernel = std::make_unique<SoftmaxKernel>();
    BERTH_CL_ASSIGN_OR_RETURN(
        kernel->function_,
        ContextOf(device)->Kernel("softmax", TypeOptions(node.Type("T")), node.op()));
    return kernel;
  }

  Status Prepare(PrepareContext& context, Rows* rows) const {
    const berth_tensor& logits = context.input(0);
    if (logits.rank < 1) {
      return sdk::InvalidArgument("logits must have >= 1 dimension, got " +
                                  sdk::ShapeString(logits));
    }
    const int64_t n = sdk::NumElements(logits);
    rows->columns = static_cast<uint32_t>(logits.dims[logits.rank - 1]);
    rows->rows = n == 0 ? 0 : static_cast<uint32_t>(n / rows->columns);
    return {};
  }

  Status Compute(const Rows& rows, ComputeContext& context) const {
    if (rows.rows == 0) return {};
    Launch launch(context, *function_);
    launch.Tensor(context.input(0)).Tensor(context.output(0));
    return launch.Value(rows.rows).Value(rows.columns).Run({rows.rows}, kRowGroup);
  }

 private:
  const KernelRef* function_ = nullptr;
};

class CrossEntropyKernel {
 public:
  // Layout of `Entropy` in kernels/softmax.cl.
  struct Prepared {
    uint32_t rows = 0;
    uint32_t columns = 0;
    uint32_t feature_row = 0;
    uint32_t feature_column = 0;
    uint32_t label_row = 0;
    uint32_t label_column = 0;
  };

  static Result<std::unique_ptr<CrossEntropyKernel>> Create(const NodeView& node,
                                                            berth_device* device) {
    auto kernel = std::make_unique<CrossEntropyKernel>();
    BERTH_CL_ASSIGN_OR_RETURN(
        kernel->function_, ContextOf(device)->Kernel(
                               "softmax", TypeOptions(node.Type("T")), "CrossEntropy"));
    return kernel;
  }

  Status Prepare(PrepareContext& context, Prepared* p) const {
    const berth_tensor& x = context.input(0);
    const berth_tensor& y = context.input(1);
    int64_t dims[2] = {0, 0};
    bool fits = x.rank == 2 && y.rank == 2;
    for (int d = 0; fits && d < 2; ++d) {
      dims[d] = x.dims[d] == 1 ? y.dims[d] : x.dims[d];
      fits = y.dims[d] == dims[d] || y.dims[d] == 1;
    }
    if (!fits) {
      return sdk::InvalidArgument(
          "logits and labels must be broadcastable matrices: logits_size=" +
          sdk::ShapeString(x) + " labels_size=" + sdk::ShapeString(y));
    }
    SetShape(&context.output(0), {dims[0]});
    SetShape(&context.output(1), {dims[0], dims[1]});
    const auto step = [](const berth_tensor& t, int d) -> uint32_t {
      if (t.dims[d] == 1) return 0;
      return d == 0 ? static_cast<uint32_t>(t.dims[1]) : 1;
    };
    *p = {static_cast<uint32_t>(dims[0]),
          static_cast<uint32_t>(dims[1]),
          step(x, 0),
          step(x, 1),
          step(y, 0),
          step(y, 1)};
    return {};
  }

  Status Compute(const Prepared& p, ComputeContext& context) const {
    if (p.rows == 0) return {};
    Launch launch(context, *function_);
    launch.Tensor(context.input(0)).Tensor(context.input(1));
    launch.Tensor(context.output(0)).Tensor(context.output(1)).Value(p);
    return launch.Run({p.rows}, kRowGroup);
  }

 private:
  const KernelRef* function_ = nullptr;
};

class SparseCrossEntropyKernel {
 public:
  using Prepared = Rows;

  static Result<std::unique_ptr<SparseCrossEntropyKernel>> Create(const NodeView& node,
                                                                  berth_device* device) {
    auto kernel = std::make_unique<SparseCrossEntropyKernel>();
    const std::shared_ptr<Context>& context = OpenClDevice::FromHandle(device)->context();
    const std::string options =
        TypeOptions(node.Type("T")) + " -DL=" + ClTypeName(node.Type("Tlabels"));
    BERTH_CL_ASSIGN_OR_RETURN(kernel->function_,
                              context->Kernel("softmax", options, "SparseCrossEntropy"));
    kernel->site_ = std::make_unique<ErrorSiteHolder>(context, node);
    return kernel;
  }

  Status Prepare(PrepareContext& context, Rows* rows) const {
    const berth_tensor& x = context.input(0);
    const berth_tensor& labels = context.input(1);
    if (x.rank != 2) {
      return sdk::InvalidArgument("logits must be 2-D, but got shape " +
                                  sdk::ShapeString(x));
    }
    if (labels.rank != 1 || labels.dims[0] != x.dims[0]) {
      return sdk::InvalidArgument(
          "logits and labels must have the same first dimension, "
          "got logits shape " +
          sdk::ShapeString(x) + " and labels shape " + sdk::ShapeString(labels));
    }
    if (x.dims[1] == 0 && x.dims[0] > 0) {
      return sdk::InvalidArgument("Must have at least one class, but got logits shape " +
                                  sdk::ShapeString(x));
    }
    SetShape(&context.output(0), {x.dims[0]});
    SetShape(&context.output(1), {x.dims[0], x.dims[1]});
    *rows = {static_cast<uint32_t>(x.dims[0]), static_cast<uint32_t>(x.dims[1])};
    return {};
  }

  Status Compute(const Rows& rows, ComputeContext& context) const {
    if (rows.rows == 0) return {};
    Launch launch(context, *function_);
    launch.Tensor(context.input(0)).Tensor(context.input(1));
    launch.Tensor(context.output(0)).Tensor(context.output(1));
    launch.Value(rows.rows).Value(rows.columns).Errors(site_->site());
    return launch.Run({rows.rows}, kRowGroup);
  }

 private:
  const KernelRef* function_ = nullptr;
  std::unique_ptr<ErrorSiteHolder> site_;
};

}  // namespace

void RegisterSoftmax(KernelTable& table) {
  for (const char* op : {"Softmax", "LogSoftmax"}) {
    table.Op(op).Type("T", {BERTH_FLOAT}).InPlace(0, 0).Use<SoftmaxKernel>();
    table.Op(op).Type("T", {BERTH_DOUBLE}).If(&SupportsDouble).Use<SoftmaxKernel>();
  }
  const char* dense = "SoftmaxCrossEntropyWithLogits";
  table.Op(dense).Type("T", {BERTH_FLOAT}).Use<CrossEntropyKernel>();
  table.Op(dense).Type("T", {BERTH_DOUBLE}).If(&SupportsDouble).Use<CrossEntropyKernel>();
  const char* sparse = "SparseSoftmaxCrossEntropyWithLogits";
  table.Op(sparse)
      .Type("T", {BERTH_FLOAT})
      .Type("Tlabels", {BERTH_INT32, BERTH_INT64})
      .Use<SparseCrossEntropyKernel>();
  table.Op(sparse)
      .Type("T", {BERTH_DOUBLE})
      .Type("Tlabels", {BERTH_INT32, BERTH_INT64})
      .If(&SupportsDouble)
      .Use<SparseCrossEntropyKernel>();
}

}  // namespace berth::opencl
