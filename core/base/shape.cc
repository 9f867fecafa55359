#include "core/base/shape.h"

#include <algorithm>
#include <new>
#include <utility>

namespace berth {

Shape::Shape(const int64_t* dims, size_t rank) {
  Allocate(static_cast<int>(rank));
  std::copy(dims, dims + rank, this->dims());
}

Shape::Shape(const Shape& other) {
  Allocate(other.rank_);
  if (rank_ > 0) std::copy(other.dims(), other.dims() + rank_, dims());
}

Shape::Shape(Shape&& other) noexcept : rank_(other.rank_) {
  if (rank_ > kInline) {
    heap_ = other.heap_;
    other.rank_ = 0;
  } else {
    std::copy(other.inline_, other.inline_ + kInline, inline_);
  }
}

Shape& Shape::operator=(const Shape& other) {
  if (this != &other) *this = Shape(other);
  return *this;
}

Shape& Shape::operator=(Shape&& other) noexcept {
  if (this != &other) {
    this->~Shape();
    new (this) Shape(std::move(other));
  }
  return *this;
}

Shape::~Shape() {
  if (rank_ > kInline) delete[] heap_;
}

void Shape::Allocate(int rank) {
  rank_ = rank;
  if (rank_ > kInline) {
    heap_ = new int64_t[static_cast<size_t>(rank_)];
  } else {
    std::fill(inline_, inline_ + kInline, 0);
  }
}

Shape Shape::UnknownRank() {
  Shape shape;
  shape.rank_ = -1;
  return shape;
}

Shape Shape::UnknownDims(int rank) {
  return Shape(std::vector<int64_t>(static_cast<size_t>(rank), kUnknown));
}

bool Shape::IsFullyDefined() const {
  if (rank_ < 0) return false;
  return std::all_of(dims(), dims() + rank_, [](int64_t size) { return size >= 0; });
}

void Shape::AddDim(int64_t size) {
  std::vector<int64_t> all = rank_ < 0 ? std::vector<int64_t>() : ToVector();
  all.push_back(size);
  *this = Shape(all);
}

std::vector<int64_t> Shape::ToVector() const {
  if (rank_ < 0) return {};
  return {dims(), dims() + rank_};
}

int64_t Shape::num_elements() const {
  int64_t n = 1;
  for (int i = 0; i < rank_; ++i) n *= dim(i);
  return n;
}

Result<int64_t> Shape::CheckedElements(const int64_t* dims, size_t rank) {
  if (rank > kMaxRank) {
    return InvalidArgument("a tensor has at most " + std::to_string(kMaxRank) +
                           " dimensions, not " + std::to_string(rank));
  }
  int64_t n = 1;
  bool overflow = false;
  bool zero = false;
  for (size_t i = 0; i < rank; ++i) {
    if (dims[i] < 0) {
      return InvalidArgument("dimension " + std::to_string(i) +
                             " has the negative size " + std::to_string(dims[i]));
    }
    zero = zero || dims[i] == 0;
    overflow = overflow || __builtin_mul_overflow(n, dims[i], &n);
  }
  if (zero) return int64_t{0};
  if (overflow) {
    return InvalidArgument("a shape of " + Shape(dims, rank).ToString() +
                           " has more elements than 63 bits count");
  }
  return n;
}

bool Shape::IsCompatibleWith(const Shape& other) const {
  if (rank_ < 0 || other.rank_ < 0) return true;
  if (rank_ != other.rank_) return false;
  for (int i = 0; i < rank_; ++i) {
    if (dim(i) >= 0 && other.dim(i) >= 0 && dim(i) != other.dim(i)) return false;
  }
  return true;
}

bool Shape::operator==(const Shape& other) const {
  if (rank_ != other.rank_) return false;
  return rank_ <= 0 || std::equal(dims(), dims() + rank_, other.dims());
}

std::string Shape::ToString() const {
  if (rank_ < 0) return "<unknown>";
  std::string text = "[";
  for (int i = 0; i < rank_; ++i) {
    if (i > 0) text += ',';
    text += dim(i) < 0 ? "?" : std::to_string(dim(i));
  }
  return text + "]";
}

}  // namespace berth
