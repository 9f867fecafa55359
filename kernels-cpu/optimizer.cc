// optimizer.cc — ApplyGradientDescent, ApplyMomentum, ApplyAdam, ApplyAdagrad,
// ApplyRMSProp and their Resource forms on the CPU: one pass over the variables. The host
// holds the variables' locks where the node asks for it.
#include <cmath>

#include "kernels-cpu/common.h"
#include "kernels-cpu/families.h"

namespace berth::cpu {
namespace {

// Position of the inputs of an update: variables first, then scalars, then the gradient.
// Each functor names them and updates elements [begin, end).
template <typename T>
struct UpdateArgs {
  ComputeContext& context;
  T* Variable(int i) const { return context.Ref<T>(i); }
  T Scalar(int i) const { return *context.In<T>(i); }
  const T* Gradient(int i) const { return context.In<T>(i); }
};

struct GradientDescent {
  static constexpr int kVariables = 1;
  static constexpr int kGradient = 2;
  explicit GradientDescent(const NodeView&) {}
  template <typename T>
  void Run(const UpdateArgs<T>& args, int64_t begin, int64_t end) const {
    T* variable = args.Variable(0);
    const T rate = args.Scalar(1);
    const T* gradient = args.Gradient(2);
    for (int64_t i = begin; i < end; ++i) variable[i] -= rate * gradient[i];
  }
};

// Inputs: var, accum, rate, gradient, momentum.
struct Momentum {
  static constexpr int kVariables = 2;
  static constexpr int kGradient = 3;
  bool nesterov;
  explicit Momentum(const NodeView& node) : nesterov(node.Bool("use_nesterov")) {}
  template <typename T>
  void Run(const UpdateArgs<T>& args, int64_t begin, int64_t end) const {
    T* variable = args.Variable(0);
    T* accumulated = args.Variable(1);
    const T rate = args.Scalar(2);
    const T* gradient = args.Gradient(3);
    const T momentum = args.Scalar(4);
    if (nesterov) {
      for (int64_t i = begin; i < end; ++i) {
        accumulated[i] = accumulated[i] * momentum + gradient[i];
        variable[i] -= gradient[i] * rate + accumulated[i] * momentum * rate;
      }
    } else {
      for (int64_t i = begin; i < end; ++i) {
        accumulated[i] = accumulated[i] * momentum + gradient[i];
        variable[i] -= accumulated[i] * rate;
      }
    }
  }
};

// Inputs: var, accum, rate, momentum, gradient: ResourceApplyKerasMomentum. The rate is
// inside the accumulated value.
struct KerasMomentum {
  static constexpr int kVariables = 2;
  static constexpr int kGradient = 3;
  bool nesterov;
  explicit KerasMomentum(const NodeView& node) : nesterov(node.Bool("use_nesterov")) {}
  template <typename T>
  void Run(const UpdateArgs<T>& args, int64_t begin, int64_t end) const {
    T* variable = args.Variable(0);
    T* accumulated = args.Variable(1);
    const T rate = args.Scalar(2);
    const T* gradient = args.Gradient(3);
    const T momentum = args.Scalar(4);
    for (int64_t i = begin; i < end; ++i) {
      accumulated[i] = accumulated[i] * momentum - gradient[i] * rate;
      variable[i] +=
          nesterov ? accumulated[i] * momentum - gradient[i] * rate : accumulated[i];
    }
  }
};

// Inputs: var, m, v, beta1_power, beta2_power, rate, beta1, beta2, epsilon, gradient.
struct Adam {
  static constexpr int kVariables = 3;
  static constexpr int kGradient = 9;
  bool nesterov;
  explicit Adam(const NodeView& node) : nesterov(node.Bool("use_nesterov")) {}
  template <typename T>
  void Run(const UpdateArgs<T>& args, int64_t begin, int64_t end) const {
    T* variable = args.Variable(0);
    T* m = args.Variable(1);
    T* v = args.Variable(2);
    const T beta1 = args.Scalar(6);
    const T beta2 = args.Scalar(7);
    const T epsilon = args.Scalar(8);
    const T* gradient = args.Gradient(9);
    const T rate =
        args.Scalar(5) * std::sqrt(T{1} - args.Scalar(4)) / (T{1} - args.Scalar(3));
    for (int64_t i = begin; i < end; ++i) {
      const T g = gradient[i];
      m[i] += (g - m[i]) * (T{1} - beta1);
      v[i] += (g * g - v[i]) * (T{1} - beta2);
      const T direction = nesterov ? g * (T{1} - beta1) + beta1 * m[i] : m[i];
      variable[i] -= direction * rate / (std::sqrt(v[i]) + epsilon);
    }
  }
};

// Inputs: var, accum, rate, gradient.
struct Adagrad {
  static constexpr int kVariables = 2;
  static constexpr int kGradient = 3;
  bool updates_slots;
  explicit Adagrad(const NodeView& node)
      : updates_slots(node.Bool("update_slots", true)) {}
  template <typename T>
  void Run(const UpdateArgs<T>& args, int64_t begin, int64_t end) const {
    T* variable = args.Variable(0);
    T* accumulated = args.Variable(1);
    const T rate = args.Scalar(2);
    const T* gradient = args.Gradient(3);
    for (int64_t i = begin; i < end; ++i) {
      if (updates_slots) accumulated[i] += gradient[i] * gradient[i];
      variable[i] -= gradient[i] * rate / std::sqrt(accumulated[i]);
    }
  }
};

// Inputs: var, ms, mom, rate, rho, momentum, epsilon, gradient.
struct RmsProp {
  static constexpr int kVariables = 3;
  static constexpr int kGradient = 7;
  explicit RmsProp(const NodeView&) {}
  template <typename T>
  void Run(const UpdateArgs<T>& args, int64_t begin, int64_t end) const {
    T* variable = args.Variable(0);
    T* mean_square = args.Variable(1);
    T* moment = args.Variable(2);
    const T rate = args.Scalar(3);
    const T rho = args.Scalar(4);
    const T momentum = args.Scalar(5);
    const T epsilon = args.Scalar(6);
    const T* gradient = args.Gradient(7);
    for (int64_t i = begin; i < end; ++i) {
      const T g = gradient[i];
      mean_square[i] += (g * g - mean_square[i]) * (T{1} - rho);
      moment[i] = moment[i] * momentum + g * rate / std::sqrt(mean_square[i] + epsilon);
      variable[i] -= moment[i];
    }
  }
};

// An update of variables by a gradient. The reference output of the ref forms is the
// host's alias of the first variable.
template <typename F>
class UpdateKernel {
 public:
  explicit UpdateKernel(const NodeView& node)
      : update_(node), dtype_(node.input(F::kGradient).dtype) {}
  static Result<std::unique_ptr<UpdateKernel>> Create(const NodeView& node,
                                                      berth_device*) {
    return Make<UpdateKernel>(node);
  }
  Status Prepare(PrepareContext& context) const {
    const berth_tensor& variable = context.input(0);
    for (int i = 1; i < context.num_inputs(); ++i) {
      const bool whole = i < F::kVariables || i == F::kGradient;
      const berth_tensor& t = context.input(i);
      if (whole ? sdk::SameShape(variable, t) : NumElements(t) == 1) continue;
      if (!whole) {
        return InvalidArgument("input " + std::to_string(i) +
                               " is not a scalar: " + ShapeString(t));
      }
      return InvalidArgument("var and input " + std::to_string(i) +
                             " do not have the same shape: " + ShapeString(variable) +
                             " " + ShapeString(t));
    }
    return {};
  }
  Status Compute(ComputeContext& context) const {
    if (dtype_ == kF32) {
      Run<float>(context);
    } else {
      Run<double>(context);
    }
    return {};
  }

 private:
  template <typename T>
  void Run(ComputeContext& context) const {
    const UpdateArgs<T> args{context};
    const int64_t bytes = (2 * F::kVariables + 1) * static_cast<int64_t>(sizeof(T));
    context.ParallelFor(
        NumElements(context.input(0)), GrainFor(bytes),
        [&](int64_t begin, int64_t end) { update_.Run(args, begin, end); });
  }

  F update_;
  int32_t dtype_;
};

template <typename F>
void Add(KernelTable& table, const char* op, const char* resource_op) {
  table.Op(op).Type("T", {kF32, kF64}).Use<UpdateKernel<F>>();
  table.Op(resource_op).Type("T", {kF32, kF64}).Use<UpdateKernel<F>>();
}

}  // namespace

void RegisterOptimizer(KernelTable& table) {
  Add<GradientDescent>(table, "ApplyGradientDescent", "ResourceApplyGradientDescent");
  Add<Momentum>(table, "ApplyMomentum", "ResourceApplyMomentum");
  Add<Adam>(table, "ApplyAdam", "ResourceApplyAdam");
  Add<Adagrad>(table, "ApplyAdagrad", "ResourceApplyAdagrad");
  Add<RmsProp>(table, "ApplyRMSProp", "ResourceApplyRMSProp");
  table.Op("ResourceApplyKerasMomentum")
      .Type("T", {kF32, kF64})
      .Use<UpdateKernel<KerasMomentum>>();
}

}  // namespace berth::cpu
