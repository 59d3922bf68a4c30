#include "bench/json_other.h"

#include <jansson.h>
#include <stdio.h>

static bool read_text(const char *text, size_t size)
{
    json_t    *value   = json_loadb(text, size, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
    const bool is_read = value != NULL;
    json_decref(value);
    return is_read;
}

bench_json_other bench_json_other_get(void)
{
    bench_json_other other = {.read = read_text};
    (void)snprintf(other.name, sizeof other.name, "jansson %s", jansson_version_str());
    return other;
}
