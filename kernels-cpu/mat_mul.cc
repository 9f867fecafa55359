// mat_mul.cc — MatMul, BatchMatMul and BatchMatMulV2 on the CPU. f32 goes to oneDNN, f64
// to Eigen, integers to plain loops.
#include <atomic>

#include "kernels-cpu/broadcast.h"
#include "kernels-cpu/common.h"
#include "kernels-cpu/families.h"
#include "kernels-cpu/gemm.h"

namespace berth::cpu {
namespace {

class MatMulKernel {
 public:
  using Prepared = Gemm;
  explicit MatMulKernel(const NodeView& node)
      : transpose_a_(node.Bool("transpose_a")),
        transpose_b_(node.Bool("transpose_b")),
        dtype_(node.input(0).dtype) {}
  static Result<std::unique_ptr<MatMulKernel>> Create(const NodeView& node,
                                                      berth_device*) {
    return Make<MatMulKernel>(node);
  }
  Status Prepare(PrepareContext& context, Gemm* gemm) const {
    const berth_tensor& a = context.input(0);
    const berth_tensor& b = context.input(1);
    *gemm = {a.dims[transpose_a_ ? 1 : 0], b.dims[transpose_b_ ? 0 : 1],
             a.dims[transpose_a_ ? 0 : 1], transpose_a_, transpose_b_};
    return {};
  }
  Status Compute(const Gemm& gemm, ComputeContext& context) const {
    return RunGemm(dtype_, gemm, context.input(0).host_data, context.input(1).host_data,
                   context.output(0).host_data, context);
  }

 private:
  bool transpose_a_;
  bool transpose_b_;
  int32_t dtype_;
};

// A product of matrices for each position of the (broadcast) leading axes.
struct BatchPlan {
  Gemm gemm;
  Broadcast batch;
  int64_t a_size = 0;  // elements of one matrix
  int64_t b_size = 0;
};

class BatchMatMulKernel {
 public:
  using Prepared = BatchPlan;
  explicit BatchMatMulKernel(const NodeView& node)
      : adjoint_x_(node.Bool("adj_x")),
        adjoint_y_(node.Bool("adj_y")),
        dtype_(node.input(0).dtype) {}
  static Result<std::unique_ptr<BatchMatMulKernel>> Create(const NodeView& node,
                                                           berth_device*) {
    return Make<BatchMatMulKernel>(node);
  }

  Status Prepare(PrepareContext& context, BatchPlan* plan) const {
    berth_tensor a = context.input(0);
    berth_tensor b = context.input(1);
    const int64_t* da = a.dims + a.rank - 2;
    const int64_t* db = b.dims + b.rank - 2;
    plan->gemm = {da[adjoint_x_ ? 1 : 0], db[adjoint_y_ ? 0 : 1], da[adjoint_x_ ? 0 : 1],
                  adjoint_x_, adjoint_y_};
    plan->a_size = da[0] * da[1];
    plan->b_size = db[0] * db[1];
    a.rank -= 2;
    b.rank -= 2;
    return MakeBroadcast(a, b, &plan->batch);
  }

  Status Compute(const BatchPlan& plan, ComputeContext& context) const {
    const Gemm& g = plan.gemm;
    const int64_t size = static_cast<int64_t>(sdk::DtypeSize(dtype_));
    const char* a = static_cast<const char*>(context.input(0).host_data);
    const char* b = static_cast<const char*>(context.input(1).host_data);
    char* c = static_cast<char*>(context.output(0).host_data);
    if (plan.batch.size == 1) return RunGemm(dtype_, g, a, b, c, context);
    const GemmTile whole{0, g.m, 0, g.n};
    std::atomic<bool> failed{false};
    context.ParallelFor(
        plan.batch.size, GrainForFlops(g.m * g.n * g.k / 8),
        [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) {
            const auto [at_a, at_b] = MatricesOf(plan.batch, i);
            if (!RunGemmTile(dtype_, g, whole, a + at_a * plan.a_size * size,
                             b + at_b * plan.b_size * size, c + i * g.m * g.n * size)) {
              failed = true;
            }
          }
        });
    if (failed) return sdk::Internal("oneDNN's sgemm failed");
    return {};
  }

 private:
  // Which matrices of the two operands give result i.
  static std::pair<int64_t, int64_t> MatricesOf(const Broadcast& batch, int64_t i) {
    Broadcast::Kind kind = batch.kind;
    int64_t a = 0;
    int64_t b = 0;
    int64_t within = i;
    if (kind == Broadcast::Kind::kGeneral) {
      const BroadcastRows row(batch, i / batch.inner);
      a = row.offset_a();
      b = row.offset_b();
      within = i % batch.inner;
      kind = batch.inner_kind;
    }
    return {kind == Broadcast::Kind::kScalarLeft ? a : a + within,
            kind == Broadcast::Kind::kScalarRight ? b : b + within};
  }

  bool adjoint_x_;
  bool adjoint_y_;
  int32_t dtype_;
};

}  // namespace

void RegisterMatMul(KernelTable& table) {
  const auto numbers = {kF32, kF64, kI32, kI64};
  table.Op("MatMul").Type("T", numbers).Use<MatMulKernel>();
  table.Op("BatchMatMul").Type("T", numbers).Use<BatchMatMulKernel>();
  table.Op("BatchMatMulV2").Type("T", numbers).Use<BatchMatMulKernel>();
}

}  // namespace berth::cpu
