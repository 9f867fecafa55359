// A host for tests: options, an in-memory cache, log lines kept, a real clock.
#pragma once

#include <berth/plugin.h>

#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace berth::opencl::testing {

// One a process: the plugin keeps the host of its first query. Thread-safe.
class TestHost {
 public:
  static TestHost* Get();

  // Options are read when a device is opened (devices_per_physical and devices: when the
  // devices are first listed). "" removes.
  void SetOption(const std::string& key, const std::string& value);
  std::map<std::string, std::string>& cache() { return cache_; }
  int num_cache_hits() const { return num_cache_hits_; }
  std::vector<std::string> log() const;

  // The plugin's table, loaded from the file that the build made; NULL when that fails
  // (`why` says how).
  const berth_plugin* LoadPlugin(std::string* why);
  const berth_host* table() const { return &table_; }

 private:
  TestHost();
  static TestHost* Of(berth_host_context* context) {
    return reinterpret_cast<TestHost*>(context);
  }
  const char* Option(const char* key);
  berth_status_code CacheGet(const char* key, void** data, uint64_t* size);

  mutable std::mutex mutex_;
  berth_host table_ = {};
  std::map<std::string, std::string> options_;
  std::map<std::string, std::string> cache_;
  int num_cache_hits_ = 0;
  std::vector<std::string> log_;
  const berth_plugin* plugin_ = nullptr;
};

}  // namespace berth::opencl::testing
