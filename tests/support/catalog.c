#include "support/catalog.h"

#include "support/test.h"

deft_catalog *test_catalog_of_view(const deft_catalog_options *options, const deft_source *source,
                                   deft_view text)
{
    deft_error            error   = DEFT_ERROR_INIT;
    deft_catalog_builder *builder = deft_catalog_builder_new(options, NULL, &error);
    assert_non_null(builder);
    assert_ok(deft_catalog_builder_add(builder, source, text, &error), error);
    deft_catalog *catalog = deft_catalog_builder_finish(builder, &error);
    assert_non_null(catalog);
    deft_catalog_builder_free(builder);
    return catalog;
}

deft_catalog *test_catalog_of(const char *server, const char *text)
{
    const deft_source source = {.label = deft_view_of("x.json"), .server = deft_view_of(server)};
    return test_catalog_of_view(NULL, &source, deft_view_of(text));
}

const deft_tool *test_catalog_tool(const deft_catalog *catalog, const char *id)
{
    deft_tool_id tool;
    if (!deft_catalog_find(catalog, deft_view_of(id), &tool)) {
        fail_msg("no tool '%s'", id);
    }
    return deft_catalog_tool(catalog, tool);
}
