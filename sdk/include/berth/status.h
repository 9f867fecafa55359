// Result codes and the error object of every call that crosses the ABI.
#ifndef BERTH_STATUS_H_
#define BERTH_STATUS_H_

#include <berth/version.h>

BERTH_BEGIN_C

// The numbers are those of TensorFlow's error codes (tensorflow/core/protobuf/
// error_codes.proto), so that files, language bindings and logs agree.
typedef enum berth_status_code {
  BERTH_OK = 0,
  BERTH_CANCELLED = 1,
  BERTH_UNKNOWN = 2,
  BERTH_INVALID_ARGUMENT = 3,
  BERTH_DEADLINE_EXCEEDED = 4,
  BERTH_NOT_FOUND = 5,
  BERTH_ALREADY_EXISTS = 6,
  BERTH_PERMISSION_DENIED = 7,
  BERTH_RESOURCE_EXHAUSTED = 8,
  BERTH_FAILED_PRECONDITION = 9,
  BERTH_ABORTED = 10,
  BERTH_OUT_OF_RANGE = 11,
  BERTH_UNIMPLEMENTED = 12,
  BERTH_INTERNAL = 13,
  BERTH_UNAVAILABLE = 14,
  BERTH_DATA_LOSS = 15
} berth_status_code;

// An error message. The caller zeroes it, sets `struct_size` and passes its address (NULL
// where it does not want the text). The callee that fails fills `message` and, if the
// text must be freed, `release`. The caller copies the text at once and then calls
// `release` (when set) exactly once, from the same thread. Nothing is filled on success.
typedef struct berth_error {
  size_t struct_size;
  const char* message;                        // NUL-terminated UTF-8; owned by the callee
  void (*release)(struct berth_error* self);  // (optional)
  void* private_data;                         // for `release`
} berth_error;

BERTH_END_C

#endif  // BERTH_STATUS_H_
