// What the host offers to a plugin.
#ifndef BERTH_HOST_H_
#define BERTH_HOST_H_

#include <berth/extension.h>
#include <berth/status.h>
#include <berth/tensor.h>

BERTH_BEGIN_C

// The host's own context; every call of the table takes it back as its first argument.
typedef struct berth_host_context berth_host_context;

// A running step. Comes with a compute context and lives until the step's last event is
// done. NULL stands for "no step": the process-wide thread pool, never cancelled.
typedef struct berth_step berth_step;

typedef enum berth_log_level {
  BERTH_LOG_DEBUG = 0,
  BERTH_LOG_INFO = 1,
  BERTH_LOG_WARNING = 2,
  BERTH_LOG_ERROR = 3
} berth_log_level;

// Work on [begin, end). Called from any thread of the pool, several at a time; must not
// throw, block, or call parallel_for on the same step with a lock held.
typedef void (*berth_range_fn)(void* arg, int64_t begin, int64_t end);

// Called once when the step is cancelled, from any thread; must not block.
typedef void (*berth_cancel_fn)(void* arg);

struct berth_compute_context;

// One profiler interval, in nanoseconds of the host's clock (see `now_ns`).
typedef struct berth_profile_event {
  size_t struct_size;
  const char* name;   // copied
  const char* track;  // stream or engine; copied
  uint64_t start_ns;
  uint64_t end_ns;
} berth_profile_event;

// Everything here may be called from any thread at any time between berth_plugin_query
// and the return of the plugin's shutdown. The table lives as long as the process. A
// plugin starts no thread and opens no cache file of its own where the table offers one.
typedef struct berth_host {
  size_t struct_size;
  uint32_t abi_version;  // BERTH_ABI_CURRENT of the host
  uint32_t reserved;
  const berth_extension* extensions;  // (optional)
  berth_host_context* context;

  void (*log)(berth_host_context* context, berth_log_level level, const char* message);

  // The value of an option that the user gave this plugin, or NULL. Owned by the host,
  // for the process's life.
  const char* (*option)(berth_host_context* context, const char* key);

  // Splits [0, total) into pieces of at least `grain` items and runs them on the
  // session's pool; the calling thread takes part; returns when all are done. Runs
  // inline, without any lock, when there is only one piece.
  void (*parallel_for)(berth_host_context* context, berth_step* step, int64_t total,
                       int64_t grain, berth_range_fn fn, void* arg);
  // How many threads parallel_for can use, the caller included; at least 1.
  int32_t (*num_threads)(berth_host_context* context, berth_step* step);

  // 1 once the step was cancelled or timed out: a long kernel should return
  // BERTH_CANCELLED soon.
  int32_t (*is_cancelled)(berth_host_context* context, berth_step* step);
  // Registers a callback for that moment (called at once if it has passed). Returns a
  // token for remove_cancel_callback, which waits for a callback that is under way.
  uint64_t (*add_cancel_callback)(berth_host_context* context, berth_step* step,
                                  berth_cancel_fn fn, void* arg);
  void (*remove_cancel_callback)(berth_host_context* context, berth_step* step,
                                 uint64_t token);

  // Temporary host memory, 64-byte aligned, for create and prepare (compute gets its
  // scratch with the context). NULL when there is none left.
  void* (*allocate_temp)(berth_host_context* context, uint64_t size);
  void (*free_temp)(berth_host_context* context, void* pointer);

  // Only for kernels flagged BERTH_KERNEL_SHAPE_AT_RUN, from within compute: gives output
  // `index` memory for this shape and fills `outputs[index]`.
  berth_status_code (*allocate_output)(struct berth_compute_context* compute,
                                       uint32_t index, const berth_shape* shape,
                                       berth_error* error);
  // Only for DT_STRING outputs, from within compute: copies `value` into element
  // `element` of output `index`. May be called from several threads for different
  // elements.
  berth_status_code (*set_string)(struct berth_compute_context* compute, uint32_t index,
                                  int64_t element, berth_string value);

  // Profiling: is_profiling is cheap; record_event copies.
  int32_t (*is_profiling)(berth_host_context* context, berth_step* step);
  void (*record_event)(berth_host_context* context, berth_step* step,
                       const berth_profile_event* event);
  uint64_t (*now_ns)(berth_host_context* context);

  // The host's cache folder: keys are scoped by the plugin's file hash; writes are
  // atomic, total size is limited, a damaged entry is a miss. cache_get returns
  // BERTH_NOT_FOUND on a miss; `*out_data` is freed with free_temp.
  berth_status_code (*cache_get)(berth_host_context* context, const char* key,
                                 void** out_data, uint64_t* out_size);
  berth_status_code (*cache_put)(berth_host_context* context, const char* key,
                                 const void* data, uint64_t size);
} berth_host;

BERTH_END_C

#endif  // BERTH_HOST_H_
