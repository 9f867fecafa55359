// The pool that all of berth's host work shares.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

namespace berth {

// Runs ranges of work on a fixed number of threads. Work is handed out in pieces, so a
// thread that a busy neighbour slows down simply takes fewer of them. Waiting threads
// sleep: an idle process burns no CPU. Thread-safe.
class ThreadPool {
 public:
  using RangeFn = void (*)(void* arg, int64_t begin, int64_t end);

  // `num_threads` counts the caller of ParallelFor too; 1 means no thread is started.
  explicit ThreadPool(int num_threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int num_threads() const { return num_threads_; }

  // Splits [0, total) into pieces of at least `grain` and returns when all have run. The
  // caller takes part; nested calls run on what is free. No allocation; inline when one
  // piece.
  void ParallelFor(int64_t total, int64_t grain, RangeFn fn, void* arg);

  // Runs `task` on a pool thread some time later (inline when the pool has none).
  void Schedule(std::function<void()> task);

  // The process's pool: one thread a core that the process may use (its affinity mask).
  static ThreadPool* Default();

 private:
  struct Impl;
  int num_threads_;
  std::unique_ptr<Impl> impl_;
};

}  // namespace berth
