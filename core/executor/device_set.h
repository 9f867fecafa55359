// The devices of a session, opened when first needed.
#pragma once

#include <berth/device.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "core/base/status.h"
#include "core/executor/allocator.h"
#include "core/registry/device.h"

namespace berth::executor {

// A place where tensors lie: 0 is the host's memory, which all host devices share; every
// other device has one of its own.
using Space = int32_t;
constexpr Space kHostSpace = 0;

// One device of a session.
struct DeviceContext {
  Device* device = nullptr;
  int index = 0;  // within the set
  Space space = kHostSpace;
  // Work is put on a stream and done later.
  bool is_async = false;

  // Set by Open.
  berth_device* handle = nullptr;
  std::shared_ptr<DeviceAllocator> allocator;  // NULL for host memory

  const berth_device_api& api() const { return *device->api(); }
  const std::string& name() const { return device->name(); }
  bool on_host() const { return space == kHostSpace; }
};

// Thread-safe.
class DeviceSet {
 public:
  // `devices` outlive the set.
  DeviceSet(std::vector<Device*> devices, const DeviceAllocator::Options& memory);
  ~DeviceSet();
  DeviceSet(const DeviceSet&) = delete;
  DeviceSet& operator=(const DeviceSet&) = delete;

  int size() const { return static_cast<int>(contexts_.size()); }
  DeviceContext& at(int index) { return *contexts_[index]; }
  // -1 when the device is not in the set.
  int IndexOf(const Device* device) const;
  // NULL for the host's memory.
  DeviceContext* OfSpace(Space space) const { return by_space_[space]; }
  int num_spaces() const { return static_cast<int>(by_space_.size()); }
  // The device that runs host work of the core's own: the first one on host memory, or
  // NULL.
  DeviceContext* host() const { return host_; }

  // Opens the device once: handle and allocator are there afterwards.
  Status Open(DeviceContext& context);

 private:
  const DeviceAllocator::Options memory_;
  std::vector<std::unique_ptr<DeviceContext>> contexts_;
  std::vector<DeviceContext*> by_space_;
  DeviceContext* host_ = nullptr;
  absl::Mutex mutex_;
};

}  // namespace berth::executor
