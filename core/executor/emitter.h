// Emits the step list of a plan: one emission under way. emitter.cc walks the nodes,
// emitter_values.cc gives values a place and copies them, emitter_kernels.cc makes the
// calls of kernels, emitter_variables.cc binds, reads and writes variables.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/executor/program.h"

namespace berth::executor {

// Where and when a storage's contents come to be.
struct Origin {
  static constexpr int32_t kHostSite = -1;
  int32_t site = kHostSite;  // an asynchronous device
  int64_t position = 0;      // in its stream
};

// For one program. Lends the plan, its facts and the schedule.
class Emitter {
 public:
  Emitter(const Plan& plan, const ShapeFacts& facts, std::span<const int32_t> schedule,
          Program* program)
      : plan_(plan), facts_(facts), schedule_(schedule), out_(*program) {}

  // See EmitProgram.
  Status Run();

 private:
  static constexpr int32_t kHostSite = Origin::kHostSite;
  // Bits of needs_. What lies beyond is copied when it is first read.
  static constexpr Space kMaxEagerSpaces = 64;

  struct VariableState {
    int32_t view = -1;  // its own buffer, written in place
    bool is_bound = false;
    int32_t read_view = -1;  // what ReadVariableOp gave since the last write
    bool has_writer = false;
    // Device work that reads the buffer where it lies in host memory.
    std::vector<Origin> pending_reads;
  };

  // ---- Nodes: emitter.cc.

  void AddFeeds();
  // The space in which a node wants its input, or -1 when it does not look at it.
  Space WantedSpace(const PlanNode& node, const NodeFacts& facts, int32_t input) const;
  // By value: the spaces in which somebody reads it, as bits.
  void FindNeeds();
  void FindNeedsOf(const CompiledGroup& group);
  void Need(int32_t value, Space space) {
    if (space >= 0 && space < kMaxEagerSpaces) needs_[value] |= uint64_t{1} << space;
  }
  Status EmitNode(int32_t index);
  void EmitVirtual(const PlanNode& node);
  void EmitStaticReshape(const PlanNode& node);
  Status EmitCore(int32_t index, const PlanNode& node);
  // Steps that read their inputs' views and make their outputs as nodes say.
  void EmitGeneric(int32_t index, const PlanNode& node);
  void EmitFetches();

  // ---- Kernels and groups: emitter_kernels.cc.

  void EmitKernel(int32_t index, const PlanNode& node, const NodeFacts& facts);
  // The view of a kernel's input where the kernel wants it.
  int32_t InputOf(const NodeKernel& kernel, int32_t value, size_t i);
  void EmitGroup(int32_t index, const CompiledGroup& group);
  // The call of a kernel on operands_, of which the first are its inputs.
  Item& AddCall(ItemKind kind, int32_t index, const NodeKernel& kernel,
                const PreparedKernel& prepared, size_t num_inputs);

  // ---- Views, storages, items and copies: emitter_values.cc.

  int32_t AddStorage(const Storage& storage, const Origin& origin = {});
  int32_t AddView(int32_t storage, DType dtype, const Shape& shape);
  // A view of `storage` with the sizes of another view.
  int32_t AddViewLike(int32_t storage, const View& like);
  static uint64_t SizeOf(DType dtype, const Shape& shape) {
    const size_t element = dtype == BERTH_STRING ? sizeof(std::string) : DTypeSize(dtype);
    return static_cast<uint64_t>(shape.num_elements()) * element;
  }
  int32_t AddRuntimeStorage(Space space, bool releasable, const Origin& origin = {});
  // Memory for an output: in the arena when its size is known, else taken at run time.
  int32_t AddOutput(int32_t value, Space space, bool at_run, const Origin& origin);
  const Storage& StorageOf(int32_t view) const {
    return out_.storages[out_.views[view].storage];
  }
  Item& AddItem(ItemKind kind, int32_t node, int32_t device,
                std::initializer_list<int32_t> inputs,
                std::initializer_list<int32_t> outputs);
  void Wait(int32_t device);
  // Makes what `origin` says visible to work at `site`.
  void WaitFor(const Origin& origin, int32_t site);
  int32_t SiteOf(const DeviceContext& device) const {
    return device.is_async ? device.index : kHostSite;
  }
  // The origin of what is put on the device now.
  Origin Enqueue(const DeviceContext& device);
  int32_t ConstantView(int32_t value, Space space);
  // The view of a value where it was made; constants lie in host memory.
  int32_t Home(int32_t value);
  // The view of a value in `space`, for work at `site`. Copies it there the first time.
  int32_t ViewIn(int32_t value, Space space, int32_t site);
  // The copy in `space` of what `home` sees. One per storage and space.
  int32_t CopyOf(int32_t home, Space space);
  int32_t EmitCopy(int32_t home, Space space);
  // Starts the copies that an input will need, so that one wait does for all of them.
  void Prefetch(int32_t value, Space space);
  // Copies a value to where it will be read, as soon as it is there.
  void CopyEagerly(int32_t value);

  // ---- Variables: emitter_variables.cc.

  void FindWriters();
  // Device work that reads host memory of a variable holds up its next writer.
  void NotePendingRead(int32_t view, const Origin& read);
  DeviceContext& HomeOf(int32_t variable) const {
    return *plan_.variables[variable]->home();
  }
  int32_t VariableOf(const PlanNode& node) const {
    return plan_.values[plan_.InputsOf(node)[0]].variable;
  }
  // The view of a variable's own buffer.
  int32_t VariableView(int32_t variable);
  void EnsureBound(int32_t variable);
  // The view of the variable behind a reference or a handle, with its value in it.
  int32_t BoundView(int32_t value);
  // What must be through before the variable is written, and what no longer holds.
  void BeginWrite(int32_t variable, int32_t site);
  Status EmitRead(int32_t index, const PlanNode& node);
  Status EmitWrite(int32_t index, const PlanNode& node);
  // The variables that a kernel may write, taken note of; true when it wants their locks.
  bool NoteWrites(const PlanNode& node, int32_t site);

  const Plan& plan_;
  const ShapeFacts& facts_;
  std::span<const int32_t> schedule_;
  Program& out_;
  std::vector<int32_t> home_;    // by value: view, or -1
  std::vector<uint64_t> needs_;  // by value: spaces as bits
  std::vector<Origin> origins_;  // by storage
  std::vector<VariableState> variables_;
  std::vector<int64_t> enqueued_;  // by device
  std::vector<int64_t> waited_;    // by device
  std::unordered_map<const Tensor*, int32_t> constants_;
  std::unordered_map<int64_t, int32_t> constant_views_;   // (constant, space)
  std::unordered_map<int64_t, int32_t> copies_;           // (storage, space)
  std::unordered_map<int64_t, int32_t> reshaped_copies_;  // (view, space)
  std::unordered_map<int32_t, int32_t> variable_of_storage_;
  std::vector<int32_t> operands_;
};

}  // namespace berth::executor
