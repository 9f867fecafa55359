// A plugin made in the process from a list of kernel rows and devices, for tests.
#pragma once

#include <berth/plugin.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/dtype.h"
#include "core/base/status.h"

namespace berth::testing {

// Reads and writes host memory, whatever the device: the fake device's memory is host
// memory that it only claims not to be.
using FakeComputeFn = std::function<Status(berth_compute_context* context)>;

// One row of the support table.
struct FakeKernel {
  std::string op;
  std::string device_type;
  // Attribute -> dtypes it may take. No entry = any.
  std::vector<std::pair<std::string, std::vector<DType>>> types = {};
  std::vector<std::string> host_args = {};
  std::string label = {};
  int priority = 0;
  uint32_t flags = 0;
  std::vector<berth_inplace_pair> inplace = {};
  // The row has no create: it says for what the core runs its own op. REQUIRES: a core
  // op.
  bool runs_in_core = false;
  // Asked for each node when set (the row is then conditional): "" = yes, else why not.
  std::function<std::string(const berth_node& node)> supports = nullptr;
  // What compute does; without one it answers UNIMPLEMENTED. On an asynchronous device it
  // runs when its turn in the stream comes; of a row flagged ASYNC, on a thread of the
  // plugin's, behind HoldStreams too, which then calls `done`. Tensors of the context
  // have host_data only where the host could see them; FakeData gives the address anyway.
  FakeComputeFn compute = nullptr;
};

// One device type with `count` devices.
struct FakeDevices {
  std::string type = "GPU";
  int count = 1;
  int priority = 210;
  uint64_t memory_bytes = uint64_t{1} << 30;
  uint64_t largest_allocation = 0;  // 0 = no limit
  uint32_t base_alignment = 256;
  // Device memory that the host may address, compute that returns when done.
  bool is_host = false;
  // In-order streams run by a thread each, events; otherwise work is done at once.
  bool asynchronous = true;
  // The core's own ops run here only where a row lists them: how a device of TensorFlow's
  // is described. See BERTH_DEVICE_LISTS_CORE_OPS.
  bool lists_core_ops = false;
};

// What happened on all devices of a fake plugin; for expectations on copies and waits.
struct FakeCounters {
  int opens = 0;
  int copies_to_device = 0;
  int copies_to_host = 0;
  int copies_on_device = 0;
  int host_waits = 0;  // synchronize_* and wait_event
  int computes = 0;
  int64_t bytes_in_use = 0;
  int64_t allocations = 0;  // ever
};

struct FakeCompiler;

// Owns the tables; must outlive its registration and everything that uses its devices.
// Thread-safe.
class FakePlugin {
 public:
  FakePlugin(std::string name, std::vector<FakeDevices> devices,
             std::vector<FakeKernel> kernels);
  ~FakePlugin();
  FakePlugin(const FakePlugin&) = delete;
  FakePlugin& operator=(const FakePlugin&) = delete;

  // Gives the devices a compile hook. REQUIRES: nobody has the table yet.
  void SetCompiler(FakeCompiler compiler);

  // For PluginManager::RegisterStatic or KernelRegistry::RegisterPlugin.
  const berth_plugin* table() const;

  // Held streams take work but run none of it until released: makes the order of
  // asynchronous work visible.
  void HoldStreams();
  void ReleaseStreams();

  // The next allocation that does not fit `bytes` in use in all fails with
  // RESOURCE_EXHAUSTED; 0 = memory_bytes of the device.
  void LimitMemory(uint64_t bytes);

  FakeCounters counters() const;
  void ResetCounters();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// The host address of a tensor of a fake device: host_data, or its memory's.
void* FakeData(const berth_tensor& tensor);

// An element-wise kernel of floats for tests: out[i] = fn(in0[i], in1[i]) with scalars
// broadcast; one-input ops get in1 = 0.
FakeComputeFn FakeFloatMap(std::function<float(float, float)> fn);

}  // namespace berth::testing
