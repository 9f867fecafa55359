// The one symbol that a plugin exports, and the table behind it.
#ifndef BERTH_PLUGIN_H_
#define BERTH_PLUGIN_H_

#include <berth/device.h>
#include <berth/host.h>
#include <berth/kernel.h>
#include <berth/op.h>

BERTH_BEGIN_C

// What the host says of itself before anything else.
typedef struct berth_query_args {
  size_t struct_size;
  uint32_t host_abi_min;  // in: oldest ABI version the host still runs
  uint32_t host_abi_max;  // in: newest
  const berth_host* host;
} berth_query_args;

// Everything a plugin is. Plugin-owned, immutable after query, lives as long as the
// process (a plugin is never unmapped).
typedef struct berth_plugin {
  size_t struct_size;
  uint32_t abi_min;  // the range of ABI versions this plugin runs on
  uint32_t abi_max;
  const berth_extension* extensions;  // (optional)
  const char* name;     // "opencl": names the plugin in options and messages
  const char* version;  // the vendor's
  const char* vendor;
  void* context;  // handed to init, shutdown, enumerate and open

  // Called once after the version check; heavy work belongs in open. (optional)
  berth_status_code (*init)(void* context, berth_error* error);
  // Stops threads and frees memory; init may follow again. No call comes in between.
  // (optional)
  void (*shutdown)(void* context);

  const berth_device_api* devices;  // NULL for a plugin that only brings ops
  uint32_t num_kernels;
  uint32_t num_ops;
  const berth_kernel_def* const* kernels;
  const berth_op_def* const* ops;

  // The device types that enumerate may list, also when it lists none: so that a person
  // who asks for a missing one is told why. (optional: those of the kernels)
  uint32_t num_device_types;
  uint32_t reserved;
  const char* const* device_types;
} berth_plugin;

// The entry point. Returns BERTH_OK and the table, or refuses with a code and a reason
// (BERTH_FAILED_PRECONDITION for a version it does not run on). Called again after a
// shutdown it returns the same table. Nothing but this symbol is looked up.
typedef berth_status_code (*berth_plugin_query_fn)(const berth_query_args* args,
                                                   const berth_plugin** out_plugin,
                                                   berth_error* error);

#define BERTH_PLUGIN_QUERY_SYMBOL "berth_plugin_query"

BERTH_END_C

#endif  // BERTH_PLUGIN_H_
