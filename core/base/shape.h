// Shapes, known, partly known or unknown.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "core/base/status.h"

namespace berth {

// A list of sizes, -1 = unknown size; or an unknown rank. A value type; ranks up to 4
// need no allocation.
class Shape {
 public:
  static constexpr int kMaxRank = 254;  // TensorFlow's limit
  static constexpr int64_t kUnknown = -1;

  Shape() = default;  // a scalar
  Shape(std::initializer_list<int64_t> dims) : Shape(dims.begin(), dims.size()) {}
  explicit Shape(const std::vector<int64_t>& dims) : Shape(dims.data(), dims.size()) {}
  Shape(const int64_t* dims, size_t rank);
  Shape(const Shape& other);
  Shape& operator=(const Shape& other);
  Shape(Shape&& other) noexcept;
  Shape& operator=(Shape&& other) noexcept;
  ~Shape();

  static Shape UnknownRank();
  static Shape UnknownDims(int rank);

  // -1 when the rank is unknown.
  int rank() const { return rank_; }
  bool has_rank() const { return rank_ >= 0; }
  bool IsFullyDefined() const;
  // REQUIRES: 0 <= i < rank().
  int64_t dim(int i) const { return dims()[i]; }
  void set_dim(int i, int64_t size) { dims()[i] = size; }
  // Makes an unknown-rank shape a scalar first.
  void AddDim(int64_t size);
  const int64_t* dims() const { return rank_ <= kInline ? inline_ : heap_; }
  int64_t* dims() { return rank_ <= kInline ? inline_ : heap_; }
  std::vector<int64_t> ToVector() const;

  // REQUIRES: IsFullyDefined(); the product was checked when the shape came in.
  int64_t num_elements() const;
  // As num_elements, but INVALID_ARGUMENT on a negative size or an overflow.
  static Result<int64_t> CheckedElements(const int64_t* dims, size_t rank);

  // Same rank, every pair of dims equal or one unknown.
  bool IsCompatibleWith(const Shape& other) const;
  bool operator==(const Shape& other) const;

  // "[2,?,3]" or "<unknown>", as TensorFlow prints them.
  std::string ToString() const;

 private:
  static constexpr int kInline = 4;

  void Allocate(int rank);

  int32_t rank_ = 0;
  union {
    int64_t inline_[kInline];
    int64_t* heap_;
  };
};

}  // namespace berth
