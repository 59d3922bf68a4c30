#include "cli/arguments.h"

#include "base/fail.h"
#include "json/reader.h"
#include "json/writer.h"

#include <string.h>

typedef struct pair {
    deft_view name;
    deft_view value;
    bool      is_string;
} pair;

// name=value, or name:=value.
static bool split(const char *word, pair *out)
{
    const char *equals = strchr(word, '=');
    if (equals == NULL || equals == word) {
        return false;
    }
    const bool   is_string = equals[-1] == ':';
    const size_t size      = (size_t)(equals - word) - (is_string ? 1 : 0);
    *out = (pair){deft_view_make(word, size), deft_view_of(equals + 1), is_string};
    return size > 0;
}

static void write_value(deft__json_writer *json, deft__json *document, const pair *given)
{
    if (!given->is_string && deft__json_parse(document, given->value, NULL, NULL) == DEFT_OK) {
        deft__json_write_raw(json, deft__json_raw(deft__json_root(document)));
    } else {
        deft__json_write_string(json, given->value);
    }
}

static bool is_given_before(const char *const *words, size_t at, deft_view name)
{
    pair earlier;
    for (size_t i = 0; i < at; i++) {
        if (split(words[i], &earlier) && deft_view_equal(earlier.name, name)) {
            return true;
        }
    }
    return false;
}

static deft_status write_pairs(const char *const *words, size_t count, deft_buffer *out,
                               deft_error *error)
{
    deft_status       status = DEFT_OK;
    deft__quoted      quoted;
    deft__json        document;
    deft__json_writer json;
    deft__json_init(&document, NULL);
    deft__json_writer_init(&json, out);
    deft__json_begin_object(&json);
    for (size_t i = 0; status == DEFT_OK && i < count; i++) {
        pair given;
        if (!split(words[i], &given)) {
            status =
                deft__fail(error, DEFT_INVALID, 0,
                           "'%s' is no argument; write name=value, or all arguments as one JSON "
                           "object",
                           deft__quote(&quoted, deft_view_of(words[i])));
        } else if (is_given_before(words, i, given.name)) {
            status = deft__fail(error, DEFT_DUPLICATE, 0, "argument '%s' is there twice",
                                deft__quote(&quoted, given.name));
        } else {
            deft__json_name_view(&json, given.name);
            write_value(&json, &document, &given);
        }
    }
    deft__json_end_object(&json);
    deft__json_clear(&document);
    if (status == DEFT_OK && out->status != DEFT_OK) {
        status = deft__fail_memory(error);
    }
    return status;
}

deft_status deft__arguments_write_json(deft_view text, deft_buffer *out, deft_error *error)
{
    deft_error  inner  = DEFT_ERROR_INIT;
    deft_status status = DEFT_OK;
    deft__json  document;
    deft__json_init(&document, NULL);
    if (deft__json_parse(&document, text, NULL, &inner) != DEFT_OK) {
        status =
            deft__fail(error, DEFT_INVALID, inner.offset,
                       "the arguments are not JSON: %s (byte %zu)", inner.message, inner.offset);
    } else if (!deft__json_is(deft__json_root(&document), DEFT__JSON_OBJECT)) {
        status = deft__fail(error, DEFT_INVALID, 0,
                            "the arguments are %s; a tool takes an object: '{\"name\": value}', or "
                            "name=value",
                            deft__json_kind_name(deft__json_kind_of(deft__json_root(&document))));
    } else if (deft_buffer_reserve(out, text.size)) {
        deft_buffer_append(out, deft__json_raw(deft__json_root(&document)));
    } else {
        status = deft__fail_memory(error);
    }
    deft__json_clear(&document);
    return status;
}

deft_status deft__arguments_write(const char *const *words, size_t count, deft_buffer *out,
                                  deft_error *error)
{
    const char *text = count == 1 ? words[0] + strspn(words[0], " \t\r\n") : "";
    if (text[0] == '{' || text[0] == '[' || text[0] == '"') {
        return deft__arguments_write_json(deft_view_of(text), out, error);
    }
    const size_t      start  = out->size;
    const deft_status status = write_pairs(words, count, out, error);
    if (status != DEFT_OK) {
        deft_buffer_truncate(out, start);
    }
    return status;
}
