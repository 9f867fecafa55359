// half_precision.cc — ops on half and bfloat16 on the CPU, by way of their float kernels:
// operands are widened into scratch, results are rounded to nearest even. Ops that only
// move data, casts and random numbers have rows of their own.
#include <array>
#include <cstring>

#include "kernels-cpu/common.h"
#include "kernels-cpu/families.h"
#include "kernels-cpu/half.h"
#include "kernels-cpu/kernels.h"

namespace berth::cpu {
namespace {

// Inputs and outputs of a node together; what has more is declined.
constexpr int kMostTensors = 40;

bool IsShort(int32_t dtype) { return dtype == kHalf || dtype == kBf16; }

uint64_t RoundUp(uint64_t bytes) { return (bytes + 63) / 64 * 64; }

Status Take(berth_status_code code, berth_error* error) {
  if (code == BERTH_OK) return {};
  Status status(code, error->message != nullptr ? error->message : "no reason given");
  if (error->release != nullptr) error->release(error);
  return status;
}

berth_error EmptyError() {
  berth_error error = {};
  error.struct_size = sizeof(error);
  return error;
}

// The float row of an op.
const berth_kernel_def* FloatRow(const berth_kernel_def* const* defs, uint32_t count,
                                 std::string_view op) {
  for (uint32_t i = 0; i < count; ++i) {
    const berth_kernel_def* def = defs[i];
    if (op != def->op || def->num_constraints == 0) continue;
    const berth_type_constraint& c = *def->constraints[0];
    const int32_t* end = c.dtypes + c.num_dtypes;
    if (std::find(c.dtypes, end, kF32) != end) return def;
  }
  return nullptr;
}
const berth_kernel_def* FloatRow(std::string_view op) {
  const berth_kernel_def* const* defs = nullptr;
  uint32_t count = 0;
  berth_cpu_kernels(&defs, &count);
  return FloatRow(defs, count, op);
}

// The node as the float kernel sees it. A loan of the original.
class FloatNode {
 public:
  explicit FloatNode(const berth_node& node) : node_(node) {
    attrs_.reserve(node.num_attrs);
    infos_.reserve(node.num_inputs + node.num_outputs);
    for (uint32_t i = 0; i < node.num_attrs; ++i) {
      berth_attr attr = *node.attrs[i];
      if (attr.kind == BERTH_ATTR_TYPE && IsShort(static_cast<int32_t>(attr.i))) {
        attr.i = kF32;
      }
      attrs_.push_back(attr);
      attr_pointers_.push_back(&attrs_.back());
    }
    Copy(node.inputs, node.num_inputs, &inputs_);
    Copy(node.outputs, node.num_outputs, &outputs_);
    node_.attrs = attr_pointers_.data();
    node_.inputs = inputs_.data();
    node_.outputs = outputs_.data();
  }
  const berth_node& abi() const { return node_; }

 private:
  void Copy(const berth_value_info* const* from, uint32_t count,
            std::vector<const berth_value_info*>* to) {
    for (uint32_t i = 0; i < count; ++i) {
      berth_value_info info = *from[i];
      if (IsShort(info.dtype)) {
        info.dtype = kF32;
        info.constant = nullptr;
      }
      infos_.push_back(info);
      to->push_back(&infos_.back());
    }
  }

  berth_node node_;
  std::vector<berth_attr> attrs_;
  std::vector<const berth_attr*> attr_pointers_;
  std::vector<berth_value_info> infos_;
  std::vector<const berth_value_info*> inputs_;
  std::vector<const berth_value_info*> outputs_;
};

void Widen(const berth_tensor& from, float* to, const ComputeContext& context) {
  const bool half = from.dtype == kHalf;
  context.ParallelFor(NumElements(from), GrainFor(6), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      to[i] = half ? ToFloat(sdk::Data<Half>(from)[i])
                   : ToFloat(sdk::Data<Bfloat16>(from)[i]);
    }
  });
}
void Narrow(const float* from, const berth_tensor& to, const ComputeContext& context) {
  const bool half = to.dtype == kHalf;
  context.ParallelFor(NumElements(to), GrainFor(6), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      if (half) {
        sdk::MutableData<Half>(to)[i] = HalfFromFloat(from[i]);
      } else {
        sdk::MutableData<Bfloat16>(to)[i] = Bfloat16FromFloat(from[i]);
      }
    }
  });
}

class ViaFloat {
 public:
  // The float kernel's preparation, and where the widened tensors lie in the scratch.
  struct Prepared {
    const ViaFloat* owner = nullptr;
    berth_prepared* inner = nullptr;
    uint64_t inner_scratch = 0;

    Prepared() = default;
    Prepared(const Prepared&) = delete;
    Prepared& operator=(const Prepared&) = delete;
    ~Prepared() {
      if (inner != nullptr) owner->def_->release_prepared(owner->kernel_, inner);
    }
  };

  static Result<std::unique_ptr<ViaFloat>> Create(const NodeView& node,
                                                  berth_device* device) {
    auto made = std::make_unique<ViaFloat>();
    made->def_ = FloatRow(node.op());
    for (int i = 0; i < node.num_inputs(); ++i) {
      made->is_ref_.push_back(node.input(i).is_ref != 0);
    }
    const FloatNode inner(node.abi());
    berth_error error = EmptyError();
    BERTH_SDK_RETURN_IF_ERROR(
        Take(made->def_->create(made->def_, device, &inner.abi(), &made->kernel_, &error),
             &error));
    return made;
  }
  ViaFloat() = default;
  ViaFloat(const ViaFloat&) = delete;
  ViaFloat& operator=(const ViaFloat&) = delete;
  ~ViaFloat() {
    if (kernel_ != nullptr) def_->destroy(kernel_);
  }

  Status Prepare(PrepareContext& context, Prepared* prepared) const {
    prepared->owner = this;
    std::array<berth_tensor, kMostTensors> views;
    std::array<const berth_tensor*, kMostTensors> inputs;
    berth_prepare_args args = context.abi();
    for (uint32_t i = 0; i < args.num_inputs; ++i) {
      views[i] = *args.inputs[i];
      Float(&views[i]);
      inputs[i] = &views[i];
    }
    args.inputs = inputs.data();
    args.scratch_size = 0;
    if (def_->prepare != nullptr) {
      berth_error error = EmptyError();
      BERTH_SDK_RETURN_IF_ERROR(Take(def_->prepare(kernel_, &args, &error), &error));
      prepared->inner = args.prepared;
    }
    prepared->inner_scratch = RoundUp(args.scratch_size);
    uint64_t size = prepared->inner_scratch;
    for (uint32_t i = 0; i < args.num_inputs; ++i) {
      if (IsShort(context.input(static_cast<int>(i)).dtype)) {
        size += RoundUp(views[i].byte_size);
      }
    }
    for (uint32_t i = 0; i < args.num_outputs; ++i) {
      size += RoundUp(static_cast<uint64_t>(NumElements(*args.outputs[i])) * 4);
    }
    context.set_scratch_size(size);
    return {};
  }

  Status Compute(const Prepared& prepared, ComputeContext& context) const {
    std::array<berth_tensor, kMostTensors> views;
    std::array<const berth_tensor*, kMostTensors> inputs;
    std::array<berth_tensor*, kMostTensors> outputs;
    berth_compute_context inner = context.abi();
    char* space = static_cast<char*>(context.scratch()) + prepared.inner_scratch;
    const uint32_t num_inputs = inner.num_inputs;
    const auto place = [&](uint32_t slot, const berth_tensor& t) {
      views[slot] = t;
      if (!IsShort(t.dtype)) return;
      Float(&views[slot]);
      views[slot].host_data = space;
      space += RoundUp(views[slot].byte_size);
    };
    for (uint32_t i = 0; i < num_inputs; ++i) {
      const berth_tensor& t = context.input(static_cast<int>(i));
      place(i, t);
      inputs[i] = &views[i];
      if (IsShort(t.dtype)) Widen(t, sdk::MutableData<float>(views[i]), context);
    }
    for (uint32_t i = 0; i < inner.num_outputs; ++i) {
      place(num_inputs + i, context.output(static_cast<int>(i)));
      outputs[i] = &views[num_inputs + i];
    }
    inner.inputs = inputs.data();
    inner.outputs = outputs.data();
    berth_error error = EmptyError();
    BERTH_SDK_RETURN_IF_ERROR(
        Take(def_->compute(kernel_, prepared.inner, &inner, &error), &error));
    for (uint32_t i = 0; i < num_inputs; ++i) {
      const berth_tensor& t = context.input(static_cast<int>(i));
      if (is_ref_[i] && IsShort(t.dtype)) {
        Narrow(sdk::Data<float>(views[i]), t, context);
      }
    }
    for (uint32_t i = 0; i < inner.num_outputs; ++i) {
      // The output of an update of a reference is the variable, written above.
      const berth_tensor& t = context.output(static_cast<int>(i));
      if (IsShort(t.dtype) && !is_ref_.front()) {
        Narrow(sdk::Data<float>(views[num_inputs + i]), t, context);
      }
    }
    return {};
  }

 private:
  static void Float(berth_tensor* view) {
    if (!IsShort(view->dtype)) return;
    view->dtype = kF32;
    view->byte_size = static_cast<uint64_t>(NumElements(*view)) * 4;
  }

  const berth_kernel_def* def_ = nullptr;
  berth_kernel* kernel_ = nullptr;
  std::vector<bool> is_ref_;
};

// What the float row says, but for nodes with too many tensors.
std::string SupportsShort(const NodeView& node) {
  if (node.num_inputs() + node.num_outputs() > kMostTensors) {
    return "more than " + std::to_string(kMostTensors) + " tensors in half precision";
  }
  const berth_kernel_def* def = FloatRow(node.op());
  if (def->supports == nullptr) return {};
  char reason[512] = "";
  if (def->supports(def, &node.abi(), reason, sizeof(reason)) != 0) return {};
  return reason;
}

// clang-format off
constexpr const char* kOps[] = {
    "Abs", "AccumulateNV2", "Add", "AddN", "AddV2", "ApplyAdagrad", "ApplyAdam",
    "ApplyGradientDescent", "ApplyMomentum", "ApplyRMSProp", "ArgMax", "ArgMin",
    "AvgPool", "AvgPoolGrad", "BatchMatMul", "BatchMatMulV2", "BiasAdd", "BiasAddGrad",
    "BiasAddV1", "Ceil", "Conv2D", "Conv2DBackpropFilter", "Conv2DBackpropInput", "Cos",
    "Div", "DivNoNan", "Elu", "EluGrad", "Equal", "Exp", "Expm1", "Floor", "FloorDiv",
    "FloorMod", "FusedBatchNormGradV2", "FusedBatchNormGradV3", "FusedBatchNormV2",
    "FusedBatchNormV3", "Greater", "GreaterEqual", "Inv", "InvGrad", "IsFinite", "IsInf",
    "IsNan", "L2Loss", "LeakyRelu", "LeakyReluGrad", "Less", "LessEqual", "Log", "Log1p",
    "LogSoftmax", "MatMul", "Max", "MaxPool", "MaxPoolGrad", "Maximum", "Mean", "Min",
    "Minimum", "Mod", "Mul", "Neg", "NotEqual", "OnesLike", "Pow", "Prod", "RealDiv",
    "Reciprocal", "ReciprocalGrad", "Relu6Grad", "ReluGrad", "ResourceApplyAdagrad",
    "ResourceApplyAdam", "ResourceApplyGradientDescent", "ResourceApplyMomentum",
    "ResourceApplyRMSProp", "Round", "Rsqrt", "RsqrtGrad", "ScatterAdd", "ScatterDiv",
    "ScatterMax", "ScatterMin", "ScatterMul", "ScatterSub", "ScatterUpdate", "Selu",
    "SeluGrad", "Sigmoid", "SigmoidGrad", "Sign", "Sin", "Softmax",
    "SoftmaxCrossEntropyWithLogits", "Softplus", "SoftplusGrad", "Softsign",
    "SoftsignGrad", "SparseSoftmaxCrossEntropyWithLogits", "Sqrt", "SqrtGrad", "Square",
    "SquaredDifference", "Sub", "Sum", "Tanh", "TanhGrad",
};
// clang-format on

}  // namespace

void RegisterHalfPrecision(KernelTable& table) {
  const std::vector<const berth_kernel_def*> rows = table.defs();
  for (const char* op : kOps) {
    const berth_kernel_def* def =
        FloatRow(rows.data(), static_cast<uint32_t>(rows.size()), op);
    if (def == nullptr) continue;
    KernelTable::Row row = table.Op(op);
    row.Type(def->constraints[0]->attr, {kHalf, kBf16}).If(SupportsShort);
    for (uint32_t i = 0; i < def->num_host_args; ++i) {
      const char* name = def->host_args[i];
      bool prepared = false;
      for (uint32_t k = 0; k < def->num_prepare_args; ++k) {
        prepared = prepared || std::strcmp(name, def->prepare_args[k]) == 0;
      }
      if (prepared) {
        row.PrepareArg(name);
      } else {
        row.HostArg(name);
      }
    }
    row.Use<ViaFloat>();
  }
}

}  // namespace berth::cpu
