#include "io/handover.h"

#include "base/fail.h"
#include "deft/view.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_DESCRIPTOR 3 // behind stdin, stdout and stderr

// Of a number that is neither a process nor a count of descriptors on any system.
#define DIGITS_MAX 10u

// A whole number of this variable. False after saying what is wrong.
static bool read_number(const char *name, const char *text, uint64_t *number, deft_error *error)
{
    deft__quoted quoted;
    if (text == NULL) {
        deft__fail(error, DEFT_INVALID, 0,
                   "%s is not set, and its counterpart is: a service manager sets LISTEN_PID and "
                   "LISTEN_FDS together; unset both to listen without one",
                   name);
        return false;
    }
    const size_t size = strspn(text, "0123456789");
    if (size == 0 || size > DIGITS_MAX || text[size] != '\0') {
        deft__fail(error, DEFT_INVALID, 0, "%s is '%s': a small whole number is wanted", name,
                   deft__quote(&quoted, deft_view_of(text)));
        return false;
    }
    *number = strtoul(text, NULL, 10);
    return true;
}

deft_status deft__handover_read(const char *listen_pid, const char *listen_fds, uint64_t self,
                                int *descriptor, deft_error *error)
{
    uint64_t process = 0;
    uint64_t count   = 0;
    if (listen_pid == NULL && listen_fds == NULL) {
        return DEFT_NOT_FOUND;
    }
    if (!read_number("LISTEN_PID", listen_pid, &process, error) ||
        !read_number("LISTEN_FDS", listen_fds, &count, error)) {
        return DEFT_INVALID;
    }
    if (count == 0) {
        return DEFT_NOT_FOUND;
    }
    if (process != self) {
        return deft__fail(error, DEFT_CONFLICT, 0,
                          "the sockets of LISTEN_FDS are for process %" PRIu64
                          ", and this is %" PRIu64
                          ": is a shell in between? Start deft with 'exec'",
                          process, self);
    }
    if (count > 1) {
        return deft__fail(error, DEFT_INVALID, 0,
                          "LISTEN_FDS hands over %" PRIu64
                          " sockets, and deft listens on one: leave one ListenStream in its unit",
                          count);
    }
    *descriptor = FIRST_DESCRIPTOR;
    return DEFT_OK;
}
