// NumPy's .npy files.
#pragma once

#include <string>
#include <string_view>

#include "core/base/status.h"
#include "core/base/tensor.h"

namespace berth::formats {

// A .npy image in C order, little endian, versions 1 to 3. NumPy has no bfloat16 and no
// quantized types: they are stored as integers of their bits; pass the wanted dtype as
// `as` to get them back (BERTH_INVALID_DTYPE: what the file says). Strings of a fixed
// size ('S', and 'U' as UTF-8) give a string tensor, without the zeros at their end.
//
// DATA_LOSS: not an .npy, or cut. UNIMPLEMENTED: big endian, Fortran order, objects,
// records, dates. INVALID_ARGUMENT: `as` is not how the file's type can be read.
Result<Tensor> ParseNpy(std::string_view bytes, DType as = BERTH_INVALID_DTYPE);

// The file's name stands in front of every message.
Result<Tensor> ReadNpy(const std::string& path, DType as = BERTH_INVALID_DTYPE);

// INVALID_ARGUMENT for dtypes without values in host memory (resource, variant).
// REQUIRES: a host tensor, or one without elements.
Result<std::string> FormatNpy(const Tensor& tensor);
// Whole or not at all.
Status WriteNpy(const std::string& path, const Tensor& tensor);

}  // namespace berth::formats
