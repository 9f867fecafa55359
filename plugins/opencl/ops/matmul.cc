// matmul.cc — MatMul. On a processor the register-tiled contraction multiplies;
// elsewhere, or where the option gemm=clblast asks for it, CLBlast does (docs/OPENCL.md
// says why).
#include <clblast.h>

#include <algorithm>
#include <limits>

#include "plugins/opencl/ops/contract.h"
#include "plugins/opencl/ops/families.h"
#include "plugins/opencl/ops/host_values.h"
#include "plugins/opencl/ops/op_kernel.h"
#include "plugins/opencl/ops/strided_copy.h"

namespace berth::opencl {
namespace {

// Sizes of C[m][n] = A[m][k] * B[k][n].
struct Sizes {
  int64_t m = 0;
  int64_t n = 0;
  int64_t k = 0;
};

// Cuts a depth into two levels, so that the outer can be sliced.
int32_t OuterDepth(int32_t k) {
  int32_t best = 1;
  for (int32_t d = 2; d <= 64 && k / d >= 32; ++d) {
    if (k % d == 0) best = d;
  }
  return best;
}

class MatMulKernel {
 public:
  struct Prepared {
    Sizes sizes;
    bool swapped = false;  // the transposed product is computed: rows are B's columns
    bool copies = false;   // the second operand is brought into form in scratch memory
    CopyPlan copy;
    ContractPlan plan;
    uint64_t slices_at = 0;
  };

  static Result<std::unique_ptr<MatMulKernel>> Create(const NodeView& node,
                                                      berth_device* device) {
    auto kernel = std::make_unique<MatMulKernel>();
    Context* context = ContextOf(device);
    kernel->transpose_a_ = node.Bool("transpose_a");
    kernel->transpose_b_ = node.Bool("transpose_b");
    kernel->dtype_ = node.Type("T");
    const GemmChoice choice = context->settings().gemm;
    kernel->clblast_ = choice == GemmChoice::kClBlast ||
                       (choice == GemmChoice::kAuto && !context->facts().is_cpu());
    if (kernel->clblast_) return kernel;
    BERTH_CL_ASSIGN_OR_RETURN(kernel->contractor_,
                              Contractor::Create(context, kernel->dtype_));
    BERTH_CL_ASSIGN_OR_RETURN(
        kernel->copier_, StridedCopier::Create(context, sdk::DtypeSize(kernel->dtype_)));
    return kernel;
  }

  Status Prepare(PrepareContext& context, Prepared* p) const {
    BERTH_CL_ASSIGN_OR_RETURN(p->sizes, CheckSizes(context));
    SetShape(&context.output(0), {p->sizes.m, p->sizes.n});
    const Sizes& s = p->sizes;
    if (clblast_ || s.m == 0 || s.n == 0 || s.k == 0) return {};
    // The operand whose rows become vectors must have them in memory, k by k. Where B
    // has not, the transposed product needs A that way; the smaller one is copied.
    p->swapped = transpose_b_ && (transpose_a_ || s.m <= s.n);
    return PlanBuiltin(context, p);
  }

  Status Compute(const Prepared& p, ComputeContext& context) const {
    const berth_tensor& out = context.output(0);
    if (out.byte_size == 0) return {};
    if (p.sizes.k == 0) {
      const unsigned char zero = 0;
      return FillTensor(context, out, &zero, sizeof(zero));
    }
    if (clblast_) {
      return dtype_ == BERTH_FLOAT ? Gemm<float>(p.sizes, context)
                                   : Gemm<double>(p.sizes, context);
    }
    const berth_tensor& rows = context.input(p.swapped ? 1 : 0);
    const berth_tensor& vectors = context.input(p.swapped ? 0 : 1);
    const berth_tensor& scratch = context.scratch_view();
    if (p.copies) {
      BERTH_SDK_RETURN_IF_ERROR(copier_.Run(context, p.copy, vectors, 0, scratch, 0));
    }
    return contractor_.Run(context, p.plan, {&rows, 0},
                           {p.copies ? &scratch : &vectors, 0}, {&out, 0},
                           {&scratch, p.slices_at});
  }

 private:
  Result<Sizes> CheckSizes(PrepareContext& context) const {
    const berth_tensor& a = context.input(0);
    const berth_tensor& b = context.input(1);
    if (a.rank != 2 || b.rank != 2) {
      return sdk::InvalidArgument("MatMul: In[0] and In[1] must be matrices, not " +
                                  sdk::ShapeString(a) + " and " + sdk::ShapeString(b));
    }
    Sizes s;
    s.m = a.dims[transpose_a_ ? 1 : 0];
    s.k = a.dims[transpose_a_ ? 0 : 1];
    s.n = b.dims[transpose_b_ ? 0 : 1];
    if (b.dims[transpose_b_ ? 1 : 0] != s.k) {
      return sdk::InvalidArgument(
          "Matrix size-incompatible: In[0]: " + sdk::ShapeString(a) +
          ", In[1]: " + sdk::ShapeString(b));
    }
    constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
    if (!clblast_ && std::max({s.m * s.k, s.k * s.n, s.m * s.n}) > kMost) {
      return sdk::InvalidArgument("MatMul: a matrix of more than 2147483647 elements: " +
                                  sdk::ShapeString(a) + " times " + sdk::ShapeString(b));
    }
    return s;
  }

  Status PlanBuiltin(PrepareContext& context, Prepared* p) const {
    const Sizes& s = p->sizes;
    const int64_t rows = p->swapped ? s.n : s.m;
    const int64_t columns = p->swapped ? s.m : s.n;
    // Strides of the operand that gives the rows, (row, depth).
    int64_t row_stride = s.k;
    int64_t depth_stride = 1;
    if (!p->swapped && transpose_a_) {
      row_stride = 1;
      depth_stride = s.m;
    }
    const bool in_form = p->swapped ? transpose_a_ : !transpose_b_;
    const int64_t pitch = std::max<int64_t>(columns, contractor_.min_columns());
    p->copies = !in_form || pitch != columns;
    if (p->copies) {
      Walk walk;
      walk.Push(s.k, {in_form ? columns : 1, pitch});
      walk.Push(columns, {in_form ? 1 : s.k, 1});
      BERTH_CL_ASSIGN_OR_RETURN(p->copy, copier_.Plan(walk, 0, 0));
      p->slices_at = Aligned(static_cast<uint64_t>(s.k * pitch) * sdk::DtypeSize(dtype_));
    }
    Contraction c;
    c.m = static_cast<int32_t>(rows);
    c.n = static_cast<int32_t>(columns);
    c.rows2 = c.m;
    c.row_stride = {0, 0, static_cast<int32_t>(row_stride)};
    const int32_t outer = OuterDepth(static_cast<int32_t>(s.k));
    const int32_t inner = static_cast<int32_t>(s.k) / outer;
    c.k = {outer, 1, inner};
    c.k_stride = {static_cast<int32_t>(depth_stride) * inner, 0,
                  static_cast<int32_t>(depth_stride)};
    c.b_stride = static_cast<int32_t>(pitch);
    c.c_row = p->swapped ? 1 : c.n;
    c.c_column = p->swapped ? c.m : 1;
    p->plan = contractor_.Plan(c);
    context.set_scratch_size(p->slices_at + p->plan.scratch_bytes);
    return {};
  }

  template <typename T>
  Status Gemm(const Sizes& s, ComputeContext& context) const {
    const berth_tensor& a = context.input(0);
    const berth_tensor& b = context.input(1);
    const berth_tensor& c = context.output(0);
    cl_command_queue queue = OpenClStream::From(context.stream())->queue();
    const auto turn = [](bool transpose) {
      return transpose ? clblast::Transpose::kYes : clblast::Transpose::kNo;
    };
    const clblast::StatusCode code = clblast::Gemm<T>(
        clblast::Layout::kRowMajor, turn(transpose_a_), turn(transpose_b_),
        static_cast<size_t>(s.m), static_cast<size_t>(s.n), static_cast<size_t>(s.k),
        T{1}, BufferOf(a.memory), a.offset / sizeof(T), static_cast<size_t>(a.dims[1]),
        BufferOf(b.memory), b.offset / sizeof(T), static_cast<size_t>(b.dims[1]), T{0},
        BufferOf(c.memory), c.offset / sizeof(T), static_cast<size_t>(s.n), &queue);
    if (code == clblast::StatusCode::kSuccess) return {};
    const int number = static_cast<int>(code);
    return {code == clblast::StatusCode::kTempBufferAllocFailure
                ? BERTH_RESOURCE_EXHAUSTED
                : BERTH_INTERNAL,
            "CLBlast's Gemm failed with status " + std::to_string(number)};
  }

  bool transpose_a_ = false;
  bool transpose_b_ = false;
  bool clblast_ = false;
  int32_t dtype_ = BERTH_FLOAT;
  Contractor contractor_;
  StridedCopier copier_;
};

}  // namespace

void RegisterMatMul(KernelTable& table) {
  table.Op("MatMul").Type("T", {BERTH_FLOAT}).Use<MatMulKernel>();
  table.Op("MatMul").Type("T", {BERTH_DOUBLE}).If(&SupportsDouble).Use<MatMulKernel>();
}

}  // namespace berth::opencl
