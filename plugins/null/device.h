// The device of the null plugin: every answer is UNIMPLEMENTED.
#pragma once

#include <memory>

#include "sdk/cpp/device.h"

namespace berth::null_plugin {

// An open device. The host makes one when a session first needs it and deletes it after
// everything that came from it. All methods may be called from any thread at any time.
class NullDevice : public sdk::Device {
 public:
  // At least DeviceInfo::base_alignment aligned; `size` is above 0. Answer
  // sdk::ResourceExhausted when there is none left: the host then tries to free some and
  // names the largest holders. The handle is whatever identifies the memory to you: cast
  // a pointer to your own struct.
  sdk::Result<berth_memory*> Allocate(berth_memory_kind kind, uint64_t size) override;
  void Free(berth_memory* memory) override;
  // The address at which the host may read and write the memory; nullptr when it cannot.
  // BERTH_MEMORY_PINNED and BERTH_MEMORY_HOST_VISIBLE always have one.
  void* HostAddress(berth_memory* memory) override;
  // Optional: what `berth devices` shows of the memory in use.
  void MemoryStats(berth_memory_stats* stats) override;

  // A device that is BERTH_DEVICE_IS_HOST and BERTH_DEVICE_SYNCHRONOUS needs neither.
  sdk::Result<std::unique_ptr<sdk::Stream>> CreateStream() override;
  sdk::Result<std::unique_ptr<sdk::Event>> CreateEvent() override;
  // Returns when everything on all streams of the device is done.
  sdk::Status Synchronize() override;
};

}  // namespace berth::null_plugin
