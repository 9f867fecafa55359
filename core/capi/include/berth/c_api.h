// The C API for applications and language bindings: sessions over graphs, on devices that
// plugins bring. Stable once it is 1.0; functions and struct fields are only added.
//
// Errors: a call that can fail returns a berth_status_code and fills an optional, zeroed
// berth_error (<berth/status.h>): copy the message, then call its `release` when set. A
// message is UTF-8 without control characters but line ends, whatever is in the input.
// Threads: every function may be called from any thread; a session may be run from many
// at once. A berth_value is not to be written while another thread reads it. Ownership:
// what a function gives out through an `out_` parameter is the caller's and goes back
// through the matching _free or _release; arguments are only read during the call.
#ifndef BERTH_C_API_H_
#define BERTH_C_API_H_

#include <berth/status.h>
#include <berth/tensor.h>

BERTH_BEGIN_C

// "0.1.0".
BERTH_EXPORT const char* berth_version(void);

// ---- Bytes
// ------------------------------------------------------------------------------

// Bytes that berth made: serialized messages, JSON, text. NUL-terminated behind the last
// byte.
typedef struct berth_bytes berth_bytes;
BERTH_EXPORT const void* berth_bytes_data(const berth_bytes* bytes);
BERTH_EXPORT size_t berth_bytes_size(const berth_bytes* bytes);
BERTH_EXPORT void berth_bytes_free(
    berth_bytes* bytes);  // NULL is allowed, here and below

// ---- Values
// -----------------------------------------------------------------------------

// A tensor in host memory, row-major. Counted: feeding a value shares its memory.
typedef struct berth_value berth_value;

// Called once when berth needs the memory no more.
typedef void (*berth_release_fn)(void* data, void* arg);

// Memory of berth's own, zeroed (strings: empty). INVALID_ARGUMENT for a negative size or
// a dtype without host memory, RESOURCE_EXHAUSTED.
BERTH_EXPORT berth_status_code berth_value_create(int32_t dtype, const int64_t* dims,
                                                  int32_t rank, berth_value** out_value,
                                                  berth_error* error);
typedef struct berth_wrap_args {
  size_t struct_size;
  int32_t dtype;             // in: not BERTH_STRING
  int32_t rank;              // in
  const int64_t* dims;       // in: copied
  void* data;                // in
  uint64_t size;             // in: bytes; at least what the shape needs
  berth_release_fn release;  // in (optional)
  void* release_arg;
} berth_wrap_args;
// The caller's memory, used in place, as an input or as a place for an output. On failure
// `release` is not called.
BERTH_EXPORT berth_status_code berth_value_wrap(const berth_wrap_args* args,
                                                berth_value** out_value,
                                                berth_error* error);
BERTH_EXPORT int32_t berth_value_dtype(const berth_value* value);
BERTH_EXPORT int32_t berth_value_rank(const berth_value* value);
BERTH_EXPORT int64_t berth_value_dim(const berth_value* value, int32_t i);
BERTH_EXPORT int64_t berth_value_num_elements(const berth_value* value);
// NULL for strings.
BERTH_EXPORT void* berth_value_data(const berth_value* value);
BERTH_EXPORT uint64_t berth_value_byte_size(const berth_value* value);  // 0 for strings
// Element `i` of a BERTH_STRING value; the view lives until the value is written or
// freed.
BERTH_EXPORT berth_status_code berth_value_get_string(const berth_value* value, int64_t i,
                                                      berth_string* out_string,
                                                      berth_error* error);
// Copies. Only on a value that no other value or run shares.
BERTH_EXPORT berth_status_code berth_value_set_string(berth_value* value, int64_t i,
                                                      berth_string string,
                                                      berth_error* error);
BERTH_EXPORT void berth_value_free(berth_value* value);

// ---- Plugins and devices
// ----------------------------------------------------------------

// Loads one plugin, loudly. The plugins of BERTH_PLUGIN_PATH and of the install load by
// themselves when the first session or listing needs them.
BERTH_EXPORT berth_status_code berth_load_plugin(const char* path, berth_error* error);
// An option for plugin `plugin` ("opencl"); only before it is loaded.
BERTH_EXPORT void berth_set_plugin_option(const char* plugin, const char* key,
                                          const char* value);
// {"devices":[{"name","type","index","description","driver","plugin","path","physical_id",
//  "memory_bytes","priority"}]}
BERTH_EXPORT berth_status_code berth_list_devices(berth_bytes** out_json,
                                                  berth_error* error);
// {"plugins":[{"path","found_by","stage","message","remedy","name","version","devices",
//  "conformance"}]}. conformance: {"state","text","report"} where a report of
//  berth-conform lies beside the file (PATH.conformance.json), else null; the state is
//  "conforms", "fails", "partial" (a selection was tested), "stale" (another build was)
//  or "unreadable".
BERTH_EXPORT berth_status_code berth_list_plugins(berth_bytes** out_json,
                                                  berth_error* error);
// {"ops":[{"op","kernels":[{"device","plugin","types":{"T":["float",…]},"host_args",
//  "conditional","priority"}]}]}: core-owned ops have a kernel with device "*".
BERTH_EXPORT berth_status_code berth_list_ops(berth_bytes** out_json, berth_error* error);

// ---- Sessions
// ---------------------------------------------------------------------------

typedef struct berth_session berth_session;

typedef struct berth_session_args {
  size_t struct_size;
  const void* graph_def;  // in: a serialized GraphDef; may be NULL, see extend
  size_t graph_def_size;
  const void* config;  // in: a serialized ConfigProto; may be NULL
  size_t config_size;
} berth_session_args;
BERTH_EXPORT berth_status_code berth_session_create(const berth_session_args* args,
                                                    berth_session** out_session,
                                                    berth_error* error);
// Adds nodes, all or none.
BERTH_EXPORT berth_status_code berth_session_extend(berth_session* session,
                                                    const void* graph_def, size_t size,
                                                    berth_error* error);

typedef struct berth_run_args {
  size_t struct_size;
  uint32_t num_feeds;
  uint32_t num_fetches;
  uint32_t num_targets;
  uint32_t reserved;
  const char* const* feed_names;    // in: "x:0" (or "x")
  berth_value* const* feeds;        // in
  const char* const* fetch_names;   // in
  const char* const* target_names;  // in: ops
  const void* run_options;          // in (optional): serialized RunOptions
  size_t run_options_size;
  berth_value** fetches;       // out: num_fetches values; untouched on failure
  berth_bytes** run_metadata;  // out (optional): a serialized RunMetadata
} berth_run_args;
BERTH_EXPORT berth_status_code berth_session_run(berth_session* session,
                                                 const berth_run_args* args,
                                                 berth_error* error);
// What stands in "format": "json", "text" or "html".
BERTH_EXPORT berth_status_code berth_session_placement(berth_session* session,
                                                       const char* format,
                                                       berth_bytes** out_bytes,
                                                       berth_error* error);
// Cancels what runs, waits for it and releases the variables; later calls fail with
// BERTH_CANCELLED.
BERTH_EXPORT berth_status_code berth_session_close(berth_session* session,
                                                   berth_error* error);
// Closes if need be and frees. No call may be using the handle; callables keep what they
// need.
BERTH_EXPORT void berth_session_release(berth_session* session);

// ---- Callables
// --------------------------------------------------------------------------

// A signature that is prepared once and run often: nothing is looked up by name.
typedef struct berth_callable berth_callable;

typedef struct berth_callable_args {
  size_t struct_size;
  uint32_t num_feeds;
  uint32_t num_fetches;
  uint32_t num_targets;
  uint32_t reserved;
  const char* const* feed_names;
  const char* const* fetch_names;
  const char* const* target_names;
} berth_callable_args;
BERTH_EXPORT berth_status_code berth_make_callable(berth_session* session,
                                                   const berth_callable_args* args,
                                                   berth_callable** out_callable,
                                                   berth_error* error);

typedef struct berth_run_callable_args {
  size_t struct_size;
  berth_value* const* inputs;  // in: one a feed, in the callable's order
  // in, out: one a fetch. NULL: a new value is made. A value from an earlier run, or one
  // that wraps the caller's memory, is written in place when dtype and shape fit. One
  // that does not fit is replaced if berth owns its memory (the old one is freed) and is
  // INVALID_ARGUMENT if it wraps the caller's.
  berth_value** outputs;
  const void* run_options;  // in (optional)
  size_t run_options_size;
  berth_bytes** run_metadata;  // out (optional)
} berth_run_callable_args;
BERTH_EXPORT berth_status_code berth_run_callable(berth_callable* callable,
                                                  const berth_run_callable_args* args,
                                                  berth_error* error);
BERTH_EXPORT void berth_callable_release(berth_callable* callable);

BERTH_END_C

#endif  // BERTH_C_API_H_
