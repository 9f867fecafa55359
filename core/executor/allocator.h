// The allocator over a device's raw memory.
#pragma once

#include <berth/device.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/buffer.h"
#include "core/base/status.h"
#include "core/registry/device.h"

namespace berth::executor {

// Best fit with coalescing over regions taken from the plugin. One per device and
// process, shared by the sessions that use the device. Thread-safe. Buffers keep it
// alive.
class DeviceAllocator : public std::enable_shared_from_this<DeviceAllocator> {
 public:
  struct Options {
    // Of the device's TOTAL memory; 0 = all of it. Caps what this allocator takes: the
    // driver's own needs come on top.
    double memory_fraction = 0;
    // Take regions as they are needed instead of everything at once.
    bool allow_growth = true;
  };
  struct Stats {
    uint64_t bytes_in_use = 0;
    uint64_t peak_bytes_in_use = 0;
    uint64_t bytes_reserved = 0;  // taken from the plugin
    uint64_t bytes_limit = 0;     // 0 = none known
    int64_t num_allocations = 0;  // ever
  };

  // `handle` is open; the device outlives the allocator.
  DeviceAllocator(const Device* device, berth_device* handle, const Options& options);
  ~DeviceAllocator();
  DeviceAllocator(const DeviceAllocator&) = delete;
  DeviceAllocator& operator=(const DeviceAllocator&) = delete;

  // Memory at the device's base alignment. `holder` names who wants it (a node, an
  // arena). The only failure is RESOURCE_EXHAUSTED, which lists the largest holders. Size
  // 0 gives an empty buffer.
  Result<BufferRef> Allocate(uint64_t size, std::string_view holder);

  uint64_t largest_allocation() const;
  Stats stats() const;

 private:
  class ChunkBuffer;
  struct Impl;

  std::unique_ptr<Impl> impl_;
};

}  // namespace berth::executor
