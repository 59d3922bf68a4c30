// unpack.h - what gzip packed. Judged sets come so; they are mostly air.
#ifndef DEFT_CLI_UNPACK_H
#define DEFT_CLI_UNPACK_H

#include "deft/buffer.h"
#include "deft/error.h"

bool deft__is_packed(deft_view bytes);

// Appends what `packed` holds, all of its parts where it has several. DEFT_LIMIT when that is more
// than `size_max` bytes: a few packed ones can stand for any number. DEFT_INVALID: damaged.
deft_status deft__unpack(deft_view packed, size_t size_max, deft_buffer *out, deft_error *error);

#endif
