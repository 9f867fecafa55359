// training.cc — updates of variables on the device: gradient descent, momentum, Adam,
// AssignAdd and AssignSub, for reference and resource variables alike.
#include <algorithm>
#include <cstring>
#include <string_view>

#include "plugins/opencl/ops/families.h"
#include "plugins/opencl/ops/op_kernel.h"

namespace berth::opencl {
namespace {

// What one op passes to its OpenCL function.
struct Update {
  const char* op;  // without "Resource"
  const char* function;
  int num_tensors;    // all inputs, in order
  int num_variables;  // the first of them, of one shape with the gradient
  int gradient;       // index of the gradient
  bool has_nesterov;  // `int nesterov` comes last
};
constexpr Update kUpdates[] = {
    {"ApplyGradientDescent", "GradientDescent", 3, 1, 2, false},
    {"ApplyMomentum", "Momentum", 5, 2, 3, true},
    {"ApplyAdam", "Adam", 10, 3, 9, true},
};

class UpdateKernel {
 public:
  static Result<std::unique_ptr<UpdateKernel>> Create(const NodeView& node,
                                                      berth_device* device) {
    auto kernel = std::make_unique<UpdateKernel>();
    std::string_view op(node.op());
    constexpr std::string_view kResource = "Resource";
    if (op.substr(0, kResource.size()) == kResource) op.remove_prefix(kResource.size());
    for (const Update& update : kUpdates) {
      if (op == update.op) kernel->update_ = &update;
    }
    kernel->nesterov_ = node.Bool("use_nesterov") ? 1 : 0;
    BERTH_CL_ASSIGN_OR_RETURN(
        kernel->function_,
        ContextOf(device)->Kernel("training", TypeOptions(node.Type("T")),
                                  kernel->update_->function));
    return kernel;
  }

  Status Prepare(PrepareContext& context) const {
    const berth_tensor& gradient = context.input(update_->gradient);
    for (int i = 0; i < update_->num_tensors; ++i) {
      const berth_tensor& tensor = context.input(i);
      if (i < update_->num_variables && !sdk::SameShape(tensor, gradient)) {
        return sdk::InvalidArgument(
            "the variable (input " + std::to_string(i) +
            ") and the gradient do not have the same shape: " + sdk::ShapeString(tensor) +
            " " + sdk::ShapeString(gradient));
      }
      if (i >= update_->num_variables && i != update_->gradient &&
          sdk::NumElements(tensor) != 1) {
        return sdk::InvalidArgument("input " + std::to_string(i) +
                                    " is not a scalar: " + sdk::ShapeString(tensor));
      }
    }
    return {};
  }

  Status Compute(ComputeContext& context) const {
    const auto n =
        static_cast<cl_ulong>(sdk::NumElements(context.input(update_->gradient)));
    if (n == 0) return {};
    Launch launch(context, *function_);
    for (int i = 0; i < update_->num_tensors; ++i) launch.Tensor(context.input(i));
    launch.Value(n);
    if (update_->has_nesterov) launch.Value(nesterov_);
    return launch.Run({n});
  }

 private:
  const Update* update_ = nullptr;
  const KernelRef* function_ = nullptr;
  cl_int nesterov_ = 0;
};

class AddToKernel {
 public:
  static Result<std::unique_ptr<AddToKernel>> Create(const NodeView& node,
                                                     berth_device* device) {
    auto kernel = std::make_unique<AddToKernel>();
    const std::string_view op(node.op());
    kernel->sign_ = op.find("Sub") != std::string_view::npos ? -1.0F : 1.0F;
    const int32_t dtype = node.input(1).dtype;
    BERTH_CL_ASSIGN_OR_RETURN(
        kernel->function_,
        ContextOf(device)->Kernel("training", TypeOptions(dtype), "AddTo"));
    return kernel;
  }

  Status Prepare(PrepareContext& context) const {
    if (sdk::SameShape(context.input(0), context.input(1))) return {};
    return sdk::InvalidArgument("the variable " + sdk::ShapeString(context.input(0)) +
                                " and the value " + sdk::ShapeString(context.input(1)) +
                                " differ in shape");
  }

  Status Compute(ComputeContext& context) const {
    const auto n = static_cast<cl_ulong>(sdk::NumElements(context.input(1)));
    if (n == 0) return {};
    Launch launch(context, *function_);
    launch.Tensor(context.input(0)).Tensor(context.input(1)).Value(n).Value(sign_);
    return launch.Run({n});
  }

 private:
  const KernelRef* function_ = nullptr;
  cl_float sign_ = 1;
};

}  // namespace

void RegisterTraining(KernelTable& table) {
  for (const char* op :
       {"ApplyGradientDescent", "ApplyMomentum", "ApplyAdam",
        "ResourceApplyGradientDescent", "ResourceApplyMomentum", "ResourceApplyAdam"}) {
    table.Op(op).Type("T", {BERTH_FLOAT}).Use<UpdateKernel>();
    table.Op(op).Type("T", {BERTH_DOUBLE}).If(&SupportsDouble).Use<UpdateKernel>();
  }
  for (const char* op : {"AssignAdd", "AssignSub"}) {
    table.Op(op).Type("T", {BERTH_FLOAT}).Use<AddToKernel>();
  }
  for (const char* op : {"AssignAddVariableOp", "AssignSubVariableOp"}) {
    table.Op(op).Type("dtype", {BERTH_FLOAT}).Use<AddToKernel>();
  }
}

}  // namespace berth::opencl
