#include "core/plugin/host_table.h"

#include <berth/kernel.h>

#include <cstdlib>
#include <cstring>
#include <utility>

#include "core/base/logging.h"
#include "core/base/thread_pool.h"
#include "core/plugin/compute_context.h"
#include "core/plugin/file_check.h"
#include "core/plugin/step.h"
#include "core/registry/abi_read.h"
#include "core/registry/device.h"

namespace berth {
namespace {

constexpr uint64_t kTempAlignment = 64;

ThreadPool* PoolOf(const berth_step* step) {
  return step != nullptr ? step->pool() : ThreadPool::Default();
}

void* AllocateTemp(uint64_t size) {
  // aligned_alloc wants a multiple of the alignment; a size near 2^64 has none.
  if (size > UINT64_MAX - kTempAlignment) return nullptr;
  const uint64_t rounded = (size + kTempAlignment - 1) / kTempAlignment * kTempAlignment;
  return std::aligned_alloc(kTempAlignment, rounded == 0 ? kTempAlignment : rounded);
}

Status AllocateOutput(HostComputeContext& context, uint32_t index,
                      const berth_shape& shape) {
  if (context.allocate_output == nullptr) {
    return FailedPrecondition(
        "allocate_output is only for kernels whose row has BERTH_KERNEL_SHAPE_AT_RUN");
  }
  if (index >= context.abi.num_outputs) {
    return InvalidArgument("allocate_output: there is no output " +
                           std::to_string(index) + "; the node has " +
                           std::to_string(context.abi.num_outputs));
  }
  if (shape.rank < 0 || shape.rank > BERTH_MAX_RANK) {
    return InvalidArgument("allocate_output: rank " + std::to_string(shape.rank) +
                           " is outside [0, " + std::to_string(BERTH_MAX_RANK) + "]");
  }
  const size_t rank = static_cast<size_t>(shape.rank);
  BERTH_RETURN_IF_ERROR(Shape::CheckedElements(shape.dims, rank).status());
  return context.allocate_output(context, index, Shape(shape.dims, rank));
}

}  // namespace

void PluginOptions::Set(std::string_view plugin, std::string_view key,
                        std::string_view value) {
  absl::MutexLock lock(&mutex_);
  texts_.emplace_back(value);
  values_[std::string(plugin) + '.' + std::string(key)] = texts_.back().c_str();
}

const char* PluginOptions::Get(std::string_view plugin, std::string_view key) const {
  const std::string name = std::string(plugin) + '.' + std::string(key);
  absl::MutexLock lock(&mutex_);
  const auto it = values_.find(name);
  return it == values_.end() ? nullptr : it->second;
}

Status PluginOptions::SetFromText(std::string_view text) {
  while (!text.empty()) {
    const size_t end = std::min(text.find(';'), text.size());
    const std::string_view part = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (part.empty()) continue;
    const size_t equals = part.find('=');
    const size_t dot = part.find('.');
    if (equals == std::string_view::npos || dot == std::string_view::npos || dot == 0 ||
        dot + 1 >= equals) {
      return InvalidArgument("'" + std::string(part) +
                             "' is not of the form plugin.key=value");
    }
    const std::string_view plugin = part.substr(0, dot);
    const std::string_view key = part.substr(dot + 1, equals - dot - 1);
    if (Get(plugin, key) == nullptr) Set(plugin, key, part.substr(equals + 1));
  }
  return OkStatus();
}

// The entries of the table. None may throw: a plugin is in between.
struct HostTable::Calls {
  static HostTable& Of(berth_host_context* context) {
    return *reinterpret_cast<HostTable*>(context);
  }

  static void Log(berth_host_context* context, berth_log_level level,
                  const char* message) {
    const int clamped =
        std::min(std::max(static_cast<int>(level), 0), static_cast<int>(BERTH_LOG_ERROR));
    berth::Log(static_cast<LogLevel>(clamped),
               "plugin " + Of(context).name() + ": " +
                   (message != nullptr ? message : "(no message)"));
  }

  static const char* Option(berth_host_context* context, const char* key) {
    return key == nullptr ? nullptr : Of(context).Option(key);
  }

  static void ParallelFor(berth_host_context*, berth_step* step, int64_t total,
                          int64_t grain, berth_range_fn fn, void* arg) {
    PoolOf(step)->ParallelFor(total, grain, fn, arg);
  }
  static int32_t NumThreads(berth_host_context*, berth_step* step) {
    return PoolOf(step)->num_threads();
  }

  static int32_t IsCancelled(berth_host_context*, berth_step* step) {
    return step != nullptr && step->is_cancelled() ? 1 : 0;
  }
  static uint64_t AddCancelCallback(berth_host_context*, berth_step* step,
                                    berth_cancel_fn fn, void* arg) {
    return step == nullptr ? 0 : step->AddCancelCallback(fn, arg);
  }
  static void RemoveCancelCallback(berth_host_context*, berth_step* step,
                                   uint64_t token) {
    if (step != nullptr) step->RemoveCancelCallback(token);
  }

  static void* AllocateTemp(berth_host_context*, uint64_t size) {
    return berth::AllocateTemp(size);
  }
  static void FreeTemp(berth_host_context*, void* pointer) { std::free(pointer); }

  static berth_status_code AllocateOutput(berth_compute_context* compute, uint32_t index,
                                          const berth_shape* shape, berth_error* error) {
    return GiveError(
        berth::AllocateOutput(HostComputeContext::From(compute), index, *shape), error);
  }

  static berth_status_code SetString(berth_compute_context* compute, uint32_t index,
                                     int64_t element, berth_string value) {
    const HostComputeContext& context = HostComputeContext::From(compute);
    if (index >= context.abi.num_outputs || context.string_outputs == nullptr) {
      return BERTH_INVALID_ARGUMENT;
    }
    const HostComputeContext::StringOutput& output = context.string_outputs[index];
    if (output.data == nullptr || element < 0 || element >= output.count) {
      return BERTH_OUT_OF_RANGE;
    }
    output.data[element].assign(value.data == nullptr ? "" : value.data, value.size);
    return BERTH_OK;
  }

  static int32_t IsProfiling(berth_host_context*, berth_step* step) {
    return step != nullptr && step->is_profiling() ? 1 : 0;
  }
  static void RecordEvent(berth_host_context*, berth_step* step,
                          const berth_profile_event* event) {
    ProfileSink* sink = step != nullptr ? step->profile_sink() : nullptr;
    if (sink == nullptr || event == nullptr) return;
    const berth_profile_event copy = ReadAbi(event);
    ProfileEvent known;
    if (copy.name != nullptr) known.name = copy.name;
    if (copy.track != nullptr) known.track = copy.track;
    known.start_ns = copy.start_ns;
    known.end_ns = copy.end_ns;
    sink->Record(known);
  }
  static uint64_t Now(berth_host_context*) { return NowNs(); }

  static berth_status_code CacheGet(berth_host_context* context, const char* key,
                                    void** out_data, uint64_t* out_size) {
    if (key == nullptr || out_data == nullptr || out_size == nullptr) {
      return BERTH_INVALID_ARGUMENT;
    }
    HostTable& self = Of(context);
    const Result<std::string> data = self.cache_->Get(self.CacheScope(), key);
    if (!data.ok()) return BERTH_NOT_FOUND;
    void* copy = berth::AllocateTemp(data->size());
    if (copy == nullptr) return BERTH_RESOURCE_EXHAUSTED;
    std::memcpy(copy, data->data(), data->size());
    *out_data = copy;
    *out_size = data->size();
    return BERTH_OK;
  }
  static berth_status_code CachePut(berth_host_context* context, const char* key,
                                    const void* data, uint64_t size) {
    if (key == nullptr || (data == nullptr && size > 0)) return BERTH_INVALID_ARGUMENT;
    HostTable& self = Of(context);
    const Status status = self.cache_->Put(self.CacheScope(), key, data, size);
    if (status.ok()) return BERTH_OK;
    // A plugin works without its cache; who wonders why it is slow finds the reason here.
    berth::Log(LogLevel::kInfo,
               "plugin " + self.name() +
                   ": no cache entry was written: " + std::string(status.message()));
    return static_cast<berth_status_code>(status.code());
  }
};

HostTable::HostTable(std::string name, std::string path, const PluginOptions* options,
                     PluginCache* cache)
    : file_name_(std::move(name)),
      path_(std::move(path)),
      options_(options),
      cache_(cache),
      name_(file_name_) {
  abi_.struct_size = sizeof(abi_);
  abi_.abi_version = BERTH_ABI_CURRENT;
  abi_.context = reinterpret_cast<berth_host_context*>(this);
  abi_.log = &Calls::Log;
  abi_.option = &Calls::Option;
  abi_.parallel_for = &Calls::ParallelFor;
  abi_.num_threads = &Calls::NumThreads;
  abi_.is_cancelled = &Calls::IsCancelled;
  abi_.add_cancel_callback = &Calls::AddCancelCallback;
  abi_.remove_cancel_callback = &Calls::RemoveCancelCallback;
  abi_.allocate_temp = &Calls::AllocateTemp;
  abi_.free_temp = &Calls::FreeTemp;
  abi_.allocate_output = &Calls::AllocateOutput;
  abi_.set_string = &Calls::SetString;
  abi_.is_profiling = &Calls::IsProfiling;
  abi_.record_event = &Calls::RecordEvent;
  abi_.now_ns = &Calls::Now;
  abi_.cache_get = &Calls::CacheGet;
  abi_.cache_put = &Calls::CachePut;
}

void HostTable::SetPluginName(std::string_view name) {
  absl::MutexLock lock(&mutex_);
  name_ = name;
  scope_.clear();
}

std::string HostTable::name() const {
  absl::MutexLock lock(&mutex_);
  return name_;
}

const char* HostTable::Option(std::string_view key) const {
  const std::string own = name();
  const char* value = options_->Get(own, key);
  return value != nullptr || own == file_name_ ? value : options_->Get(file_name_, key);
}

std::string HostTable::CacheScope() {
  absl::MutexLock lock(&mutex_);
  if (scope_.empty()) {
    std::string build = "static";
    if (!path_.empty()) {
      const Result<std::string> hash = HashFile(path_);
      // A file that is gone has no entries of before, and leaves none for others.
      build = hash.ok() ? *hash : "unreadable " + std::to_string(NowNs());
    }
    scope_ = name_ + '\n' + build;
  }
  return scope_;
}

}  // namespace berth
