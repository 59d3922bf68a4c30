// bench.h - what every benchmark shares: a clock, a head line, numbers that repeat.
#ifndef DEFT_BENCH_BENCH_H
#define DEFT_BENCH_BENCH_H

#include <stdint.h>

// Prints what a result means nothing without: the benchmark, the processor, the commit (from
// DEFT_COMMIT in the environment, else from when the build was configured) and the build type.
void bench_head(const char *name);

// CPU time of this process in seconds: other work on the machine disturbs it least.
double bench_seconds(void);

// A number that is the same in every run (splitmix64 by Vigna).
uint64_t bench_random(uint64_t *state);

#endif
