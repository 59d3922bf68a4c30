// json_other.h - someone else's JSON reader, in a module that json_bench.c loads.
#ifndef DEFT_BENCH_JSON_OTHER_H
#define DEFT_BENCH_JSON_OTHER_H

#include <stddef.h>

typedef struct bench_json_other {
    char name[32];                                // with its version
    void *(*read)(const char *text, size_t size); // NULL when the text was refused
    void (*free)(void *value);
} bench_json_other;

// The one symbol of a module.
#define BENCH_JSON_OTHER_SYMBOL "bench_json_other_get"
__attribute__((visibility("default"))) bench_json_other bench_json_other_get(void);

#endif
