// fuzz.h - what every fuzz target includes: the one function it defines, and a check that stays in
// every build.
#ifndef DEFT_TESTS_FUZZ_H
#define DEFT_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

// Called once per input by libFuzzer, or by replay.c with each file of a corpus.
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define check(fact)                                                                                \
    do {                                                                                           \
        if (!(fact)) {                                                                             \
            (void)fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #fact);               \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

#endif
