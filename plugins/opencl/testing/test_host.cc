#include "plugins/opencl/testing/test_host.h"

#include <dlfcn.h>

#include <chrono>
#include <cstdlib>
#include <cstring>

namespace berth::opencl::testing {

TestHost* TestHost::Get() {
  static auto* host = new TestHost();
  return host;
}

TestHost::TestHost() {
  table_.struct_size = sizeof(table_);
  table_.abi_version = BERTH_ABI_CURRENT;
  table_.context = reinterpret_cast<berth_host_context*>(this);
  table_.log = [](berth_host_context* context, berth_log_level, const char* message) {
    std::lock_guard<std::mutex> lock(Of(context)->mutex_);
    Of(context)->log_.emplace_back(message);
  };
  table_.option = [](berth_host_context* context, const char* key) {
    return Of(context)->Option(key);
  };
  table_.parallel_for = [](berth_host_context*, berth_step*, int64_t total, int64_t,
                           berth_range_fn fn, void* arg) { fn(arg, 0, total); };
  table_.num_threads = [](berth_host_context*, berth_step*) -> int32_t { return 1; };
  table_.is_cancelled = [](berth_host_context*, berth_step*) -> int32_t { return 0; };
  table_.allocate_temp = [](berth_host_context*, uint64_t size) {
    return std::malloc(size);
  };
  table_.free_temp = [](berth_host_context*, void* pointer) { std::free(pointer); };
  table_.is_profiling = [](berth_host_context*, berth_step*) -> int32_t { return 0; };
  table_.now_ns = [](berth_host_context*) -> uint64_t {
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    return static_cast<uint64_t>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
  };
  table_.cache_get = [](berth_host_context* context, const char* key, void** data,
                        uint64_t* size) {
    return Of(context)->CacheGet(key, data, size);
  };
  table_.cache_put = [](berth_host_context* context, const char* key, const void* data,
                        uint64_t size) {
    std::lock_guard<std::mutex> lock(Of(context)->mutex_);
    Of(context)->cache_[key].assign(static_cast<const char*>(data), size);
    return BERTH_OK;
  };
}

void TestHost::SetOption(const std::string& key, const std::string& value) {
  std::lock_guard<std::mutex> lock(mutex_);
  options_[key] = value;
}

std::vector<std::string> TestHost::log() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return log_;
}

const char* TestHost::Option(const char* key) {
  std::lock_guard<std::mutex> lock(mutex_);
  const auto found = options_.find(key);
  if (found == options_.end() || found->second.empty()) return nullptr;
  return found->second.c_str();
}

berth_status_code TestHost::CacheGet(const char* key, void** data, uint64_t* size) {
  std::lock_guard<std::mutex> lock(mutex_);
  const auto found = cache_.find(key);
  if (found == cache_.end()) return BERTH_NOT_FOUND;
  ++num_cache_hits_;
  *size = found->second.size();
  *data = std::malloc(found->second.size() + 1);
  std::memcpy(*data, found->second.data(), found->second.size());
  return BERTH_OK;
}

const berth_plugin* TestHost::LoadPlugin(std::string* why) {
  if (plugin_ != nullptr) return plugin_;
  void* library = dlopen(BERTH_OPENCL_PLUGIN, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    *why = dlerror();
    return nullptr;
  }
  auto query =
      reinterpret_cast<berth_plugin_query_fn>(dlsym(library, BERTH_PLUGIN_QUERY_SYMBOL));
  if (query == nullptr) {
    *why = dlerror();
    return nullptr;
  }
  berth_query_args args = {};
  args.struct_size = sizeof(args);
  args.host_abi_min = BERTH_ABI_CURRENT;
  args.host_abi_max = BERTH_ABI_CURRENT;
  args.host = &table_;
  berth_error error = {};
  error.struct_size = sizeof(error);
  if (query(&args, &plugin_, &error) != BERTH_OK) {
    *why = error.message != nullptr ? error.message : "query failed";
    plugin_ = nullptr;
  }
  return plugin_;
}

}  // namespace berth::opencl::testing
