#include "plugins/cpu/device.h"

#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>

namespace berth::cpu_plugin {
namespace {

using sdk::Result;
using sdk::Status;

// Whole cache lines, and the widest vectors, start at an allocation's start.
constexpr uint64_t kAlignment = 64;
// Room before the data for the size, which Free must know.
constexpr uint64_t kHeader = kAlignment;

class CpuEvent : public sdk::Event {
 public:
  bool IsDone() override { return true; }
  Status Wait() override { return {}; }
};

const char* SourceOf(const berth_copy_args& args) {
  if (args.source == nullptr) return static_cast<const char*>(args.source_host);
  return reinterpret_cast<const char*>(args.source) + args.source_offset;
}
char* TargetOf(const berth_copy_args& args) {
  if (args.target == nullptr) return static_cast<char*>(args.target_host);
  return reinterpret_cast<char*>(args.target) + args.target_offset;
}

class CpuStream : public sdk::Stream {
 public:
  Status Copy(const berth_copy_args& args) override {
    if (args.size > 0) std::memmove(TargetOf(args), SourceOf(args), args.size);
    return {};
  }
  Status Synchronize() override { return {}; }
  Status Record(sdk::Event*) override { return {}; }
  Status WaitFor(sdk::Event* event) override { return event->Wait(); }
};

std::string ProcessorName() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    const size_t colon = line.find(": ");
    if (line.rfind("model name", 0) == 0 && colon != std::string::npos) {
      return line.substr(colon + 2);
    }
  }
  return "CPU";
}

}  // namespace

sdk::DeviceInfo DescribeCpu() {
  sdk::DeviceInfo info;
  info.type = "CPU";
  info.index = 0;
  info.priority = 70;
  info.name = ProcessorName();
  info.physical_id = "cpu:0";
  info.driver = "oneDNN, Eigen";
  const int64_t pages = sysconf(_SC_PHYS_PAGES);
  const int64_t page_size = sysconf(_SC_PAGESIZE);
  if (pages > 0 && page_size > 0)
    info.memory_bytes = static_cast<uint64_t>(pages * page_size);
  info.base_alignment = kAlignment;
  info.flags =
      BERTH_DEVICE_IS_HOST | BERTH_DEVICE_SYNCHRONOUS | BERTH_DEVICE_SHARES_HOST_MEMORY;
  return info;
}

Result<berth_memory*> CpuDevice::Allocate(berth_memory_kind, uint64_t size) {
  const uint64_t padded = (size + kAlignment - 1) / kAlignment * kAlignment + kHeader;
  if (size == 0 || padded < size) {
    return sdk::InvalidArgument("an allocation of " + std::to_string(size) + " bytes");
  }
  char* base = static_cast<char*>(std::aligned_alloc(kAlignment, padded));
  if (base == nullptr) {
    return sdk::ResourceExhausted("the system has no " + std::to_string(size) +
                                  " bytes of host memory left");
  }
  std::memcpy(base, &size, sizeof(size));
  const uint64_t in_use = bytes_in_use_.fetch_add(size) + size;
  uint64_t peak = peak_bytes_.load();
  while (in_use > peak && !peak_bytes_.compare_exchange_weak(peak, in_use)) {
  }
  num_allocations_.fetch_add(1);
  return reinterpret_cast<berth_memory*>(base + kHeader);
}

void CpuDevice::Free(berth_memory* memory) {
  if (memory == nullptr) return;
  char* base = reinterpret_cast<char*>(memory) - kHeader;
  uint64_t size = 0;
  std::memcpy(&size, base, sizeof(size));
  bytes_in_use_.fetch_sub(size);
  num_allocations_.fetch_sub(1);
  std::free(base);
}

void* CpuDevice::HostAddress(berth_memory* memory) { return memory; }

void CpuDevice::MemoryStats(berth_memory_stats* stats) {
  stats->bytes_in_use = bytes_in_use_.load();
  stats->peak_bytes_in_use = peak_bytes_.load();
  stats->num_allocations = num_allocations_.load();
  stats->bytes_limit = memory_bytes_;
}

Result<std::unique_ptr<sdk::Stream>> CpuDevice::CreateStream() {
  return std::unique_ptr<sdk::Stream>(std::make_unique<CpuStream>());
}

Result<std::unique_ptr<sdk::Event>> CpuDevice::CreateEvent() {
  return std::unique_ptr<sdk::Event>(std::make_unique<CpuEvent>());
}

}  // namespace berth::cpu_plugin
