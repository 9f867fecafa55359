// The step list of a plan for given shapes, before it has memory.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/dtype.h"
#include "core/base/tensor.h"
#include "core/executor/plan.h"
#include "core/executor/shape_pass.h"

namespace berth::executor {

// Memory that one or several views look at.
struct Storage {
  enum Kind : uint8_t {
    kArena,    // at a fixed offset in the run's arena
    kFeed,     // a fed tensor's
    kConst,    // a constant's
    kFetch,    // the tensor that the caller gets
    kRuntime,  // a step sets the address: variables, sizes known only at run time
  };
  Kind kind = kArena;
  Space space = kHostSpace;
  // Feed, constant or fetch number; of kRuntime the entry of the frame's held buffers.
  int32_t index = -1;
  uint64_t size = 0;  // bytes; 0 for kRuntime
  // kRuntime: may be let go after its last use instead of at the end of the run.
  bool releasable = false;
  // Set by the memory plan.
  int32_t same_as = -1;  // the storage whose memory this one took over, or -1
  int32_t block = -1;    // of the space's arena
  uint64_t offset = 0;
};

// A tensor as a kernel sees it: one berth_tensor of a frame.
struct View {
  int32_t storage = -1;
  DType dtype = BERTH_INVALID_DTYPE;
  int32_t rank = 0;
  // Where its sizes are: in Program::dims, or in the frame when they come at run time.
  bool runtime_dims = false;
  int64_t dims_at = 0;
  uint64_t byte_size = 0;
};

enum class ItemKind : uint8_t {
  kKernel,         // compute, all prepared
  kAsyncKernel,    // compute_async, waited for
  kLockedKernel,   // compute under the locks of the variables it updates
  kRuntimeKernel,  // prepared when its inputs are there
  kHostOp,         // a kHost op of the core
  kBind,           // puts a reference variable's buffer into its view
  kRead,           // puts a resource variable's buffer into a view
  kAssign,
  kUpdate,
  kIsInit,
  kDestroy,
  kRelease,  // lets a held buffer go
  kRebind,   // gives a view the memory of another one
  kReshape,  // the same with sizes computed at run time
  kShapeOf,
  kCopy,         // between spaces, into memory that is there
  kRuntimeCopy,  // into memory taken now
  kWait,         // the host waits for a device
};

// One step.
struct Item {
  ItemKind kind = ItemKind::kKernel;
  int32_t node = -1;    // of the plan; -1 for steps that no node asked for
  int32_t device = -1;  // that runs it
  // Views in Program::operands: the inputs, then the outputs.
  uint32_t first_operand = 0;
  uint32_t num_inputs = 0;
  uint32_t num_outputs = 0;
  int32_t variable = -1;
  int32_t held = -1;     // entry of the frame's held buffers
  int32_t scratch = -1;  // view
  const NodeKernel* kernel = nullptr;
  const berth_prepared* prepared = nullptr;
  uint64_t inplace_refused = 0;
  bool at_run = false;  // a kernel that is prepared at run time
};

// A fetch and where its value is.
struct FetchSource {
  enum Kind : uint8_t {
    kDirect,    // steps write the caller's tensor
    kFeed,      // a feed comes back: its tensor is shared
    kCopy,      // copied from the view when the steps are done
    kTakeHeld,  // the held buffer of the view becomes the tensor's
  };
  Kind kind = kDirect;
  int32_t view = -1;
  int32_t feed = -1;
  int32_t held = -1;
};

struct Program {
  std::vector<Storage> storages;
  std::vector<View> views;
  std::vector<int64_t> dims;
  std::vector<Item> items;
  std::vector<int32_t> operands;
  std::vector<FetchSource> fetches;
  // By storage index of the kConst storages in host memory.
  std::vector<const Tensor*> constants;
  // Those to be copied to a device once: index into `constants`, by storage index.
  struct DeviceConstant {
    int32_t constant;
    Space space;
  };
  std::vector<DeviceConstant> device_constants;
  int32_t num_held = 0;
  int32_t num_runtime_dims = 0;  // views with runtime_dims
  int num_waits = 0;
  int num_copies = 0;

  std::span<const int32_t> InputsOf(const Item& item) const {
    return {operands.data() + item.first_operand, item.num_inputs};
  }
  std::span<const int32_t> OutputsOf(const Item& item) const {
    return {operands.data() + item.first_operand + item.num_inputs, item.num_outputs};
  }
  // The storage whose memory `storage` lies in.
  int32_t Root(int32_t storage) const {
    while (storages[storage].same_as >= 0) storage = storages[storage].same_as;
    return storage;
  }
};

// Emits the steps of the scheduled nodes: copies, one per tensor and destination, host
// waits where a device's result is needed, bindings of variables.
Status EmitProgram(const Plan& plan, const ShapeFacts& facts,
                   std::span<const int32_t> schedule, Program* program);

// Gives every kArena storage a block and an offset: outputs take over inputs in place
// where the kernels allow it, and memory is used again once its last reader is through.
// `block_sizes[space]` are the sizes of the arena's blocks.
struct ArenaLimits {
  uint64_t alignment = 64;
  uint64_t largest_block = 0;  // 0 = none
};
Status PlanMemory(const Plan& plan, std::span<const ArenaLimits> limits, Program* program,
                  std::vector<std::vector<uint64_t>>* block_sizes);

}  // namespace berth::executor
