#include "core/index/fields.h"

// What a schema may hide in its depths and still be found.
static const unsigned depth_max       = 6;
static const size_t   enum_values_max = 32;

static const struct {
    const char *name;
    size_t      words_max;
} fields[DEFT__FIELD_COUNT] = {
    [DEFT_FIELD_NAME]                   = {"name", 32},
    [DEFT_FIELD_TITLE]                  = {"title", 32},
    [DEFT_FIELD_SERVER]                 = {"server", 16},
    [DEFT_FIELD_DESCRIPTION]            = {"description", 400},
    [DEFT_FIELD_PARAMETER_NAMES]        = {"parameter names", 200},
    [DEFT_FIELD_PARAMETER_DESCRIPTIONS] = {"parameter descriptions", 400},
    [DEFT_FIELD_ENUM_VALUES]            = {"enum values", 100},
    [DEFT_FIELD_INSTRUCTIONS]           = {"server instructions", 32},
};

const char *deft_field_name(deft_field field)
{
    return (unsigned)field < DEFT__FIELD_COUNT ? fields[field].name : "unknown";
}

size_t deft__field_words_max(deft_field field)
{
    return fields[field].words_max;
}

void deft__field_reader_init(deft__field_reader *reader, const deft_allocator *allocator)
{
    deft__json_init(&reader->document, allocator);
    deft_buffer_init(&reader->text, allocator);
}

void deft__field_reader_clear(deft__field_reader *reader)
{
    deft__json_clear(&reader->document);
    deft_buffer_clear(&reader->text);
}

// The members of a schema that matter here.
typedef enum part {
    PART_PROPERTIES,
    PART_ITEMS,
    PART_DESCRIPTION,
    PART_ENUM,
    PART_ANY_OF,
    PART_ONE_OF,
    PART_ALL_OF,
    PART_COUNT
} part;

static const deft_view part_names[PART_COUNT] = {
    [PART_PROPERTIES]  = DEFT_VIEW_INIT("properties"),
    [PART_ITEMS]       = DEFT_VIEW_INIT("items"),
    [PART_DESCRIPTION] = DEFT_VIEW_INIT("description"),
    [PART_ENUM]        = DEFT_VIEW_INIT("enum"),
    [PART_ANY_OF]      = DEFT_VIEW_INIT("anyOf"),
    [PART_ONE_OF]      = DEFT_VIEW_INIT("oneOf"),
    [PART_ALL_OF]      = DEFT_VIEW_INIT("allOf"),
};

typedef struct schema_parts {
    deft__json_value values[PART_COUNT];
} schema_parts;

// All parts in one pass over the members; the last one where a name is there twice.
static void read_parts(schema_parts *parts, deft__json_value schema)
{
    *parts                = (schema_parts){0};
    deft__json_iterator i = deft__json_iterate(schema);
    while (i.is_object && deft__json_next(&i)) {
        const deft_view name        = deft__json_raw(i.name);
        const bool      has_escapes = memchr(name.data, '\\', name.size) != NULL;
        for (int k = 0; k < PART_COUNT; k++) {
            if ((has_escapes || name.size == part_names[k].size + 2) &&
                deft__json_string_equals(i.name, part_names[k])) {
                parts->values[k] = i.value;
                break;
            }
        }
    }
}

// One walk over a schema for one field.
typedef struct walk {
    deft_buffer *text;
    deft_field   field;
    bool (*visit)(void *context, deft_field field, deft_view text);
    void *context;
    bool  has[DEFT__FIELD_COUNT]; // whether the walk came by something of another field
} walk;

static bool visit_string(walk *w, deft__json_value value)
{
    if (!deft__json_is(value, DEFT__JSON_STRING)) {
        return true;
    }
    deft_buffer_reset(w->text);
    const deft_view text = deft__json_string(value, w->text);
    return w->text->status == DEFT_OK && w->visit(w->context, w->field, text);
}

static bool visit_enum(walk *w, deft__json_value values)
{
    deft__json_iterator i     = deft__json_iterate(values);
    size_t              count = 0;
    while (!i.is_object && count++ < enum_values_max && deft__json_next(&i)) {
        if (!visit_string(w, i.value)) {
            return false;
        }
    }
    return true;
}

static bool walk_parts(walk *w, const schema_parts *parts, unsigned depth);

static bool walk_schema(walk *w, deft__json_value schema, unsigned depth)
{
    schema_parts parts;
    if (depth > depth_max || !deft__json_is(schema, DEFT__JSON_OBJECT)) {
        return true;
    }
    read_parts(&parts, schema);
    return walk_parts(w, &parts, depth);
}

static bool walk_property(walk *w, deft__json_value name, deft__json_value schema, unsigned depth)
{
    schema_parts parts;
    schema_parts items;
    read_parts(&parts, schema);
    read_parts(&items, parts.values[PART_ITEMS]);
    w->has[DEFT_FIELD_PARAMETER_DESCRIPTIONS] |=
        !deft__json_is(parts.values[PART_DESCRIPTION], DEFT__JSON_NONE);
    w->has[DEFT_FIELD_ENUM_VALUES] |= !deft__json_is(parts.values[PART_ENUM], DEFT__JSON_NONE) ||
                                      !deft__json_is(items.values[PART_ENUM], DEFT__JSON_NONE);
    if (w->field == DEFT_FIELD_PARAMETER_NAMES && !visit_string(w, name)) {
        return false;
    }
    if (w->field == DEFT_FIELD_PARAMETER_DESCRIPTIONS &&
        !visit_string(w, parts.values[PART_DESCRIPTION])) {
        return false;
    }
    if (w->field == DEFT_FIELD_ENUM_VALUES &&
        (!visit_enum(w, parts.values[PART_ENUM]) || !visit_enum(w, items.values[PART_ENUM]))) {
        return false;
    }
    return depth + 1 > depth_max ||
           (walk_parts(w, &parts, depth + 1) && walk_parts(w, &items, depth + 1));
}

// Properties, and those of the alternatives. The recursion is bounded by depth_max.
static bool walk_parts(walk *w, const schema_parts *parts, unsigned depth)
{
    if (deft__json_is(parts->values[PART_PROPERTIES], DEFT__JSON_OBJECT)) {
        deft__json_iterator i = deft__json_iterate(parts->values[PART_PROPERTIES]);
        while (deft__json_next(&i)) {
            if (!walk_property(w, i.name, i.value, depth)) {
                return false;
            }
        }
    }
    for (int k = PART_ANY_OF; k <= PART_ALL_OF; k++) {
        if (deft__json_is(parts->values[k], DEFT__JSON_ARRAY)) {
            deft__json_iterator i = deft__json_iterate(parts->values[k]);
            while (deft__json_next(&i)) {
                if (!walk_schema(w, i.value, depth + 1)) {
                    return false;
                }
            }
        }
    }
    return true;
}

// Names, then descriptions, then values: three walks, of which the later ones are left out where
// the first came by nothing for them.
static bool visit_schema(deft__field_reader *reader,
                         bool (*visit)(void *context, deft_field field, deft_view text),
                         void *context)
{
    static const deft_field fields_of_schema[] = {
        DEFT_FIELD_PARAMETER_NAMES, DEFT_FIELD_PARAMETER_DESCRIPTIONS, DEFT_FIELD_ENUM_VALUES};
    walk w                            = {.text = &reader->text, .visit = visit, .context = context};
    w.has[DEFT_FIELD_PARAMETER_NAMES] = true;
    for (size_t k = 0; k < sizeof fields_of_schema / sizeof fields_of_schema[0]; k++) {
        w.field = fields_of_schema[k];
        if (w.has[w.field] && !walk_schema(&w, deft__json_root(&reader->document), 0)) {
            return false;
        }
    }
    return true;
}

deft_status deft__fields_visit(deft__field_reader *reader, const deft_catalog *catalog,
                               deft_tool_id id,
                               bool (*visit)(void *context, deft_field field, deft_view text),
                               void *context)
{
    const deft_tool   *tool   = deft_catalog_tool(catalog, id);
    const deft_server *server = deft_catalog_server(catalog, tool->server);

    if (!visit(context, DEFT_FIELD_NAME, tool->name) ||
        !visit(context, DEFT_FIELD_TITLE, tool->title) ||
        !visit(context, DEFT_FIELD_SERVER, server->name) ||
        !visit(context, DEFT_FIELD_SERVER, server->title) ||
        !visit(context, DEFT_FIELD_DESCRIPTION, tool->description)) {
        return DEFT_OUT_OF_MEMORY;
    }
    if (tool->input_schema.size > 0) {
        const deft_status status =
            deft__json_parse(&reader->document, tool->input_schema, NULL, NULL);
        if (status == DEFT_OUT_OF_MEMORY) {
            return status;
        }
        if (!visit_schema(reader, visit, context)) {
            return DEFT_OUT_OF_MEMORY;
        }
    }
    return visit(context, DEFT_FIELD_INSTRUCTIONS, server->instructions) ? DEFT_OK
                                                                         : DEFT_OUT_OF_MEMORY;
}
