// bench.h - what every benchmark shares: a clock, a head line, numbers that repeat.
#ifndef DEFT_BENCH_BENCH_H
#define DEFT_BENCH_BENCH_H

#include <stddef.h>
#include <stdint.h>

// Prints what a result means nothing without: the benchmark, the processor, the commit (from
// DEFT_COMMIT in the environment, else from when the build was configured) and the build type.
void bench_head(const char *name);

// The same, one by one, for reports that are not text.
void        bench_processor(char *name, size_t size);
const char *bench_commit(void);
const char *bench_build(void);

// CPU time of this process in seconds: other work on the machine disturbs it least.
double bench_seconds(void);

// Time as the clock on the wall has it, in seconds: a look at it costs a tenth of the above, so it
// fits where single calls are timed and the best of several counts.
double bench_wall_seconds(void);

// A number that is the same in every run (splitmix64 by Vigna).
uint64_t bench_random(uint64_t *state);

#endif
