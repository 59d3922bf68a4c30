#include "bench/json_other.h"

#include <jansson.h>
#include <stdio.h>

static void *read_text(const char *text, size_t size)
{
    return json_loadb(text, size, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
}

static void free_value(void *value)
{
    json_decref(value);
}

bench_json_other bench_json_other_get(void)
{
    bench_json_other other = {.read = read_text, .free = free_value};
    (void)snprintf(other.name, sizeof other.name, "jansson %s", jansson_version_str());
    return other;
}
