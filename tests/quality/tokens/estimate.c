// Estimates each line of stdin, without its newline: one line of four numbers, in the order of
// deft_token_family. With "bench" as an argument, reads all of stdin and prints how fast that goes.
#include "deft/tokens.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

// The longest definition deft accepts is 256 KiB; escapes may grow it sixfold.
#define LINE_SIZE_MAX (2u * 1024 * 1024)

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now); // other programs may be busy
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static int bench(void)
{
    const size_t size_max = 256u * 1024 * 1024;
    char        *data     = malloc(size_max);
    if (data == NULL) {
        return 2;
    }
    const deft_view text  = deft_view_make(data, fread(data, 1, size_max, stdin));
    const double    bytes = (double)text.size;
    for (unsigned f = DEFT_TOKENS_O200K; f <= DEFT_TOKENS_CHARS4; f++) {
        const deft_token_family family = (deft_token_family)f;
        double                  best   = 1e9;
        size_t                  tokens = 0;
        for (int run = 0; run < 9; run++) {
            const double start = seconds();
            tokens             = deft_tokens_estimate(text, family);
            const double taken = seconds() - start;
            best               = taken < best ? taken : best;
        }
        printf("%-7s %9zu tokens  %7.1f ms  %7.1f MB/s\n", deft_token_family_name(family), tokens,
               best * 1e3, bytes / best / 1e6);
    }
    free(data);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc > 1 && deft_view_equals(deft_view_of(argv[1]), "bench")) {
        return bench();
    }
    char *line = malloc(LINE_SIZE_MAX);
    if (line == NULL) {
        return 2;
    }
    while (fgets(line, LINE_SIZE_MAX, stdin) != NULL) {
        deft_view text = deft_view_of(line);
        text.size -= text.size > 0 && line[text.size - 1] == '\n';
        printf("%zu %zu %zu %zu\n", deft_tokens_estimate(text, DEFT_TOKENS_O200K),
               deft_tokens_estimate(text, DEFT_TOKENS_CLAUDE),
               deft_tokens_estimate(text, DEFT_TOKENS_LLAMA),
               deft_tokens_estimate(text, DEFT_TOKENS_CHARS4));
    }
    free(line);
    return 0;
}
