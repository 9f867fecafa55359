// Tensors in plain host memory, and their elements as numbers wide enough for every
// dtype.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/dtype.h"

namespace berth::conformance {

// What real arithmetic is done in: at least double. On x86-64 it has 64 bits of mantissa,
// so that results in double have a reference too, and int64 and uint64 fit exactly.
using Real = long double;
// What integer arithmetic is done in: holds int64 and uint64, and wraps where told to.
__extension__ using Int = __int128;

// A dense, row-major tensor that owns its bytes. A value.
struct HostTensor {
  DType dtype = BERTH_INVALID_DTYPE;
  std::vector<int64_t> dims;
  std::vector<char> bytes;

  int rank() const { return static_cast<int>(dims.size()); }
  int64_t dim(int i) const { return dims[static_cast<size_t>(i)]; }
  int64_t num_elements() const;
  // "float[2,3]".
  std::string ShapeString() const;
};

bool IsRealFloat(DType dtype);  // half, bfloat16, float, double
bool IsComplex(DType dtype);
bool IsInteger(DType dtype);  // signed and unsigned, not bool
bool IsUnsigned(DType dtype);

int64_t NumElements(const std::vector<int64_t>& dims);
// "[2,3]".
std::string DimsString(const std::vector<int64_t>& dims);

// A tensor of zeros. REQUIRES: a dtype of fixed size.
HostTensor ZeroTensor(DType dtype, std::vector<int64_t> dims);
// The elements as numbers. REQUIRES: real, integer or bool; Ints: integer or bool.
// Complex tensors read as real and imaginary part in turn.
std::vector<Real> Reals(const HostTensor& tensor);
std::vector<Int> Ints(const HostTensor& tensor);
// Int values of a small argument such as axes or sizes. REQUIRES: int32 or int64.
std::vector<int64_t> Indices(const HostTensor& tensor);

// The tensor that holds `values`, each rounded to nearest, ties to even, or wrapped to
// the dtype's bits. REQUIRES: as many values as dims say (complex: twice as many).
HostTensor FromReals(DType dtype, std::vector<int64_t> dims,
                     const std::vector<Real>& values);
HostTensor FromInts(DType dtype, std::vector<int64_t> dims,
                    const std::vector<Int>& values);

// How a floating dtype represents numbers.
struct FloatFormat {
  int digits;        // bits of mantissa, the hidden one included
  int min_exponent;  // the smallest normal number is 2^min_exponent
  int max_exponent;  // the largest number is just below 2^(max_exponent + 1)

  Real unit_roundoff() const;  // half the distance from 1 to the next number
  Real largest() const;
  Real smallest_normal() const;
  Real smallest_subnormal() const;
  // Distance of the numbers around `value`; at infinity, of the largest ones.
  Real UlpAt(Real value) const;
  // To nearest, ties to even; infinity beyond the largest number.
  Real Round(Real value) const;
};
// REQUIRES: IsRealFloat, or complex: the format of its parts.
FloatFormat FormatOf(DType dtype);
// The dtype that sums are formed in: float for half and bfloat16, else the dtype itself.
DType AccumulationType(DType dtype);

}  // namespace berth::conformance
