#include "bench/json_other.h"

#include <json-c/json.h>
#include <stdio.h>

static void *read_text(const char *text, size_t size)
{
    struct json_tokener *tokener = json_tokener_new_ex(128);
    json_tokener_set_flags(tokener, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
    json_object *value = json_tokener_parse_ex(tokener, text, (int)size);
    json_tokener_free(tokener);
    return value;
}

static void free_value(void *value)
{
    json_object_put(value);
}

bench_json_other bench_json_other_get(void)
{
    bench_json_other other = {.read = read_text, .free = free_value};
    (void)snprintf(other.name, sizeof other.name, "json-c %s", json_c_version());
    return other;
}
