// Reference-counted memory under tensors and variables.
#pragma once

#include <berth/tensor.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace berth {

// A block of memory, on the host or on a device. Subclasses free it. Thread-safe
// counting; the contents are the users' business.
class Buffer {
 public:
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  // NULL when the host cannot address it. DT_STRING buffers hold std::string objects.
  void* host_data() const { return host_data_; }
  berth_memory* memory() const { return memory_; }
  uint64_t offset() const { return offset_; }
  uint64_t size() const { return size_; }  // bytes
  // Identifies the device the memory is on; NULL = host memory.
  const void* device() const { return device_; }

  void Ref() { count_.fetch_add(1, std::memory_order_relaxed); }
  void Unref() {
    if (count_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }
  // True when the caller's reference is the only one: it may write in place.
  bool IsUnique() const { return count_.load(std::memory_order_acquire) == 1; }

 protected:
  Buffer() = default;
  virtual ~Buffer() = default;

  void* host_data_ = nullptr;
  berth_memory* memory_ = nullptr;
  uint64_t offset_ = 0;
  uint64_t size_ = 0;
  const void* device_ = nullptr;

 private:
  std::atomic<int64_t> count_{1};
};

// Owning pointer to a Buffer.
class BufferRef {
 public:
  BufferRef() = default;
  // Takes over the caller's reference.
  explicit BufferRef(Buffer* owned) : buffer_(owned) {}
  BufferRef(const BufferRef& other) : buffer_(other.buffer_) {
    if (buffer_ != nullptr) buffer_->Ref();
  }
  BufferRef(BufferRef&& other) noexcept
      : buffer_(std::exchange(other.buffer_, nullptr)) {}
  BufferRef& operator=(BufferRef other) noexcept {
    std::swap(buffer_, other.buffer_);
    return *this;
  }
  ~BufferRef() {
    if (buffer_ != nullptr) buffer_->Unref();
  }

  Buffer* get() const { return buffer_; }
  Buffer* operator->() const { return buffer_; }
  explicit operator bool() const { return buffer_ != nullptr; }

 private:
  Buffer* buffer_ = nullptr;
};

// Host memory, 64-byte aligned, uninitialised. Size 0 gives a valid, empty buffer; an
// empty BufferRef means that there is no memory left.
BufferRef AllocateHostBuffer(uint64_t size);
// `count` empty std::string objects.
BufferRef AllocateStringBuffer(int64_t count);
// Memory of somebody else's; `release` (may be NULL) is called when the last reference
// goes.
BufferRef WrapHostMemory(void* data, uint64_t size, void (*release)(void* arg),
                         void* arg);

}  // namespace berth
