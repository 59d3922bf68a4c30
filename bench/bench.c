#include "bench/bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// The processor's name as Linux has it; other systems say "unknown processor".
static void read_processor(char *name, size_t size)
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

void bench_head(const char *name)
{
    char        processor[128];
    const char *commit = getenv("DEFT_COMMIT");
    read_processor(processor, sizeof processor);
    (void)printf("%s: %s, commit %s, %s build\n", name, processor,
                 commit != NULL ? commit : DEFT_BENCH_COMMIT, DEFT_BENCH_BUILD);
}

double bench_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

uint64_t bench_random(uint64_t *state)
{
    uint64_t z = *state += 0x9E3779B97F4A7C15u;
    z          = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z          = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}
