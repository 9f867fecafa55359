// The compile hook: a plugin takes whole groups of nodes and runs each as one call.
#ifndef BERTH_COMPILE_H_
#define BERTH_COMPILE_H_

#include <berth/kernel.h>

BERTH_BEGIN_C

#define BERTH_COMPILE_EXTENSION "berth.compile"

// Where a node input of a group comes from: output `output` of node `node` of the group,
// or, when `node` is -1, group input number `output`. Never grows.
typedef struct berth_group_edge {
  int32_t node;
  int32_t output;
} berth_group_edge;

// A connected group of nodes on one device, in topological order. Host-owned, for the
// call.
typedef struct berth_group {
  size_t struct_size;
  uint32_t num_nodes;
  uint32_t num_inputs;   // of the group
  uint32_t num_outputs;  // of the group
  uint32_t reserved;
  const berth_node* const* nodes;
  const berth_group_edge* const* edges;  // edges[n][i]: input i of node n
  const berth_value_info* const* inputs;
  const berth_group_edge* outputs;  // which node outputs leave the group
} berth_group;

// Hangs on the device table's extension chain under BERTH_COMPILE_EXTENSION.
//
// The host offers each maximal connected group after placement and folding, all shapes
// known. `claim` sets out_claims[n] for each node: -1 leaves it to its own kernel, equal
// numbers >= 0 go into one compiled call. A claim whose nodes cannot run as one call (a
// path leaves it and comes back) is refused by the host, which then runs its nodes
// singly. For each accepted claim the host builds the group and calls `compile`; the
// result is used like a kernel of the given row (prepare, compute, release_prepared,
// destroy; create is not called). The row is read at once, and its functions are called
// until `destroy`. Both are called from any thread, several at once. A failure fails the
// run.
typedef struct berth_compile_api {
  berth_extension head;  // the one struct that is embedded: it is frozen
  void* user_data;
  berth_status_code (*claim)(berth_device* device, const berth_group* offer,
                             int32_t* out_claims, berth_error* error);
  berth_status_code (*compile)(berth_device* device, const berth_group* group,
                               const berth_kernel_def** out_def,
                               berth_kernel** out_kernel, berth_error* error);
} berth_compile_api;

BERTH_END_C

#endif  // BERTH_COMPILE_H_
