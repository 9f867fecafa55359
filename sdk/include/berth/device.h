// Devices: what exists, memory, copies, streams and events.
#ifndef BERTH_DEVICE_H_
#define BERTH_DEVICE_H_

#include <berth/extension.h>
#include <berth/status.h>
#include <berth/tensor.h>

BERTH_BEGIN_C

// Opaque objects of the plugin. A device is opened once a session needs it.
typedef struct berth_device berth_device;
typedef struct berth_stream berth_stream;
typedef struct berth_event berth_event;

typedef enum berth_device_flags {
  // Memory of kind BERTH_MEMORY_DEVICE is ordinary host memory: views have host_data, and
  // the host moves data without copies.
  BERTH_DEVICE_IS_HOST = 1 << 0,
  // compute returns when its work is done: the host records no events on this device.
  BERTH_DEVICE_SYNCHRONOUS = 1 << 1,
  // Shares the host's memory: growth on demand is the default here.
  BERTH_DEVICE_SHARES_HOST_MEMORY = 1 << 2,
  // The ops that the host itself runs on every device (see <berth/kernel.h>) run here
  // only
  // where the kernel table has a row for them.
  BERTH_DEVICE_LISTS_CORE_OPS = 1 << 3
} berth_device_flags;

// One logical device. Plugin-owned, immutable, lives until shutdown.
typedef struct berth_device_info {
  size_t struct_size;
  const char* type;  // "OPENCL"; upper case letters, digits, '_'
  int32_t index;     // counts from 0 within the type
  int32_t priority;  // the placer prefers higher: CPU 70, accelerators 200 and more
  const char* name;  // for people: "NVIDIA H200"
  const char* physical_id;  // "pci:0000:3b:00.0", "uuid:…", "cpu:0": one physical device
                            // has one id, whichever plugin names it
  const char* driver;           // name and version of the driver
  uint64_t memory_bytes;        // total; 0 = unknown
  uint64_t largest_allocation;  // bytes of one allocation; 0 = no limit known
  uint32_t base_alignment;      // of an allocation's start and of offsets in it, bytes
  uint32_t flags;               // berth_device_flags
} berth_device_info;

typedef enum berth_memory_kind {
  BERTH_MEMORY_DEVICE = 0,       // what kernels compute on
  BERTH_MEMORY_PINNED = 1,       // host memory that copies fast; has a host address
  BERTH_MEMORY_HOST_VISIBLE = 2  // device memory with a host address
} berth_memory_kind;

typedef struct berth_memory_stats {
  size_t struct_size;
  uint64_t bytes_in_use;
  uint64_t peak_bytes_in_use;
  uint64_t num_allocations;  // alive
  uint64_t bytes_limit;      // 0 = unknown
} berth_memory_stats;

typedef struct berth_open_args {
  size_t struct_size;
  uint32_t device_list_index;  // in: which entry of enumerate's list
} berth_open_args;

typedef enum berth_copy_direction {
  BERTH_COPY_HOST_TO_DEVICE = 0,
  BERTH_COPY_DEVICE_TO_HOST = 1,
  BERTH_COPY_DEVICE_TO_DEVICE = 2,
  BERTH_COPY_PEER = 3  // from another device of the same plugin
} berth_copy_direction;

// One copy. The side that is on the host is given by address, the other by handle +
// offset. Host memory stays valid and, as a source, unchanged until the copy is done.
typedef struct berth_copy_args {
  size_t struct_size;
  int32_t direction;  // in: berth_copy_direction
  int32_t reserved;
  uint64_t size;  // in: bytes, may be 0
  const void* source_host;
  void* target_host;
  berth_memory* source;
  berth_memory* target;
  uint64_t source_offset;
  uint64_t target_offset;
  berth_device* source_device;  // PEER only
} berth_copy_args;

// Called when an event is done, with its result; must not block or call the plugin.
typedef void (*berth_ready_fn)(void* arg, berth_status_code code, const char* message);

// The device table. All calls may come from any thread; calls on one stream are not
// concurrent. Work on a stream runs in the order in which it was put there; streams run
// side by side. A failure in asynchronous work travels with the next events recorded on
// its stream, and with every event that waited for those: the first cause wins; it stays
// with the stream until synchronize_stream has returned it. An
// error that the device itself finds (a bad index, a division by zero) is set in an error
// word that the event reports the same way. `context` is the plugin table's.
typedef struct berth_device_api {
  size_t struct_size;
  const berth_extension* extensions;  // (optional)

  // Lists the devices, the same on every call. No device is BERTH_OK with count 0;
  // `error` may then say why (it is shown as the reason). The list is the plugin's.
  berth_status_code (*enumerate)(void* context, uint32_t* out_count,
                                 const berth_device_info* const** out_infos,
                                 berth_error* error);
  berth_status_code (*open)(void* context, const berth_open_args* args,
                            berth_device** out_device, berth_error* error);
  void (*close)(berth_device* device);  // after its streams, events and memory are gone

  // Memory. `allocate` gives at least base_alignment; size is > 0. Out of memory is
  // BERTH_RESOURCE_EXHAUSTED.
  berth_status_code (*allocate)(berth_device* device, berth_memory_kind kind,
                                uint64_t size, berth_memory** out_memory,
                                berth_error* error);
  void (*free)(berth_device* device, berth_memory* memory);
  void* (*host_address)(berth_device* device,
                        berth_memory* memory);  // NULL if it has none
  void (*memory_stats)(berth_device* device,
                       berth_memory_stats* out_stats);  // (optional)

  berth_status_code (*create_stream)(berth_device* device, berth_stream** out_stream,
                                     berth_error* error);
  void (*destroy_stream)(berth_stream* stream);  // waits for its work
  berth_status_code (*copy)(berth_stream* stream, const berth_copy_args* args,
                            berth_error* error);
  // Hands what was put on the stream to the hardware without waiting. (optional)
  berth_status_code (*flush)(berth_stream* stream, berth_error* error);
  berth_status_code (*synchronize_stream)(berth_stream* stream, berth_error* error);
  berth_status_code (*synchronize_device)(berth_device* device, berth_error* error);

  // Events mark a point of a stream; they may be recorded again once done.
  berth_status_code (*create_event)(berth_device* device, berth_event** out_event,
                                    berth_error* error);
  void (*destroy_event)(berth_event* event);
  berth_status_code (*record_event)(berth_stream* stream, berth_event* event,
                                    berth_error* error);
  berth_status_code (*stream_wait_event)(berth_stream* stream, berth_event* event,
                                         berth_error* error);
  // 1 = done (see wait for its result), 0 = not yet.
  int32_t (*query_event)(berth_event* event);
  berth_status_code (*wait_event)(berth_event* event, berth_error* error);
  // Calls `fn` once when the event is done, from any thread; at once if it is. (optional)
  berth_status_code (*on_ready)(berth_event* event, berth_ready_fn fn, void* arg);
  // Host-clock nanoseconds at which a done event was reached; 0 = unknown. (optional)
  uint64_t (*event_timestamp)(berth_event* event);
} berth_device_api;

BERTH_END_C

#endif  // BERTH_DEVICE_H_
