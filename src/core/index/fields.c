#include "core/index/fields.h"

// What a schema may hide in its depths and still be found.
static const unsigned depth_max       = 6;
static const size_t   enum_values_max = 32;

static const struct {
    const char *name;
    size_t      words_max;
} fields[DEFT__FIELD_COUNT] = {
    [DEFT__FIELD_NAME]                   = {"name", 32},
    [DEFT__FIELD_TITLE]                  = {"title", 32},
    [DEFT__FIELD_SERVER]                 = {"server", 16},
    [DEFT__FIELD_DESCRIPTION]            = {"description", 400},
    [DEFT__FIELD_PARAMETER_NAMES]        = {"parameter names", 200},
    [DEFT__FIELD_PARAMETER_DESCRIPTIONS] = {"parameter descriptions", 400},
    [DEFT__FIELD_ENUM_VALUES]            = {"enum values", 100},
    [DEFT__FIELD_INSTRUCTIONS]           = {"server instructions", 32},
};

const char *deft__field_name(deft__field field)
{
    return fields[field].name;
}

size_t deft__field_words_max(deft__field field)
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

// One walk over a schema for one field.
typedef struct walk {
    deft_buffer *text;
    deft__field  field;
    bool (*visit)(void *context, deft__field field, deft_view text);
    void *context;
} walk;

static bool visit_string(const walk *w, deft__json_value value)
{
    if (!deft__json_is(value, DEFT__JSON_STRING)) {
        return true;
    }
    deft_buffer_reset(w->text);
    const deft_view text = deft__json_string(value, w->text);
    return w->text->status == DEFT_OK && w->visit(w->context, w->field, text);
}

static bool visit_enum(const walk *w, deft__json_value schema)
{
    deft__json_iterator i     = deft__json_iterate(deft__json_member(schema, "enum"));
    size_t              count = 0;
    while (!i.is_object && count++ < enum_values_max && deft__json_next(&i)) {
        if (!visit_string(w, i.value)) {
            return false;
        }
    }
    return true;
}

static bool walk_schema(const walk *w, deft__json_value schema, unsigned depth);

static bool walk_property(const walk *w, deft__json_value name, deft__json_value schema,
                          unsigned depth)
{
    if (w->field == DEFT__FIELD_PARAMETER_NAMES && !visit_string(w, name)) {
        return false;
    }
    if (w->field == DEFT__FIELD_PARAMETER_DESCRIPTIONS &&
        !visit_string(w, deft__json_member(schema, "description"))) {
        return false;
    }
    if (w->field == DEFT__FIELD_ENUM_VALUES && !visit_enum(w, schema)) {
        return false;
    }
    const deft__json_value items = deft__json_member(schema, "items");
    if (w->field == DEFT__FIELD_ENUM_VALUES && !visit_enum(w, items)) {
        return false;
    }
    return walk_schema(w, schema, depth + 1) && walk_schema(w, items, depth + 1);
}

// Properties, and those of the alternatives. The recursion is bounded by depth_max.
static bool walk_schema(const walk *w, deft__json_value schema, unsigned depth)
{
    static const char *const alternatives[] = {"anyOf", "oneOf", "allOf"};
    if (depth > depth_max || !deft__json_is(schema, DEFT__JSON_OBJECT)) {
        return true;
    }
    const deft__json_value properties = deft__json_member(schema, "properties");
    if (deft__json_is(properties, DEFT__JSON_OBJECT)) {
        deft__json_iterator i = deft__json_iterate(properties);
        while (deft__json_next(&i)) {
            if (!walk_property(w, i.name, i.value, depth)) {
                return false;
            }
        }
    }
    for (size_t k = 0; k < sizeof alternatives / sizeof alternatives[0]; k++) {
        const deft__json_value list = deft__json_member(schema, alternatives[k]);
        if (deft__json_is(list, DEFT__JSON_ARRAY)) {
            deft__json_iterator i = deft__json_iterate(list);
            while (deft__json_next(&i)) {
                if (!walk_schema(w, i.value, depth + 1)) {
                    return false;
                }
            }
        }
    }
    return true;
}

deft_status deft__fields_visit(deft__field_reader *reader, const deft_catalog *catalog,
                               deft_tool_id id,
                               bool (*visit)(void *context, deft__field field, deft_view text),
                               void *context)
{
    const deft_tool   *tool   = deft_catalog_tool(catalog, id);
    const deft_server *server = deft_catalog_server(catalog, tool->server);

    if (!visit(context, DEFT__FIELD_NAME, tool->name) ||
        !visit(context, DEFT__FIELD_TITLE, tool->title) ||
        !visit(context, DEFT__FIELD_SERVER, server->name) ||
        !visit(context, DEFT__FIELD_SERVER, server->title) ||
        !visit(context, DEFT__FIELD_DESCRIPTION, tool->description)) {
        return DEFT_OUT_OF_MEMORY;
    }
    if (tool->input_schema.size > 0) {
        const deft_status status =
            deft__json_parse(&reader->document, tool->input_schema, NULL, NULL);
        if (status == DEFT_OUT_OF_MEMORY) {
            return status;
        }
        const deft__field schema_fields[] = {DEFT__FIELD_PARAMETER_NAMES,
                                             DEFT__FIELD_PARAMETER_DESCRIPTIONS,
                                             DEFT__FIELD_ENUM_VALUES};
        for (size_t k = 0; k < sizeof schema_fields / sizeof schema_fields[0]; k++) {
            const walk w = {&reader->text, schema_fields[k], visit, context};
            if (!walk_schema(&w, deft__json_root(&reader->document), 0)) {
                return DEFT_OUT_OF_MEMORY;
            }
        }
    }
    return visit(context, DEFT__FIELD_INSTRUCTIONS, server->instructions) ? DEFT_OK
                                                                          : DEFT_OUT_OF_MEMORY;
}
