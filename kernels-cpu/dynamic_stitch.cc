// dynamic_stitch.cc — DynamicStitch on the CPU, by the size of the element. Where two
// indices are equal the last one wins; rows that no index names are zeros.
#include <cstring>

#include "kernels-cpu/common.h"
#include "kernels-cpu/families.h"

namespace berth::cpu {
namespace {

class DynamicStitchKernel {
 public:
  explicit DynamicStitchKernel(const NodeView& node)
      : count_(node.num_inputs() / 2),
        size_(static_cast<int64_t>(sdk::DtypeSize(node.output(0).dtype))) {}
  static Result<std::unique_ptr<DynamicStitchKernel>> Create(const NodeView& node,
                                                             berth_device*) {
    return Make<DynamicStitchKernel>(node);
  }

  Status Compute(ComputeContext& context) const {
    int64_t rows = 0;
    for (int i = 0; i < count_; ++i) {
      Status status = CountRows(context.input(i), i, &rows);
      if (!status.ok()) return status;
    }
    // data[0] is [indices[0]'s shape, row]: the shape function saw to it.
    const berth_tensor& data = context.input(count_);
    const int skipped = context.input(0).rank;
    if (1 + data.rank - skipped > BERTH_MAX_RANK) {
      return InvalidArgument("data of shape " + ShapeString(data) +
                             " and scalar indices would give more than " +
                             std::to_string(BERTH_MAX_RANK) + " dimensions");
    }
    berth_shape shape = {};
    shape.rank = 1 + data.rank - skipped;
    shape.dims[0] = rows;
    std::copy(data.dims + skipped, data.dims + data.rank, shape.dims + 1);
    Status status = context.AllocateOutput(0, shape);
    if (!status.ok()) return status;
    Stitch(Product(data.dims, skipped, data.rank) * size_, context);
    return {};
  }

 private:
  // Raises `rows` to one more than the largest index of input `i`.
  static Status CountRows(const berth_tensor& indices, int i, int64_t* rows) {
    for (int64_t k = 0; k < NumElements(indices); ++k) {
      const int64_t index = IndexAt(indices, k);
      if (index < 0) {
        return InvalidArgument("indices[" + std::to_string(i) +
                               "] is out of range: its " + "element " +
                               std::to_string(k) + " is " + std::to_string(index));
      }
      *rows = std::max(*rows, index + 1);
    }
    return {};
  }

  // Rows of `block` bytes, in the order of the inputs.
  void Stitch(int64_t block, ComputeContext& context) const {
    const berth_tensor& out = context.output(0);
    if (out.byte_size == 0) return;
    char* to = static_cast<char*>(out.host_data);
    std::memset(to, 0, out.byte_size);
    for (int i = 0; i < count_; ++i) {
      const berth_tensor& indices = context.input(i);
      const char* from = static_cast<const char*>(context.input(count_ + i).host_data);
      for (int64_t k = 0; k < NumElements(indices); ++k) {
        std::memcpy(to + IndexAt(indices, k) * block, from + k * block,
                    static_cast<size_t>(block));
      }
    }
  }

  int count_;
  int64_t size_;  // bytes an element
};

}  // namespace

void RegisterDynamicStitch(KernelTable& table) {
  table.Op("DynamicStitch")
      .Type("T", kFixedSize)
      .Flags(BERTH_KERNEL_SHAPE_AT_RUN)
      .Use<DynamicStitchKernel>();
}

}  // namespace berth::cpu
