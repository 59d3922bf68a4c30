#include "bench/json_other.h"

#include <json-c/json.h>
#include <stdio.h>

static bool read_text(const char *text, size_t size)
{
    struct json_tokener *tokener = json_tokener_new_ex(128);
    json_tokener_set_flags(tokener, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
    json_object *value   = json_tokener_parse_ex(tokener, text, (int)size);
    const bool   is_read = json_tokener_get_error(tokener) == json_tokener_success;
    json_object_put(value);
    json_tokener_free(tokener);
    return is_read;
}

bench_json_other bench_json_other_get(void)
{
    bench_json_other other = {.read = read_text};
    (void)snprintf(other.name, sizeof other.name, "json-c %s", json_c_version());
    return other;
}
