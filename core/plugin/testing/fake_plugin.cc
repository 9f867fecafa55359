#include "core/plugin/testing/fake_plugin.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <utility>

#include "core/plugin/testing/fake_compiler.h"
#include "core/plugin/testing/fake_device.h"

namespace berth::testing {
namespace {

FakeDevice* Of(berth_device* device) { return FakeDevice::Of(device); }
FakeStream* Of(berth_stream* stream) { return reinterpret_cast<FakeStream*>(stream); }
FakeEvent* Of(berth_event* event) { return reinterpret_cast<FakeEvent*>(event); }
FakeMemory* Of(berth_memory* memory) { return reinterpret_cast<FakeMemory*>(memory); }

// One row and what its C struct points to.
struct Row {
  FakeKernel spec;
  FakeShared* shared = nullptr;
  berth_kernel_def def = {};
  std::deque<berth_type_constraint> constraints;
  std::vector<const berth_type_constraint*> constraint_pointers;
  std::vector<const char*> host_args;

  void Finish();
  static Row* Of(const berth_kernel_def* def) {
    return static_cast<Row*>(def->user_data);
  }
};

// What create makes.
struct Kernel {
  const Row* row;
  bool asynchronous;
};

int32_t Supports(const berth_kernel_def* def, const berth_node* node, char* reason,
                 size_t reason_size) {
  const std::string text = Row::Of(def)->spec.supports(*node);
  if (text.empty()) return 1;
  const size_t size = std::min(text.size(), reason_size - 1);
  std::memcpy(reason, text.data(), size);
  reason[size] = '\0';
  return 0;
}

berth_status_code Create(const berth_kernel_def* def, berth_device* device,
                         const berth_node*, berth_kernel** out, berth_error*) {
  auto* kernel = new Kernel{Row::Of(def), Of(device)->desc.asynchronous};
  *out = reinterpret_cast<berth_kernel*>(kernel);
  return BERTH_OK;
}

void Destroy(berth_kernel* kernel) { delete reinterpret_cast<Kernel*>(kernel); }

berth_status_code Compute(const berth_kernel* handle, const berth_prepared*,
                          berth_compute_context* context, berth_error* error) {
  const auto& kernel = *reinterpret_cast<const Kernel*>(handle);
  FakeShared* shared = kernel.row->shared;
  shared->Count([](FakeCounters* c) { ++c->computes; });
  const FakeComputeFn& fn = kernel.row->spec.compute;
  if (!fn) {
    return FakeFill(
        Unimplemented("the fake kernel of " + kernel.row->spec.op + " computes nothing"),
        error);
  }
  return FakeRun(fn, context, error);
}

void ComputeAsync(const berth_kernel* handle, const berth_prepared*,
                  berth_compute_context* context, berth_done_fn done, void* arg) {
  const Row* row = reinterpret_cast<const Kernel*>(handle)->row;
  row->shared->Count([](FakeCounters* c) { ++c->computes; });
  row->shared->RunInThread([row, context, done, arg] {
    const Status status = row->spec.compute(context);
    const std::string message(status.message());
    done(arg, static_cast<berth_status_code>(status.code()), message.c_str());
  });
}

void Row::Finish() {
  def.struct_size = sizeof(def);
  def.op = spec.op.c_str();
  def.device_type = spec.device_type.c_str();
  def.label = spec.label.empty() ? nullptr : spec.label.c_str();
  for (const auto& [attr, dtypes] : spec.types) {
    berth_type_constraint& constraint = constraints.emplace_back();
    constraint = {};
    constraint.struct_size = sizeof(constraint);
    constraint.attr = attr.c_str();
    constraint.num_dtypes = static_cast<uint32_t>(dtypes.size());
    constraint.dtypes = dtypes.data();
    constraint_pointers.push_back(&constraint);
  }
  for (const std::string& arg : spec.host_args) host_args.push_back(arg.c_str());
  def.num_constraints = static_cast<uint32_t>(constraint_pointers.size());
  def.constraints = constraint_pointers.data();
  def.num_host_args = static_cast<uint32_t>(host_args.size());
  def.host_args = host_args.data();
  def.num_inplace_pairs = static_cast<uint32_t>(spec.inplace.size());
  def.inplace_pairs = spec.inplace.data();
  def.priority = spec.priority;
  def.flags = spec.flags;
  def.user_data = this;
  if (spec.supports) {
    def.flags |= BERTH_KERNEL_CONDITIONAL;
    def.supports = &Supports;
  }
  if (spec.runs_in_core) return;
  def.create = &Create;
  def.destroy = &Destroy;
  def.compute = &Compute;
  if ((def.flags & BERTH_KERNEL_ASYNC) == 0) return;
  def.compute = nullptr;
  def.compute_async = &ComputeAsync;
}

berth_status_code Copy(berth_stream* stream, const berth_copy_args* args, berth_error*) {
  FakeStream* queue = Of(stream);
  const berth_copy_args copy = *args;
  queue->shared()->Count([&copy](FakeCounters* c) {
    if (copy.direction == BERTH_COPY_HOST_TO_DEVICE) ++c->copies_to_device;
    if (copy.direction == BERTH_COPY_DEVICE_TO_HOST) ++c->copies_to_host;
    if (copy.direction >= BERTH_COPY_DEVICE_TO_DEVICE) ++c->copies_on_device;
  });
  (void)queue->Enqueue([copy]() -> Status {
    const void* source = copy.source_host;
    void* target = copy.target_host;
    if (copy.source != nullptr) source = Of(copy.source)->At(copy.source_offset);
    if (copy.target != nullptr) target = Of(copy.target)->At(copy.target_offset);
    if (copy.size > 0) std::memmove(target, source, copy.size);
    return OkStatus();
  });
  return BERTH_OK;
}

void FillMemoryApi(berth_device_api* api) {
  api->allocate = [](berth_device* device, berth_memory_kind kind, uint64_t size,
                     berth_memory** out, berth_error* error) {
    const FakeDevice& on = *Of(device);
    Result<FakeMemory*> memory =
        on.shared->Allocate(size, on.desc.base_alignment, on.desc.memory_bytes,
                            kind != BERTH_MEMORY_DEVICE || on.desc.is_host);
    if (!memory.ok()) return FakeFill(memory.status(), error);
    *out = reinterpret_cast<berth_memory*>(*memory);
    return BERTH_OK;
  };
  api->free = [](berth_device* device, berth_memory* memory) {
    Of(device)->shared->Free(Of(memory));
  };
  api->host_address = [](berth_device*, berth_memory* memory) -> void* {
    return Of(memory)->host_visible ? Of(memory)->At(0) : nullptr;
  };
  api->memory_stats = [](berth_device* device, berth_memory_stats* out) {
    const FakeCounters counters = Of(device)->shared->counters();
    out->bytes_in_use = static_cast<uint64_t>(counters.bytes_in_use);
    out->bytes_limit = Of(device)->desc.memory_bytes;
  };
}

void FillStreamApi(berth_device_api* api) {
  api->create_stream = [](berth_device* device, berth_stream** out, berth_error*) {
    auto* stream = new FakeStream(Of(device)->shared, Of(device)->desc.asynchronous);
    *out = reinterpret_cast<berth_stream*>(stream);
    return BERTH_OK;
  };
  api->destroy_stream = [](berth_stream* stream) { delete Of(stream); };
  api->copy = &Copy;
  api->synchronize_stream = [](berth_stream* stream, berth_error* error) {
    Of(stream)->shared()->Count([](FakeCounters* c) { ++c->host_waits; });
    return FakeFill(Of(stream)->Synchronize(), error);
  };
  api->synchronize_device = [](berth_device* device, berth_error* error) {
    Of(device)->shared->Count([](FakeCounters* c) { ++c->host_waits; });
    return FakeFill(Of(device)->shared->SynchronizeAll(), error);
  };
}

void FillEventApi(berth_device_api* api) {
  api->create_event = [](berth_device*, berth_event** out, berth_error*) {
    *out = reinterpret_cast<berth_event*>(new FakeEvent());
    return BERTH_OK;
  };
  api->destroy_event = [](berth_event* event) { delete Of(event); };
  api->record_event = [](berth_stream* stream, berth_event* event, berth_error*) {
    Of(stream)->Record(Of(event));
    return BERTH_OK;
  };
  api->stream_wait_event = [](berth_stream* stream, berth_event* event, berth_error*) {
    Of(stream)->WaitFor(Of(event));
    return BERTH_OK;
  };
  api->query_event = [](berth_event* event) -> int32_t { return Of(event)->IsDone(); };
  api->wait_event = [](berth_event* event, berth_error* error) {
    if (Of(event)->shared != nullptr) {
      Of(event)->shared->Count([](FakeCounters* c) { ++c->host_waits; });
    }
    return FakeFill(Of(event)->Wait(), error);
  };
  api->on_ready = [](berth_event* event, berth_ready_fn fn, void* arg) {
    Of(event)->OnReady(fn, arg);
    return BERTH_OK;
  };
  api->event_timestamp = [](berth_event* event) { return Of(event)->timestamp_ns(); };
}

}  // namespace

struct FakePlugin::Impl {
  std::string name;
  FakeShared shared;
  std::vector<FakeDevices> types;
  std::deque<Row> rows;
  std::vector<const berth_kernel_def*> row_pointers;
  std::deque<std::string> texts;
  std::deque<berth_device_info> infos;
  std::vector<const berth_device_info*> info_pointers;
  std::vector<const FakeDevices*> of_info;
  std::unique_ptr<FakeHook> hook;
  berth_device_api api = {};
  berth_plugin table = {};

  void AddInfo(const FakeDevices& type, int index) {
    berth_device_info& info = infos.emplace_back();
    info = {};
    info.struct_size = sizeof(info);
    info.type = type.type.c_str();
    info.index = index;
    info.priority = type.priority;
    info.name = texts.emplace_back("fake " + type.type).c_str();
    info.physical_id =
        texts.emplace_back("fake:" + type.type + ":" + std::to_string(index)).c_str();
    info.driver = "fake 1";
    info.memory_bytes = type.memory_bytes;
    info.largest_allocation = type.largest_allocation;
    info.base_alignment = type.base_alignment;
    if (type.is_host) info.flags |= BERTH_DEVICE_IS_HOST;
    if (!type.asynchronous) info.flags |= BERTH_DEVICE_SYNCHRONOUS;
    if (type.lists_core_ops) info.flags |= BERTH_DEVICE_LISTS_CORE_OPS;
    info_pointers.push_back(&info);
    of_info.push_back(&type);
  }

  void FillTable() {
    api.struct_size = sizeof(api);
    api.enumerate = [](void* context, uint32_t* count,
                       const berth_device_info* const** list, berth_error*) {
      auto* self = static_cast<Impl*>(context);
      *count = static_cast<uint32_t>(self->info_pointers.size());
      *list = self->info_pointers.data();
      return BERTH_OK;
    };
    api.open = [](void* context, const berth_open_args* args, berth_device** out,
                  berth_error*) {
      auto* self = static_cast<Impl*>(context);
      self->shared.Count([](FakeCounters* c) { ++c->opens; });
      *out = reinterpret_cast<berth_device*>(new FakeDevice{
          &self->shared, *self->of_info[args->device_list_index], self->hook.get()});
      return BERTH_OK;
    };
    api.close = [](berth_device* device) { delete Of(device); };
    FillMemoryApi(&api);
    FillStreamApi(&api);
    FillEventApi(&api);
    table.struct_size = sizeof(table);
    table.abi_min = BERTH_ABI_CURRENT;
    table.abi_max = BERTH_ABI_CURRENT;
    table.name = name.c_str();
    table.version = "1";
    table.vendor = "berth";
    table.context = this;
    table.devices = &api;
    table.num_kernels = static_cast<uint32_t>(row_pointers.size());
    table.kernels = row_pointers.data();
  }
};

FakePlugin::FakePlugin(std::string name, std::vector<FakeDevices> devices,
                       std::vector<FakeKernel> kernels)
    : impl_(std::make_unique<Impl>()) {
  impl_->name = std::move(name);
  impl_->types = std::move(devices);
  for (const FakeDevices& type : impl_->types) {
    for (int i = 0; i < type.count; ++i) impl_->AddInfo(type, i);
  }
  for (FakeKernel& kernel : kernels) {
    Row& row = impl_->rows.emplace_back();
    row.spec = std::move(kernel);
    row.shared = &impl_->shared;
    row.Finish();
    impl_->row_pointers.push_back(&row.def);
  }
  impl_->FillTable();
}

FakePlugin::~FakePlugin() {
  impl_->shared.Release();
  impl_->shared.JoinThreads();
}

void FakePlugin::SetCompiler(FakeCompiler compiler) {
  const auto find_row = [this](std::string_view op) -> const FakeComputeFn* {
    for (const Row& row : impl_->rows) {
      if (row.spec.op == op && row.spec.compute) return &row.spec.compute;
    }
    return nullptr;
  };
  impl_->hook = std::make_unique<FakeHook>(std::move(compiler), find_row);
  impl_->api.extensions = impl_->hook->extension();
}

const berth_plugin* FakePlugin::table() const { return &impl_->table; }
void FakePlugin::HoldStreams() { impl_->shared.Hold(); }
void FakePlugin::ReleaseStreams() { impl_->shared.Release(); }
void FakePlugin::LimitMemory(uint64_t bytes) { impl_->shared.LimitMemory(bytes); }
FakeCounters FakePlugin::counters() const { return impl_->shared.counters(); }
void FakePlugin::ResetCounters() { impl_->shared.ResetCounters(); }

void* FakeData(const berth_tensor& tensor) {
  if (tensor.host_data != nullptr) return tensor.host_data;
  return tensor.memory != nullptr ? Of(tensor.memory)->At(tensor.offset) : nullptr;
}

FakeComputeFn FakeFloatMap(std::function<float(float, float)> fn) {
  return [fn = std::move(fn)](berth_compute_context* context) -> Status {
    const auto elements = [](const berth_tensor& tensor) {
      return static_cast<int64_t>(tensor.byte_size / sizeof(float));
    };
    const berth_tensor& out = *context->outputs[0];
    auto* to = static_cast<float*>(FakeData(out));
    for (int64_t i = 0; i < elements(out); ++i) {
      float in[2] = {0, 0};
      for (uint32_t k = 0; k < std::min(context->num_inputs, 2U); ++k) {
        const berth_tensor& from = *context->inputs[k];
        in[k] = static_cast<const float*>(FakeData(from))[elements(from) == 1 ? 0 : i];
      }
      to[i] = fn(in[0], in[1]);
    }
    return OkStatus();
  };
}

}  // namespace berth::testing
