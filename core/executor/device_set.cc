#include "core/executor/device_set.h"

#include <unordered_map>
#include <utility>

#include "core/base/logging.h"

namespace berth::executor {
namespace {

// The allocators of the process, one a device, alive as long as a session uses them.
class Allocators {
 public:
  static Allocators& Global() {
    static Allocators* allocators = new Allocators;
    return *allocators;
  }

  // The first session that opens a device decides how its memory is taken.
  std::shared_ptr<DeviceAllocator> Get(const Device* device, berth_device* handle,
                                       DeviceAllocator::Options options) {
    if ((device->desc().flags & BERTH_DEVICE_SHARES_HOST_MEMORY) != 0) {
      options.allow_growth = true;
      options.memory_fraction = 0;
    }
    absl::MutexLock lock(&mutex_);
    Entry& entry = allocators_[device];
    std::shared_ptr<DeviceAllocator> allocator = entry.allocator.lock();
    if (allocator == nullptr) {
      allocator = std::make_shared<DeviceAllocator>(device, handle, options);
      entry = {allocator, options};
    } else if (entry.options.memory_fraction != options.memory_fraction) {
      Log(LogLevel::kWarning, "per_process_memory_fraction " +
                                  std::to_string(options.memory_fraction) +
                                  " of this session has no effect on " + device->name() +
                                  ": an earlier session took its memory with " +
                                  std::to_string(entry.options.memory_fraction));
    }
    return allocator;
  }

 private:
  struct Entry {
    std::weak_ptr<DeviceAllocator> allocator;
    DeviceAllocator::Options options;
  };

  absl::Mutex mutex_;
  std::unordered_map<const Device*, Entry> allocators_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace

DeviceSet::DeviceSet(std::vector<Device*> devices, const DeviceAllocator::Options& memory)
    : memory_(memory), by_space_(1, nullptr) {
  for (Device* device : devices) {
    auto context = std::make_unique<DeviceContext>();
    context->device = device;
    context->index = size();
    context->is_async = !device->is_synchronous();
    if (device->is_host()) {
      if (host_ == nullptr) host_ = context.get();
    } else {
      context->space = num_spaces();
      by_space_.push_back(context.get());
    }
    contexts_.push_back(std::move(context));
  }
}

DeviceSet::~DeviceSet() = default;

int DeviceSet::IndexOf(const Device* device) const {
  for (const auto& context : contexts_) {
    if (context->device == device) return context->index;
  }
  return -1;
}

Status DeviceSet::Open(DeviceContext& context) {
  absl::MutexLock lock(&mutex_);
  if (context.handle != nullptr) return OkStatus();
  BERTH_ASSIGN_OR_RETURN(berth_device * handle, context.device->Open());
  if (!context.on_host()) {
    context.allocator = Allocators::Global().Get(context.device, handle, memory_);
  }
  context.handle = handle;
  return OkStatus();
}

}  // namespace berth::executor
