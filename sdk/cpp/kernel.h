// Kernels as classes, and the table that lists them.
#pragma once

#include <berth/kernel.h>

#include <algorithm>
#include <deque>
#include <exception>
#include <initializer_list>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "sdk/cpp/host.h"
#include "sdk/cpp/namespace.h"
#include "sdk/cpp/node.h"
#include "sdk/cpp/status.h"
#include "sdk/cpp/tensor.h"

BERTH_SDK_BEGIN

// What Prepare sees and answers. A loan for the call.
class PrepareContext {
 public:
  explicit PrepareContext(berth_prepare_args& args) : args_(args) {}

  int num_inputs() const { return static_cast<int>(args_.num_inputs); }
  int num_outputs() const { return static_cast<int>(args_.num_outputs); }
  // Shape and dtype; data only for the row's prepare arguments.
  const berth_tensor& input(int i) const { return *args_.inputs[i]; }
  // Already complete when the op's shape function knows everything.
  berth_shape& output(int i) { return *args_.outputs[i]; }
  void set_scratch_size(uint64_t bytes) { args_.scratch_size = bytes; }
  void RefuseInPlace(int pair) { args_.inplace_refused |= uint64_t{1} << pair; }
  int num_threads() const { return args_.num_threads; }
  berth_prepare_args& abi() const { return args_; }

 private:
  berth_prepare_args& args_;
};

// What Compute works on. A loan for the call.
class ComputeContext {
 public:
  explicit ComputeContext(berth_compute_context& context) : context_(context) {}

  const berth_tensor& input(int i) const { return *context_.inputs[i]; }
  const berth_tensor& output(int i) const { return *context_.outputs[i]; }
  int num_inputs() const { return static_cast<int>(context_.num_inputs); }
  int num_outputs() const { return static_cast<int>(context_.num_outputs); }
  template <typename T>
  const T* In(int i) const {
    return Data<T>(*context_.inputs[i]);
  }
  // Writable memory of an is_ref input.
  template <typename T>
  T* Ref(int i) const {
    return MutableData<T>(*context_.inputs[i]);
  }
  template <typename T>
  T* Out(int i) const {
    return MutableData<T>(*context_.outputs[i]);
  }
  void* scratch() const { return context_.scratch.host_data; }
  const berth_tensor& scratch_view() const { return context_.scratch; }
  berth_device* device() const { return context_.device; }
  berth_stream* stream() const { return context_.stream; }
  berth_step* step() const { return context_.step; }
  berth_compute_context& abi() const { return context_; }
  template <typename State>
  State* state() const {
    return reinterpret_cast<State*>(context_.state);
  }

  // See Host::ParallelFor.
  template <typename Body>
  void ParallelFor(int64_t total, int64_t grain, const Body& body) const {
    Host(context_.host).ParallelFor(context_.step, total, grain, body);
  }
  bool IsCancelled() const { return Host(context_.host).IsCancelled(context_.step); }
  // SHAPE_AT_RUN kernels: memory for output i.
  Status AllocateOutput(int i, const berth_shape& shape) const {
    if (!BERTH_HAS_FIELD(context_.host, berth_host, allocate_output) ||
        context_.host->allocate_output == nullptr) {
      return Unimplemented("this host gives no memory for outputs of unknown shape");
    }
    berth_error error = {};
    error.struct_size = sizeof(error);
    const berth_status_code code = context_.host->allocate_output(
        &context_, static_cast<uint32_t>(i), &shape, &error);
    if (code == BERTH_OK) return {};
    Status status(code, error.message ? error.message : "no memory for an output");
    if (error.release) error.release(&error);
    return status;
  }

 private:
  berth_compute_context& context_;
};

namespace internal {

struct Nothing {};

template <typename K, typename = void>
struct PreparedOf {
  using type = Nothing;
};
template <typename K>
struct PreparedOf<K, std::void_t<typename K::Prepared>> {
  using type = typename K::Prepared;
};

template <typename K, typename = void>
struct StateOf {
  using type = Nothing;
};
template <typename K>
struct StateOf<K, std::void_t<typename K::State>> {
  using type = typename K::State;
};

template <typename K, typename = void>
struct HasPrepare : std::false_type {};
template <typename K>
struct HasPrepare<K, std::void_t<decltype(&K::Prepare)>> : std::true_type {};

// The only trampolines between the C table and a kernel class.
template <typename K>
struct KernelTrampoline {
  using Prepared = typename PreparedOf<K>::type;
  using State = typename StateOf<K>::type;
  static constexpr bool kHasPrepared = !std::is_same_v<Prepared, Nothing>;
  static constexpr bool kHasState = !std::is_same_v<State, Nothing>;

  static const K& Of(const berth_kernel* kernel) {
    return *reinterpret_cast<const K*>(kernel);
  }

  static berth_status_code Create(const berth_kernel_def*, berth_device* device,
                                  const berth_node* node, berth_kernel** out_kernel,
                                  berth_error* error) noexcept {
    return Guard(error, [&]() -> Status {
      Result<std::unique_ptr<K>> kernel = K::Create(NodeView(*node), device);
      if (!kernel.ok()) return kernel.status();
      *out_kernel = reinterpret_cast<berth_kernel*>(kernel->release());
      return {};
    });
  }

  static void Destroy(berth_kernel* kernel) noexcept {
    delete reinterpret_cast<K*>(kernel);
  }

  static berth_status_code Prepare(const berth_kernel* kernel, berth_prepare_args* args,
                                   berth_error* error) noexcept {
    return Guard(error, [&]() -> Status {
      PrepareContext context(*args);
      if constexpr (kHasPrepared) {
        auto prepared = std::make_unique<Prepared>();
        BERTH_SDK_RETURN_IF_ERROR(Of(kernel).Prepare(context, prepared.get()));
        args->prepared = reinterpret_cast<berth_prepared*>(prepared.release());
        return {};
      } else if constexpr (HasPrepare<K>::value) {
        return Of(kernel).Prepare(context);
      } else {
        return {};
      }
    });
  }

  static void ReleasePrepared(const berth_kernel*, berth_prepared* prepared) noexcept {
    if constexpr (kHasPrepared) delete reinterpret_cast<Prepared*>(prepared);
  }

  static berth_status_code Compute(const berth_kernel* kernel,
                                   const berth_prepared* prepared,
                                   berth_compute_context* context,
                                   berth_error* error) noexcept {
    return Guard(error, [&]() -> Status {
      ComputeContext wrapped(*context);
      if constexpr (kHasPrepared) {
        return Of(kernel).Compute(*reinterpret_cast<const Prepared*>(prepared), wrapped);
      } else {
        return Of(kernel).Compute(wrapped);
      }
    });
  }

  static berth_status_code CreateState(const berth_kernel* kernel,
                                       berth_state** out_state,
                                       berth_error* error) noexcept {
    return Guard(error, [&]() -> Status {
      if constexpr (kHasState) {
        *out_state = reinterpret_cast<berth_state*>(Of(kernel).CreateState().release());
      }
      return {};
    });
  }

  static void DestroyState(berth_state* state) noexcept {
    if constexpr (kHasState) delete reinterpret_cast<State*>(state);
  }
};

}  // namespace internal

// The support list of a device type: op × dtype at a glance, in one explicit function per
// op family. Fastest rows first: among rows of equal priority the first that accepts
// wins.
//
// A kernel class K has
//   static Result<std::unique_ptr<K>> Create(const NodeView& node, berth_device* device);
//   Status Compute(ComputeContext& context) const;               // without Prepared, or
//   struct Prepared {…};                                         // (optional)
//   Status Prepare(PrepareContext& context, Prepared* p) const;  // (with Prepared)
//   Status Compute(const Prepared& p, ComputeContext& context) const;
//   Status Prepare(PrepareContext& context) const;   // (optional, without Prepared)
//   struct State {…}; std::unique_ptr<State> CreateState() const;  // (optional)
class KernelTable {
 public:
  // Answers supports() for one node.
  using SupportsFn = std::string (*)(const NodeView& node);  // "" = yes

  class Row;

  explicit KernelTable(const char* device_type) : device_type_(device_type) {}
  KernelTable(const KernelTable&) = delete;
  KernelTable& operator=(const KernelTable&) = delete;

  // Starts a row; finish it with Use<K>().
  Row Op(const char* op);

  // Rows in order, for berth_plugin.kernels. The table owns them; no row may be added
  // later.
  const std::vector<const berth_kernel_def*>& defs() const { return defs_; }

 private:
  struct Storage {
    berth_kernel_def def = {};
    std::vector<std::vector<int32_t>> dtypes;
    std::deque<berth_type_constraint> constraints;
    std::vector<const berth_type_constraint*> constraint_pointers;
    std::vector<const char*> host_args;
    std::vector<const char*> prepare_args;
    std::vector<berth_inplace_pair> inplace;
    SupportsFn supports = nullptr;
  };

  static int32_t Supports(const berth_kernel_def* def, const berth_node* node,
                          char* reason, size_t reason_size) noexcept {
    std::string text;
    try {
      text = static_cast<const Storage*>(def->user_data)->supports(NodeView(*node));
    } catch (...) {
      text = "supports() threw";
    }
    if (text.empty()) return 1;
    if (reason != nullptr && reason_size > 0) {
      const size_t n = std::min(text.size(), reason_size - 1);
      std::memcpy(reason, text.data(), n);
      reason[n] = '\0';
    }
    return 0;
  }

  const char* device_type_;
  std::deque<Storage> rows_;
  std::vector<const berth_kernel_def*> defs_;
};

// Collects one row. All names are string literals or live as long as the table.
class KernelTable::Row {
 public:
  Row(KernelTable* table, Storage* row) : table_(table), row_(row) {}

  // Type attribute `attr` may be any of `dtypes`.
  Row& Type(const char* attr, std::initializer_list<int32_t> dtypes) {
    row_->dtypes.emplace_back(dtypes);
    berth_type_constraint constraint = {};
    constraint.struct_size = sizeof(constraint);
    constraint.attr = attr;
    row_->constraints.push_back(constraint);
    return *this;
  }
  // Argument lives in host memory.
  Row& HostArg(const char* name) {
    row_->host_args.push_back(name);
    return *this;
  }
  // Argument lives in host memory and Prepare reads its value.
  Row& PrepareArg(const char* name) {
    row_->prepare_args.push_back(name);
    return HostArg(name);
  }
  Row& InPlace(int input, int output) {
    row_->inplace.push_back({input, output});
    return *this;
  }
  Row& Priority(int32_t priority) {
    row_->def.priority = priority;
    return *this;
  }
  Row& Label(const char* label) {
    row_->def.label = label;
    return *this;
  }
  Row& Flags(uint32_t flags) {
    row_->def.flags |= flags;
    return *this;
  }
  // Makes the row conditional on `supports` ("" = yes, otherwise the reason).
  Row& If(SupportsFn supports) {
    row_->supports = supports;
    row_->def.flags |= BERTH_KERNEL_CONDITIONAL;
    return *this;
  }

  template <typename K>
  void Use() {
    using Trampoline = internal::KernelTrampoline<K>;
    berth_kernel_def& def = row_->def;
    def.create = &Trampoline::Create;
    def.destroy = &Trampoline::Destroy;
    def.compute = &Trampoline::Compute;
    if (Trampoline::kHasPrepared || internal::HasPrepare<K>::value) {
      def.prepare = &Trampoline::Prepare;
      def.release_prepared = &Trampoline::ReleasePrepared;
    }
    if (Trampoline::kHasState) {
      def.flags |= BERTH_KERNEL_STATEFUL;
      def.create_state = &Trampoline::CreateState;
      def.destroy_state = &Trampoline::DestroyState;
    }
    Finish();
  }

 private:
  void Finish() {
    berth_kernel_def& def = row_->def;
    for (size_t i = 0; i < row_->constraints.size(); ++i) {
      row_->constraints[i].num_dtypes = static_cast<uint32_t>(row_->dtypes[i].size());
      row_->constraints[i].dtypes = row_->dtypes[i].data();
      row_->constraint_pointers.push_back(&row_->constraints[i]);
    }
    def.num_constraints = static_cast<uint32_t>(row_->constraint_pointers.size());
    def.constraints = row_->constraint_pointers.data();
    def.num_host_args = static_cast<uint32_t>(row_->host_args.size());
    def.host_args = row_->host_args.data();
    def.num_prepare_args = static_cast<uint32_t>(row_->prepare_args.size());
    def.prepare_args = row_->prepare_args.data();
    def.num_inplace_pairs = static_cast<uint32_t>(row_->inplace.size());
    def.inplace_pairs = row_->inplace.data();
    if (row_->supports != nullptr) def.supports = &KernelTable::Supports;
    table_->defs_.push_back(&def);
  }

  KernelTable* table_;
  Storage* row_;
};

inline KernelTable::Row KernelTable::Op(const char* op) {
  Storage& row = rows_.emplace_back();
  row.def.struct_size = sizeof(berth_kernel_def);
  row.def.op = op;
  row.def.device_type = device_type_;
  row.def.user_data = &row;
  return {this, &row};
}

BERTH_SDK_END
