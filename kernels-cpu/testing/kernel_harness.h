// Runs one kernel of the library through the C ABI, as the core does: create, prepare,
// compute, with threads that really run side by side. For tests of kernels.
#pragma once

#include <berth/kernel.h>

#include <cstdint>
#include <cstring>
#include <deque>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "sdk/cpp/status.h"
#include "sdk/cpp/tensor.h"

namespace berth::cpu::testing {

// A tensor in memory of its own, 64-byte aligned. Copies share the memory.
class HostTensor {
 public:
  HostTensor() = default;
  HostTensor(int32_t dtype, std::vector<int64_t> dims);

  template <typename T>
  static HostTensor Of(std::vector<int64_t> dims, const std::vector<T>& values) {
    HostTensor tensor(sdk::DtypeOf<T>(), std::move(dims));
    for (size_t i = 0; i < values.size(); ++i) tensor.data<T>()[i] = values[i];
    return tensor;
  }
  // Values in [-1, 1), the same for the same seed.
  static HostTensor Random(int32_t dtype, std::vector<int64_t> dims, uint32_t seed);

  template <typename T>
  T* data() const {
    return static_cast<T*>(data_.get());
  }
  template <typename T>
  std::vector<T> values() const {
    return std::vector<T>(data<T>(), data<T>() + size());
  }
  int64_t size() const;
  const std::vector<int64_t>& dims() const { return dims_; }
  berth_tensor view() const;

 private:
  int32_t dtype_ = BERTH_FLOAT;
  std::vector<int64_t> dims_;
  std::shared_ptr<void> data_;
};

// One node. Attributes, inputs and outputs are given in order; then Run. Runs may be
// repeated: state and prepared kernel stay.
class KernelRun {
 public:
  explicit KernelRun(std::string op, int num_threads = 4);
  ~KernelRun();
  KernelRun(const KernelRun&) = delete;
  KernelRun& operator=(const KernelRun&) = delete;

  KernelRun& Type(const char* name, int32_t dtype);
  KernelRun& Int(const char* name, int64_t value);
  KernelRun& Bool(const char* name, bool value);
  KernelRun& Float(const char* name, float value);
  KernelRun& String(const char* name, const char* value);
  KernelRun& Ints(const char* name, std::vector<int64_t> values);
  // `name` is the OpDef's argument name where the kernel's row has prepare arguments.
  KernelRun& In(HostTensor tensor, const char* name = "x");
  KernelRun& Out(int32_t dtype, std::vector<int64_t> dims);
  // The output has the memory of an input.
  KernelRun& OutInPlace(int input);

  // The row that takes the node, or the reasons why none does.
  sdk::Status Find();
  sdk::Status Run();
  const HostTensor& output(int i) const { return outputs_[static_cast<size_t>(i)]; }

 private:
  struct Abi;
  sdk::Status Create();
  sdk::Status Prepare();

  std::string op_;
  int num_threads_;
  std::vector<HostTensor> inputs_;
  std::vector<std::string> input_names_;
  std::vector<HostTensor> outputs_;
  std::unique_ptr<Abi> abi_;
};

}  // namespace berth::cpu::testing
