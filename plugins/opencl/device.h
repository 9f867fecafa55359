// A logical OpenCL device: memory and streams over a shared context.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "plugins/opencl/cl_status.h"
#include "plugins/opencl/context.h"
#include "sdk/cpp/device.h"

namespace berth::opencl {

// What a memory handle points to. A tensor is a buffer and an offset; sub-buffers are
// never made: kernels take the offset as an argument.
struct Memory {
  ClBuffer buffer;
  berth_memory_kind kind = BERTH_MEMORY_DEVICE;
  uint64_t size = 0;     // bytes
  void* host = nullptr;  // host address of pinned and host-visible memory
  void* svm = nullptr;   // what `buffer` stands on, when host-visible
};

inline Memory* MemoryOf(berth_memory* handle) {
  return reinterpret_cast<Memory*>(handle);
}
// The buffer behind a handle; NULL for NULL.
inline cl_mem BufferOf(berth_memory* handle) {
  return handle == nullptr ? nullptr : MemoryOf(handle)->buffer.get();
}

// Thread-safe.
class OpenClDevice : public sdk::Device {
 public:
  static Result<std::unique_ptr<sdk::Device>> Create(std::shared_ptr<Context> context,
                                                     const sdk::DeviceInfo& info);
  ~OpenClDevice() override;

  Result<berth_memory*> Allocate(berth_memory_kind kind, uint64_t size) override;
  void Free(berth_memory* memory) override;
  void* HostAddress(berth_memory* memory) override;
  void MemoryStats(berth_memory_stats* stats) override;
  Result<std::unique_ptr<sdk::Stream>> CreateStream() override;
  Result<std::unique_ptr<sdk::Event>> CreateEvent() override;
  Status Synchronize() override;

  static OpenClDevice* FromHandle(berth_device* handle) {
    return static_cast<OpenClDevice*>(sdk::Device::From(handle));
  }
  const std::shared_ptr<Context>& context() const { return context_; }

  // Copies to the host on a queue of the device's own and waits.
  Status ReadBlocking(berth_memory* source, uint64_t offset, uint64_t size, void* target);

  // Streams announce their queues, for Synchronize.
  void AddQueue(cl_command_queue queue);
  void RemoveQueue(cl_command_queue queue);

 private:
  OpenClDevice(std::shared_ptr<Context> context, const sdk::DeviceInfo& info)
      : context_(std::move(context)), info_(info) {}
  Status Reserve(uint64_t size);
  void Unreserve(uint64_t size);
  Status Fill(Memory* memory);

  const std::shared_ptr<Context> context_;
  const sdk::DeviceInfo info_;
  ClQueue transfers_;  // maps pinned memory and serves ReadBlocking

  std::mutex mutex_;
  std::vector<cl_command_queue> queues_;
  uint64_t bytes_in_use_ = 0;
  uint64_t peak_bytes_ = 0;
  uint64_t num_allocations_ = 0;
};

}  // namespace berth::opencl
