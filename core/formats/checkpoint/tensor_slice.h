// A rectangular part of a tensor, as partitioned variables are saved.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/shape.h"
#include "core/base/status.h"
#include "core/base/tensor.h"

namespace berth::formats {

// A range a dimension. A value type.
class TensorSlice {
 public:
  static constexpr int64_t kFull = -1;  // a length: from 0 to the end
  struct Range {
    int64_t start = 0;
    int64_t length = kFull;
    bool operator==(const Range&) const = default;
  };

  TensorSlice() = default;
  explicit TensorSlice(std::vector<Range> ranges) : ranges_(std::move(ranges)) {}
  static TensorSlice Whole(int rank) {
    return TensorSlice(std::vector<Range>(static_cast<size_t>(rank)));
  }
  // "-:0,10": "-" is a whole dimension, "start,length" a part of one.
  static Result<TensorSlice> Parse(std::string_view text);

  int rank() const { return static_cast<int>(ranges_.size()); }
  const std::vector<Range>& ranges() const { return ranges_; }
  bool IsWhole() const;
  std::string ToString() const;
  bool operator==(const TensorSlice&) const = default;

  // The same slice with all lengths written out. INVALID_ARGUMENT when it does not lie
  // inside a tensor of that shape.
  Result<TensorSlice> ResolvedIn(const Shape& shape) const;
  // REQUIRES: resolved.
  Shape ShapeOfSlice() const;

 private:
  std::vector<Range> ranges_;
};

// What SaveV2 and RestoreV2 get for a tensor in `shape_and_slices`: "" (the whole), or
// the full shape and the slice, as in "7 3 0,3:-".
struct ShapeAndSlice {
  bool whole = true;
  Shape shape;
  TensorSlice slice;  // resolved
  static Result<ShapeAndSlice> Parse(std::string_view text);
};

// The key under which a bundle's index keeps a slice of a tensor: docs/FORMATS.md,
// "Keys of slices".
std::string SliceKey(std::string_view name, const TensorSlice& slice);

// True when some element is in both, or both are empty in the same place. REQUIRES:
// resolved slices of one tensor.
bool Overlap(const TensorSlice& a, const TensorSlice& b);

// Copies the part that both cover from `from`, which holds `from_slice`, to `to`, which
// holds `to_slice`; gives the number of elements. REQUIRES: resolved slices of one
// tensor, host tensors of one dtype and of their slices' shapes.
int64_t CopyOverlap(const Tensor& from, const TensorSlice& from_slice,
                    const TensorSlice& to_slice, Tensor* to);

}  // namespace berth::formats
