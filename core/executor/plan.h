// What one signature needs of a graph, resolved to numbers.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/status.h"
#include "core/base/thread_pool.h"
#include "core/executor/core_op.h"
#include "core/executor/device_set.h"
#include "core/executor/node_kernel.h"
#include "core/executor/variable.h"
#include "core/graph/graph.h"
#include "core/placer/placement.h"
#include "core/registry/kernel_registry.h"

namespace berth::executor {

// What the plans of one session share. Outlives them.
struct Environment {
  DeviceSet* devices = nullptr;
  ResourceManager* resources = nullptr;
  KernelCache* kernels = nullptr;
  const KernelRegistry* registry = nullptr;
  ThreadPool* pool = nullptr;
  bool optimize = true;
};

// Feeds, fetches and targets as parts of a graph.
struct ResolvedSignature {
  std::vector<OutputRef> feeds;
  std::vector<OutputRef> fetches;
  std::vector<Node*> targets;
};

// One node of a plan. Its outputs are the values first_output … + num_outputs - 1, its
// inputs the entries first_input … of Plan::inputs, likewise its control inputs.
struct PlanNode {
  const Node* node = nullptr;
  const CoreOp* core = nullptr;  // NULL: a plugin's kernel runs it
  // Of a kernel node. NULL while the choice waits for concrete shapes.
  const KernelEntry* entry = nullptr;
  int32_t device = 0;
  int32_t first_input = 0;
  int32_t num_inputs = 0;
  int32_t first_control = 0;
  int32_t num_controls = 0;
  int32_t first_output = 0;
  int32_t num_outputs = 0;
};

// One output of a node, or a feed.
struct PlanValue {
  DType dtype = BERTH_INVALID_DTYPE;  // base type
  int32_t node = -1;                  // -1: a feed
  int32_t output = 0;                 // of the node, or the feed's number
  // Entry of Plan::variables when the value is a reference to a variable's buffer or a
  // handle to it, otherwise -1.
  int32_t variable = -1;
};

// Shapes are not in it: see ShapedPlan. Immutable once made.
struct Plan {
  Environment env;
  // In topological order, every producer before its consumers.
  std::vector<PlanNode> nodes;
  std::vector<int32_t> inputs;    // value numbers
  std::vector<int32_t> controls;  // node numbers
  std::vector<PlanValue> values;  // the feeds first
  std::vector<int32_t> fetches;   // value numbers
  std::vector<int32_t> roots;     // nodes of fetches and targets
  std::vector<std::shared_ptr<Variable>> variables;
  int num_feeds = 0;
  std::vector<Shape> feed_shapes;        // what a placeholder asks for
  std::vector<std::string> feed_names;   // "x:0"
  std::vector<std::string> fetch_names;  // "y:0"

  std::span<const int32_t> InputsOf(const PlanNode& node) const {
    return {inputs.data() + node.first_input, static_cast<size_t>(node.num_inputs)};
  }
  std::span<const int32_t> ControlsOf(const PlanNode& node) const {
    return {controls.data() + node.first_control, static_cast<size_t>(node.num_controls)};
  }
  DeviceContext& DeviceOf(const PlanNode& node) const {
    return env.devices->at(node.device);
  }
};

// Prunes the graph to what the fetches and targets need, stopping at feeds, and resolves
// placement, kernels and variables. Linear. Fails with ONE error: for all nodes that
// could not be placed, all placeholders without a feed, or the first node that this
// version cannot run (UNIMPLEMENTED). The caller holds the graph's lock.
Result<std::unique_ptr<Plan>> MakePlan(const Environment& env, const Graph& graph,
                                       const Placement& placement,
                                       const ResolvedSignature& signature);

}  // namespace berth::executor
