#include "kernels-cpu/strided_copy.h"

#include <cstring>

#include "kernels-cpu/word.h"

namespace berth::cpu {
namespace {

// Side of the blocks in which planes are transposed: a block of either side stays in the
// first-level cache.
constexpr int64_t kBlock = 32;

}  // namespace

void DenseStrides(const int64_t* dims, int rank, int64_t* strides) {
  int64_t stride = 1;
  for (int i = rank - 1; i >= 0; --i) {
    strides[i] = stride;
    stride *= dims[i];
  }
}

StridedCopy::StridedCopy(const int64_t* out_dims, const int64_t* in_strides, int rank,
                         int64_t offset)
    : offset_(offset) {
  for (int i = 0; i < rank; ++i) {
    size_ *= out_dims[i];
    if (out_dims[i] == 1) continue;
    const size_t last = static_cast<size_t>(rank_ - 1);
    if (rank_ > 0 && strides_[last] == in_strides[i] * out_dims[i]) {
      dims_[last] *= out_dims[i];
      strides_[last] = in_strides[i];
      continue;
    }
    dims_[static_cast<size_t>(rank_)] = out_dims[i];
    strides_[static_cast<size_t>(rank_++)] = in_strides[i];
  }
  if (rank_ == 0) {
    dims_[0] = 1;
    strides_[0] = 1;
    rank_ = 1;
  }
  const size_t inner = static_cast<size_t>(rank_ - 1);
  if (strides_[inner] == 1 || strides_[inner] == 0) return;
  for (int i = 0; i < rank_ - 1; ++i) {
    if (strides_[static_cast<size_t>(i)] == 1 && dims_[static_cast<size_t>(i)] >= 4) {
      plane_axis_ = i;
    }
  }
}

// Rows [begin, end) of the output: a row is the innermost axis.
template <typename Word>
void StridedCopy::CopyRows(const Word* in, Word* out, int64_t begin, int64_t end) const {
  const size_t inner = static_cast<size_t>(rank_ - 1);
  const int64_t n = dims_[inner];
  const int64_t stride = strides_[inner];
  std::array<int64_t, BERTH_MAX_RANK> index{};
  const Word* from = in;
  int64_t rest = begin;
  for (int i = rank_ - 2; i >= 0; --i) {
    const size_t axis = static_cast<size_t>(i);
    index[axis] = rest % dims_[axis];
    rest /= dims_[axis];
    from += index[axis] * strides_[axis];
  }
  for (int64_t row = begin; row < end; ++row) {
    Word* to = out + row * n;
    if (stride == 1) {
      std::memcpy(to, from, static_cast<size_t>(n) * sizeof(Word));
    } else if (stride == 0) {
      std::fill(to, to + n, *from);
    } else {
      for (int64_t i = 0; i < n; ++i) to[i] = from[i * stride];
    }
    for (int i = rank_ - 2; i >= 0; --i) {
      const size_t axis = static_cast<size_t>(i);
      from += strides_[axis];
      if (++index[axis] < dims_[axis]) break;
      from -= strides_[axis] * dims_[axis];
      index[axis] = 0;
    }
  }
}

// Bands [begin, end): all axes but the innermost and the plane's, the latter in blocks of
// kBlock.
template <typename Word>
void StridedCopy::CopyPlanes(const Word* in, Word* out, int64_t begin,
                             int64_t end) const {
  const size_t inner = static_cast<size_t>(rank_ - 1);
  const size_t plane = static_cast<size_t>(plane_axis_);
  const int64_t n = dims_[inner];
  const int64_t stride = strides_[inner];
  const int64_t blocks = (dims_[plane] + kBlock - 1) / kBlock;
  int64_t out_stride = 1;
  for (size_t i = plane + 1; i <= inner; ++i) out_stride *= dims_[i];
  for (int64_t band = begin; band < end; ++band) {
    const int64_t first = band % blocks * kBlock;
    const int64_t count = std::min(kBlock, dims_[plane] - first);
    int64_t rest = band / blocks;
    const Word* from = in + first;
    Word* to = out + first * out_stride;
    int64_t to_stride = n;
    for (int i = rank_ - 2; i >= 0; --i) {
      const size_t axis = static_cast<size_t>(i);
      if (axis != plane) {
        const int64_t at = rest % dims_[axis];
        rest /= dims_[axis];
        from += at * strides_[axis];
        to += at * to_stride;
      }
      to_stride *= dims_[axis];
    }
    for (int64_t j = 0; j < n; j += kBlock) {
      const int64_t width = std::min(kBlock, n - j);
      for (int64_t i = 0; i < count; ++i) {
        for (int64_t k = 0; k < width; ++k) {
          to[i * out_stride + j + k] = from[i + (j + k) * stride];
        }
      }
    }
  }
}

template <typename Word>
void StridedCopy::RunWords(const Word* in, Word* out,
                           const ComputeContext& context) const {
  const int64_t n = dims_[static_cast<size_t>(rank_ - 1)];
  if (plane_axis_ < 0) {
    const int64_t grain = GrainFor(2 * n * static_cast<int64_t>(sizeof(Word)));
    context.ParallelFor(size_ / n, grain, [&](int64_t begin, int64_t end) {
      CopyRows(in, out, begin, end);
    });
    return;
  }
  const int64_t plane = dims_[static_cast<size_t>(plane_axis_)];
  const int64_t bands = size_ / n / plane * ((plane + kBlock - 1) / kBlock);
  const int64_t grain =
      GrainFor(2 * n * std::min(plane, kBlock) * static_cast<int64_t>(sizeof(Word)));
  context.ParallelFor(
      bands, grain, [&](int64_t begin, int64_t end) { CopyPlanes(in, out, begin, end); });
}

void StridedCopy::Run(const void* in, void* out, int64_t size,
                      const ComputeContext& context, int64_t extra) const {
  if (size_ == 0) return;
  const char* from = static_cast<const char*>(in) + (offset_ + extra) * size;
  const void* start = from;
  WithWord(size, [&](auto word) {
    using Word = decltype(word);
    RunWords(static_cast<const Word*>(start), static_cast<Word*>(out), context);
  });
}

}  // namespace berth::cpu
