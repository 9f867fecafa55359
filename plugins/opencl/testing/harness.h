// Runs single kernels of the plugin through the C ABI, the way a host does.
#pragma once

#include <berth/plugin.h>

#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "plugins/opencl/testing/test_host.h"
#include "sdk/cpp/status.h"
#include "sdk/cpp/tensor.h"

namespace berth::opencl::testing {

using sdk::Result;
using sdk::Status;

// A tensor in host memory.
struct HostTensor {
  int32_t dtype = BERTH_FLOAT;
  std::vector<int64_t> dims;
  std::vector<char> bytes;

  HostTensor() = default;
  template <typename T>
  HostTensor(std::vector<int64_t> shape, const std::vector<T>& values)
      : dtype(sdk::DtypeOf<T>()),
        dims(std::move(shape)),
        bytes(values.size() * sizeof(T)) {
    if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  }
  template <typename T>
  std::vector<T> Values() const {
    std::vector<T> values(bytes.size() / sizeof(T));
    if (!values.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  }
  int64_t num_elements() const;
};

// An attribute's value; `Type` and `Shape`-less on purpose: the ops here need no more.
struct TypeAttr {
  int32_t dtype;
};
using AttrValue =
    std::variant<int64_t, float, bool, std::string, TypeAttr, std::vector<int64_t>>;
using Attrs = std::map<std::string, AttrValue>;

// One op to run. `arg_names` gives the OpDef's argument of each input; only host
// arguments need the true name.
struct OpCall {
  std::string op;
  std::string name = "node";
  Attrs attrs;
  std::vector<HostTensor> inputs;
  std::vector<std::string> arg_names;
  std::vector<int32_t> output_dtypes = {BERTH_FLOAT};
  // What the op's shape function would say; rank unknown where absent.
  std::vector<std::vector<int64_t>> output_dims;
  // Inputs that the kernel writes (variables): their new values come back in `inputs`.
  std::vector<int> written;
};

struct OpResult {
  Status status;  // of create, prepare, compute, or the event
  std::vector<HostTensor> outputs;
  std::vector<HostTensor> inputs;
};

// An open device and one stream. Every tensor lies at an offset of a larger buffer,
// behind guard bytes that must not change.
class Harness {
 public:
  // REQUIRES: the plugin loads. `index` is a logical device.
  static Result<std::unique_ptr<Harness>> Open(uint32_t index = 0);
  ~Harness();

  const berth_plugin* plugin() const { return plugin_; }
  const berth_device_api* api() const { return plugin_->devices; }
  berth_device* device() const { return device_; }
  berth_stream* stream() const { return stream_; }

  OpResult Run(const OpCall& call);
  // Whether a host could place the call here: "" or the reason. No values are needed, and
  // a dimension may be -1.
  std::string WhyRefused(const OpCall& call) const;
  // The row that a host would choose, or NULL and the reasons.
  const berth_kernel_def* FindRow(const berth_node& node, std::string* why) const;

  // Turns a code and an error into a Status.
  static Status Take(berth_status_code code, berth_error* error);

 private:
  Harness() = default;

  const berth_plugin* plugin_ = nullptr;
  berth_device* device_ = nullptr;
  berth_stream* stream_ = nullptr;
};

// A zeroed error with its size set.
berth_error EmptyError();

}  // namespace berth::opencl::testing
