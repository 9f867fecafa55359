// Ops that a plugin brings.
#ifndef BERTH_OP_H_
#define BERTH_OP_H_

#include <berth/node.h>
#include <berth/status.h>

BERTH_BEGIN_C

// An op definition. The name is "Vendor>Op". An identical duplicate is a no-op; a
// different one, or a redefinition of a known op, is refused and the whole plugin rolled
// back.
typedef struct berth_op_def {
  size_t struct_size;
  const void* op_def;    // a serialized OpDef (tensorflow/core/framework/op_def.proto)
  uint64_t op_def_size;  // bytes
  // Fills `outputs` (one per output, rank -1 on entry) from the node's static shapes and
  // constants; called at import and again with concrete shapes. (optional: unknown
  // shapes)
  berth_status_code (*infer_shapes)(const berth_node* node, berth_shape* outputs,
                                    berth_error* error);
} berth_op_def;

BERTH_END_C

#endif  // BERTH_OP_H_
