// What a traced run leaves behind.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace berth {

// One executed step of a traced run.
struct TraceEvent {
  std::string node;
  std::string op;  // "MatMul", "_Copy", "_HostWait"
  std::string device;
  uint64_t start_ns = 0;  // since the run began
  uint64_t end_ns = 0;
  uint64_t bytes = 0;   // of a copy
  uint32_t thread = 0;  // small number of the host thread
};
struct RunTrace {
  std::vector<TraceEvent> events;
  uint64_t total_ns = 0;
  int host_waits = 0;
  int copies = 0;
  std::vector<std::pair<std::string, uint64_t>> peak_bytes;  // device, bytes
};

}  // namespace berth
