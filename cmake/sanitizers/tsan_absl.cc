// tsan_absl.cc — tells ThreadSanitizer about absl's locks.
//
// Debian's Abseil is not built with ThreadSanitizer, so that the order its mutexes impose
// is invisible and every guarded field would be reported. Only in TSan builds, the
// linker's --wrap (cmake/sanitizers.cmake) sends our calls of absl::Mutex, CondVar,
// Notification and BlockingCounter through the functions below, which announce the order
// and call the original.
//
// While a lock is given up or waited for, absl may evaluate other waiters' conditions
// inside the library, under a lock that TSan did not see being taken: reads made there
// are ignored.

#include <absl/synchronization/blocking_counter.h>
#include <absl/synchronization/mutex.h>
#include <absl/synchronization/notification.h>
#include <sanitizer/tsan_interface.h>

extern "C" void AnnotateIgnoreReadsBegin(const char* file, int line);
extern "C" void AnnotateIgnoreReadsEnd(const char* file, int line);

namespace {

class IgnoreReads {
 public:
  IgnoreReads() { AnnotateIgnoreReadsBegin(__FILE__, __LINE__); }
  ~IgnoreReads() { AnnotateIgnoreReadsEnd(__FILE__, __LINE__); }
  IgnoreReads(const IgnoreReads&) = delete;
  IgnoreReads& operator=(const IgnoreReads&) = delete;
};

void Acquire(const void* object) { __tsan_acquire(const_cast<void*>(object)); }
void Release(const void* object) { __tsan_release(const_cast<void*>(object)); }

}  // namespace

// The mangled name of a member of absl's inline namespace, behind the linker's prefix.
#define BERTH_REAL(name) __real_##name
#define BERTH_WRAP(name) __wrap_##name

// Taking a lock without a condition.
#define BERTH_LOCK(name)                                 \
  extern "C" void BERTH_REAL(name)(absl::Mutex * mutex); \
  extern "C" void BERTH_WRAP(name)(absl::Mutex * mutex); \
  void BERTH_WRAP(name)(absl::Mutex * mutex) {           \
    BERTH_REAL(name)(mutex);                             \
    Acquire(mutex);                                      \
  }

#define BERTH_TRY_LOCK(name)                             \
  extern "C" bool BERTH_REAL(name)(absl::Mutex * mutex); \
  extern "C" bool BERTH_WRAP(name)(absl::Mutex * mutex); \
  bool BERTH_WRAP(name)(absl::Mutex * mutex) {           \
    const bool taken = BERTH_REAL(name)(mutex);          \
    if (taken) Acquire(mutex);                           \
    return taken;                                        \
  }

#define BERTH_UNLOCK(name)                               \
  extern "C" void BERTH_REAL(name)(absl::Mutex * mutex); \
  extern "C" void BERTH_WRAP(name)(absl::Mutex * mutex); \
  void BERTH_WRAP(name)(absl::Mutex * mutex) {           \
    Release(mutex);                                      \
    const IgnoreReads ignore;                            \
    BERTH_REAL(name)(mutex);                             \
  }

// Waiting for a condition; the lock is held before (Await) or only after (LockWhen). A
// release that gives nothing up is harmless.
#define BERTH_AWAIT(name)                                                             \
  extern "C" void BERTH_REAL(name)(absl::Mutex * mutex, const absl::Condition& when); \
  extern "C" void BERTH_WRAP(name)(absl::Mutex * mutex, const absl::Condition& when); \
  void BERTH_WRAP(name)(absl::Mutex * mutex, const absl::Condition& when) {           \
    Release(mutex);                                                                   \
    {                                                                                 \
      const IgnoreReads ignore;                                                       \
      BERTH_REAL(name)(mutex, when);                                                  \
    }                                                                                 \
    Acquire(mutex);                                                                   \
  }

#define BERTH_AWAIT_LIMITED(name, Limit)                                                 \
  extern "C" bool BERTH_REAL(name)(absl::Mutex * mutex, const absl::Condition& when,     \
                                   Limit limit);                                         \
  extern "C" bool BERTH_WRAP(name)(absl::Mutex * mutex, const absl::Condition& when,     \
                                   Limit limit);                                         \
  bool BERTH_WRAP(name)(absl::Mutex * mutex, const absl::Condition& when, Limit limit) { \
    Release(mutex);                                                                      \
    bool met = false;                                                                    \
    {                                                                                    \
      const IgnoreReads ignore;                                                          \
      met = BERTH_REAL(name)(mutex, when, limit);                                        \
    }                                                                                    \
    Acquire(mutex);                                                                      \
    return met;                                                                          \
  }

#define BERTH_WAIT_LIMITED(name, Limit)                                          \
  extern "C" bool BERTH_REAL(name)(absl::CondVar * var, absl::Mutex * mutex,     \
                                   Limit limit);                                 \
  extern "C" bool BERTH_WRAP(name)(absl::CondVar * var, absl::Mutex * mutex,     \
                                   Limit limit);                                 \
  bool BERTH_WRAP(name)(absl::CondVar * var, absl::Mutex * mutex, Limit limit) { \
    Release(mutex);                                                              \
    bool timed_out = false;                                                      \
    {                                                                            \
      const IgnoreReads ignore;                                                  \
      timed_out = BERTH_REAL(name)(var, mutex, limit);                           \
    }                                                                            \
    Acquire(mutex);                                                              \
    return timed_out;                                                            \
  }

BERTH_LOCK(_ZN4absl7debian35Mutex4LockEv)
BERTH_LOCK(_ZN4absl7debian35Mutex10ReaderLockEv)
BERTH_TRY_LOCK(_ZN4absl7debian35Mutex7TryLockEv)
BERTH_TRY_LOCK(_ZN4absl7debian35Mutex13ReaderTryLockEv)
BERTH_UNLOCK(_ZN4absl7debian35Mutex6UnlockEv)
BERTH_UNLOCK(_ZN4absl7debian35Mutex12ReaderUnlockEv)
BERTH_AWAIT(_ZN4absl7debian35Mutex5AwaitERKNS0_9ConditionE)
BERTH_AWAIT(_ZN4absl7debian35Mutex8LockWhenERKNS0_9ConditionE)
BERTH_AWAIT(_ZN4absl7debian35Mutex14ReaderLockWhenERKNS0_9ConditionE)
BERTH_AWAIT_LIMITED(
    _ZN4absl7debian35Mutex16AwaitWithTimeoutERKNS0_9ConditionENS0_8DurationE,
    absl::Duration)
BERTH_AWAIT_LIMITED(_ZN4absl7debian35Mutex17AwaitWithDeadlineERKNS0_9ConditionENS0_4TimeE,
                    absl::Time)
BERTH_AWAIT_LIMITED(
    _ZN4absl7debian35Mutex19LockWhenWithTimeoutERKNS0_9ConditionENS0_8DurationE,
    absl::Duration)
BERTH_AWAIT_LIMITED(
    _ZN4absl7debian35Mutex20LockWhenWithDeadlineERKNS0_9ConditionENS0_4TimeE, absl::Time)
BERTH_WAIT_LIMITED(_ZN4absl7debian37CondVar15WaitWithTimeoutEPNS0_5MutexENS0_8DurationE,
                   absl::Duration)
BERTH_WAIT_LIMITED(_ZN4absl7debian37CondVar16WaitWithDeadlineEPNS0_5MutexENS0_4TimeE,
                   absl::Time)

extern "C" {

void __real__ZN4absl7debian37CondVar4WaitEPNS0_5MutexE(absl::CondVar*, absl::Mutex*);
void __wrap__ZN4absl7debian37CondVar4WaitEPNS0_5MutexE(absl::CondVar*, absl::Mutex*);
void __wrap__ZN4absl7debian37CondVar4WaitEPNS0_5MutexE(absl::CondVar* var,
                                                       absl::Mutex* mutex) {
  Release(mutex);
  {
    const IgnoreReads ignore;
    __real__ZN4absl7debian37CondVar4WaitEPNS0_5MutexE(var, mutex);
  }
  Acquire(mutex);
}

void __real__ZN4absl7debian312Notification6NotifyEv(absl::Notification*);
void __wrap__ZN4absl7debian312Notification6NotifyEv(absl::Notification*);
void __wrap__ZN4absl7debian312Notification6NotifyEv(absl::Notification* notification) {
  Release(notification);
  __real__ZN4absl7debian312Notification6NotifyEv(notification);
}

void __real__ZNK4absl7debian312Notification19WaitForNotificationEv(
    const absl::Notification*);
void __wrap__ZNK4absl7debian312Notification19WaitForNotificationEv(
    const absl::Notification*);
void __wrap__ZNK4absl7debian312Notification19WaitForNotificationEv(
    const absl::Notification* notification) {
  __real__ZNK4absl7debian312Notification19WaitForNotificationEv(notification);
  Acquire(notification);
}

bool __real__ZNK4absl7debian312Notification30WaitForNotificationWithTimeoutENS0_8DurationE(
    const absl::Notification*, absl::Duration);
bool __wrap__ZNK4absl7debian312Notification30WaitForNotificationWithTimeoutENS0_8DurationE(
    const absl::Notification*, absl::Duration);
bool __wrap__ZNK4absl7debian312Notification30WaitForNotificationWithTimeoutENS0_8DurationE(
    const absl::Notification* notification, absl::Duration limit) {
  const bool notified =
      __real__ZNK4absl7debian312Notification30WaitForNotificationWithTimeoutENS0_8DurationE(
          notification, limit);
  if (notified) Acquire(notification);
  return notified;
}

bool __real__ZN4absl7debian315BlockingCounter14DecrementCountEv(absl::BlockingCounter*);
bool __wrap__ZN4absl7debian315BlockingCounter14DecrementCountEv(absl::BlockingCounter*);
bool __wrap__ZN4absl7debian315BlockingCounter14DecrementCountEv(
    absl::BlockingCounter* counter) {
  Release(counter);
  return __real__ZN4absl7debian315BlockingCounter14DecrementCountEv(counter);
}

void __real__ZN4absl7debian315BlockingCounter4WaitEv(absl::BlockingCounter*);
void __wrap__ZN4absl7debian315BlockingCounter4WaitEv(absl::BlockingCounter*);
void __wrap__ZN4absl7debian315BlockingCounter4WaitEv(absl::BlockingCounter* counter) {
  __real__ZN4absl7debian315BlockingCounter4WaitEv(counter);
  Acquire(counter);
}

}  // extern "C"
