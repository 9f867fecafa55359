// Kernels: the support table and the life of a kernel.
#ifndef BERTH_KERNEL_H_
#define BERTH_KERNEL_H_

#include <berth/device.h>
#include <berth/host.h>
#include <berth/node.h>

BERTH_BEGIN_C

typedef struct berth_kernel berth_kernel;      // one per node: attributes, no shapes
typedef struct berth_prepared berth_prepared;  // one per node and set of shapes
typedef struct berth_state berth_state;        // one per session and node name

// Which dtypes a type attribute may take in this row.
typedef struct berth_type_constraint {
  size_t struct_size;
  const char* attr;  // "T"
  uint32_t num_dtypes;
  uint32_t reserved;
  const int32_t* dtypes;
} berth_type_constraint;

// Output `output` may share the memory of input `input` when nothing else reads it later
// and the byte sizes agree. Positions in the node's flattened lists. Never grows.
typedef struct berth_inplace_pair {
  int32_t input;
  int32_t output;
} berth_inplace_pair;

typedef enum berth_kernel_flags {
  // supports() must be asked for each node; without the flag the row alone is the
  // promise.
  BERTH_KERNEL_CONDITIONAL = 1 << 0,
  // compute_async is used instead of compute.
  BERTH_KERNEL_ASYNC = 1 << 1,
  // Output shapes are known only inside compute, which asks host->allocate_output.
  BERTH_KERNEL_SHAPE_AT_RUN = 1 << 2,
  // Has per-(session, node name) state: create_state is called.
  BERTH_KERNEL_STATEFUL = 1 << 3
} berth_kernel_flags;

// What prepare sees and answers.
typedef struct berth_prepare_args {
  size_t struct_size;
  uint32_t num_inputs;
  uint32_t num_outputs;
  // in: shapes and dtypes; host_data is set only for the row's prepare_args.
  const berth_tensor* const* inputs;
  // in, out: what the op's shape function knows; the kernel fills what it does not. A
  // kernel of an op with a complete shape function leaves it alone.
  berth_shape* const* outputs;
  uint64_t scratch_size;     // out: bytes of device memory that compute wants, or 0
  uint64_t inplace_refused;  // out: bit k refuses the row's k-th in-place pair here
  berth_prepared* prepared;  // out: handed to compute; NULL is allowed
  // in: threads that parallel_for will have at run time: split work for these.
  int32_t num_threads;
  int32_t reserved;
} berth_prepare_args;

// What compute works on. Host-owned; valid for the call, or until `done` for asynchronous
// kernels. Buffers that enqueued work touches stay valid until the step's last event.
typedef struct berth_compute_context {
  size_t struct_size;
  const berth_host* host;
  berth_step* step;  // for the host's calls; may be NULL
  berth_device* device;
  berth_stream* stream;  // NULL on synchronous devices
  uint32_t num_inputs;
  uint32_t num_outputs;
  const berth_tensor* const*
      inputs;                    // read-only, but for is_ref inputs, which may be written
  berth_tensor* const* outputs;  // memory is there (SHAPE_AT_RUN: not yet); a reference
                                 // output is the host's alias of its input: leave it
  berth_tensor scratch;          // prepare's scratch_size bytes
  berth_state* state;            // STATEFUL only
} berth_compute_context;

typedef void (*berth_done_fn)(void* arg, berth_status_code code, const char* message);

// One row of the support table, with the code behind it. Static: it can be printed with
// no device present. Rows of one op are tried by falling priority, then in table order.
//
// Life: create once per node (immutable after it); prepare for each set of input shapes,
// cached by the host in a bounded list; compute many times, from several threads at once,
// const and re-entrant, allocating nothing; release_prepared; destroy. A kernel that
// answers BERTH_UNIMPLEMENTED at run time after claiming the node breaks the contract.
//
// Ops that only move or rename data or hold host state (Const, Identity, Reshape,
// variables, control flow and their like; docs/ABI.md lists them) are the host's on every
// device. Rows for one of them replace that: with `create` the plugin takes the op over,
// without it the host still runs the op, but only for what the rows allow.
typedef struct berth_kernel_def {
  size_t struct_size;
  const berth_extension* extensions;  // (optional)
  const char* op;
  const char* device_type;
  const char* label;  // chosen by the node's "_kernel" attribute; NULL = the ordinary one
  uint32_t num_constraints;
  uint32_t num_host_args;
  uint32_t num_prepare_args;
  uint32_t num_inplace_pairs;
  const berth_type_constraint* const* constraints;
  const char* const* host_args;     // OpDef argument names that live in host memory
  const char* const* prepare_args;  // those of them whose values prepare reads
  const berth_inplace_pair* inplace_pairs;
  int32_t priority;
  uint32_t flags;   // berth_kernel_flags
  void* user_data;  // the plugin's

  // 1 = runs this node; a yes holds for every shape that fits the static ones. 0 = does
  // not, and `reason` (caller's buffer of `reason_size` bytes) says why in a person's
  // words. Pure: the same node gives the same answer; it is memoised. (NULL unless
  // CONDITIONAL)
  int32_t (*supports)(const struct berth_kernel_def* def, const berth_node* node,
                      char* reason, size_t reason_size);
  berth_status_code (*create)(const struct berth_kernel_def* def, berth_device* device,
                              const berth_node* node, berth_kernel** out_kernel,
                              berth_error* error);
  void (*destroy)(berth_kernel* kernel);
  // (optional: NULL = nothing to prepare)
  berth_status_code (*prepare)(const berth_kernel* kernel, berth_prepare_args* args,
                               berth_error* error);
  void (*release_prepared)(const berth_kernel* kernel, berth_prepared* prepared);
  berth_status_code (*compute)(const berth_kernel* kernel, const berth_prepared* prepared,
                               berth_compute_context* context, berth_error* error);
  // ASYNC only: calls `done` exactly once, from any thread.
  void (*compute_async)(const berth_kernel* kernel, const berth_prepared* prepared,
                        berth_compute_context* context, berth_done_fn done, void* arg);
  // STATEFUL only. compute synchronises its own use of the state.
  berth_status_code (*create_state)(const berth_kernel* kernel, berth_state** out_state,
                                    berth_error* error);
  void (*destroy_state)(berth_state* state);
} berth_kernel_def;

BERTH_END_C

#endif  // BERTH_KERNEL_H_
