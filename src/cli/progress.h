// progress.h - a bar on stderr while something takes long. Only on a terminal, not with --quiet.
#ifndef DEFT_CLI_PROGRESS_H
#define DEFT_CLI_PROGRESS_H

#include "cli/output.h"

typedef struct deft__progress {
    deft_view label; // safe for a terminal
    size_t    total;
    size_t    done;
    size_t    drawn; // percent that are on the screen
    bool      is_shown;
} deft__progress;

// `steps_min`: with fewer steps there is no bar.
void deft__progress_begin(deft__progress *progress, const deft__output *output, deft_view label,
                          size_t total, size_t steps_min);
void deft__progress_step(deft__progress *progress);
void deft__progress_end(deft__progress *progress); // the line is empty again

#endif
