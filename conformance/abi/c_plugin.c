/* A plugin in plain C99 against the C header alone: one device of host memory, one kernel
   (Relu on float). Entries that may be NULL are NULL. */
#include <berth/berth.h>
#include <stdlib.h>

static const char* const kReason = "the C plugin has one device";

static const berth_device_info kInfo = {sizeof(berth_device_info),
                                        "CDEV",
                                        0,
                                        100,
                                        "a device in C",
                                        "c:0",
                                        "C99",
                                        0,
                                        0,
                                        64,
                                        BERTH_DEVICE_IS_HOST | BERTH_DEVICE_SYNCHRONOUS};
static const berth_device_info* const kInfos[] = {&kInfo};

static berth_status_code Enumerate(void* context, uint32_t* out_count,
                                   const berth_device_info* const** out_infos,
                                   berth_error* error) {
  (void)context;
  (void)error;
  *out_count = 1;
  *out_infos = kInfos;
  return BERTH_OK;
}

static berth_status_code Open(void* context, const berth_open_args* args,
                              berth_device** out_device, berth_error* error) {
  static int device;
  (void)context;
  if (args->device_list_index != 0) {
    if (error != NULL) error->message = kReason;
    return BERTH_INVALID_ARGUMENT;
  }
  *out_device = (berth_device*)&device;
  return BERTH_OK;
}

static void Close(berth_device* device) { (void)device; }

static berth_status_code Allocate(berth_device* device, berth_memory_kind kind,
                                  uint64_t size, berth_memory** out_memory,
                                  berth_error* error) {
  void* memory = malloc((size_t)size);
  (void)device;
  (void)kind;
  (void)error;
  *out_memory = (berth_memory*)memory;
  return memory != NULL ? BERTH_OK : BERTH_RESOURCE_EXHAUSTED;
}

static void Free(berth_device* device, berth_memory* memory) {
  (void)device;
  free(memory);
}

static void* HostAddress(berth_device* device, berth_memory* memory) {
  (void)device;
  return memory;
}

static berth_status_code Create(const berth_kernel_def* def, berth_device* device,
                                const berth_node* node, berth_kernel** out_kernel,
                                berth_error* error) {
  static int kernel;
  (void)def;
  (void)device;
  (void)node;
  (void)error;
  *out_kernel = (berth_kernel*)&kernel;
  return BERTH_OK;
}

static void Destroy(berth_kernel* kernel) { (void)kernel; }

static berth_status_code Compute(const berth_kernel* kernel,
                                 const berth_prepared* prepared,
                                 berth_compute_context* context, berth_error* error) {
  const float* in = (const float*)context->inputs[0]->host_data;
  float* out = (float*)context->outputs[0]->host_data;
  const uint64_t count = context->outputs[0]->byte_size / sizeof(float);
  (void)kernel;
  (void)prepared;
  (void)error;
  for (uint64_t i = 0; i < count; ++i) out[i] = in[i] > 0 ? in[i] : 0;
  return BERTH_OK;
}

static const int32_t kFloat[] = {BERTH_FLOAT};
static const berth_type_constraint kT = {sizeof(berth_type_constraint), "T", 1, 0,
                                         kFloat};
static const berth_type_constraint* const kConstraints[] = {&kT};

BERTH_EXPORT berth_status_code berth_plugin_query(const berth_query_args* args,
                                                  const berth_plugin** out_plugin,
                                                  berth_error* error) {
  static berth_device_api api;
  static berth_kernel_def relu;
  static const berth_kernel_def* kernels[1];
  static berth_plugin plugin;
  if (args->host_abi_min > BERTH_ABI_CURRENT || args->host_abi_max < BERTH_ABI_CURRENT) {
    if (error != NULL) error->message = "made for another ABI";
    return BERTH_FAILED_PRECONDITION;
  }
  api.struct_size = sizeof(api);
  api.enumerate = Enumerate;
  api.open = Open;
  api.close = Close;
  api.allocate = Allocate;
  api.free = Free;
  api.host_address = HostAddress;
  relu.struct_size = sizeof(relu);
  relu.op = "Relu";
  relu.device_type = "CDEV";
  relu.num_constraints = 1;
  relu.constraints = kConstraints;
  relu.create = Create;
  relu.destroy = Destroy;
  relu.compute = Compute;
  kernels[0] = &relu;
  plugin.struct_size = sizeof(plugin);
  plugin.abi_min = BERTH_ABI_CURRENT;
  plugin.abi_max = BERTH_ABI_CURRENT;
  plugin.name = "c_plugin";
  plugin.version = "1";
  plugin.devices = &api;
  plugin.num_kernels = 1;
  plugin.kernels = kernels;
  *out_plugin = &plugin;
  return BERTH_OK;
}
