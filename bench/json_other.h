// json_other.h - someone else's JSON reader, in a module that json_bench.c loads.
#ifndef DEFT_BENCH_JSON_OTHER_H
#define DEFT_BENCH_JSON_OTHER_H

#include <stdbool.h>
#include <stddef.h>

typedef struct bench_json_other {
    char name[32]; // with its version
    // Reads the text and frees what it became. False when it was refused.
    bool (*read)(const char *text, size_t size);
} bench_json_other;

// The one symbol of a module.
#define BENCH_JSON_OTHER_SYMBOL "bench_json_other_get"
__attribute__((visibility("default"))) bench_json_other bench_json_other_get(void);

#endif
