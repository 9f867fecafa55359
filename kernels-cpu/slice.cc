// slice.cc — Slice, StridedSlice and StridedSliceGrad on the CPU, by the size of the
// element.
#include <cstring>

#include "kernels-cpu/common.h"
#include "kernels-cpu/families.h"
#include "kernels-cpu/strided_copy.h"
#include "kernels-cpu/strided_slice.h"

namespace berth::cpu {
namespace {

// Where a slice begins is read at each run, so that a moving window is planned once.
class SliceKernel {
 public:
  using Prepared = StridedCopy;
  explicit SliceKernel(const NodeView& node)
      : size_(static_cast<int64_t>(sdk::DtypeSize(node.output(0).dtype))) {}
  static Result<std::unique_ptr<SliceKernel>> Create(const NodeView& node,
                                                     berth_device*) {
    return Make<SliceKernel>(node);
  }
  Status Prepare(PrepareContext& context, StridedCopy* plan) const {
    const berth_tensor& x = context.input(0);
    const berth_shape& out = context.output(0);
    if (out.rank != x.rank || x.rank > BERTH_MAX_RANK) {
      return InvalidArgument("Slice: the result has shape " + ShapeString(out) +
                             " for an input of shape " + ShapeString(x));
    }
    int64_t strides[BERTH_MAX_RANK];
    DenseStrides(x.dims, x.rank, strides);
    *plan = StridedCopy(out.dims, strides, x.rank, 0);
    return {};
  }
  Status Compute(const StridedCopy& plan, ComputeContext& context) const {
    const berth_tensor& x = context.input(0);
    const berth_tensor& out = context.output(0);
    int64_t strides[BERTH_MAX_RANK];
    DenseStrides(x.dims, x.rank, strides);
    int64_t offset = 0;
    for (int i = 0; i < x.rank; ++i) {
      const int64_t begin = IndexAt(context.input(1), i);
      if (begin < 0 || begin + out.dims[i] > x.dims[i]) {
        return InvalidArgument("Expected begin[" + std::to_string(i) + "] in [0, " +
                               std::to_string(x.dims[i] - out.dims[i]) + "], but got " +
                               std::to_string(begin));
      }
      offset += begin * strides[i];
    }
    plan.Run(x.host_data, out.host_data, size_, context, offset);
    return {};
  }

 private:
  int64_t size_;
};

class StridedSliceKernel {
 public:
  using Prepared = StridedCopy;
  explicit StridedSliceKernel(const NodeView& node)
      : masks_(node), size_(static_cast<int64_t>(sdk::DtypeSize(node.output(0).dtype))) {}
  static Result<std::unique_ptr<StridedSliceKernel>> Create(const NodeView& node,
                                                            berth_device*) {
    return Make<StridedSliceKernel>(node);
  }
  Status Prepare(PrepareContext& context, StridedCopy* plan) const {
    const berth_tensor& x = context.input(0);
    SliceSpec spec;
    BERTH_SDK_RETURN_IF_ERROR(MakeSliceSpec(masks_, x.dims, x.rank, context.input(1),
                                            context.input(2), context.input(3), &spec));
    SetShape(&context.output(0), spec.result_dims.data(), spec.result_rank);
    *plan = StridedCopy(spec.dims.data(), spec.strides.data(), x.rank, spec.offset);
    return {};
  }
  Status Compute(const StridedCopy& plan, ComputeContext& context) const {
    plan.Run(context.input(0).host_data, context.output(0).host_data, size_, context);
    return {};
  }

 private:
  SliceMasks masks_;
  int64_t size_;
};

// Puts the gradient of a slice into zeros of the sliced tensor's shape.
class StridedSliceGradKernel {
 public:
  using Prepared = SliceSpec;
  explicit StridedSliceGradKernel(const NodeView& node)
      : masks_(node), size_(static_cast<int64_t>(sdk::DtypeSize(node.output(0).dtype))) {}
  static Result<std::unique_ptr<StridedSliceGradKernel>> Create(const NodeView& node,
                                                                berth_device*) {
    return Make<StridedSliceGradKernel>(node);
  }
  Status Prepare(PrepareContext& context, SliceSpec* spec) const {
    const std::vector<int64_t> dims = IndexVector(context.input(0));
    const int rank = static_cast<int>(dims.size());
    BERTH_SDK_RETURN_IF_ERROR(MakeSliceSpec(masks_, dims.data(), rank, context.input(1),
                                            context.input(2), context.input(3), spec));
    const berth_tensor& dy = context.input(4);
    if (NumElements(dy) != Product(spec->dims.data(), 0, rank)) {
      return InvalidArgument(
          "shape of dy was " + ShapeString(dy) + " instead of " +
          sdk::ShapeString(spec->result_dims.data(), spec->result_rank));
    }
    SetShape(&context.output(0), dims.data(), rank);
    return {};
  }
  Status Compute(const SliceSpec& spec, ComputeContext& context) const {
    const berth_tensor& out = context.output(0);
    if (out.byte_size == 0) return {};
    std::memset(out.host_data, 0, out.byte_size);
    const char* dy = static_cast<const char*>(context.input(4).host_data);
    char* dx = static_cast<char*>(out.host_data);
    const int64_t n = NumElements(context.input(4));
    for (int64_t i = 0; i < n; ++i) {
      int64_t at = spec.offset;
      int64_t rest = i;
      for (int axis = out.rank - 1; axis >= 0; --axis) {
        const size_t a = static_cast<size_t>(axis);
        at += rest % spec.dims[a] * spec.strides[a];
        rest /= spec.dims[a];
      }
      std::memcpy(dx + at * size_, dy + i * size_, static_cast<size_t>(size_));
    }
    return {};
  }

 private:
  SliceMasks masks_;
  int64_t size_;
};

}  // namespace

void RegisterSlice(KernelTable& table) {
  table.Op("Slice")
      .Type("T", kFixedSize)
      .Type("Index", kIndexTypes)
      .HostArg("begin")
      .PrepareArg("size")
      .Use<SliceKernel>();
  table.Op("StridedSlice")
      .Type("T", kFixedSize)
      .Type("Index", kIndexTypes)
      .PrepareArg("begin")
      .PrepareArg("end")
      .PrepareArg("strides")
      .Use<StridedSliceKernel>();
  table.Op("StridedSliceGrad")
      .Type("T", kFixedSize)
      .Type("Index", kIndexTypes)
      .PrepareArg("shape")
      .PrepareArg("begin")
      .PrepareArg("end")
      .PrepareArg("strides")
      .Use<StridedSliceGradKernel>();
}

}  // namespace berth::cpu
