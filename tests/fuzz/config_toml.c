// Any bytes as TOML. What comes out is JSON without a name twice, its lines in order and within
// the text.
#include "config/toml.h"
#include "fuzz/fuzz.h"
#include "json/reader.h"

static void check_value(deft__json_value value)
{
    deft__json_value duplicate;
    deft_status      status = DEFT_OK;
    check(!deft__json_find_duplicate(value, &duplicate, &status) && status == DEFT_OK);
    deft__json_iterator i = deft__json_iterate(value);
    while (deft__json_next(&i)) {
        check_value(i.value);
    }
}

static void check_lines(const deft__toml_lines *lines, deft_view text, size_t json_size)
{
    size_t line_count = 1;
    for (size_t i = 0; i < text.size; i++) {
        line_count += text.data[i] == '\n';
    }
    for (size_t i = 0; i < lines->count; i++) {
        check(lines->items[i].line >= 1 && lines->items[i].line <= line_count);
        check(lines->items[i].offset < json_size);
        check(i == 0 || lines->items[i].offset > lines->items[i - 1].offset);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const deft_view  text  = deft_view_make((const char *)data, size);
    deft__toml_lines lines = {.allocator = NULL};
    deft_error       error = DEFT_ERROR_INIT;
    deft_buffer      json;
    deft_buffer_init(&json, NULL);
    (void)deft__toml_is_likely(text);
    const deft_status status = deft__toml_to_json(text, "mcp_servers", &json, &lines, &error);
    if (status == DEFT_OK) {
        deft__json document;
        deft__json_init(&document, NULL);
        check(deft__json_parse(&document, deft_buffer_view(&json), NULL, NULL) == DEFT_OK);
        check_value(deft__json_root(&document));
        check_lines(&lines, text, json.size);
        deft__json_clear(&document);
    } else {
        check(status == DEFT_INVALID || status == DEFT_LIMIT);
        check(error.offset <= size && error.message[0] != '\0');
    }
    deft_buffer_clear(&json);
    deft__toml_lines_clear(&lines);
    return 0;
}
