// Kernels of nodes: created once a node and session, prepared for given shapes.
#pragma once

#include <berth/kernel.h>

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "core/base/shape.h"
#include "core/base/status.h"
#include "core/base/tensor.h"
#include "core/executor/device_set.h"
#include "core/graph/graph.h"
#include "core/ops/inference_context.h"
#include "core/registry/kernel_registry.h"
#include "core/registry/node_abi.h"

namespace berth::executor {

// The kernel of one node on one device, with its state, or of a group of nodes that a
// plugin compiled into one call. Immutable once made.
class NodeKernel {
 public:
  // Opens nothing: REQUIRES an open device. The message of a failure names node, op and
  // device.
  static Result<std::unique_ptr<NodeKernel>> Create(const Node& node,
                                                    DeviceContext& device,
                                                    const KernelEntry& entry);
  // Of a compiled group. `def` is a copy in a struct of our size.
  struct Group {
    const Node* node = nullptr;  // stands for the group where one node must
    berth_kernel_def def = {};
    berth_kernel* kernel = nullptr;  // is the NodeKernel's from now on
    HostPositions host;
    std::string label;  // "group of 2 nodes: 'a' (Conv2D), 'b' (Relu)"
    std::string ops;    // "Conv2D+Relu"
  };
  NodeKernel(DeviceContext& device, Group group);
  ~NodeKernel();
  NodeKernel(const NodeKernel&) = delete;
  NodeKernel& operator=(const NodeKernel&) = delete;

  const Node& node() const { return node_; }
  bool is_group() const { return !group_label_.empty(); }
  // What a trace calls the work: the op, or those of the group.
  const std::string& ops() const { return is_group() ? group_ops_ : node_.op(); }
  // For people: "node 'a' (Relu)", or all nodes of the group.
  std::string label() const;
  // Adds to a failure where it was: label and device.
  Status Located(Status status) const;
  DeviceContext& device() const { return device_; }
  const berth_kernel_def& def() const { return *def_; }
  const berth_kernel* kernel() const { return kernel_; }
  berth_state* state() const { return state_; }

  bool is_host_input(int i) const {
    return device_.on_host() || (!host_.inputs.empty() && host_.inputs[i]);
  }
  bool is_host_output(int i) const {
    return device_.on_host() || (!host_.outputs.empty() && host_.outputs[i]);
  }
  // Prepare reads the value of input i.
  bool is_prepare_input(int i) const {
    return !host_.prepare_inputs.empty() && host_.prepare_inputs[i];
  }
  bool has_prepare_inputs() const { return !host_.prepare_inputs.empty(); }
  bool shape_at_run() const { return (def_->flags & BERTH_KERNEL_SHAPE_AT_RUN) != 0; }
  bool is_async() const { return (def_->flags & BERTH_KERNEL_ASYNC) != 0; }

 private:
  NodeKernel(const Node& node, DeviceContext& device, const KernelEntry& entry)
      : node_(node), device_(device), def_(entry.def) {}

  const Node& node_;
  DeviceContext& device_;
  const berth_kernel_def* def_;
  berth_kernel* kernel_ = nullptr;
  berth_state* state_ = nullptr;
  HostPositions host_;
  berth_kernel_def group_def_ = {};
  std::string group_label_;
  std::string group_ops_;
};

// All kernels of a session. Thread-safe.
class KernelCache {
 public:
  explicit KernelCache(DeviceSet* devices) : devices_(devices) {}

  // The kernel of `node` by this row, opened and created on first sight.
  Result<NodeKernel*> Get(const Node& node, DeviceContext& device,
                          const KernelEntry& entry);

 private:
  struct Slot {
    const KernelEntry* entry;
    std::unique_ptr<NodeKernel> kernel;
  };

  DeviceSet* devices_;
  absl::Mutex mutex_;
  std::vector<std::vector<Slot>> by_node_ ABSL_GUARDED_BY(mutex_);
};

// What a kernel's prepare answered; gives it back to the kernel.
class PreparedKernel {
 public:
  PreparedKernel() = default;
  PreparedKernel(PreparedKernel&& other) noexcept { *this = std::move(other); }
  PreparedKernel& operator=(PreparedKernel&& other) noexcept {
    std::swap(kernel_, other.kernel_);
    std::swap(prepared_, other.prepared_);
    scratch_size = other.scratch_size;
    inplace_refused = other.inplace_refused;
    return *this;
  }
  ~PreparedKernel();

  const berth_prepared* get() const { return prepared_; }

  uint64_t scratch_size = 0;
  uint64_t inplace_refused = 0;

 private:
  friend Status Prepare(const NodeKernel& kernel,
                        std::span<const berth_tensor* const> inputs, int num_threads,
                        std::vector<Shape>* shapes, PreparedKernel* prepared);
  const NodeKernel* kernel_ = nullptr;
  berth_prepared* prepared_ = nullptr;
};

// Calls the kernel's prepare, if it has one. `inputs` carry shapes and dtypes, and data
// where prepare reads them. `shapes` come in as the shape function left them and go out
// complete, unless the kernel decides at run time.
Status Prepare(const NodeKernel& kernel, std::span<const berth_tensor* const> inputs,
               int num_threads, std::vector<Shape>* shapes, PreparedKernel* prepared);

// What is known of a node's inputs: concrete shapes, values in host memory or NULL, and
// what stands behind resource handles or NULL. `values` and `handles` may be shorter.
struct InferArgs {
  std::span<const Shape> shapes;
  std::span<const Tensor* const> values = {};
  std::span<const HandleShape* const> handles = {};
};
// Runs the op's shape function.
Status InferShapes(const Node& node, const InferArgs& args, std::vector<Shape>* outputs);

// " [node 'x' (MatMul) on /job:…/device:CPU:0]" behind the message; `device` may be NULL.
Status WithNode(Status status, const Node& node, const DeviceContext* device);

}  // namespace berth::executor
