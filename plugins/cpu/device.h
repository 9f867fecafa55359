// The CPU as a device: host memory, and work that is done when a call returns.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "sdk/cpp/device.h"

namespace berth::cpu_plugin {

// What the machine has: one device for all of its processors. The strings are for people.
sdk::DeviceInfo DescribeCpu();

// Memory handles are the addresses themselves. Thread-safe.
class CpuDevice : public sdk::Device {
 public:
  explicit CpuDevice(uint64_t memory_bytes) : memory_bytes_(memory_bytes) {}

  sdk::Result<berth_memory*> Allocate(berth_memory_kind kind, uint64_t size) override;
  void Free(berth_memory* memory) override;
  void* HostAddress(berth_memory* memory) override;
  void MemoryStats(berth_memory_stats* stats) override;
  sdk::Result<std::unique_ptr<sdk::Stream>> CreateStream() override;
  sdk::Result<std::unique_ptr<sdk::Event>> CreateEvent() override;
  sdk::Status Synchronize() override { return {}; }

 private:
  uint64_t memory_bytes_;
  std::atomic<uint64_t> bytes_in_use_{0};
  std::atomic<uint64_t> peak_bytes_{0};
  std::atomic<uint64_t> num_allocations_{0};
};

}  // namespace berth::cpu_plugin
