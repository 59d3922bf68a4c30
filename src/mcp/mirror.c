#include "mcp/mirror.h"

#include "base/fail.h"

#include <inttypes.h>
#include <stdio.h>

#define KEYWORD "x-mcp-header"

// Names from the arguments to a value. Each level is searched again, so this bounds the time, too.
#define DEPTH_MAX 16u

typedef struct reading {
    deft__arena     *arena;
    deft__mcp_mirror mirrors[DEFT__MCP_MIRRORS_MAX];
    size_t           count;
    deft_view        path[DEPTH_MAX];
    deft_buffer      scratch;
    deft_error      *error;
} reading;

// --- Where a keyword stands in a schema. ----------------------------------------------------------

static bool is_one_of(deft__json_value name, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (deft__json_string_equals(name, deft_view_of(words[i]))) {
            return true;
        }
    }
    return false;
}

// Whether the keyword is somewhere in a schema. Names of properties and examples of data are none.
static bool has_keyword(deft__json_value schema)
{
    static const char *const maps[] = {"properties", "patternProperties", "$defs", "definitions",
                                       "dependentSchemas"};
    static const char *const data[] = {"const", "enum", "default", "examples", "example"};
    deft__json_iterator      i      = deft__json_iterate(schema);
    while (deft__json_next(&i)) {
        if (i.is_object && deft__json_string_equals(i.name, deft_view_of(KEYWORD))) {
            return true;
        } else if (i.is_object && is_one_of(i.name, maps, sizeof maps / sizeof maps[0])) {
            deft__json_iterator inner = deft__json_iterate(i.value);
            while (deft__json_next(&inner)) {
                if (has_keyword(inner.value)) {
                    return true;
                }
            }
        } else if ((!i.is_object || !is_one_of(i.name, data, sizeof data / sizeof data[0])) &&
                   has_keyword(i.value)) {
            return true;
        }
    }
    return false;
}

// --- One property. --------------------------------------------------------------------------------

static bool is_token(deft_view text)
{
    static const char others[] = "!#$%&'*+-.^_`|~";
    for (size_t i = 0; i < text.size; i++) {
        const char byte = text.data[i];
        const char low  = (char)(byte | 0x20);
        if (!(byte >= '0' && byte <= '9') && !(low >= 'a' && low <= 'z') &&
            (byte == '\0' || strchr(others, byte) == NULL)) {
            return false;
        }
    }
    return text.size > 0;
}

static bool is_same_name(deft_view a, deft_view b)
{
    bool is_same = a.size == b.size;
    for (size_t i = 0; is_same && i < a.size; i++) {
        const char x = a.data[i];
        const char y = b.data[i];
        is_same      = x == y || ((x ^ y) == 0x20 && (x | 0x20) >= 'a' && (x | 0x20) <= 'z');
    }
    return is_same;
}

static deft_status check_rules(const reading *now, deft_view header, deft__json_value type)
{
    static const char *const types[] = {"string", "integer", "boolean"};
    deft__quoted             quoted;
    if (!is_token(header)) {
        return deft__fail(now->error, DEFT_INVALID, 0, KEYWORD " '%s' cannot name a header",
                          deft__quote(&quoted, header));
    }
    if (!is_one_of(type, types, sizeof types / sizeof types[0])) {
        return deft__fail(now->error, DEFT_INVALID, 0,
                          KEYWORD " '%s' is of a parameter that is no string, integer or boolean",
                          deft__quote(&quoted, header));
    }
    for (size_t i = 0; i < now->count; i++) {
        if (is_same_name(now->mirrors[i].header, header)) {
            return deft__fail(now->error, DEFT_INVALID, 0, KEYWORD " '%s' is there twice",
                              deft__quote(&quoted, header));
        }
    }
    if (now->count == DEFT__MCP_MIRRORS_MAX) {
        return deft__fail(now->error, DEFT_LIMIT, 0, "it has more than %u parameters with " KEYWORD,
                          DEFT__MCP_MIRRORS_MAX);
    }
    return DEFT_OK;
}

static deft_status add_mirror(reading *now, deft__json_value schema, size_t depth)
{
    const deft__json_value keyword = deft__json_member(schema, KEYWORD);
    if (deft__json_is(keyword, DEFT__JSON_NONE)) {
        return DEFT_OK;
    }
    deft_buffer_reset(&now->scratch);
    const deft_view   header = deft__json_string(keyword, &now->scratch);
    const deft_status status = check_rules(now, header, deft__json_member(schema, "type"));
    if (status != DEFT_OK) {
        return status;
    }
    deft_view        *names  = deft__arena_array(now->arena, depth, sizeof *names);
    deft__mcp_mirror *mirror = &now->mirrors[now->count];
    if (names == NULL || !deft__arena_copy(now->arena, header, &mirror->header)) {
        return deft__fail_memory(now->error);
    }
    for (size_t i = 0; i < depth; i++) {
        if (!deft__arena_copy(now->arena, now->path[i], &names[i])) {
            return deft__fail_memory(now->error);
        }
    }
    mirror->names      = names;
    mirror->name_count = depth;
    now->count++;
    return DEFT_OK;
}

// --- A schema, and those of its properties. -------------------------------------------------------

static deft_status read_schema(reading *now, deft__json_value schema, size_t depth);

static deft_status read_properties(reading *now, deft__json_value properties, size_t depth)
{
    deft_status         status = DEFT_OK;
    deft__json_iterator i      = deft__json_iterate(properties);
    while (status == DEFT_OK && i.is_object && deft__json_next(&i)) {
        // A name is kept in the arena: one with escapes has no text of its own.
        deft_view name = deft_view_of(NULL);
        deft_buffer_reset(&now->scratch);
        const deft_view text = deft__json_string(i.name, &now->scratch);
        if (!has_keyword(i.value)) {
            continue;
        }
        if (now->scratch.status != DEFT_OK || !deft__arena_copy(now->arena, text, &name)) {
            return deft__fail_memory(now->error);
        }
        now->path[depth] = name;
        status           = add_mirror(now, i.value, depth + 1);
        if (status == DEFT_OK) {
            status = read_schema(now, i.value, depth + 1);
        }
    }
    return status;
}

static deft_status read_schema(reading *now, deft__json_value schema, size_t depth)
{
    deft_status         status = DEFT_OK;
    deft__json_iterator i      = deft__json_iterate(schema);
    while (status == DEFT_OK && i.is_object && deft__json_next(&i)) {
        static const char *const data[] = {"const",    "enum",    "default",
                                           "examples", "example", KEYWORD};
        if (is_one_of(i.name, data, sizeof data / sizeof data[0])) {
            continue;
        } else if (deft__json_string_equals(i.name, deft_view_of("properties"))) {
            status = depth < DEPTH_MAX ? read_properties(now, i.value, depth)
                                       : deft__fail(now->error, DEFT_LIMIT, 0, "it is too deep");
        } else if (has_keyword(i.value)) {
            status = deft__fail(now->error, DEFT_INVALID, 0,
                                KEYWORD " stands where no argument can be found for it");
        }
    }
    return status;
}

deft_status deft__mcp_read_mirrors(deft__json_value definition, deft__arena *arena,
                                   const deft__mcp_mirror **mirrors, size_t *count,
                                   deft_error *error)
{
    const deft__json_value schema = deft__json_member(definition, "inputSchema");
    *mirrors                      = NULL;
    *count                        = 0;
    if (!has_keyword(schema)) {
        return DEFT_OK;
    }
    if (!deft__json_is(deft__json_member(schema, KEYWORD), DEFT__JSON_NONE)) {
        return deft__fail(error, DEFT_INVALID, 0, KEYWORD " is of no parameter");
    }
    deft_error cause = DEFT_ERROR_INIT;
    reading    now   = {.arena = arena, .error = &cause};
    deft_buffer_init(&now.scratch, arena->allocator);
    deft_status status = read_schema(&now, schema, 0);
    deft_buffer_clear(&now.scratch);
    deft__mcp_mirror *kept =
        status == DEFT_OK ? deft__arena_array(arena, now.count, sizeof *kept) : NULL;
    if (status == DEFT_OK && kept == NULL) {
        status = deft__fail_memory(&cause);
    }
    if (kept != NULL) {
        memcpy(kept, now.mirrors, now.count * sizeof *kept);
        *mirrors = kept;
        *count   = now.count;
    } else if (error != NULL) {
        *error = cause;
    }
    return status;
}

bool deft__mcp_mirror_value(const deft__mcp_mirror *mirror, deft__json_value arguments,
                            deft_buffer *out)
{
    deft__json_value value = arguments;
    int64_t          number;
    char             digits[24];
    for (size_t i = 0; i < mirror->name_count; i++) {
        value = deft__json_member_view(value, mirror->names[i]);
    }
    switch (deft__json_kind_of(value)) {
    case DEFT__JSON_STRING: {
        deft_buffer scratch;
        deft_buffer_init(&scratch, out->allocator);
        deft_buffer_append(out, deft__json_string(value, &scratch));
        if (scratch.status != DEFT_OK) {
            out->status = scratch.status;
        }
        deft_buffer_clear(&scratch);
        return true;
    }
    case DEFT__JSON_TRUE:
    case DEFT__JSON_FALSE:
        deft_buffer_append(out, deft__json_raw(value));
        return true;
    case DEFT__JSON_NUMBER:
        // One that is not whole, or beyond 64 bits, the server will refuse by itself.
        if (deft__json_int64(value, &number) == DEFT_OK) {
            (void)snprintf(digits, sizeof digits, "%" PRId64, number);
            deft_buffer_append_text(out, digits);
        } else {
            deft_buffer_append(out, deft__json_raw(value));
        }
        return true;
    case DEFT__JSON_NONE:
    case DEFT__JSON_NULL:
    case DEFT__JSON_ARRAY:
    case DEFT__JSON_OBJECT:
        break;
    }
    return false;
}
