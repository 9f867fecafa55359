// The host's services in C++.
#pragma once

#include <berth/host.h>

#include <cstdint>

#include "sdk/cpp/namespace.h"
#include "sdk/cpp/status.h"

BERTH_SDK_BEGIN

// A loan of the host table; cheap to copy; lives as long as the process.
class Host {
 public:
  explicit Host(const berth_host* host) : host_(host) {}

  const berth_host* abi() const { return host_; }

  void Log(berth_log_level level, const char* message) const {
    host_->log(host_->context, level, message);
  }
  // The user's option for this plugin, or nullptr.
  const char* Option(const char* key) const { return host_->option(host_->context, key); }

  // Calls `body(begin, end)` over [0, total) in pieces of at least `grain`, on the
  // session's pool. Allocates nothing. `body` must not throw.
  template <typename Body>
  void ParallelFor(berth_step* step, int64_t total, int64_t grain,
                   const Body& body) const {
    host_->parallel_for(
        host_->context, step, total, grain,
        [](void* arg, int64_t begin, int64_t end) {
          (*static_cast<const Body*>(arg))(begin, end);
        },
        const_cast<Body*>(&body));
  }
  int NumThreads(berth_step* step) const {
    return host_->num_threads(host_->context, step);
  }

 private:
  const berth_host* host_;
};

BERTH_SDK_END
