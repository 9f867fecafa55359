// Running one op on the device under test, through the C ABI alone, the way a host does.
#pragma once

#include <berth/kernel.h>

#include <atomic>
#include <deque>
#include <future>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "conformance/suite/device/finding.h"
#include "conformance/suite/device/guarded_tensor.h"
#include "conformance/suite/device/op_node.h"
#include "conformance/suite/device/subject.h"
#include "core/plugin/compute_context.h"

namespace berth::conformance {

// Which row would run a node, or why none does.
struct RowChoice {
  const KernelEntry* entry = nullptr;
  std::string reason;  // the plugin's own words, or what the table lacks
  // The answers contradict each other or lack a reason.
  Finding finding;
};
// Asks as a host does: fastest row first, its constraints, then supports(), twice.
RowChoice ChooseRow(const Subject& subject, const OpNode& node, const berth_node& view);

// What one run gave.
struct OpOutcome {
  // Where it failed and with what; OK when it ran through.
  const char* stage = "";  // "create", "prepare", "compute", "event", "allocate"
  Status status;
  std::vector<HostTensor> outputs;
  std::vector<std::pair<int, HostTensor>> written;  // variables' new values
  Finding finding;                                  // guards, inputs that changed
};

// The fault behind a status that is not OK, or the outcome's own finding.
Finding FindingOf(const OpOutcome& outcome);

// One kernel of one node, prepared for the call's shapes. Runs many times, each time in
// memory of its own.
class OpRun {
 public:
  // The node, row and stream outlive it.
  OpRun(const Stream& stream, const OpNode& node, const KernelEntry& entry,
        const OpCall& call);
  ~OpRun();
  OpRun(const OpRun&) = delete;
  OpRun& operator=(const OpRun&) = delete;

  // create and prepare. The outcome's stage says which of them failed.
  Status Prepare(OpOutcome* outcome);
  // One compute. Outputs start with every byte `fill`. `inplace` is the row's k-th pair
  // to share memory, -1 for none.
  OpOutcome Compute(char fill, int inplace = -1);
  // Seconds for `times` computes in one memory, with one wait at the end.
  Result<double> Time(int times);
  // Whether the row's k-th pair may be shared here: the sizes agree, and prepare did not
  // refuse it.
  bool MayShare(int pair) const;
  // Whether the stream takes and does work as if nothing had failed on it.
  Finding StreamIsFree() const;
  // What earlier computes read and wrote, as it is now against what it was when they were
  // done: a kernel may touch no buffer after its step.
  Finding CheckEarlierBuffers() const;

  const std::vector<HostTensor>& output_places() const { return places_; }

 private:
  struct Done {
    std::promise<Status> status;
    std::atomic<int> calls{0};
  };

  // The memory of one compute.
  struct Buffers {
    std::vector<std::unique_ptr<GuardedTensor>> inputs;
    std::vector<std::unique_ptr<GuardedTensor>> outputs;  // NULL: alias, or made at run
    std::unique_ptr<GuardedTensor> scratch;
    std::vector<HostTensor> inputs_after;
    std::vector<HostTensor> outputs_after;
  };

  Status MakeInputs(Buffers* buffers, std::vector<const berth_tensor*>* views) const;
  Status MakeOutputs(char fill, int inplace, Buffers* buffers,
                     std::vector<berth_tensor*>* views);
  // The context of one compute: what `buffers` and the views say.
  Status MakeContext(Buffers* buffers, const std::vector<const berth_tensor*>& inputs,
                     const std::vector<berth_tensor*>& outputs,
                     HostComputeContext* context);
  Status CallCompute(Buffers* buffers, HostComputeContext* context, OpOutcome* outcome);
  // compute, or compute_async and the wait for `done`.
  Status Call(berth_compute_context* context);
  Status ReadBack(Buffers* buffers, int inplace, OpOutcome* outcome) const;
  bool IsHost(const char* argument, const char* const* names, uint32_t count) const;
  GuardedTensor::Place PlaceOf(const berth_value_info& info) const;
  static Status AllocateOutput(HostComputeContext& self, uint32_t index,
                               const Shape& shape);

  const Stream& stream_;
  const OpNode& node_;
  const berth_kernel_def& def_;
  const KernelEntry& entry_;
  const OpCall& call_;
  berth_kernel* kernel_ = nullptr;
  berth_prepared* prepared_ = nullptr;
  berth_state* state_ = nullptr;
  uint64_t scratch_size_ = 0;
  uint64_t inplace_refused_ = 0;
  bool shape_at_run_ = false;
  std::vector<HostTensor> places_;  // dtype and dims of each output
  std::deque<berth_tensor> late_views_;
  std::deque<Buffers> history_;
  // One a compute_async; kept, as a kernel that is wrong may call `done` again later.
  std::deque<Done> dones_;
  // Of the compute that is under way, for AllocateOutput.
  Buffers* current_ = nullptr;
  char current_fill_ = 0;
};

}  // namespace berth::conformance
