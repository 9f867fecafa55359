// The host's services in C++.
#pragma once

#include <berth/host.h>

#include <cstdint>
#include <string>

#include "sdk/cpp/namespace.h"
#include "sdk/cpp/status.h"

BERTH_SDK_BEGIN

// A loan of the host table; cheap to copy; lives as long as the process. An older host
// may lack the entries at the table's end: what then happens is said with each call.
class Host {
 public:
  explicit Host(const berth_host* host) : host_(host) {}

  const berth_host* abi() const { return host_; }

  // Says nothing on a host that cannot log.
  void Log(berth_log_level level, const char* message) const {
    if (BERTH_HAS_FIELD(host_, berth_host, log) && host_->log != nullptr) {
      host_->log(host_->context, level, message);
    }
  }
  // The user's option for this plugin, or nullptr.
  const char* Option(const char* key) const {
    return BERTH_HAS_FIELD(host_, berth_host, option) && host_->option != nullptr
               ? host_->option(host_->context, key)
               : nullptr;
  }

  // Calls `body(begin, end)` over [0, total) in pieces of at least `grain`, on the
  // session's pool, or on this thread. Allocates nothing. `body` must not throw.
  template <typename Body>
  void ParallelFor(berth_step* step, int64_t total, int64_t grain,
                   const Body& body) const {
    if (!BERTH_HAS_FIELD(host_, berth_host, parallel_for) ||
        host_->parallel_for == nullptr) {
      if (total > 0) body(int64_t{0}, total);
      return;
    }
    host_->parallel_for(
        host_->context, step, total, grain,
        [](void* arg, int64_t begin, int64_t end) {
          (*static_cast<const Body*>(arg))(begin, end);
        },
        const_cast<Body*>(&body));
  }
  int NumThreads(berth_step* step) const {
    return BERTH_HAS_FIELD(host_, berth_host, num_threads) &&
                   host_->num_threads != nullptr
               ? host_->num_threads(host_->context, step)
               : 1;
  }
  bool IsCancelled(berth_step* step) const {
    return BERTH_HAS_FIELD(host_, berth_host, is_cancelled) &&
           host_->is_cancelled != nullptr &&
           host_->is_cancelled(host_->context, step) != 0;
  }

  // A traced step wants to know what the device did.
  bool IsProfiling(berth_step* step) const {
    return BERTH_HAS_FIELD(host_, berth_host, is_profiling) &&
           host_->is_profiling != nullptr &&
           host_->is_profiling(host_->context, step) != 0;
  }
  // Times are of the host's clock: NowNs, which is 0 on a host without one.
  void RecordEvent(berth_step* step, const char* name, const char* track,
                   uint64_t start_ns, uint64_t end_ns) const {
    if (!BERTH_HAS_FIELD(host_, berth_host, record_event) ||
        host_->record_event == nullptr) {
      return;
    }
    const berth_profile_event event = {sizeof(event), name, track, start_ns, end_ns};
    host_->record_event(host_->context, step, &event);
  }
  uint64_t NowNs() const {
    return BERTH_HAS_FIELD(host_, berth_host, now_ns) && host_->now_ns != nullptr
               ? host_->now_ns(host_->context)
               : 0;
  }

  // True and the data, or false: a miss, also on a host without a cache.
  bool CacheGet(const char* key, std::string* data) const {
    void* bytes = nullptr;
    uint64_t size = 0;
    if (!BERTH_HAS_FIELD(host_, berth_host, cache_get) || host_->cache_get == nullptr ||
        host_->cache_get(host_->context, key, &bytes, &size) != BERTH_OK) {
      return false;
    }
    data->assign(static_cast<const char*>(bytes), size);
    host_->free_temp(host_->context, bytes);
    return true;
  }
  // Whether it was kept is nobody's business: a cache may be full or absent.
  void CachePut(const char* key, const std::string& data) const {
    if (BERTH_HAS_FIELD(host_, berth_host, cache_put) && host_->cache_put != nullptr) {
      (void)host_->cache_put(host_->context, key, data.data(), data.size());
    }
  }

 private:
  const berth_host* host_;
};

BERTH_SDK_END
