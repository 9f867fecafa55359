// What a plugin sees of a graph node: attributes, static types and shapes.
#ifndef BERTH_NODE_H_
#define BERTH_NODE_H_

#include <berth/tensor.h>

BERTH_BEGIN_C

typedef enum berth_attr_kind {
  BERTH_ATTR_STRING = 1,  // s
  BERTH_ATTR_INT = 2,     // i
  BERTH_ATTR_FLOAT = 3,   // f
  BERTH_ATTR_BOOL = 4,    // i, 0 or 1
  BERTH_ATTR_TYPE = 5,    // i, a berth_dtype
  BERTH_ATTR_SHAPE = 6,   // rank, ints (-1 = unknown; rank -1 = unknown rank)
  BERTH_ATTR_TENSOR = 7,  // tensor, in host memory
  BERTH_ATTR_FUNC = 8,    // s: the function's name
  // Lists: `count` entries.
  BERTH_ATTR_LIST_STRING = 17,  // strings
  BERTH_ATTR_LIST_INT = 18,     // ints
  BERTH_ATTR_LIST_FLOAT = 19,   // floats
  BERTH_ATTR_LIST_BOOL = 20,    // ints
  BERTH_ATTR_LIST_TYPE = 21,    // ints
  BERTH_ATTR_LIST_SHAPE = 22    // tensors: views without data that carry rank and dims
} berth_attr_kind;

// One attribute. Only the fields that `kind` names are set. Host-owned; lives as long as
// the node view it came with.
typedef struct berth_attr {
  size_t struct_size;
  const char* name;
  int32_t kind;  // berth_attr_kind
  int32_t rank;
  int64_t i;
  float f;
  uint32_t count;
  berth_string s;
  const int64_t* ints;
  const float* floats;
  const berth_string* strings;
  const berth_tensor* tensor;
  const berth_tensor* tensors;
} berth_attr;

// What is known of one input or output before a run.
typedef struct berth_value_info {
  size_t struct_size;
  const char* arg_name;  // the OpDef's name of the argument; a list repeats it
  int32_t dtype;         // base type
  int32_t
      is_ref;  // 1 for a reference edge or a resource variable: the kernel may write it
  int32_t is_host;      // 1 if the kernel row keeps it in host memory
  int32_t rank;         // -1 = unknown
  const int64_t* dims;  // `rank` entries, -1 = unknown: an answer holds for every size
  const berth_tensor*
      constant;  // the value, in host memory, when the graph fixes it; or NULL
} berth_value_info;

// A node. Host-owned, immutable, valid for the call it is passed to; a plugin copies what
// it wants to keep.
typedef struct berth_node {
  size_t struct_size;
  const char* name;
  const char* op;
  const char* device;  // full name of the device it is placed on or considered for
  uint32_t num_attrs;
  uint32_t num_inputs;  // data inputs only
  uint32_t num_outputs;
  uint32_t reserved;
  const berth_attr* const* attrs;  // sorted by name (strcmp); defaults are filled in
  const berth_value_info* const* inputs;
  const berth_value_info* const* outputs;
} berth_node;

BERTH_END_C

#endif  // BERTH_NODE_H_
