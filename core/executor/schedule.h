// The order in which the nodes of a plan run.
#pragma once

#include <cstdint>
#include <vector>

#include "core/executor/plan.h"
#include "core/executor/shape_pass.h"

namespace berth::executor {

// The plan nodes that a run needs, in the order of the step list: folded nodes and those
// that only they needed are gone. A compiled group is there once, by its last node.
//
// Work on asynchronous devices is put on its stream as early as possible and the host
// waits as late as possible. Each node has a level: how many times the host must have
// waited for a device before the node can start. Within a level come, in topological
// order, device work and the host work that it needs; then other host work; last what
// writes variables, so that their readers come before.
std::vector<int32_t> MakeSchedule(const Plan& plan, const ShapeFacts& facts);

}  // namespace berth::executor
