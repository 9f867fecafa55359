// Devices as classes.
#pragma once

#include <berth/device.h>

#include <memory>
#include <string>
#include <vector>

#include "sdk/cpp/namespace.h"
#include "sdk/cpp/status.h"

BERTH_SDK_BEGIN

// A point of a stream. Thread rule as in <berth/device.h>.
class Event {
 public:
  virtual ~Event() = default;
  virtual bool IsDone() = 0;
  virtual Status Wait() = 0;
  // Calls `fn` once when done; the default waits on the calling thread.
  virtual void OnReady(berth_ready_fn fn, void* arg) {
    const Status status = Wait();
    fn(arg, status.code(), status.message());
  }
  virtual uint64_t TimestampNs() { return 0; }
};

// An in-order queue of work.
class Stream {
 public:
  virtual ~Stream() = default;
  virtual Status Copy(const berth_copy_args& args) = 0;
  virtual Status Flush() { return {}; }
  virtual Status Synchronize() = 0;
  virtual Status Record(Event* event) = 0;
  virtual Status WaitFor(Event* event) = 0;
};

// An open device. Memory handles are the plugin's own pointers.
class Device {
 public:
  virtual ~Device() = default;
  virtual Result<berth_memory*> Allocate(berth_memory_kind kind, uint64_t size) = 0;
  virtual void Free(berth_memory* memory) = 0;
  virtual void* HostAddress(berth_memory* memory) = 0;
  virtual void MemoryStats(berth_memory_stats* stats) { (void)stats; }
  virtual Result<std::unique_ptr<Stream>> CreateStream() = 0;
  virtual Result<std::unique_ptr<Event>> CreateEvent() = 0;
  virtual Status Synchronize() = 0;

  // The class behind a handle that the host passes to a kernel's create or compute.
  static Device* From(berth_device* handle) { return reinterpret_cast<Device*>(handle); }
};

inline Stream* StreamFrom(berth_stream* handle) {
  return reinterpret_cast<Stream*>(handle);
}

// What enumerate answers: strings are owned here.
struct DeviceInfo {
  std::string type;
  int32_t index = 0;
  int32_t priority = 200;
  std::string name;
  std::string physical_id;
  std::string driver;
  uint64_t memory_bytes = 0;
  uint64_t largest_allocation = 0;
  uint32_t base_alignment = 64;
  uint32_t flags = 0;
};

namespace internal {

// The only trampolines between the C device table and the classes above.
struct DeviceTrampoline {
  static Device* Dev(berth_device* d) { return reinterpret_cast<Device*>(d); }
  static Stream* Str(berth_stream* s) { return reinterpret_cast<Stream*>(s); }
  static Event* Evt(berth_event* e) { return reinterpret_cast<Event*>(e); }

  static void Close(berth_device* device) noexcept { delete Dev(device); }
  static berth_status_code Allocate(berth_device* device, berth_memory_kind kind,
                                    uint64_t size, berth_memory** out,
                                    berth_error* error) noexcept {
    return Guard(error, [&]() -> Status {
      Result<berth_memory*> memory = Dev(device)->Allocate(kind, size);
      if (!memory.ok()) return memory.status();
      *out = *memory;
      return {};
    });
  }
  static void Free(berth_device* device, berth_memory* memory) noexcept {
    Dev(device)->Free(memory);
  }
  static void* HostAddress(berth_device* device, berth_memory* memory) noexcept {
    return Dev(device)->HostAddress(memory);
  }
  static void MemoryStats(berth_device* device, berth_memory_stats* out) noexcept {
    if (BERTH_HAS_FIELD(out, berth_memory_stats, bytes_limit))
      Dev(device)->MemoryStats(out);
  }
  static berth_status_code CreateStream(berth_device* device, berth_stream** out,
                                        berth_error* error) noexcept {
    return Guard(error, [&]() -> Status {
      Result<std::unique_ptr<Stream>> stream = Dev(device)->CreateStream();
      if (!stream.ok()) return stream.status();
      *out = reinterpret_cast<berth_stream*>(stream->release());
      return {};
    });
  }
  static void DestroyStream(berth_stream* stream) noexcept { delete Str(stream); }
  static berth_status_code Copy(berth_stream* stream, const berth_copy_args* args,
                                berth_error* error) noexcept {
    return Guard(error, [&] { return Str(stream)->Copy(*args); });
  }
  static berth_status_code Flush(berth_stream* stream, berth_error* error) noexcept {
    return Guard(error, [&] { return Str(stream)->Flush(); });
  }
  static berth_status_code SynchronizeStream(berth_stream* stream,
                                             berth_error* error) noexcept {
    return Guard(error, [&] { return Str(stream)->Synchronize(); });
  }
  static berth_status_code SynchronizeDevice(berth_device* device,
                                             berth_error* error) noexcept {
    return Guard(error, [&] { return Dev(device)->Synchronize(); });
  }
  static berth_status_code CreateEvent(berth_device* device, berth_event** out,
                                       berth_error* error) noexcept {
    return Guard(error, [&]() -> Status {
      Result<std::unique_ptr<Event>> event = Dev(device)->CreateEvent();
      if (!event.ok()) return event.status();
      *out = reinterpret_cast<berth_event*>(event->release());
      return {};
    });
  }
  static void DestroyEvent(berth_event* event) noexcept { delete Evt(event); }
  static berth_status_code RecordEvent(berth_stream* stream, berth_event* event,
                                       berth_error* error) noexcept {
    return Guard(error, [&] { return Str(stream)->Record(Evt(event)); });
  }
  static berth_status_code StreamWaitEvent(berth_stream* stream, berth_event* event,
                                           berth_error* error) noexcept {
    return Guard(error, [&] { return Str(stream)->WaitFor(Evt(event)); });
  }
  static int32_t QueryEvent(berth_event* event) noexcept { return Evt(event)->IsDone(); }
  static berth_status_code WaitEvent(berth_event* event, berth_error* error) noexcept {
    return Guard(error, [&] { return Evt(event)->Wait(); });
  }
  static berth_status_code OnReady(berth_event* event, berth_ready_fn fn,
                                   void* arg) noexcept {
    return Guard(nullptr, [&]() -> Status {
      Evt(event)->OnReady(fn, arg);
      return {};
    });
  }
  static uint64_t EventTimestamp(berth_event* event) noexcept {
    return Evt(event)->TimestampNs();
  }
};

}  // namespace internal

// Fills every entry of a device table but enumerate, open and extensions (Plugin does
// those).
inline void FillDeviceApi(berth_device_api* api) {
  using T = internal::DeviceTrampoline;
  api->struct_size = sizeof(*api);
  api->close = &T::Close;
  api->allocate = &T::Allocate;
  api->free = &T::Free;
  api->host_address = &T::HostAddress;
  api->memory_stats = &T::MemoryStats;
  api->create_stream = &T::CreateStream;
  api->destroy_stream = &T::DestroyStream;
  api->copy = &T::Copy;
  api->flush = &T::Flush;
  api->synchronize_stream = &T::SynchronizeStream;
  api->synchronize_device = &T::SynchronizeDevice;
  api->create_event = &T::CreateEvent;
  api->destroy_event = &T::DestroyEvent;
  api->record_event = &T::RecordEvent;
  api->stream_wait_event = &T::StreamWaitEvent;
  api->query_event = &T::QueryEvent;
  api->wait_event = &T::WaitEvent;
  api->on_ready = &T::OnReady;
  api->event_timestamp = &T::EventTimestamp;
}

BERTH_SDK_END
