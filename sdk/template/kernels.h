// Three kernels, each a class, and the list of what this device supports.
#pragma once

#include <algorithm>
#include <memory>
#include <string>

#include "sdk/cpp/kernel.h"

namespace mydevice {

using berth::sdk::ComputeContext;
using berth::sdk::NodeView;
using berth::sdk::Result;
using berth::sdk::Status;

// Relu: y = max(x, 0); NaN stays NaN.
template <typename T>
class Relu {
 public:
  static Result<std::unique_ptr<Relu>> Create(const NodeView&, berth_device*) {
    return std::make_unique<Relu>();
  }
  Status Compute(ComputeContext& context) const {
    const T* x = context.In<T>(0);
    T* y = context.Out<T>(0);
    // Work is split over the session's threads: start none of your own.
    context.ParallelFor(berth::sdk::NumElements(context.input(0)), 16384,
                        [&](int64_t begin, int64_t end) {
                          for (int64_t i = begin; i < end; ++i) {
                            y[i] = x[i] < T{0} ? T{0} : x[i];
                          }
                        });
    return {};
  }
};

// BiasAdd: adds bias[c] to every element of channel c, the last dimension.
class BiasAdd {
 public:
  // Asked at placement. "" takes the node, anything else is the reason a user reads.
  static std::string Supports(const NodeView& node) {
    if (node.String("data_format", "NHWC") == "NHWC") return "";
    return "data_format " + std::string(node.String("data_format")) +
           ": this device adds the bias to the last dimension only (NHWC)";
  }
  static Result<std::unique_ptr<BiasAdd>> Create(const NodeView&, berth_device*) {
    return std::make_unique<BiasAdd>();
  }
  Status Compute(ComputeContext& context) const {
    const float* x = context.In<float>(0);
    const float* bias = context.In<float>(1);
    float* y = context.Out<float>(0);
    const int64_t channels = context.input(1).dims[0];
    if (channels == 0) return {};
    const int64_t rows = berth::sdk::NumElements(context.input(0)) / channels;
    for (int64_t row = 0; row < rows; ++row) {
      for (int64_t c = 0; c < channels; ++c) {
        y[row * channels + c] = x[row * channels + c] + bias[c];
      }
    }
    return {};
  }
};

// MatMul: a [m,k] times b [k,n], either transposed by attribute. The op's shape function
// gives the output's shape, so that there is no Prepare.
class MatMul {
 public:
  explicit MatMul(const NodeView& node)
      : transpose_a_(node.Bool("transpose_a")), transpose_b_(node.Bool("transpose_b")) {}
  static Result<std::unique_ptr<MatMul>> Create(const NodeView& node, berth_device*) {
    return std::make_unique<MatMul>(node);
  }
  Status Compute(ComputeContext& context) const {
    const float* a = context.In<float>(0);
    const float* b = context.In<float>(1);
    float* c = context.Out<float>(0);
    const int64_t m = context.output(0).dims[0];
    const int64_t n = context.output(0).dims[1];
    const int64_t k = context.input(0).dims[transpose_a_ ? 0 : 1];
    context.ParallelFor(m, std::max<int64_t>(1, 65536 / std::max<int64_t>(1, n * k)),
                        [&](int64_t begin, int64_t end) {
                          for (int64_t i = begin; i < end; ++i) {
                            for (int64_t j = 0; j < n; ++j) {
                              float sum = 0;
                              for (int64_t l = 0; l < k; ++l) {
                                sum += a[transpose_a_ ? l * m + i : i * k + l] *
                                       b[transpose_b_ ? j * k + l : l * n + j];
                              }
                              c[i * n + j] = sum;
                            }
                          }
                        });
    return {};
  }

 private:
  const bool transpose_a_;
  const bool transpose_b_;
};

// The support list: op, types, the outputs that may take an input's memory. berth places
// here what a row promises, and what is promised must run.
inline void RegisterKernels(berth::sdk::KernelTable& table) {
  table.Op("Relu").Type("T", {BERTH_FLOAT}).InPlace(0, 0).Use<Relu<float>>();
  table.Op("Relu").Type("T", {BERTH_DOUBLE}).InPlace(0, 0).Use<Relu<double>>();
  table.Op("BiasAdd")
      .Type("T", {BERTH_FLOAT})
      .InPlace(0, 0)
      .If(&BiasAdd::Supports)
      .Use<BiasAdd>();
  table.Op("MatMul").Type("T", {BERTH_FLOAT}).Use<MatMul>();
}

}  // namespace mydevice
