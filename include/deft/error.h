// error.h - how calls report failure. A call that can fail returns a deft_status, or NULL instead
// of an object, and writes the reason into the caller's deft_error. Passing NULL for it is fine.
// On failure the other outputs are untouched.
#ifndef DEFT_ERROR_H
#define DEFT_ERROR_H

#include "deft/export.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum deft_status {
    DEFT_OK = 0,
    DEFT_OUT_OF_MEMORY,
    DEFT_INVALID,   // the input is malformed or has the wrong type
    DEFT_LIMIT,     // a named limit was reached
    DEFT_NOT_FOUND, // no such tool, server or key
    DEFT_DUPLICATE, // a name that must be unique was given twice
    DEFT_CONFLICT   // two settings, or a setting and a fact, contradict one another
} deft_status;

#define DEFT_ERROR_MESSAGE_SIZE 240

typedef struct deft_error {
    deft_status status;
    size_t      offset; // byte in the input where it went wrong; 0 when there is no input
    char        message[DEFT_ERROR_MESSAGE_SIZE]; // one sentence for a person, NUL-terminated
} deft_error;

#define DEFT_ERROR_INIT                                                                            \
    {                                                                                              \
        DEFT_OK, 0, ""                                                                             \
    }

// "ok", "out of memory", "invalid", ... Never NULL, also for a value outside the enum.
DEFT_API const char *deft_status_name(deft_status status);

#ifdef __cplusplus
}
#endif
#endif
