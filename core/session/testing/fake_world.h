// A session over devices and kernels made in the process, for tests of what runs.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/graph/graph.h"
#include "core/plugin/cache.h"
#include "core/plugin/host_table.h"
#include "core/plugin/testing/fake_compiler.h"
#include "core/plugin/testing/fake_plugin.h"
#include "core/registry/device.h"
#include "core/registry/kernel_registry.h"
#include "core/session/session.h"
#include "core/session/session_state.h"

namespace berth::testing {

// A synchronous host device "CPU" and, when asked for, an asynchronous device "GPU" with
// memory of its own. Both have float kernels of AddV2, Mul, Neg and ApplyGradientDescent.
class FakeWorld {
 public:
  struct Options {
    int num_gpus = 0;
    std::vector<FakeKernel> more_kernels = {};
    SessionOptions session = {};
    uint64_t gpu_largest_allocation = 0;
    FakeCompiler compiler = {};  // of both devices; none without a `claim`
  };
  FakeWorld();
  explicit FakeWorld(Options options);
  ~FakeWorld();

  Session& session() { return *session_; }
  FakePlugin& gpu() { return *gpu_; }
  FakePlugin& cpu() { return *cpu_; }
  void EndSession() { session_.reset(); }

  // Adds a node to the session's graph or fails the test. `inputs` are "x", "x:1", "^x".
  void Add(const std::string& op, const std::string& name,
           const std::vector<std::string>& inputs = {},
           std::vector<std::pair<std::string, AttrValue>> attrs = {},
           const std::string& device = "");
  // Ops of one type attribute T = float.
  void AddT(const std::string& op, const std::string& name,
            const std::vector<std::string>& inputs, const std::string& device = "");
  void AddConst(const std::string& name, const Tensor& value,
                const std::string& device = "");
  void AddPlaceholder(const std::string& name, const Shape& shape,
                      DType dtype = BERTH_FLOAT);
  void AddVariable(const std::string& name, const Shape& shape,
                   const std::string& device = "");

  // Runs and gives the fetched tensors.
  Result<std::vector<Tensor>> Run(const Session::Feeds& feeds,
                                  const std::vector<std::string>& fetches,
                                  const std::vector<std::string>& targets = {},
                                  const RunSettings& settings = {},
                                  RunTrace* trace = nullptr);

 private:
  void AddDevices(const FakePlugin& plugin, int priority);

  PluginOptions plugin_options_;
  PluginCache cache_{""};
  HostTable host_{"fake", "", &plugin_options_, &cache_};
  std::unique_ptr<FakePlugin> cpu_;
  std::unique_ptr<FakePlugin> gpu_;
  KernelRegistry registry_;
  std::vector<std::unique_ptr<Device>> devices_;
  std::unique_ptr<Session> session_;
};

Tensor Floats(const Shape& shape, const std::vector<float>& values);
Tensor Ints(const Shape& shape, const std::vector<int32_t>& values);
std::vector<float> ToFloats(const Tensor& tensor);

}  // namespace berth::testing
