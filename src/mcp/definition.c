// Definitions are nearly always fit for both eras as they are. A search for the few words that can
// matter tells so in a microsecond; only a definition that has one of them is parsed.
#include "mcp/adapt.h"

#include "base/fail.h"
#include "mcp/cut.h"

#define HEADER_KEYWORD "x-mcp-header"

static bool contains(deft_view text, const char *word)
{
    const size_t size = strlen(word);
    const char  *at   = text.data;
    size_t       left = text.size;
    while (left >= size) {
        const char *found = memchr(at, word[0], left - size + 1);
        if (found == NULL) {
            return false;
        } else if (memcmp(found, word, size) == 0) {
            return true;
        }
        left -= (size_t)(found + 1 - at);
        at = found + 1;
    }
    return false;
}

// Whether a member may have to go. The names are spelt in ASCII letters, which only \u can hide.
static bool may_need_a_cut(deft_view definition, deft__mcp_era to)
{
    return contains(definition, HEADER_KEYWORD) || contains(definition, "\\u") ||
           contains(definition, to == DEFT__MCP_ERA_MODERN ? "execution" : "outputSchema");
}

// Keywords of JSON Schema under which there are schemas. Everything else (const, enum, default,
// examples ...) holds data, in which names mean nothing.
static const struct {
    const char *keyword;
    bool        is_map; // from names to schemas; else a schema, or an array of them
} places[] = {
    {"properties", true},
    {"patternProperties", true},
    {"$defs", true},
    {"definitions", true},
    {"dependentSchemas", true},
    {"dependencies", true},
    {"items", false},
    {"prefixItems", false},
    {"additionalItems", false},
    {"unevaluatedItems", false},
    {"contains", false},
    {"additionalProperties", false},
    {"unevaluatedProperties", false},
    {"propertyNames", false},
    {"contentSchema", false},
    {"allOf", false},
    {"anyOf", false},
    {"oneOf", false},
    {"not", false},
    {"if", false},
    {"then", false},
    {"else", false},
};

static void strip_schema(deft__cut *cut, deft__json_value schema);

// The items of an array, or the values of an object.
static void strip_each(deft__cut *cut, deft__json_value container)
{
    deft__json_iterator i = deft__json_iterate(container);
    while (deft__json_next(&i)) {
        strip_schema(cut, i.value);
    }
}

static void strip_under_keyword(deft__cut *cut, deft__json_value keyword, deft__json_value value)
{
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        if (deft__json_string_equals(keyword, deft_view_of(places[i].keyword))) {
            if (places[i].is_map || deft__json_is(value, DEFT__JSON_ARRAY)) {
                strip_each(cut, value);
            } else {
                strip_schema(cut, value);
            }
            return;
        }
    }
}

// Takes the header keyword out of a schema and those inside it. Recursive: the reader bounds depth.
static void strip_schema(deft__cut *cut, deft__json_value schema)
{
    if (!deft__json_is(schema, DEFT__JSON_OBJECT)) {
        return;
    }
    deft__cut_object object = deft__cut_enter(cut, schema);
    while (deft__cut_next(cut, &object)) {
        if (deft__json_string_equals(object.i.name, deft_view_of(HEADER_KEYWORD))) {
            deft__cut_member(cut, &object);
        } else {
            strip_under_keyword(cut, object.i.name, object.i.value);
        }
    }
}

// Legacy clients refuse a whole list for one output schema without "type":"object" at its root.
static bool is_object_schema(deft__json_value schema)
{
    return deft__json_string_equals(deft__json_member(schema, "type"), deft_view_of("object"));
}

static void cut_definition(deft_buffer *out, deft__json_value definition, deft__mcp_era to)
{
    const bool is_modern = to == DEFT__MCP_ERA_MODERN;
    deft__cut  cut;
    deft__cut_init(&cut, out, definition.document->text);
    deft__cut_object object = deft__cut_enter(&cut, definition);
    while (deft__cut_next(&cut, &object)) {
        const deft__json_value name = object.i.name;
        if (deft__json_string_equals(name, deft_view_of("inputSchema"))) {
            strip_schema(&cut, object.i.value);
        } else if (is_modern ? deft__json_string_equals(name, deft_view_of("execution"))
                             : deft__json_string_equals(name, deft_view_of("outputSchema")) &&
                                   !is_object_schema(object.i.value)) {
            deft__cut_member(&cut, &object);
        }
    }
    deft__cut_finish(&cut);
}

deft_status deft__mcp_write_definition_for(deft_buffer *out, deft_view definition, deft__mcp_era to,
                                           deft_error *error)
{
    if (!may_need_a_cut(definition, to)) {
        deft_buffer_append(out, definition);
        return out->status == DEFT_OK ? DEFT_OK : deft__fail_memory(error);
    }

    deft__json document;
    deft__json_init(&document, out->allocator);
    deft_status            status = deft__json_parse(&document, definition, NULL, error);
    const deft__json_value root   = deft__json_root(&document);
    if (status == DEFT_OK && !deft__json_is(root, DEFT__JSON_OBJECT)) {
        status = deft__fail(error, DEFT_INVALID, deft__json_offset(root),
                            "a tool definition must be an object, not %s",
                            deft__json_kind_name(deft__json_kind_of(root)));
    } else if (status == DEFT_OK) {
        cut_definition(out, root, to);
        status = out->status == DEFT_OK ? DEFT_OK : deft__fail_memory(error);
    }
    deft__json_clear(&document);
    return status;
}
