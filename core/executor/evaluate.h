// Running one kernel on host tensors, outside of any step.
#pragma once

#include <span>
#include <vector>

#include "core/base/status.h"
#include "core/base/tensor.h"
#include "core/base/thread_pool.h"
#include "core/executor/node_kernel.h"

namespace berth::executor {

// REQUIRES: the kernel runs on a synchronous host device, is not asynchronous, has no
// string or resource arguments. `shapes` are the output shapes as far as they are known.
Result<std::vector<Tensor>> EvaluateOnHost(const NodeKernel& kernel,
                                           std::span<const Tensor* const> inputs,
                                           std::vector<Shape> shapes, ThreadPool* pool);

}  // namespace berth::executor
