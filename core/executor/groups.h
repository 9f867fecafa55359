// Groups of nodes that a plugin runs as one compiled call.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/base/status.h"
#include "core/executor/node_kernel.h"

namespace berth::executor {

struct Plan;
struct ShapeFacts;

// An accepted claim, compiled: for the rest of the plan one kernel. All its shapes are
// known.
struct CompiledGroup {
  std::vector<int32_t> nodes;    // of the plan, in topological order
  std::vector<int32_t> inputs;   // plan values, as the kernel takes them
  std::vector<int32_t> outputs;  // plan values, as the kernel gives them
  std::unique_ptr<NodeKernel> kernel;
  PreparedKernel prepared;
};

// Offers the plugins that compile (<berth/compile.h>) the connected groups of nodes on
// their devices and fills facts->groups with what they claimed. Offered are kernels with
// everything known beforehand, and renames between them. A claim that would have to wait
// for itself is refused with a warning. Fails, naming the nodes, when a plugin does.
// Offers nothing without Environment::optimize.
Status FormGroups(const Plan& plan, ShapeFacts* facts);

}  // namespace berth::executor
