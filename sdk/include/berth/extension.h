// The typed chain on which optional tables hang.
#ifndef BERTH_EXTENSION_H_
#define BERTH_EXTENSION_H_

#include <berth/version.h>

BERTH_BEGIN_C

// Head of every optional table: a linked list that a reader walks by `name`. An unknown
// name is skipped, never an error. Names are "berth.<topic>" or "<vendor>.<topic>", with
// the version in the name if the table ever breaks ("berth.compile.2"). The owner of the
// table that carries the chain owns the entries, for as long as that table lives.
typedef struct berth_extension {
  size_t struct_size;
  const char* name;
  const struct berth_extension* next;
} berth_extension;

BERTH_END_C

#endif  // BERTH_EXTENSION_H_
