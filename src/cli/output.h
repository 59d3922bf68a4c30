// output.h - where the program speaks. Results are gathered and written to stdout at the end, so a
// command that fails half way has printed nothing half; talk goes to stderr at once. Colour is for
// a terminal only, and NO_COLOR (no-color.org) and TERM=dumb turn it off.
#ifndef DEFT_CLI_OUTPUT_H
#define DEFT_CLI_OUTPUT_H

#include "deft/buffer.h"

#include <stdbool.h>

typedef enum deft__color {
    DEFT__COLOR_NONE,
    DEFT__COLOR_BOLD,
    DEFT__COLOR_DIM,
    DEFT__COLOR_GREEN,
    DEFT__COLOR_YELLOW,
    DEFT__COLOR_CYAN
} deft__color;

typedef struct deft__output {
    deft_buffer text;        // results, so far
    size_t      width;       // columns of the terminal; 0: no terminal, lines may be any length
    bool        is_terminal; // stdout is one
    bool        is_colored;
    bool        is_quiet;   // --quiet: errors only
    bool        is_verbose; // --verbose: details too
} deft__output;

void deft__output_init(deft__output *output);
void deft__output_clear(deft__output *output);

// Appends to the results. The style functions do nothing without colour.
void deft__print(deft__output *output, const char *text);
void deft__print_colored(deft__output *output, deft__color color, deft_view text);
void deft__color_begin(deft__output *output, deft__color color);
void deft__color_end(deft__output *output, deft__color color);

// Appends JSON and a line end, and clears `json`: as it is to a file or a pipe, where bytes count;
// on a terminal with what it could act on written as escapes.
void deft__print_result(deft__output *output, deft_buffer *json);

// A line on stderr, in printf's form: an error, something worth knowing (not with --quiet), a
// detail (only with --verbose). Control characters in it are shown as escapes.
#if defined(__GNUC__)
#define DEFT__PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define DEFT__PRINTF(text, first)
#endif
void deft__complain(const deft__output *output, const char *format, ...) DEFT__PRINTF(2, 3);
void deft__note(const deft__output *output, const char *format, ...) DEFT__PRINTF(2, 3);
void deft__detail(const deft__output *output, const char *format, ...) DEFT__PRINTF(2, 3);

// Writes the results to stdout. Returns `exit_code`, or DEFT__EXIT_WRONG when they could not be
// written. A reader that went away has seen enough: that is no error.
int deft__output_finish(deft__output *output, int exit_code);

#endif
