// Any bytes into a catalog, as one source or, where a zero byte parts them, as two. What comes out
// must hang together: definitions are JSON and slices of what went in, ids and wire names lead
// back to their tool and to no other, and every form reads back as the same tool.
#include "deft/catalog.h"
#include "deft/sizes.h"

#include "base/utf8.h"
#include "fuzz/fuzz.h"
#include "json/reader.h"

#include <string.h>

static bool is_wire_name(deft_view name)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    for (size_t i = 0; i < name.size; i++) {
        if (memchr(letters, name.data[i], sizeof letters - 1) == NULL) {
            return false;
        }
    }
    return name.size >= 1 && name.size <= 64;
}

static void check_raw(deft__json *json, deft_view raw, deft__json_kind kind)
{
    check(deft__json_parse(json, raw, NULL, NULL) == DEFT_OK);
    check(deft__json_is(deft__json_root(json), kind));
}

static void check_part(deft__json *json, deft_view raw, deft__json_kind kind)
{
    if (raw.size > 0) {
        check_raw(json, raw, kind);
    }
}

static void check_parameters(deft__json *json, const deft_tool *tool)
{
    check((tool->parameters != NULL) == (tool->parameter_count > 0));
    for (uint32_t i = 0; i < tool->parameter_count; i++) {
        check(deft__json_parse(json, tool->parameters[i].schema, NULL, NULL) == DEFT_OK);
        check(deft__utf8_valid_size(tool->parameters[i].name) == tool->parameters[i].name.size);
    }
}

// Written in each form and read again, a tool is the same.
static void check_forms(const deft_catalog *catalog, deft_tool_id id)
{
    const deft_tool *tool = deft_catalog_tool(catalog, id);
    deft_buffer      out;
    deft_buffer_init(&out, NULL);
    for (unsigned i = 0; i < 9; i++) {
        const deft_form   form   = (deft_form)(i / 3);
        const deft_naming naming = (deft_naming)(i % 3);
        deft_buffer_reset(&out);
        deft_buffer_append_byte(&out, '[');
        check(deft_catalog_write_tool(catalog, id, form, naming, &out) == DEFT_OK);
        deft_buffer_append_byte(&out, ']');

        deft_catalog_builder *builder = deft_catalog_builder_new(NULL, NULL, NULL);
        const deft_source     source  = {.server = deft_view_of("s")};
        check(deft_catalog_builder_add(builder, &source, deft_buffer_view(&out), NULL) == DEFT_OK);
        deft_catalog *again = deft_catalog_builder_finish(builder, NULL);
        // The id may be longer than a name may be.
        check(deft_catalog_tool_count(again) == 1 || naming == DEFT_NAMING_ID);
        if (deft_catalog_tool_count(again) == 1) {
            const deft_tool *copy = deft_catalog_tool(again, (deft_tool_id){0});
            check(deft_view_equal(copy->description, tool->description));
            check(tool->input_schema.size == 0 ||
                  deft_view_equal(copy->input_schema, tool->input_schema));
            check(naming != DEFT_NAMING_PLAIN || deft_view_equal(copy->name, tool->name));
            check(naming != DEFT_NAMING_WIRE || deft_view_equal(copy->name, tool->wire_name));
            check(naming != DEFT_NAMING_ID || deft_view_equal(copy->name, tool->id));
        }
        deft_catalog_release(again);
        deft_catalog_builder_free(builder);
    }
    deft_buffer_clear(&out);
}

static void check_tool(const deft_catalog *catalog, deft__json *json, deft_tool_id id)
{
    const deft_tool *tool  = deft_catalog_tool(catalog, id);
    deft_tool_id     found = {UINT32_MAX};
    check(deft_catalog_find(catalog, tool->id, &found) && found.index == id.index);
    check(deft_catalog_find_wire(catalog, tool->wire_name, &found) && found.index == id.index);
    check(deft_catalog_resolve(catalog, tool->id, &found, NULL) == DEFT_OK);
    check(found.index == id.index);
    check(is_wire_name(tool->wire_name));
    check(tool->name.size > 0 && deft__utf8_valid_size(tool->id) == tool->id.size);
    check_raw(json, tool->definition, DEFT__JSON_OBJECT);
    check_part(json, tool->input_schema, DEFT__JSON_OBJECT);
    check_part(json, tool->output_schema, DEFT__JSON_OBJECT);
    check_part(json, tool->annotations, DEFT__JSON_OBJECT);
    check_part(json, tool->icons, DEFT__JSON_ARRAY);
    check_part(json, tool->execution, DEFT__JSON_OBJECT);
    check_part(json, tool->meta, DEFT__JSON_OBJECT);
    check_parameters(json, tool);
}

static void check_catalog(const deft_catalog *catalog)
{
    deft__json json;
    deft__json_init(&json, NULL);
    uint32_t next = 0;
    for (uint32_t s = 0; s < deft_catalog_server_count(catalog); s++) {
        const deft_server *server = deft_catalog_server(catalog, (deft_server_id){s});
        check(server->first_tool.index == next);
        for (uint32_t i = 0; i < server->tool_count; i++, next++) {
            check(deft_catalog_tool(catalog, (deft_tool_id){next})->server.index == s);
            check_tool(catalog, &json, (deft_tool_id){next});
        }
    }
    check(next == deft_catalog_tool_count(catalog));
    if (next > 0) {
        check_forms(catalog, (deft_tool_id){next / 2});
    }
    for (size_t i = 0; i < deft_catalog_problem_count(catalog); i++) {
        const deft_problem *problem = deft_catalog_problem(catalog, i);
        check(problem->status != DEFT_OK && problem->message.size > 0);
        check(deft__utf8_valid_size(problem->message) == problem->message.size);
    }
    deft_sizes *sizes = deft_sizes_new(catalog, DEFT_FORM_OPENAI, DEFT_TOKENS_O200K, NULL, NULL);
    check(sizes != NULL);
    deft_sizes_free(sizes);
    deft__json_clear(&json);
}

static void add(deft_catalog_builder *builder, deft_view text)
{
    deft_error        error  = DEFT_ERROR_INIT;
    const deft_status status = deft_catalog_builder_add(builder, NULL, text, &error);
    check(status == error.status);
    check(status == DEFT_OK || (error.message[0] != '\0' && error.offset <= text.size));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const deft_view       whole   = deft_view_make((const char *)data, size);
    const char           *parting = size > 0 ? memchr(data, '\0', size) : NULL;
    const size_t          first   = parting != NULL ? (size_t)(parting - whole.data) : size;
    deft_catalog_builder *builder = deft_catalog_builder_new(NULL, NULL, NULL);
    check(builder != NULL);
    add(builder, deft_view_slice(whole, 0, first));
    if (parting != NULL) {
        add(builder, deft_view_slice(whole, first + 1, SIZE_MAX));
    }
    deft_catalog *catalog = deft_catalog_builder_finish(builder, NULL);
    check(catalog != NULL);
    check_catalog(catalog);

    // The input once more, as a name that someone may have written.
    deft_tool_id      tool;
    const deft_status status = deft_catalog_resolve(catalog, whole, &tool, NULL);
    check(status == DEFT_OK || status == DEFT_NOT_FOUND || status == DEFT_CONFLICT);

    deft_catalog_release(catalog);
    deft_catalog_builder_free(builder);
    return 0;
}
