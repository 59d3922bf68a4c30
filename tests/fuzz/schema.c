// Any bytes as a schema and arguments: the schema goes up to the first NUL. Whatever comes, it ends,
// what is told is clean text, what was set right is an object still, and setting it right again
// changes nothing.
#include "fuzz/fuzz.h"

#include "deft/schema.h"
#include "json/reader.h"

#include <string.h>

static void check_clean(deft_view text)
{
    for (size_t i = 0; i < text.size; i++) {
        const unsigned char byte = (unsigned char)text.data[i];
        check(byte >= 0x20 && byte != 0x7F);
    }
}

static void check_problems(deft_view schema, deft_view arguments)
{
    const deft_schema_options options = {.steps_max = 20000};
    deft_schema_report       *report  = deft_schema_check(schema, arguments, &options, NULL, NULL);
    if (report == NULL) {
        return; // the arguments are no JSON
    }
    size_t                     count    = 0;
    const deft_schema_problem *problems = deft_schema_report_problems(report, &count);
    check(count <= DEFT_SCHEMA_PROBLEMS_MAX);
    for (size_t i = 0; i < count; i++) {
        check_clean(problems[i].path);
        check_clean(problems[i].message);
        check_clean(problems[i].nearest);
        check(problems[i].message.size > 0);
    }
    deft_schema_report_free(report);
}

static void check_repair(deft_view schema, deft_view arguments)
{
    deft_buffer once;
    deft_buffer twice;
    deft_buffer names;
    size_t      count = 0;
    deft_buffer_init(&once, NULL);
    deft_buffer_init(&twice, NULL);
    deft_buffer_init(&names, NULL);
    if (deft_schema_repair(schema, arguments, &once, &names, &count, NULL) == DEFT_OK &&
        count > 0) {
        deft__json document;
        deft__json_init(&document, NULL);
        check(deft__json_parse(&document, deft_buffer_view(&once), NULL, NULL) == DEFT_OK);
        check(deft__json_is(deft__json_root(&document), DEFT__JSON_OBJECT));
        deft__json_clear(&document);
        check_clean(deft_buffer_view(&names));
        check(deft_schema_repair(schema, deft_buffer_view(&once), &twice, &names, &count, NULL) ==
              DEFT_OK);
        check(count == 0);
    }
    deft_buffer_clear(&once);
    deft_buffer_clear(&twice);
    deft_buffer_clear(&names);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char     *text      = (const char *)data;
    const char     *end       = size > 0 ? memchr(text, '\0', size) : NULL;
    const size_t    split     = end != NULL ? (size_t)(end - text) : size;
    const deft_view schema    = deft_view_make(text, split);
    const deft_view arguments = deft_view_make(text + split, size - split);
    const deft_view rest      = deft_view_slice(arguments, 1, arguments.size);
    check_problems(schema, rest);
    check_repair(schema, rest);
    return 0;
}
