#include "core/bridge/arguments.h"

#include "base/fail.h"

// How often an object may be wrapped into a string. Once is common, twice was seen.
static const int string_depth_max = 4;

void deft__arguments_init(deft__arguments *arguments, const deft_allocator *allocator)
{
    deft__json_init(&arguments->document, allocator);
    deft_buffer_init(&arguments->scratch, allocator);
    deft__arena_init(&arguments->arena, allocator);
    arguments->object = deft__json_root(&arguments->document);
}

void deft__arguments_clear(deft__arguments *arguments)
{
    deft__arena_clear(&arguments->arena);
    deft_buffer_clear(&arguments->scratch);
    deft__json_clear(&arguments->document);
}

static bool is_blank(deft_view text)
{
    for (size_t i = 0; i < text.size; i++) {
        if (strchr(" \t\r\n", text.data[i]) == NULL || text.data[i] == '\0') {
            return false;
        }
    }
    return true;
}

deft_status deft__arguments_read(deft__arguments *arguments, deft_view text, deft_error *error)
{
    for (int depth = 0; depth <= string_depth_max; depth++) {
        if (is_blank(text)) {
            text = deft_view_of("{}");
        }
        deft_error        reason = DEFT_ERROR_INIT;
        const deft_status status = deft__json_parse(&arguments->document, text, NULL, &reason);
        if (status == DEFT_OUT_OF_MEMORY) {
            return deft__fail_memory(error);
        }
        if (status != DEFT_OK) {
            return deft__fail(error, status, reason.offset,
                              "the arguments are not valid JSON: %s (byte %zu)", reason.message,
                              reason.offset);
        }
        arguments->object          = deft__json_root(&arguments->document);
        const deft__json_kind kind = deft__json_kind_of(arguments->object);
        if (kind == DEFT__JSON_OBJECT) {
            return DEFT_OK;
        } else if (kind == DEFT__JSON_NULL) {
            text = deft_view_make(NULL, 0);
        } else if (kind != DEFT__JSON_STRING) {
            return deft__fail(error, DEFT_INVALID, 0, "the arguments are %s, not an object",
                              deft__json_kind_name(kind));
        } else if (!deft__arguments_string(arguments, arguments->object, &text)) {
            return deft__fail_memory(error);
        }
    }
    return deft__fail(error, DEFT_INVALID, 0, "the arguments are a string, not an object");
}

bool deft__arguments_string(deft__arguments *arguments, deft__json_value value, deft_view *text)
{
    deft_buffer_reset(&arguments->scratch);
    const deft_view decoded = deft__json_string(value, &arguments->scratch);
    if (arguments->scratch.status != DEFT_OK) {
        return false;
    }
    if (decoded.size > 0 && decoded.data != arguments->scratch.data) {
        *text = decoded; // borrowed from the text itself
        return true;
    }
    return deft__arena_copy(&arguments->arena, decoded, text);
}

bool deft__arguments_has(deft__json_value value)
{
    return !deft__json_is(value, DEFT__JSON_NONE) && !deft__json_is(value, DEFT__JSON_NULL);
}

deft_status deft__arguments_text(deft__arguments *arguments, const char *name, deft_view *text,
                                 deft_error *error)
{
    const deft__json_value value = deft__json_member(arguments->object, name);
    if (!deft__arguments_has(value)) {
        *text = deft_view_make(NULL, 0);
        return DEFT_OK;
    }
    if (!deft__json_is(value, DEFT__JSON_STRING)) {
        return deft__fail(error, DEFT_INVALID, deft__json_offset(value),
                          "'%s' is %s, it must be a string", name,
                          deft__json_kind_name(deft__json_kind_of(value)));
    }
    return deft__arguments_string(arguments, value, text) ? DEFT_OK : deft__fail_memory(error);
}
