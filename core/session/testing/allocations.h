// Counting what a piece of code allocates, for tests of the hot path.
#pragma once

#include <cstdint>

namespace berth::testing {

// While it lives, counts the calls of operator new on its thread. The program must be
// linked with allocations.cc, which replaces operator new.
class AllocationCounter {
 public:
  AllocationCounter();
  ~AllocationCounter();
  AllocationCounter(const AllocationCounter&) = delete;
  AllocationCounter& operator=(const AllocationCounter&) = delete;

  int64_t count() const { return count_; }

 private:
  int64_t count_ = 0;
};

}  // namespace berth::testing
