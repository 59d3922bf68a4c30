#include "bench/bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// The processor's name as Linux has it; other systems say "unknown processor".
void bench_processor(char *name, size_t size)
{
    char  line[256];
    FILE *file = fopen("/proc/cpuinfo", "r");
    (void)snprintf(name, size, "unknown processor");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        const char *value = strchr(line, ':');
        if (strncmp(line, "model name", 10) == 0 && value != NULL) {
            (void)snprintf(name, size, "%.*s", (int)strcspn(value + 2, "\n"), value + 2);
            break;
        }
    }
    if (file != NULL) {
        (void)fclose(file);
    }
}

const char *bench_commit(void)
{
    const char *commit = getenv("DEFT_COMMIT");
    return commit != NULL ? commit : DEFT_BENCH_COMMIT;
}

const char *bench_build(void)
{
    return DEFT_BENCH_BUILD;
}

void bench_head(const char *name)
{
    char processor[128];
    bench_processor(processor, sizeof processor);
    (void)printf("%s: %s, commit %s, %s build\n", name, processor, bench_commit(), bench_build());
}

double bench_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

double bench_wall_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

uint64_t bench_random(uint64_t *state)
{
    uint64_t z = *state += 0x9E3779B97F4A7C15u;
    z          = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z          = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}
