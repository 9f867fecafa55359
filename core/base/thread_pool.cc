#include "core/base/thread_pool.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace berth {
namespace {

// Pieces per thread: enough that a slow thread leaves work to the others.
constexpr int64_t kPiecesPerThread = 4;

// One ParallelFor call. Lives on the caller's stack; helpers hold it only between Enter
// (under the pool's lock, while it is listed) and Leave.
struct Job {
  ThreadPool::RangeFn fn;
  void* arg;
  int64_t total;
  int64_t piece;
  std::atomic<int64_t> next{0};
  int helpers = 0;  // guarded by the pool's mutex

  void Work() {
    for (;;) {
      const int64_t begin = next.fetch_add(piece, std::memory_order_relaxed);
      if (begin >= total) return;
      fn(arg, begin, std::min(begin + piece, total));
    }
  }
  bool HasWork() const { return next.load(std::memory_order_relaxed) < total; }
};

int UsableCores() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) == 0) return std::max(1, CPU_COUNT(&set));
  return static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
}

}  // namespace

struct ThreadPool::Impl {
  std::mutex mutex;
  std::condition_variable work_ready;
  std::condition_variable job_left;
  std::vector<Job*> jobs;
  std::deque<std::function<void()>> tasks;
  bool stop = false;
  std::vector<std::thread> threads;

  Job* FindJob() {
    for (Job* job : jobs) {
      if (job->HasWork()) return job;
    }
    return nullptr;
  }

  void ThreadMain() {
    std::unique_lock lock(mutex);
    for (;;) {
      if (Job* job = FindJob()) {
        ++job->helpers;
        lock.unlock();
        job->Work();
        lock.lock();
        if (--job->helpers == 0) job_left.notify_all();
      } else if (!tasks.empty()) {
        std::function<void()> task = std::move(tasks.front());
        tasks.pop_front();
        lock.unlock();
        task();
        lock.lock();
      } else if (stop) {
        return;
      } else {
        work_ready.wait(lock);
      }
    }
  }
};

ThreadPool::ThreadPool(int num_threads)
    : num_threads_(std::max(1, num_threads)), impl_(std::make_unique<Impl>()) {
  impl_->jobs.reserve(64);
  for (int i = 1; i < num_threads_; ++i) {
    impl_->threads.emplace_back([this] { impl_->ThreadMain(); });
  }
}

ThreadPool::~ThreadPool() {
  {
    std::lock_guard lock(impl_->mutex);
    impl_->stop = true;
  }
  impl_->work_ready.notify_all();
  for (std::thread& thread : impl_->threads) thread.join();
}

void ThreadPool::ParallelFor(int64_t total, int64_t grain, RangeFn fn, void* arg) {
  if (total <= 0) return;
  const int64_t pieces = std::min(total / std::max<int64_t>(grain, 1),
                                  static_cast<int64_t>(num_threads_) * kPiecesPerThread);
  if (pieces <= 1 || num_threads_ == 1) {
    fn(arg, 0, total);
    return;
  }
  Job job{fn, arg, total, (total + pieces - 1) / pieces};
  {
    std::lock_guard lock(impl_->mutex);
    impl_->jobs.push_back(&job);
  }
  const int64_t wanted = std::min<int64_t>(pieces - 1, num_threads_ - 1);
  if (wanted >= num_threads_ - 1) {
    impl_->work_ready.notify_all();
  } else {
    for (int64_t i = 0; i < wanted; ++i) impl_->work_ready.notify_one();
  }
  job.Work();
  std::unique_lock lock(impl_->mutex);
  impl_->jobs.erase(std::find(impl_->jobs.begin(), impl_->jobs.end(), &job));
  impl_->job_left.wait(lock, [&job] { return job.helpers == 0; });
}

void ThreadPool::Schedule(std::function<void()> task) {
  if (num_threads_ == 1) {
    task();
    return;
  }
  {
    std::lock_guard lock(impl_->mutex);
    impl_->tasks.push_back(std::move(task));
  }
  impl_->work_ready.notify_one();
}

ThreadPool* ThreadPool::Default() {
  // Never destroyed: plugins may still be running when the process ends.
  static ThreadPool* pool = new ThreadPool(UsableCores());
  return pool;
}

}  // namespace berth
