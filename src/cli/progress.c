#include "cli/progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define BAR_WIDTH 40u

static void draw(const deft__progress *progress, size_t percent)
{
    char         bar[BAR_WIDTH + 1];
    const size_t filled = percent * BAR_WIDTH / 100;
    for (size_t i = 0; i < BAR_WIDTH; i++) {
        bar[i] = i < filled ? '#' : '.';
    }
    bar[BAR_WIDTH] = '\0';
    fprintf(stderr, "\r%.*s [%s] %zu %%\x1b[K", (int)progress->label.size, progress->label.data,
            bar, percent);
    fflush(stderr);
}

void deft__progress_begin(deft__progress *progress, const deft__output *output, deft_view label,
                          size_t total, size_t steps_min)
{
    const char *terminal = getenv("TERM");
    *progress            = (deft__progress){
                   .label    = label,
                   .total    = total,
                   .is_shown = total >= steps_min && total > 0 && !output->is_quiet &&
                               isatty(STDERR_FILENO) == 1 && terminal != NULL &&
                               deft_view_equals(deft_view_of(terminal), "dumb") == false,
    };
    if (progress->is_shown) {
        draw(progress, 0);
    }
}

void deft__progress_step(deft__progress *progress)
{
    progress->done++;
    if (progress->is_shown) {
        const size_t percent = progress->done * 100 / progress->total;
        if (percent != progress->drawn) {
            progress->drawn = percent;
            draw(progress, percent);
        }
    }
}

void deft__progress_end(deft__progress *progress)
{
    if (progress->is_shown) {
        fputs("\r\x1b[K", stderr);
        fflush(stderr);
    }
}
