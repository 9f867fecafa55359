#include "core/session/testing/allocations.h"

#include <algorithm>
#include <cstdlib>
#include <new>

namespace {

thread_local int64_t* counted = nullptr;

}  // namespace

void* operator new(size_t size) {
  if (counted != nullptr) ++*counted;
  void* memory = std::malloc(std::max<size_t>(size, 1));
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void* operator new(size_t size, const std::nothrow_t&) noexcept {
  if (counted != nullptr) ++*counted;
  return std::malloc(std::max<size_t>(size, 1));
}
void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }

namespace berth::testing {

AllocationCounter::AllocationCounter() { counted = &count_; }
AllocationCounter::~AllocationCounter() { counted = nullptr; }

}  // namespace berth::testing
