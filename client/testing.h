// What the client's tests share.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "client/berth.h"

namespace berth::client::testing {

// A tensor from values; REQUIRES as many values as `shape` has elements.
template <typename T>
Tensor MakeTensor(DType dtype, const Shape& shape, const std::vector<T>& values) {
  Result<Tensor> tensor = Tensor::Allocate(dtype, shape);
  EXPECT_TRUE(tensor.ok()) << tensor.status().ToString();
  EXPECT_EQ(static_cast<int64_t>(values.size()), shape.num_elements());
  std::copy(values.begin(), values.end(), tensor->mutable_data<T>());
  return *tensor;
}

inline Tensor Doubles(const Shape& shape, const std::vector<double>& values) {
  return MakeTensor(BERTH_DOUBLE, shape, values);
}
inline Tensor Floats(const Shape& shape, const std::vector<float>& values) {
  return MakeTensor(BERTH_FLOAT, shape, values);
}

template <typename T>
std::vector<T> Values(const Tensor& tensor) {
  return {tensor.data<T>(), tensor.data<T>() + tensor.num_elements()};
}

}  // namespace berth::client::testing

#define BERTH_ASSERT_OK(expr)                                    \
  do {                                                           \
    const ::berth::Status berth_assert_ = (expr);                \
    ASSERT_TRUE(berth_assert_.ok()) << berth_assert_.ToString(); \
  } while (0)
