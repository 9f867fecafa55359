// oneDNN behind the pool: its primitives run with one OpenMP thread on whichever thread
// calls them, and ParallelFor splits the work.
#pragma once

#include <omp.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <oneapi/dnnl/dnnl.hpp>
#include <vector>

#include "kernels-cpu/common.h"

namespace berth::cpu {

// While it lives, OpenMP on this thread forms no team. The caller's setting comes back.
class OneThread {
 public:
  OneThread() : before_(omp_get_max_threads()) {
    if (before_ != 1) omp_set_num_threads(1);
  }
  ~OneThread() {
    if (before_ != 1) omp_set_num_threads(before_);
  }
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  int before_;
};

// The process's engine. Thread-safe.
const dnnl::engine& Engine();

// A primitive that any number of threads execute at once. Its memory objects are kept in
// slots, so that a call finds them ready; the data come with each call.
class Primitive {
 public:
  struct Argument {
    int id;  // DNNL_ARG_SRC and so on
    dnnl::memory::desc desc;
  };

  Primitive() = default;
  // `arguments` in the order of Run's pointers. The scratchpad is the user's and is added
  // as the last argument when `scratchpad` is not empty.
  Primitive(dnnl::primitive primitive, std::vector<Argument> arguments,
            const dnnl::memory::desc& scratchpad, int num_slots);

  // Bytes that the last pointer of Run must have room for; 0 = no such pointer.
  size_t scratch_size() const { return scratch_size_; }
  bool empty() const { return state_ == nullptr; }

  // Executes on the calling thread. `data` has one pointer an argument, then the
  // scratchpad's (64-byte aligned) if there is one. False when oneDNN failed.
  bool Run(void* const* data) const;

 private:
  struct Slot;
  struct State;
  std::shared_ptr<const State> state_;
  size_t scratch_size_ = 0;
};

// f32 row-major C[m,n] = op(A) op(B), on the calling thread. lda and so on are the row
// lengths of the matrices as they are stored.
bool Sgemm(bool transpose_a, bool transpose_b, int64_t m, int64_t n, int64_t k,
           const float* a, int64_t lda, const float* b, int64_t ldb, float* c,
           int64_t ldc);

}  // namespace berth::cpu
