// MatMul, BatchMatMul and BatchMatMulV2 (whose batches broadcast).
#include "conformance/reference/evaluation.h"
#include "conformance/reference/families.h"

namespace berth::conformance {
namespace {

// One operand: its last two axes as they stand in the product.
struct Matrix {
  int64_t rows = 0;
  int64_t columns = 0;
  int64_t row_step = 0;
  int64_t column_step = 0;
};

Matrix MatrixOf(const HostTensor& t, bool transposed) {
  const int64_t rows = t.dim(t.rank() - 2);
  const int64_t columns = t.dim(t.rank() - 1);
  return transposed ? Matrix{columns, rows, 1, columns}
                    : Matrix{rows, columns, columns, 1};
}

struct Product {
  Matrix a;
  Matrix b;
  std::vector<int64_t> dims;
  // For every matrix of the result the first element of its operands.
  std::vector<int64_t> a_offsets;
  std::vector<int64_t> b_offsets;
};

// sums[i] of a·b; with magnitudes also the sum of |a||b|.
template <typename T>
void Multiply(const Product& p, const std::vector<T>& a, const std::vector<T>& b,
              std::vector<T>* sums, std::vector<T>* magnitudes) {
  for (size_t batch = 0; batch < p.a_offsets.size(); ++batch) {
    for (int64_t r = 0; r < p.a.rows; ++r) {
      for (int64_t c = 0; c < p.b.columns; ++c) {
        T sum = 0;
        T magnitude = 0;
        for (int64_t k = 0; k < p.a.columns; ++k) {
          const T x = a[static_cast<size_t>(p.a_offsets[batch] + r * p.a.row_step +
                                            k * p.a.column_step)];
          const T y = b[static_cast<size_t>(p.b_offsets[batch] + k * p.b.row_step +
                                            c * p.b.column_step)];
          const T term = Times(x, y);
          sum = Plus(sum, term);
          magnitude = Plus(magnitude, Size(term));
        }
        sums->push_back(sum);
        if (magnitudes != nullptr) magnitudes->push_back(magnitude);
      }
    }
  }
}

Result<Outputs> EvaluateProduct(const OpCall& call, bool transpose_a, bool transpose_b,
                                bool broadcasts) {
  BERTH_RETURN_IF_ERROR(ExpectInputs(call, 2));
  const HostTensor& a = call.input(0);
  const HostTensor& b = call.input(1);
  if (a.rank() < 2 || b.rank() < 2) {
    return InvalidArgument("both inputs must have at least two axes");
  }
  Product p;
  p.a = MatrixOf(a, transpose_a);
  p.b = MatrixOf(b, transpose_b);
  if (p.a.columns != p.b.rows) {
    return InvalidArgument("matrix size-incompatible: " + std::to_string(p.a.columns) +
                           " columns meet " + std::to_string(p.b.rows) + " rows");
  }
  const std::vector<int64_t> batch_a(a.dims.begin(), a.dims.end() - 2);
  const std::vector<int64_t> batch_b(b.dims.begin(), b.dims.end() - 2);
  if (!broadcasts && batch_a != batch_b) {
    return InvalidArgument("the batches differ: " + DimsString(batch_a) + " and " +
                           DimsString(batch_b));
  }
  BERTH_ASSIGN_OR_RETURN(p.dims, BroadcastDims(batch_a, batch_b));
  p.a_offsets = BroadcastMap(batch_a, p.dims);
  p.b_offsets = BroadcastMap(batch_b, p.dims);
  for (int64_t& offset : p.a_offsets) offset *= p.a.rows * p.a.columns;
  for (int64_t& offset : p.b_offsets) offset *= p.b.rows * p.b.columns;
  p.dims.insert(p.dims.end(), {p.a.rows, p.b.columns});
  if (IsRealFloat(a.dtype)) {
    std::vector<Real> sums;
    std::vector<Real> magnitudes;
    Multiply(p, Reals(a), Reals(b), &sums, &magnitudes);
    return Single(
        SumOutput(a.dtype, p.dims, std::move(sums), std::move(magnitudes), p.a.columns));
  }
  std::vector<Int> sums;
  Multiply<Int>(p, Ints(a), Ints(b), &sums, nullptr);
  return Single(Exact(FromInts(a.dtype, p.dims, sums)));
}

Result<Outputs> EvaluateMatMul(const OpCall& call) {
  BERTH_RETURN_IF_ERROR(ExpectInputs(call, 2));
  if (call.input(0).rank() != 2 || call.input(1).rank() != 2) {
    return InvalidArgument("both inputs must be matrices");
  }
  return EvaluateProduct(call, call.Bool("transpose_a"), call.Bool("transpose_b"), false);
}

template <bool kBroadcasts>
Result<Outputs> EvaluateBatchMatMul(const OpCall& call) {
  return EvaluateProduct(call, call.Bool("adj_x"), call.Bool("adj_y"), kBroadcasts);
}

}  // namespace

void RegisterMatMul(ReferenceTable& table) {
  table.Add("MatMul", EvaluateMatMul);
  table.Add("BatchMatMul", EvaluateBatchMatMul<false>);
  table.Add("BatchMatMulV2", EvaluateBatchMatMul<true>);
}

}  // namespace berth::conformance
