// world.h - a small fixed catalog, planned, for the targets that need a session. Made once per
// process and never freed.
#ifndef DEFT_TESTS_FUZZ_WORLD_H
#define DEFT_TESTS_FUZZ_WORLD_H

#include "deft/deft.h"
#include "fuzz/fuzz.h"

static const char fuzz_world_text[] =
    "{\"server\":\"github\",\"tools\":["
    "{\"name\":\"create_issue\",\"description\":\"Create an issue\\nin a repository.\","
    "\"inputSchema\":{\"type\":\"object\",\"properties\":{\"repo\":{\"type\":\"string\"},"
    "\"title\":{\"type\":\"string\",\"description\":\"Its title\"}},\"required\":[\"repo\"]}},"
    "{\"name\":\"list_issues\",\"description\":\"List issues.\",\"inputSchema\":{}},"
    "{\"name\":\"search\",\"inputSchema\":{}},"
    "{\"name\":\"odd, name\",\"description\":\"\\u001b[31m\\u202e\",\"inputSchema\":{}}]}\n"
    "{\"server\":\"slack\",\"tools\":["
    "{\"name\":\"search\",\"description\":\"Search.\",\"inputSchema\":{}},"
    "{\"name\":\"send_message\",\"description\":\"Send.\",\"inputSchema\":{\"type\":\"object\","
    "\"properties\":{\"tool_args\":{}}}}]}\n"
    "{\"server\":\"files\",\"tools\":["
    "{\"name\":\"read_file\",\"description\":\"Read.\",\"inputSchema\":{}},"
    "{\"name\":\"write_file\",\"description\":\"Write.\",\"inputSchema\":{}}]}\n";

typedef struct fuzz_world {
    deft_settings  settings;
    deft_catalog  *catalog;
    deft_plan     *plan;
    deft_index    *index;
    deft_searcher *searcher;
} fuzz_world;

// Adds each line of the text: one server.
static inline void fuzz_world_add(deft_catalog_builder *builder)
{
    const deft_source source = {.label = deft_view_of("fuzz")};
    deft_view         text   = deft_view_of(fuzz_world_text);
    while (text.size > 0) {
        const char  *end  = memchr(text.data, '\n', text.size);
        const size_t size = (size_t)(end - text.data);
        check(deft_catalog_builder_add(builder, &source, deft_view_slice(text, 0, size), NULL) ==
              DEFT_OK);
        text = deft_view_slice(text, size + 1, text.size);
    }
}

static inline fuzz_world *fuzz_world_get(void)
{
    static fuzz_world world;
    if (world.catalog == NULL) {
        deft_settings_init(&world.settings, DEFT_PRESET_DEFT);
        world.settings.mode           = DEFT_MODE_ON;
        deft_catalog_builder *builder = deft_catalog_builder_new(NULL, NULL, NULL);
        fuzz_world_add(builder);
        world.catalog = deft_catalog_builder_finish(builder, NULL);
        check(world.catalog != NULL);
        deft_catalog_builder_free(builder);
        deft_sizes *sizes =
            deft_sizes_new(world.catalog, DEFT_FORM_MCP, DEFT_TOKENS_CHARS4, NULL, NULL);
        world.plan = deft_plan_new(world.catalog, sizes, &world.settings, NULL, NULL, NULL);
        deft_sizes_free(sizes);
        world.index    = deft_index_new(world.catalog, NULL, NULL);
        world.searcher = deft_searcher_new(world.index, NULL, NULL);
        check(world.plan != NULL && world.searcher != NULL);
    }
    return &world;
}

#endif
