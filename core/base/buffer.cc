#include "core/base/buffer.h"

#include <cstdlib>
#include <new>

namespace berth {
namespace {

constexpr size_t kAlignment = 64;

class HostBuffer : public Buffer {
 public:
  HostBuffer(void* data, uint64_t size) {
    host_data_ = data;
    size_ = size;
  }
  ~HostBuffer() override { std::free(host_data_); }
};

class StringBuffer : public Buffer {
 public:
  explicit StringBuffer(int64_t count)
      : strings_(std::make_unique<std::string[]>(static_cast<size_t>(count))) {
    host_data_ = strings_.get();
    size_ = static_cast<uint64_t>(count) * sizeof(std::string);
  }

 private:
  std::unique_ptr<std::string[]> strings_;
};

class WrappedBuffer : public Buffer {
 public:
  WrappedBuffer(void* data, uint64_t size, void (*release)(void*), void* arg)
      : release_(release), arg_(arg) {
    host_data_ = data;
    size_ = size;
  }
  ~WrappedBuffer() override {
    if (release_ != nullptr) release_(arg_);
  }

 private:
  void (*release_)(void*);
  void* arg_;
};

}  // namespace

BufferRef AllocateHostBuffer(uint64_t size) {
  if (size > UINT64_MAX - kAlignment) return {};
  // aligned_alloc wants a multiple of the alignment; an empty buffer still has an
  // address.
  const uint64_t rounded = (size + kAlignment - 1) / kAlignment * kAlignment;
  void* data = std::aligned_alloc(kAlignment, rounded == 0 ? kAlignment : rounded);
  if (data == nullptr) return {};
  return BufferRef(new HostBuffer(data, size));
}

BufferRef AllocateStringBuffer(int64_t count) {
  return BufferRef(new StringBuffer(count));
}

BufferRef WrapHostMemory(void* data, uint64_t size, void (*release)(void* arg),
                         void* arg) {
  return BufferRef(new WrappedBuffer(data, size, release, arg));
}

}  // namespace berth
