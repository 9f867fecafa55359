// The ABI version and the export macro.
#ifndef BERTH_VERSION_H_
#define BERTH_VERSION_H_

#include <stddef.h>
#include <stdint.h>

// The ABI is 0.N until CUDA, OpenCL and SavedModels run on it; any N may break the one
// before. From 1.0 on, a major change breaks and a minor change only appends.
#define BERTH_ABI_MAJOR 0
#define BERTH_ABI_MINOR 1

// Versions compare as one number: major in the high half, minor in the low half.
#define BERTH_ABI_VERSION(major, minor) (((uint32_t)(major) << 16) | (uint32_t)(minor))
#define BERTH_ABI_CURRENT BERTH_ABI_VERSION(BERTH_ABI_MAJOR, BERTH_ABI_MINOR)

#if defined(__GNUC__) || defined(__clang__)
#define BERTH_EXPORT __attribute__((visibility("default")))
#else
#define BERTH_EXPORT
#endif

#ifdef __cplusplus
#define BERTH_BEGIN_C extern "C" {
#define BERTH_END_C }
#else
#define BERTH_BEGIN_C
#define BERTH_END_C
#endif

// How structs grow (every header of this folder): a struct begins with `struct_size`, set
// by whoever allocates it to the sizeof it was compiled with; fields are only appended; a
// reader treats every field that lies past `struct_size` as zero. BERTH_HAS_FIELD tells.
#define BERTH_HAS_FIELD(pointer, type, field) \
  ((pointer)->struct_size >= offsetof(type, field) + sizeof((pointer)->field))

#endif  // BERTH_VERSION_H_
