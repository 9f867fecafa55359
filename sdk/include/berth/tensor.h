// Element types and the tensor view.
#ifndef BERTH_TENSOR_H_
#define BERTH_TENSOR_H_

#include <berth/version.h>

BERTH_BEGIN_C

// Numbers of TensorFlow's DataType (tensorflow/core/framework/types.proto). A reference
// type (a variable's ref edge) is the number plus BERTH_DTYPE_REF_OFFSET; kernels never
// see one: a view carries the base type and `berth_value_info.is_ref` says the rest.
typedef enum berth_dtype {
  BERTH_INVALID_DTYPE = 0,
  BERTH_FLOAT = 1,
  BERTH_DOUBLE = 2,
  BERTH_INT32 = 3,
  BERTH_UINT8 = 4,
  BERTH_INT16 = 5,
  BERTH_INT8 = 6,
  BERTH_STRING = 7,
  BERTH_COMPLEX64 = 8,
  BERTH_INT64 = 9,
  BERTH_BOOL = 10,
  BERTH_QINT8 = 11,
  BERTH_QUINT8 = 12,
  BERTH_QINT32 = 13,
  BERTH_BFLOAT16 = 14,
  BERTH_QINT16 = 15,
  BERTH_QUINT16 = 16,
  BERTH_UINT16 = 17,
  BERTH_COMPLEX128 = 18,
  BERTH_HALF = 19,
  BERTH_RESOURCE = 20,
  BERTH_VARIANT = 21,
  BERTH_UINT32 = 22,
  BERTH_UINT64 = 23
} berth_dtype;

#define BERTH_DTYPE_REF_OFFSET 100

// Largest rank of an output whose shape a kernel or a plugin's shape function decides.
#define BERTH_MAX_RANK 16

// Device memory as its plugin knows it. Opaque to the host.
typedef struct berth_memory berth_memory;

// One element of a DT_STRING tensor that crosses the ABI. Not NUL-terminated; the bytes
// belong to the tensor's owner and live as long as the view.
typedef struct berth_string {
  const char* data;
  uint64_t size;
} berth_string;

// A view of a dense, row-major tensor. It owns nothing and lives for the call it is
// passed to. It never grows (arrays of it may be embedded); the reserved words are zero.
//
// Where the data lie: `host_data` when the host can address them (host memory, or device
// memory that is host-visible), otherwise NULL and `memory` + `offset` say it in the
// plugin's terms. Both are set for device memory that is also host-visible. A tensor with
// no elements may have neither. DT_STRING data are an array of berth_string at
// `host_data`.
typedef struct berth_tensor {
  void* host_data;
  berth_memory* memory;
  uint64_t offset;  // bytes from the start of `memory`
  uint64_t
      byte_size;  // elements times element size; for strings, times sizeof(berth_string)
  const int64_t*
      dims;       // `rank` entries, all >= 0 (-1 = unknown, only in supports() and infer)
  int32_t rank;   // -1 = unknown, only in supports() and infer
  int32_t dtype;  // berth_dtype
  uint64_t reserved[2];
} berth_tensor;

// A shape that a callee writes. Fixed like the view. On entry it holds what the op's
// shape function already knows (rank -1 or dims -1 where it does not).
typedef struct berth_shape {
  int32_t rank;
  int32_t reserved;
  int64_t dims[BERTH_MAX_RANK];
} berth_shape;

BERTH_END_C

#endif  // BERTH_TENSOR_H_
