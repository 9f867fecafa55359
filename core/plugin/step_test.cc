#include "core/plugin/step.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace berth {
namespace {

void Increment(void* arg) { ++*static_cast<std::atomic<int>*>(arg); }

TEST(StepTest, CancelCallsEachCallbackOnceAndKeepsTheFirstReason) {
  ThreadPool pool(1);
  berth_step step(&pool);
  std::atomic<int> calls{0};
  EXPECT_NE(step.AddCancelCallback(&Increment, &calls), 0U);
  EXPECT_NE(step.AddCancelCallback(&Increment, &calls), 0U);
  EXPECT_FALSE(step.is_cancelled());
  EXPECT_TRUE(step.reason().ok());
  EXPECT_TRUE(step.Cancel(DeadlineExceeded("too late")));
  EXPECT_FALSE(step.Cancel(Cancelled("again")));
  EXPECT_TRUE(step.is_cancelled());
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(step.reason().code(), Code::kDeadlineExceeded);
}

TEST(StepTest, CallbackOfACancelledStepIsCalledAtOnce) {
  ThreadPool pool(1);
  berth_step step(&pool);
  step.Cancel(Cancelled("stop"));
  std::atomic<int> calls{0};
  EXPECT_EQ(step.AddCancelCallback(&Increment, &calls), 0U);
  EXPECT_EQ(calls, 1);
}

TEST(StepTest, RemovedCallbackIsNotCalled) {
  ThreadPool pool(1);
  berth_step step(&pool);
  std::atomic<int> calls{0};
  const uint64_t token = step.AddCancelCallback(&Increment, &calls);
  step.RemoveCancelCallback(token);
  step.Cancel(Cancelled("stop"));
  EXPECT_EQ(calls, 0);
}

TEST(StepTest, RemoveWaitsForACallbackUnderWay) {
  ThreadPool pool(1);
  berth_step step(&pool);
  struct Work {
    std::atomic<bool> started{false};
    std::atomic<bool> finished{false};
  } work;
  const uint64_t token = step.AddCancelCallback(
      [](void* arg) {
        auto* w = static_cast<Work*>(arg);
        w->started = true;
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        w->finished = true;
      },
      &work);
  std::thread cancelling([&] { step.Cancel(Cancelled("stop")); });
  while (!work.started) std::this_thread::yield();
  step.RemoveCancelCallback(token);
  EXPECT_TRUE(work.finished);
  cancelling.join();
}

TEST(StepTest, CallbackMayRemoveItself) {
  ThreadPool pool(1);
  berth_step step(&pool);
  struct Work {
    berth_step* step;
    uint64_t token = 0;
    bool done = false;
  } work{&step};
  work.token = step.AddCancelCallback(
      [](void* arg) {
        auto* w = static_cast<Work*>(arg);
        w->step->RemoveCancelCallback(w->token);
        w->done = true;
      },
      &work);
  step.Cancel(Cancelled("stop"));
  EXPECT_TRUE(work.done);
}

TEST(StepTest, ResetMakesItNew) {
  ThreadPool pool(1);
  berth_step step(&pool);
  step.Cancel(Cancelled("stop"));
  step.Reset();
  EXPECT_FALSE(step.is_cancelled());
  EXPECT_TRUE(step.reason().ok());
  EXPECT_TRUE(step.Cancel(Cancelled("stop")));
}

TEST(StepTest, AddAndCancelFromManyThreadsCallsEachOnce) {
  ThreadPool pool(1);
  for (int round = 0; round < 20; ++round) {
    berth_step step(&pool);
    std::atomic<int> calls{0};
    std::vector<std::thread> threads;
    threads.reserve(5);
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&] {
        for (int i = 0; i < 50; ++i) step.AddCancelCallback(&Increment, &calls);
      });
    }
    threads.emplace_back([&] { step.Cancel(Cancelled("stop")); });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(calls, 200);
  }
}

}  // namespace
}  // namespace berth
