// Definitions in another form, or under another name. Nothing is parsed here: where the parts of
// a definition are in its bytes was noted when it was read, and they are spliced in as they are.
#include "core/catalog/catalog.h"

#include "json/writer.h"

#include <assert.h>

// What a form that demands a schema gets where there is none.
static const char schema_of_nothing[] = "{\"type\":\"object\",\"properties\":{}}";

static const char *const form_names[] = {"mcp", "openai", "anthropic"};

static bool is_written_in(const deft__record *record, deft_form form)
{
    switch (record->shape) {
    case DEFT__SHAPE_MCP:
        return form == DEFT_FORM_MCP;
    case DEFT__SHAPE_ANTHROPIC:
        return form == DEFT_FORM_ANTHROPIC;
    case DEFT__SHAPE_OPENAI:
        return form == DEFT_FORM_OPENAI;
    case DEFT__SHAPE_OPENAI_FLAT:
    case DEFT__SHAPE_BARE_FUNCTION:
        break;
    }
    return false;
}

static void write_raw(deft__json_writer *writer, deft_view raw, deft__writing writing)
{
    if (writing.is_compact) {
        deft__json_write_raw_compact(writer, raw);
    } else {
        deft__json_write_raw(writer, raw);
    }
}

static void write_name(deft__json_writer *writer, const deft__record *record, deft_naming naming)
{
    switch (naming) {
    case DEFT_NAMING_PLAIN:
        deft__json_write_raw(writer, record->name_raw);
        break;
    case DEFT_NAMING_WIRE:
        deft__json_write_string(writer, record->tool.wire_name);
        break;
    case DEFT_NAMING_ID:
        deft__json_write_string(writer, record->tool.id);
        break;
    }
}

// The definition's own bytes, all but those of its name.
static void write_renamed(const deft__record *record, deft_naming naming, deft_buffer *out)
{
    const deft_view whole  = record->tool.definition;
    const size_t    before = (size_t)(record->name_raw.data - whole.data);
    assert(before + record->name_raw.size <= whole.size);

    deft__json_writer writer;
    deft_buffer_append(out, deft_view_slice(whole, 0, before));
    deft__json_writer_init(&writer, out);
    write_name(&writer, record, naming);
    deft_buffer_append(out, deft_view_slice(whole, before + record->name_raw.size, SIZE_MAX));
}

static void write_optional(deft__json_writer *writer, const char *name, deft_view raw,
                           deft__writing writing)
{
    if (raw.size > 0) {
        deft__json_name(writer, name);
        write_raw(writer, raw, writing);
    }
}

// The members that every form has: name, description and schema, which each form calls otherwise.
static void write_members(deft__json_writer *writer, const deft__record *record,
                          const char *schema_name, deft__writing writing)
{
    const deft_view schema = record->tool.input_schema.size > 0 ? record->tool.input_schema
                                                                : deft_view_of(schema_of_nothing);
    deft__json_name(writer, "name");
    write_name(writer, record, writing.naming);
    write_optional(writer, "description", record->description_raw, writing);
    deft__json_name(writer, schema_name);
    write_raw(writer, schema, writing);
}

static void write_converted(const deft__record *record, deft__writing writing, deft_buffer *out)
{
    deft__json_writer writer;
    deft__json_writer_init(&writer, out);
    deft__json_begin_object(&writer);
    switch (writing.form) {
    case DEFT_FORM_MCP:
        write_members(&writer, record, "inputSchema", writing);
        break;
    case DEFT_FORM_OPENAI:
        deft__json_name(&writer, "type");
        deft__json_write_text(&writer, "function");
        deft__json_name(&writer, "function");
        deft__json_begin_object(&writer);
        write_members(&writer, record, "parameters", writing);
        if (record->tool.form == DEFT_FORM_OPENAI) {
            write_optional(&writer, "strict", record->strict, writing);
        }
        deft__json_end_object(&writer);
        break;
    case DEFT_FORM_ANTHROPIC:
        write_members(&writer, record, "input_schema", writing);
        break;
    }
    deft__json_end_object(&writer);
}

deft_status deft__catalog_write(const deft_catalog *catalog, deft_tool_id tool,
                                deft__writing writing, deft_buffer *out)
{
    if (tool.index >= catalog->record_count) {
        return DEFT_NOT_FOUND;
    }
    const deft__record *record = &catalog->records[tool.index];
    const size_t        before = out->size;
    if (!is_written_in(record, writing.form)) {
        write_converted(record, writing, out);
    } else if (writing.naming != DEFT_NAMING_PLAIN) {
        write_renamed(record, writing.naming, out);
    } else {
        deft__json_writer writer;
        deft__json_writer_init(&writer, out);
        write_raw(&writer, record->tool.definition, writing);
    }
    if (out->status != DEFT_OK) {
        deft_buffer_truncate(out, before);
    }
    return out->status;
}

deft_status deft_catalog_write_tool(const deft_catalog *catalog, deft_tool_id tool, deft_form form,
                                    deft_naming naming, deft_buffer *out)
{
    const deft__writing writing = {.form = form, .naming = naming, .is_compact = false};
    return deft__catalog_write(catalog, tool, writing, out);
}

const char *deft_form_name(deft_form form)
{
    return (unsigned)form < sizeof form_names / sizeof form_names[0] ? form_names[form] : "unknown";
}

bool deft_form_from_name(deft_view name, deft_form *form)
{
    for (unsigned i = 0; i < sizeof form_names / sizeof form_names[0]; i++) {
        if (deft_view_equals(name, form_names[i])) {
            *form = (deft_form)i;
            return true;
        }
    }
    return false;
}
