#include "kernels-cpu/gemm.h"

#include <Eigen/Core>
#include <atomic>
#include <cstring>

#include "kernels-cpu/arithmetic.h"
#include "kernels-cpu/onednn.h"

namespace berth::cpu {
namespace {

// Below this many multiplications a plain loop beats oneDNN's set-up.
constexpr int64_t kSmall = 2048;
// Multiplications of a tile that is worth a thread.
constexpr int64_t kTileWork = 1 << 20;

// Plain loops over a tile, for integers and for what is small. The middle loop runs over
// k so that the innermost runs along rows of B and C.
template <typename T>
void PlainTile(const Gemm& g, const GemmTile& t, const T* a, const T* b, T* c) {
  const int64_t a_row = g.transpose_a ? 1 : g.k;
  const int64_t a_column = g.transpose_a ? g.m : 1;
  for (int64_t i = t.row; i < t.row + t.rows; ++i) {
    T* to = c + i * g.n + t.column;
    if (g.transpose_b) {
      for (int64_t j = 0; j < t.columns; ++j) {
        T sum = 0;
        const T* from = b + (t.column + j) * g.k;
        for (int64_t p = 0; p < g.k; ++p) {
          sum = WrapAdd(sum, WrapMul(a[i * a_row + p * a_column], from[p]));
        }
        to[j] = sum;
      }
    } else {
      std::fill(to, to + t.columns, T{0});
      for (int64_t p = 0; p < g.k; ++p) {
        const T factor = a[i * a_row + p * a_column];
        const T* from = b + p * g.n + t.column;
        for (int64_t j = 0; j < t.columns; ++j) {
          to[j] = WrapAdd(to[j], WrapMul(factor, from[j]));
        }
      }
    }
  }
}

void DoubleTile(const Gemm& g, const GemmTile& t, const double* a, const double* b,
                double* c) {
  using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  using In = Eigen::Map<const Matrix>;
  const In left(a, g.transpose_a ? g.k : g.m, g.transpose_a ? g.m : g.k);
  const In right(b, g.transpose_b ? g.n : g.k, g.transpose_b ? g.k : g.n);
  auto out = Eigen::Map<Matrix>(c, g.m, g.n).block(t.row, t.column, t.rows, t.columns);
  if (g.transpose_a) {
    const auto rows = left.middleCols(t.row, t.rows).transpose();
    if (g.transpose_b) {
      out.noalias() = rows * right.middleRows(t.column, t.columns).transpose();
    } else {
      out.noalias() = rows * right.middleCols(t.column, t.columns);
    }
  } else {
    const auto rows = left.middleRows(t.row, t.rows);
    if (g.transpose_b) {
      out.noalias() = rows * right.middleRows(t.column, t.columns).transpose();
    } else {
      out.noalias() = rows * right.middleCols(t.column, t.columns);
    }
  }
}

bool FloatTile(const Gemm& g, const GemmTile& t, const float* a, const float* b,
               float* c) {
  const int64_t lda = g.transpose_a ? g.m : g.k;
  const int64_t ldb = g.transpose_b ? g.k : g.n;
  return Sgemm(g.transpose_a, g.transpose_b, t.rows, t.columns, g.k,
               a + (g.transpose_a ? t.row : t.row * lda), lda,
               b + (g.transpose_b ? t.column * ldb : t.column), ldb,
               c + t.row * g.n + t.column, g.n);
}

// Zeros, where there is nothing to add up.
void ZeroTile(size_t size, const Gemm& g, const GemmTile& t, void* c) {
  for (int64_t i = t.row; i < t.row + t.rows; ++i) {
    std::memset(static_cast<char*>(c) + static_cast<size_t>(i * g.n + t.column) * size, 0,
                static_cast<size_t>(t.columns) * size);
  }
}

}  // namespace

bool RunGemmTile(int32_t dtype, const Gemm& g, const GemmTile& t, const void* a,
                 const void* b, void* c) {
  if (t.rows == 0 || t.columns == 0) return true;
  if (g.k == 0) {
    ZeroTile(sdk::DtypeSize(dtype), g, t, c);
    return true;
  }
  const bool small = t.rows * t.columns * g.k <= kSmall;
  switch (dtype) {
    case kF32:
      if (!small) {
        return FloatTile(g, t, static_cast<const float*>(a), static_cast<const float*>(b),
                         static_cast<float*>(c));
      }
      PlainTile(g, t, static_cast<const float*>(a), static_cast<const float*>(b),
                static_cast<float*>(c));
      return true;
    case kF64:
      DoubleTile(g, t, static_cast<const double*>(a), static_cast<const double*>(b),
                 static_cast<double*>(c));
      return true;
    case kI32:
      PlainTile(g, t, static_cast<const int32_t*>(a), static_cast<const int32_t*>(b),
                static_cast<int32_t*>(c));
      return true;
    default:
      PlainTile(g, t, static_cast<const int64_t*>(a), static_cast<const int64_t*>(b),
                static_cast<int64_t*>(c));
      return true;
  }
}

Status RunGemm(int32_t dtype, const Gemm& gemm, const void* a, const void* b, void* c,
               const ComputeContext& context) {
  // The longer side of C is cut, on multiples of the widest kernel's block.
  constexpr int64_t kBlock = 16;
  const bool by_rows = gemm.m >= gemm.n;
  const int64_t side = by_rows ? gemm.m : gemm.n;
  const int64_t work_per_line =
      (by_rows ? gemm.n : gemm.m) * std::max<int64_t>(gemm.k, 1);
  const int64_t blocks = (side + kBlock - 1) / kBlock;
  const int64_t grain =
      std::max<int64_t>(1, kTileWork / std::max<int64_t>(1, work_per_line * kBlock));
  std::atomic<bool> failed{false};
  context.ParallelFor(blocks, grain, [&](int64_t begin, int64_t end) {
    const int64_t first = begin * kBlock;
    const int64_t count = std::min(end * kBlock, side) - first;
    const GemmTile tile =
        by_rows ? GemmTile{first, count, 0, gemm.n} : GemmTile{0, gemm.m, first, count};
    if (!RunGemmTile(dtype, gemm, tile, a, b, c)) failed = true;
  });
  if (failed) return sdk::Internal("oneDNN's sgemm failed");
  return {};
}

}  // namespace berth::cpu
