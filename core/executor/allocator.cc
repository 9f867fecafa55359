#include "core/executor/allocator.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"

namespace berth::executor {
namespace {

constexpr uint64_t kFirstRegion = uint64_t{1} << 20;
constexpr uint64_t kLargestGrowth = uint64_t{256} << 20;
constexpr size_t kHoldersListed = 5;

// A piece of a region, in use or free. Neighbours are linked in order of offset.
struct Chunk {
  berth_memory* memory = nullptr;
  char* host_address = nullptr;  // of the region; NULL when it has none
  uint64_t offset = 0;
  uint64_t size = 0;
  bool is_free = true;
  Chunk* previous = nullptr;
  Chunk* next = nullptr;
  std::string holder;
};

struct BySize {
  bool operator()(const Chunk* a, const Chunk* b) const {
    if (a->size != b->size) return a->size < b->size;
    if (a->memory != b->memory) return std::less<>()(a->memory, b->memory);
    return a->offset < b->offset;
  }
};

std::string Megabytes(uint64_t bytes) {
  if (bytes < (uint64_t{1} << 20)) return std::to_string(bytes) + " bytes";
  return std::to_string(bytes >> 20) + " MiB";
}

}  // namespace

struct DeviceAllocator::Impl {
  const Device* device;
  berth_device* handle;
  Options options;
  uint64_t limit = 0;      // 0 = none
  uint64_t largest = 0;    // 0 = none
  uint64_t alignment = 1;  // of sizes and offsets
  mutable absl::Mutex mutex;
  uint64_t next_region ABSL_GUARDED_BY(mutex) = kFirstRegion;
  std::vector<berth_memory*> regions ABSL_GUARDED_BY(mutex);
  std::set<Chunk*, BySize> free_chunks ABSL_GUARDED_BY(mutex);
  std::set<Chunk*> used_chunks ABSL_GUARDED_BY(mutex);
  Stats stats ABSL_GUARDED_BY(mutex);

  const berth_device_api& api() const { return *device->api(); }

  Chunk* Take(uint64_t size, std::string_view holder)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex);
  Status Grow(uint64_t size) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex);
  Status AddRegion(uint64_t size) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex);
  void Return(Chunk* chunk);
  std::string Holders() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex);
};

// The memory of one chunk as a Buffer.
class DeviceAllocator::ChunkBuffer : public Buffer {
 public:
  ChunkBuffer(std::shared_ptr<DeviceAllocator> allocator, Chunk* chunk, uint64_t size)
      : allocator_(std::move(allocator)), chunk_(chunk) {
    memory_ = chunk->memory;
    offset_ = chunk->offset;
    size_ = size;
    if (chunk->host_address != nullptr) host_data_ = chunk->host_address + chunk->offset;
    device_ = allocator_->impl_->device;
  }
  ~ChunkBuffer() override { allocator_->impl_->Return(chunk_); }

 private:
  std::shared_ptr<DeviceAllocator> allocator_;
  Chunk* chunk_;
};

DeviceAllocator::DeviceAllocator(const Device* device, berth_device* handle,
                                 const Options& options)
    : impl_(std::make_unique<Impl>()) {
  const DeviceDesc& desc = device->desc();
  impl_->device = device;
  impl_->handle = handle;
  impl_->options = options;
  impl_->largest = desc.largest_allocation;
  impl_->alignment = std::max<uint64_t>(desc.base_alignment, 1);
  impl_->limit = desc.memory_bytes;
  if (options.memory_fraction > 0) {
    impl_->limit = static_cast<uint64_t>(static_cast<double>(desc.memory_bytes) *
                                         options.memory_fraction);
  }
  absl::MutexLock lock(&impl_->mutex);
  impl_->stats.bytes_limit = impl_->limit;
}

DeviceAllocator::~DeviceAllocator() {
  absl::MutexLock lock(&impl_->mutex);
  // Buffers keep the allocator alive, so every chunk is free and each region is whole.
  for (Chunk* chunk : impl_->free_chunks) delete chunk;
  for (berth_memory* memory : impl_->regions) impl_->api().free(impl_->handle, memory);
}

uint64_t DeviceAllocator::largest_allocation() const { return impl_->largest; }

DeviceAllocator::Stats DeviceAllocator::stats() const {
  absl::MutexLock lock(&impl_->mutex);
  return impl_->stats;
}

Status DeviceAllocator::Impl::AddRegion(uint64_t size) {
  berth_memory* memory = nullptr;
  berth_error error = EmptyError();
  const berth_status_code code =
      api().allocate(handle, BERTH_MEMORY_DEVICE, size, &memory, &error);
  if (code != BERTH_OK) return TakeError(code, &error, device->name());
  regions.push_back(memory);
  stats.bytes_reserved += size;
  auto* chunk = new Chunk;
  chunk->memory = memory;
  chunk->size = size;
  if (api().host_address != nullptr) {
    chunk->host_address = static_cast<char*>(api().host_address(handle, memory));
  }
  free_chunks.insert(chunk);
  return OkStatus();
}

Status DeviceAllocator::Impl::Grow(uint64_t size) {
  if (largest != 0 && size > largest) {
    return ResourceExhausted("the device allocates at most " + Megabytes(largest) +
                             " at once, but " + Megabytes(size) +
                             " were asked for; make the batch or the tensor smaller");
  }
  uint64_t left = limit == 0 ? UINT64_MAX : limit - std::min(limit, stats.bytes_reserved);
  if (size > left) {
    return ResourceExhausted("the limit of " + Megabytes(limit) + " is reached");
  }
  uint64_t wanted = options.allow_growth ? std::max(size, next_region) : left;
  if (!options.allow_growth && limit == 0) wanted = std::max(size, kLargestGrowth);
  wanted = std::min(wanted, left);
  if (largest != 0) wanted = std::min(wanted, largest);
  wanted = std::max(wanted / alignment * alignment, size);
  Status status = AddRegion(wanted);
  // A device whose memory others use too may still have a part of it, or what is needed
  // now.
  while (!status.ok() && wanted > size) {
    wanted = std::max(wanted * 9 / 10 / alignment * alignment, size);
    status = AddRegion(wanted);
  }
  if (status.ok()) next_region = std::min(next_region * 2, kLargestGrowth);
  return status;
}

Chunk* DeviceAllocator::Impl::Take(uint64_t size, std::string_view holder) {
  Chunk probe;
  probe.size = size;
  auto it = free_chunks.lower_bound(&probe);
  if (it == free_chunks.end()) return nullptr;
  Chunk* chunk = *it;
  free_chunks.erase(it);
  if (chunk->size > size) {
    auto* rest = new Chunk(*chunk);
    rest->offset += size;
    rest->size -= size;
    rest->previous = chunk;
    if (rest->next != nullptr) rest->next->previous = rest;
    chunk->next = rest;
    chunk->size = size;
    free_chunks.insert(rest);
  }
  chunk->is_free = false;
  chunk->holder = holder;
  used_chunks.insert(chunk);
  stats.bytes_in_use += size;
  stats.peak_bytes_in_use = std::max(stats.peak_bytes_in_use, stats.bytes_in_use);
  ++stats.num_allocations;
  return chunk;
}

void DeviceAllocator::Impl::Return(Chunk* chunk) {
  absl::MutexLock lock(&mutex);
  used_chunks.erase(chunk);
  stats.bytes_in_use -= chunk->size;
  chunk->is_free = true;
  chunk->holder.clear();
  const auto absorb_next = [](Chunk* first) {
    Chunk* next = first->next;
    first->size += next->size;
    first->next = next->next;
    if (first->next != nullptr) first->next->previous = first;
    delete next;
  };
  if (chunk->next != nullptr && chunk->next->is_free) {
    free_chunks.erase(chunk->next);
    absorb_next(chunk);
  }
  if (chunk->previous != nullptr && chunk->previous->is_free) {
    chunk = chunk->previous;
    free_chunks.erase(chunk);
    absorb_next(chunk);
  }
  free_chunks.insert(chunk);
}

std::string DeviceAllocator::Impl::Holders() const {
  std::map<std::string_view, uint64_t> bytes;
  for (const Chunk* chunk : used_chunks) bytes[chunk->holder] += chunk->size;
  std::vector<std::pair<uint64_t, std::string_view>> sorted;
  for (const auto& [holder, size] : bytes) sorted.emplace_back(size, holder);
  std::sort(sorted.rbegin(), sorted.rend());
  std::string text;
  for (size_t i = 0; i < std::min(sorted.size(), kHoldersListed); ++i) {
    text += (i == 0 ? " Largest holders: " : ", ") + std::string(sorted[i].second) + " " +
            Megabytes(sorted[i].first);
  }
  return text.empty() ? text : text + ".";
}

Result<BufferRef> DeviceAllocator::Allocate(uint64_t size, std::string_view holder) {
  if (size > UINT64_MAX - impl_->alignment) {
    return ResourceExhausted("no memory for " + std::to_string(size) + " bytes");
  }
  uint64_t rounded = (size + impl_->alignment - 1) / impl_->alignment * impl_->alignment;
  rounded = std::max(rounded, impl_->alignment);
  absl::MutexLock lock(&impl_->mutex);
  Chunk* chunk = impl_->Take(rounded, holder);
  if (chunk == nullptr) {
    Status grown = impl_->Grow(rounded);
    if (!grown.ok()) {
      return ResourceExhausted("out of memory on " + impl_->device->name() +
                               ": no room for " + Megabytes(size) + " wanted by " +
                               std::string(holder) + " (" + std::string(grown.message()) +
                               "). In use: " + Megabytes(impl_->stats.bytes_in_use) +
                               " of " + Megabytes(impl_->stats.bytes_reserved) +
                               " taken." + impl_->Holders());
    }
    chunk = impl_->Take(rounded, holder);
  }
  return BufferRef(new ChunkBuffer(shared_from_this(), chunk, size));
}

}  // namespace berth::executor
