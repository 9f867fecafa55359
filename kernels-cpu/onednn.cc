#include "kernels-cpu/onednn.h"

namespace berth::cpu {

const dnnl::engine& Engine() {
  // Never destroyed: kernels may still run when the process ends.
  static const auto* const engine = new dnnl::engine(dnnl::engine::kind::cpu, 0);
  return *engine;
}

// What one execution needs beside the primitive.
struct Primitive::Slot {
  std::atomic<bool> busy{false};
  dnnl::stream stream;
  std::vector<dnnl::memory> memories;
  std::vector<dnnl_exec_arg_t> args;
};

struct Primitive::State {
  dnnl::primitive primitive;
  std::vector<Argument> arguments;
  mutable std::vector<Slot> slots;

  void Fill(Slot* slot) const {
    slot->stream = dnnl::stream(Engine());
    for (const Argument& argument : arguments) {
      slot->memories.emplace_back(argument.desc, Engine(), nullptr);
      slot->args.push_back({argument.id, slot->memories.back().get()});
    }
  }
};

Primitive::Primitive(dnnl::primitive primitive, std::vector<Argument> arguments,
                     const dnnl::memory::desc& scratchpad, int num_slots)
    : scratch_size_(scratchpad.get_size()) {
  auto state = std::make_shared<State>();
  state->primitive = std::move(primitive);
  state->arguments = std::move(arguments);
  if (scratch_size_ > 0) {
    state->arguments.push_back({DNNL_ARG_SCRATCHPAD, scratchpad});
  }
  state->slots = std::vector<Slot>(static_cast<size_t>(num_slots));
  for (Slot& slot : state->slots) state->Fill(&slot);
  state_ = std::move(state);
}

namespace {

bool Execute(const dnnl::primitive& primitive, const dnnl::stream& stream,
             const std::vector<dnnl::memory>& memories,
             const std::vector<dnnl_exec_arg_t>& args, void* const* data) {
  const OneThread one_thread;
  for (size_t i = 0; i < memories.size(); ++i) {
    if (dnnl_memory_set_data_handle(memories[i].get(), data[i]) != dnnl_success) {
      return false;
    }
  }
  return dnnl_primitive_execute(primitive.get(), stream.get(),
                                static_cast<int>(args.size()),
                                args.data()) == dnnl_success;
}

}  // namespace

bool Primitive::Run(void* const* data) const {
  for (Slot& slot : state_->slots) {
    if (slot.busy.exchange(true, std::memory_order_acquire)) continue;
    const bool ok =
        Execute(state_->primitive, slot.stream, slot.memories, slot.args, data);
    slot.busy.store(false, std::memory_order_release);
    return ok;
  }
  // More executions at once than the pool has threads: steps of several callers.
  Slot extra;
  state_->Fill(&extra);
  return Execute(state_->primitive, extra.stream, extra.memories, extra.args, data);
}

bool Sgemm(bool transpose_a, bool transpose_b, int64_t m, int64_t n, int64_t k,
           const float* a, int64_t lda, const float* b, int64_t ldb, float* c,
           int64_t ldc) {
  const OneThread one_thread;
  return dnnl_sgemm(transpose_a ? 'T' : 'N', transpose_b ? 'T' : 'N', m, n, k, 1.0F, a,
                    lda, b, ldb, 0.0F, c, ldc) == dnnl_success;
}

}  // namespace berth::cpu
