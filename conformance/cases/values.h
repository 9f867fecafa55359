// Inputs for cases: deterministic tensors of one dtype, by what is to be tried.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "conformance/reference/op_call.h"

namespace berth::conformance {

using Dims = std::vector<int64_t>;

// Makes the inputs of one case. The same seed gives the same tensors on every machine.
class Values {
 public:
  Values(std::string op, DType dtype, uint64_t seed)
      : op_(std::move(op)), dtype_(dtype), state_(seed) {}

  const std::string& op() const { return op_; }
  DType dtype() const { return dtype_; }
  bool is_float() const;
  bool is_real() const;  // a float or an integer: not bool, not complex
  // int32 or int64, by the case: for axes, sizes and indices.
  DType index_type() const { return index_type_; }
  void set_index_type(DType dtype) { index_type_ = dtype; }

  // Ordinary numbers: within [-4, 4], integers within [-20, 20], unsigned within [0, 40].
  HostTensor Ordinary(const Dims& dims) { return Ordinary(dtype_, dims); }
  HostTensor Ordinary(DType dtype, const Dims& dims);
  // Within [low, high], evenly. REQUIRES: is_real().
  HostTensor Uniform(const Dims& dims, double low, double high) {
    return Uniform(dtype_, dims, low, high);
  }
  HostTensor Uniform(DType dtype, const Dims& dims, double low, double high);
  // Of either sign, all powers of two within [2^low, 2^high] alike. REQUIRES: is_float().
  HostTensor Logarithmic(const Dims& dims, int low, int high);
  // What is easily forgotten, over and over in another order: NaN, infinities, zeros of
  // both signs, the smallest and largest numbers, halves; for integers the lowest, the
  // highest and their neighbours.
  HostTensor Special(const Dims& dims);
  // The special values, one each, in a vector.
  HostTensor AllSpecial() const;
  // Over the whole range of the dtype: all exponents of a float, all bits of an integer.
  HostTensor Extreme(const Dims& dims);
  // Subnormal numbers and the smallest normal ones. REQUIRES: is_float().
  HostTensor Tiny(const Dims& dims);
  HostTensor Zeros(const Dims& dims) const;
  // Halves and whole numbers in a row around zero. REQUIRES: is_real().
  HostTensor Halves(int64_t n) const;
  // Few distinct values, so that there are ties.
  HostTensor Ties(const Dims& dims);
  // Every element the same.
  HostTensor Constant(const Dims& dims, double value) const;
  HostTensor Scalar(double value) const { return Constant({}, value); }
  HostTensor Bools(const Dims& dims);

  // Arguments of index type.
  HostTensor Index(int64_t value) const { return Indices({value}, {}); }
  HostTensor Indices(const Dims& values) const;
  HostTensor Indices(const Dims& values, const Dims& dims) const;
  static HostTensor Ints(DType dtype, const Dims& values, const Dims& dims);
  // Random indices within [0, limit).
  HostTensor RandomIndices(const Dims& dims, int64_t limit);

  // A call of the op with these inputs and the schema's attributes for them.
  OpCall Call(std::vector<HostTensor> inputs) const;

  uint64_t Next();
  // Within [0, n). REQUIRES: n > 0.
  int64_t Below(int64_t n) {
    return static_cast<int64_t>(Next() % static_cast<uint64_t>(n));
  }
  double Fraction();  // [0, 1)

 private:
  std::string op_;
  DType dtype_;
  DType index_type_ = BERTH_INT32;
  uint64_t state_;
};

}  // namespace berth::conformance
