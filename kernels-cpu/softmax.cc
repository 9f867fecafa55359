// softmax.cc — Softmax, LogSoftmax, SoftmaxCrossEntropyWithLogits and
// SparseSoftmaxCrossEntropyWithLogits on the CPU, row by row.
#include <Eigen/Core>
#include <atomic>
#include <cmath>
#include <limits>

#include "kernels-cpu/broadcast.h"
#include "kernels-cpu/common.h"
#include "kernels-cpu/families.h"

namespace berth::cpu {
namespace {

template <typename T>
using Row = Eigen::Map<const Eigen::Array<T, Eigen::Dynamic, 1>>;
template <typename T>
using OutRow = Eigen::Map<Eigen::Array<T, Eigen::Dynamic, 1>>;

// The operations that one element of an exponential costs.
constexpr int64_t kRowCost = 12;

// Writes x - max(x) to `shifted` and gives log(sum(exp(x - max(x)))).
template <typename T>
T ShiftRow(const Row<T>& x, OutRow<T> shifted) {
  shifted = x - x.template maxCoeff<Eigen::PropagateNaN>();
  return std::log(shifted.exp().sum());
}

template <bool kLog>
class SoftmaxKernel {
 public:
  explicit SoftmaxKernel(const NodeView& node) : dtype_(node.input(0).dtype) {}
  static Result<std::unique_ptr<SoftmaxKernel>> Create(const NodeView& node,
                                                       berth_device*) {
    return Make<SoftmaxKernel>(node);
  }
  Status Compute(ComputeContext& context) const {
    const berth_tensor& x = context.input(0);
    if (x.rank < 1) {
      return InvalidArgument("logits must have >= 1 dimension, got " + ShapeString(x));
    }
    if (dtype_ == kF32) {
      Run<float>(context);
    } else {
      Run<double>(context);
    }
    return {};
  }

 private:
  template <typename T>
  static void Run(ComputeContext& context) {
    const berth_tensor& input = context.input(0);
    const int64_t classes = input.dims[input.rank - 1];
    if (classes == 0) return;
    const T* x = context.In<T>(0);
    T* y = context.Out<T>(0);
    context.ParallelFor(
        NumElements(input) / classes, GrainForFlops(kRowCost * classes),
        [&](int64_t begin, int64_t end) {
          for (int64_t row = begin; row < end; ++row) {
            const Row<T> in(x + row * classes, classes);
            OutRow<T> out(y + row * classes, classes);
            if constexpr (kLog) {
              out -= ShiftRow<T>(in, out);
            } else {
              out = (in - in.template maxCoeff<Eigen::PropagateNaN>()).exp();
              out *= T{1} / out.sum();
            }
          }
        });
  }

  int32_t dtype_;
};

// Outputs: the loss of each row, and its gradient by the logits. Logits and labels are
// matrices; either may have one row or column that is repeated.
class DenseCrossEntropyKernel {
 public:
  explicit DenseCrossEntropyKernel(const NodeView& node) : dtype_(node.input(0).dtype) {}
  static Result<std::unique_ptr<DenseCrossEntropyKernel>> Create(const NodeView& node,
                                                                 berth_device*) {
    return Make<DenseCrossEntropyKernel>(node);
  }
  Status Prepare(PrepareContext& context) const {
    if (context.input(0).rank == 2 && context.input(1).rank == 2) {
      Broadcast unused;
      return MakeBroadcast(context.input(0), context.input(1), &unused);
    }
    return InvalidArgument("logits and labels must be matrices, got logits " +
                           ShapeString(context.input(0)) + " and labels " +
                           ShapeString(context.input(1)));
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
  // Element (row, i) of a matrix whose axes of size 1 repeat.
  template <typename T>
  struct Repeated {
    const T* data;
    int64_t row_stride;
    int64_t column_stride;
    Repeated(const berth_tensor& t, const T* d)
        : data(d),
          row_stride(t.dims[0] == 1 ? 0 : t.dims[1]),
          column_stride(t.dims[1] == 1 ? 0 : 1) {}
    T operator()(int64_t row, int64_t i) const {
      return data[row * row_stride + i * column_stride];
    }
  };

  template <typename T>
  static void Run(ComputeContext& context) {
    const int64_t rows = context.output(1).dims[0];
    const int64_t classes = context.output(1).dims[1];
    const Repeated<T> logits(context.input(0), context.In<T>(0));
    const Repeated<T> labels(context.input(1), context.In<T>(1));
    T* loss = context.Out<T>(0);
    T* gradient = context.Out<T>(1);
    context.ParallelFor(
        rows, GrainForFlops(kRowCost * classes), [&](int64_t begin, int64_t end) {
          for (int64_t row = begin; row < end; ++row) {
            loss[row] = 0;
            if (classes == 0) continue;
            OutRow<T> out(gradient + row * classes, classes);
            for (int64_t i = 0; i < classes; ++i) out[i] = logits(row, i);
            const T log_sum = ShiftRow<T>(Row<T>(gradient + row * classes, classes), out);
            T sum = 0;
            for (int64_t i = 0; i < classes; ++i) {
              const T label = labels(row, i);
              // A class without weight adds nothing, however unlikely it is.
              if (label != 0) sum += label * (log_sum - out[i]);
              out[i] = std::exp(out[i] - log_sum) - label;
            }
            loss[row] = sum;
          }
        });
  }

  int32_t dtype_;
};

class SparseCrossEntropyKernel {
 public:
  explicit SparseCrossEntropyKernel(const NodeView& node)
      : dtype_(node.input(0).dtype), label_dtype_(node.input(1).dtype) {}
  static Result<std::unique_ptr<SparseCrossEntropyKernel>> Create(const NodeView& node,
                                                                  berth_device*) {
    return Make<SparseCrossEntropyKernel>(node);
  }
  Status Compute(ComputeContext& context) const {
    return dtype_ == kF32 ? Run<float>(context) : Run<double>(context);
  }

 private:
  template <typename T>
  Status Run(ComputeContext& context) const {
    const berth_tensor& labels = context.input(1);
    const int64_t rows = context.input(0).dims[0];
    const int64_t classes = context.input(0).dims[1];
    for (int64_t row = 0; row < rows; ++row) {
      const int64_t label = IndexAt(labels, row);
      if (label >= 0 && label < classes) continue;
      return InvalidArgument("Received a label value of " + std::to_string(label) +
                             " which is outside the valid range of [0, " +
                             std::to_string(classes) + ").  It stands at position " +
                             std::to_string(row));
    }
    const T* logits = context.In<T>(0);
    T* loss = context.Out<T>(0);
    T* gradient = context.Out<T>(1);
    context.ParallelFor(
        rows, GrainForFlops(kRowCost * classes), [&](int64_t begin, int64_t end) {
          for (int64_t row = begin; row < end; ++row) {
            OutRow<T> out(gradient + row * classes, classes);
            const T log_sum = ShiftRow<T>(Row<T>(logits + row * classes, classes), out);
            const int64_t label = IndexAt(labels, row);
            loss[row] = log_sum - out[label];
            out = (out - log_sum).exp();
            out[label] -= T{1};
          }
        });
    return {};
  }

  int32_t dtype_;
  int32_t label_dtype_;
};

}  // namespace

void RegisterSoftmax(KernelTable& table) {
  const auto reals = {kF32, kF64};
  table.Op("Softmax").Type("T", reals).InPlace(0, 0).Use<SoftmaxKernel<false>>();
  table.Op("LogSoftmax").Type("T", reals).InPlace(0, 0).Use<SoftmaxKernel<true>>();
  table.Op("SoftmaxCrossEntropyWithLogits")
      .Type("T", reals)
      .Use<DenseCrossEntropyKernel>();
  table.Op("SparseSoftmaxCrossEntropyWithLogits")
      .Type("T", reals)
      .Type("Tlabels", {kI32, kI64})
      .Use<SparseCrossEntropyKernel>();
}

}  // namespace berth::cpu
