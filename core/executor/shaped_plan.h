// A plan for given feed shapes: everything that does not depend on the run.
#pragma once

#include <berth/kernel.h>

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/base/buffer.h"
#include "core/base/status.h"
#include "core/executor/plan.h"
#include "core/executor/program.h"
#include "core/executor/shape_pass.h"

namespace berth::executor {

// One entry of the flat list: called as compute(kernel, prepared, context, error). Steps
// of the core have the same form: their `kernel` is their Item, and the context's owner
// is the Frame.
struct Step {
  decltype(berth_kernel_def::compute) compute = nullptr;
  const berth_kernel* kernel = nullptr;
  const berth_prepared* prepared = nullptr;
};

// Immutable once made; frames are made from it.
struct ShapedPlan {
  std::shared_ptr<const Plan> plan;
  std::vector<Shape> feed_shapes;
  ShapeFacts facts;
  Program program;
  std::vector<Step> steps;  // one an item of the program
  // By space: the sizes of the arena's blocks.
  std::vector<std::vector<uint64_t>> block_sizes;
  std::vector<BufferRef> device_constants;
  // Views whose address a run sets: (feed or fetch number, view).
  std::vector<std::pair<int32_t, int32_t>> feed_views;
  std::vector<std::pair<int32_t, int32_t>> fetch_views;
  // Shapes of the fetches that steps write directly.
  std::vector<Shape> fetch_shapes;
  // Indices of the set's devices on which the frame needs a stream.
  std::vector<int32_t> stream_devices;
  // A device or a kernel may still be at work on the buffers of a run that was given up.
  bool has_async = false;
  int num_kernels = 0;

  // False when a variable has another shape now than was planned for.
  bool FitsVariables() const;
  // The tensor that a view shows, for people: "conv1/weights:0".
  std::string NameOfView(int32_t view) const;
};

// Plans for these shapes. Linear in the plan.
Result<std::shared_ptr<const ShapedPlan>> MakeShapedPlan(
    std::shared_ptr<const Plan> plan, std::span<const Shape> feed_shapes);

}  // namespace berth::executor
