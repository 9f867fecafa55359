// ABI structs as an older or newer side would have them.
#pragma once

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <vector>

namespace berth {

// A copy of the first `size` bytes of a struct, its struct_size set to that, right before
// a page that may not be read: whoever looks past the end crashes. `size` is a multiple
// of 8 and may be more than the struct has: the rest is garbage.
template <typename T>
class CutStruct {
 public:
  CutStruct(const T& from, size_t size) {
    const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    mapped_ = 2 * page;
    base_ = static_cast<char*>(mmap(nullptr, mapped_, PROT_READ | PROT_WRITE,
                                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    if (base_ == MAP_FAILED || mprotect(base_ + page, page, PROT_NONE) != 0) {
      ADD_FAILURE() << "no pages";
      return;
    }
    char* start = base_ + page - size;
    std::memset(start, 0xA5, size);
    std::memcpy(start, &from, std::min(size, sizeof(T)));
    std::memcpy(start, &size, sizeof(size));
    cut_ = reinterpret_cast<T*>(start);
  }
  ~CutStruct() { munmap(base_, mapped_); }
  CutStruct(const CutStruct&) = delete;
  CutStruct& operator=(const CutStruct&) = delete;

  T* get() const { return cut_; }

 private:
  char* base_ = nullptr;
  size_t mapped_ = 0;
  T* cut_ = nullptr;
};

// From an empty struct to one that a future version has made longer.
template <typename T>
std::vector<size_t> CutSizes() {
  std::vector<size_t> sizes;
  for (size_t size = sizeof(size_t); size <= sizeof(T) + 64; size += 8) {
    sizes.push_back(size);
  }
  return sizes;
}

}  // namespace berth
